"""A Chat client as small as it can be: what someone on the other side of the gateway puts together."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer", "Call", "assemble", "blocks", "payload"]


@dataclass(slots=True)
class Call:
    """One function call, put together from its chunks."""

    id: str | None = None
    name: str | None = None
    arguments: str = ""
    chunk_count: int = 0


@dataclass(slots=True)
class Answer:
    """The whole answer, as a client has it at the end."""

    reasoning: str = ""
    text: str = ""
    calls: dict[int, Call] = field(default_factory=dict)
    finish: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    done: bool = False


def blocks(stream: bytes) -> list[bytes]:
    """Cuts a stream after each blank line (both ends of the demo write LF)."""
    return [block + b"\n\n" for block in stream.split(b"\n\n") if block]


def payload(block: bytes) -> Any:
    """Returns the JSON of an event, or None for a keep-alive and the `[DONE]` mark."""
    data = block.partition(b"data: ")[2].strip()
    return json.loads(data) if data.startswith(b"{") else None


def assemble(stream: bytes) -> Answer:
    """Reads a Chat stream to its end."""
    answer = Answer()
    for block in blocks(stream):
        chunk = payload(block)
        if chunk is None:
            answer.done = answer.done or block == b"data: [DONE]\n\n"
            continue
        answer.error = chunk.get("error", answer.error)
        answer.usage = chunk.get("usage") or answer.usage
        for choice in chunk.get("choices", []):
            _add(answer, choice)
    return answer


def _add(answer: Answer, choice: dict[str, Any]) -> None:
    delta = choice["delta"]
    answer.reasoning += delta.get("reasoning_content", "")
    answer.text += delta.get("content") or ""
    answer.finish = choice["finish_reason"] or answer.finish
    for part in delta.get("tool_calls", []):
        call = answer.calls.setdefault(part["index"], Call())
        function = part["function"]
        call.id = part.get("id", call.id)
        call.name = function.get("name", call.name)
        call.arguments += function.get("arguments", "")
        call.chunk_count += 1
