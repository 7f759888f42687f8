"""Chunks that were written for a whole body take over what is unknown in it (section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.chunks import CHUNK, NOISE, choices_of, name_reasoning
from transcodec.reference.json_reader import JsonObject, read_json
from transcodec.reference.json_writer import compact, quote_passed
from transcodec.reference.stream.clean.take_over import take_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from transcodec.reference.stream.clean.tree import Members

__all__ = ["as_chunk", "complete_events"]

_CHOICE = CHUNK.lists["choices"][0]
_DELTA = _CHOICE.objects["delta"]
#: What is told with events of its own.
_TOLD_APART = frozenset({"usage", "finish_reason", "annotations", "tool_calls", "function_call", NOISE})


def complete_events(written: Iterable[Members], body: JsonObject) -> None:
    """What stands beside the texts goes with the chunk that opens a choice, the rest where it belongs."""
    beside = as_chunk(body, lambda _, key: key not in _TOLD_APART)
    inside = as_chunk(body, lambda known, key: key in known)
    opened = set()
    for chunk in written:
        choices = chunk.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(first, dict) and str(first["index"]) not in opened:
            opened.add(str(first["index"]))
            take_over(chunk, beside, CHUNK)
        elif not (isinstance(first, dict) and _continues_a_call(first)):
            name_reasoning(chunk, inside)
            take_over(chunk, inside, CHUNK)


def _continues_a_call(choice: Members) -> bool:
    delta = choice["delta"]
    calls = delta.get("tool_calls") if isinstance(delta, dict) else None
    return isinstance(calls, list) and any(isinstance(call, dict) and "id" not in call for call in calls)


def as_chunk(
    body: JsonObject, takes: Callable[[frozenset[str], str], bool] = lambda _known, _key: True
) -> JsonObject:
    """A body, or a part of it, in the form of a chunk."""
    members = [
        f"{quote_passed(each.key)}:{compact(each.value)}"
        for each in body
        if each.key != "choices" and takes(CHUNK.known, each.key)
    ]
    choices = []
    for choice in choices_of(body):
        parts = [
            f"{quote_passed(each.key)}:{compact(each.value)}"
            for each in choice
            if each.key not in ("delta", "message") and takes(_CHOICE.known, each.key)
        ]
        message = choice.get("message")
        if isinstance(message, JsonObject):
            delta = [
                f"{quote_passed(each.key)}:{compact(each.value)}"
                for each in message
                if takes(_DELTA.known, each.key)
            ]
            parts.append(f'"delta":{{{",".join(delta)}}}')
        choices.append(f"{{{','.join(parts)}}}")
    members.append(f'"choices":[{",".join(choices)}]')
    chunk = read_json(f"{{{','.join(members)}}}".encode())
    return chunk if isinstance(chunk, JsonObject) else body
