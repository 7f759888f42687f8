"""The text of `transcodec demo`: each source event, what it became, and what the client has at the end."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import click

from transcodec.demo import SOURCE, TARGET
from transcodec.demo.client import Answer, assemble, blocks, payload

__all__ = ["Translator", "render"]

WIDTH = 100
LEFT_WIDTH = 43
RIGHT_WIDTH = WIDTH - LEFT_WIDTH - 3
LABEL_WIDTH = 11
WORD_WIDTH = 12
BARE = frozenset({"id", "type", "name", "role"})


class Translator(Protocol):
    """What the demo needs of a stream translator."""

    def feed(self, data: bytes, /) -> bytes:
        """Takes upstream bytes and returns client bytes."""

    def finish(self) -> bytes:
        """Ends the stream."""


@dataclass(slots=True)
class Step:
    """One source event and the client bytes it caused."""

    event: bytes
    output: bytes


def render(stream: bytes, new_translator: Callable[[], Translator]) -> Iterator[str]:
    """Translates the stream and yields the lines that show it, none wider than 100 columns.

    The stream is fed event by event for the table, then once more byte by byte for the comparison.
    """
    steps = _translate(new_translator(), blocks(stream))
    output = b"".join(step.output for step in steps)
    by_bytes = new_translator()
    single = b"".join(by_bytes.feed(stream[at : at + 1]) for at in range(len(stream))) + by_bytes.finish()

    yield _bold(f"{SOURCE} → {TARGET}: {len(steps) - 1} events, {len(stream):,} bytes (a made-up stream)")
    yield ""
    yield _bold(f"{'upstream sends':{LEFT_WIDTH}}   the client gets")
    for step in steps:
        yield from _rows(step)
    yield ""
    yield _bold("what the client puts together")
    yield from _summary(assemble(output))
    yield ""
    same = "the same bytes" if single == output else "DIFFERENT BYTES: this is a bug"
    yield f"Fed event by event and byte by byte: {same} ({len(output):,}, {output.count(b'data: ')} events)."


def _translate(translator: Translator, events: list[bytes]) -> list[Step]:
    steps = [Step(event, translator.feed(event)) for event in events]
    return [*steps, Step(b"", translator.finish())]


def _rows(step: Step) -> Iterator[str]:
    left = _source_line(payload(step.event)) if step.event else "end of input"
    rights = [_chunk_line(block) for block in blocks(step.output)] or [click.style("·", dim=True)]
    for right in rights:
        yield f"{left:{LEFT_WIDTH}} │ {right}"
        left = ""


def _source_line(event: dict[str, Any]) -> str:
    words = [event["type"].removeprefix("response.")]
    if "output_index" in event:
        words.insert(0, f"[{event['output_index']}]")
    if "delta" in event:
        words.append(_quoted(event["delta"]))
    elif "item" in event:
        words.append(event["item"].get("name") or event["item"]["type"])
    return _cut(" ".join(words), LEFT_WIDTH)


def _chunk_line(block: bytes) -> str:
    chunk = payload(block)
    if chunk is None:
        return block.decode().strip()
    if not chunk.get("choices"):
        return _cut(_members(chunk.get("usage") or chunk), RIGHT_WIDTH)
    choice = chunk["choices"][0]
    if choice["finish_reason"]:
        return f"finish_reason {choice['finish_reason']}"
    delta = choice["delta"]
    if "tool_calls" in delta:
        part = delta["tool_calls"][0]
        return _cut(f"[{part.pop('index')}] {_members(part)}", RIGHT_WIDTH)
    return _cut(_members(delta), RIGHT_WIDTH)


def _summary(answer: Answer) -> Iterator[str]:
    yield from _field("reasoning", answer.reasoning)
    yield from _field("text", answer.text)
    for index, call in sorted(answer.calls.items()):
        yield from _field(f"call {index}", f"{call.name}  id {call.id}  ({call.chunk_count} chunks)")
        yield from _field("", call.arguments, exact=True)
    yield from _field("finish", f"{answer.finish}{', [DONE]' if answer.done else ''}")
    yield from _field("usage", _members(answer.usage))
    if answer.error is not None:
        yield from _field("error", _members(answer.error))


def _field(name: str, value: str, *, exact: bool = False) -> Iterator[str]:
    room = WIDTH - LABEL_WIDTH
    pieces = [value[start : start + room] for start in range(0, len(value), room)]
    for piece in pieces if exact else textwrap.wrap(value, room):
        yield f"{name:{LABEL_WIDTH}}{piece}"
        name = ""


def _members(value: dict[str, Any]) -> str:
    """Flattens an object to `name value` pairs; content is quoted, words and numbers stand bare."""
    pairs = []
    for name, member in value.items():
        if isinstance(member, dict):
            pairs.append(_members(member))
        elif isinstance(member, str) and name not in BARE:
            pairs.append(f"{name} {_quoted(member)}")
        else:
            pairs.append(f"{name} {_cut(str(member), WORD_WIDTH)}")
    return ", ".join(pairs)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _bold(text: str) -> str:
    return click.style(text, bold=True)
