"""Made-up Responses streams of the shapes that load a gateway, each with the answer it must come to."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import Any, Final

Json = dict[str, Any]

#: What a model writes into a file, with the escapes that real arguments have.
LINE: Final = '    assert parse("naïve \\"quoted\\"", limit=1_000) == {"a": [1.50, 2e3]}\n'
PIECE_CHARACTERS: Final = 24


@dataclass(frozen=True, slots=True)
class Workload:
    """A stream, the texts of its calls in order, and its text."""

    name: str
    events: list[bytes]
    arguments: list[str]
    text: str

    @property
    def stream(self) -> bytes:
        """The whole stream."""
        return b"".join(self.events)


def _frame(events: list[Json]) -> list[bytes]:
    framed = []
    for number, event in enumerate(events):
        body = {"type": event["type"], "sequence_number": number} | event
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        framed.append(f"event: {event['type']}\ndata: {text}\n\n".encode())
    return framed


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE_CHARACTERS] for at in range(0, len(text), PIECE_CHARACTERS)]


def _response(status: str, output: list[Json]) -> Json:
    usage = {"input_tokens": 9000, "output_tokens": 2000, "total_tokens": 11000} if output else None
    identity = {"id": "resp_bench", "object": "response", "created_at": 1767225600}
    return {**identity, "status": status, "model": "gpt-bench", "output": output, "usage": usage}


def _stream(items: list[Json], deltas: list[Json], dones: list[Json]) -> list[bytes]:
    added = [
        {"type": "response.output_item.added", "output_index": index, "item": {**item, **_emptied(item)}}
        for index, item in enumerate(items)
    ]
    closed = [
        {"type": "response.output_item.done", "output_index": index, "item": item}
        for index, item in enumerate(items)
    ]
    start = {"type": "response.created", "response": _response("in_progress", [])}
    end = {"type": "response.completed", "response": _response("completed", items)}
    return _frame([start, *added, *deltas, *dones, *closed, end])


def _emptied(item: Json) -> Json:
    return {"arguments": ""} if item["type"] == "function_call" else {"content": []}


def tool_calls(call_count: int, characters: int) -> Workload:
    """Parallel calls whose argument deltas interleave, `characters` of argument text each."""
    content = LINE * (characters // len(LINE) + 1)
    arguments = [
        json.dumps({"path": f"src/{n}.py", "content": content[:characters]}) for n in range(call_count)
    ]
    items = [
        {
            "id": f"fc_{n}",
            "type": "function_call",
            "arguments": text,
            "call_id": f"call_{n}",
            "name": "write_file",
        }
        for n, text in enumerate(arguments)
    ]
    places = [{"item_id": f"fc_{n}", "output_index": n} for n in range(call_count)]
    rounds = itertools.zip_longest(*map(_pieces, arguments))
    deltas = [
        {"type": "response.function_call_arguments.delta", **places[n], "delta": piece}
        for pieces in rounds
        for n, piece in enumerate(pieces)
        if piece is not None
    ]
    dones = [
        {"type": "response.function_call_arguments.done", **place, "arguments": text}
        for place, text in zip(places, arguments, strict=True)
    ]
    return Workload(f"{call_count} calls", _stream(items, deltas, dones), arguments, "")


def text(characters: int) -> Workload:
    """One message of text."""
    whole = (LINE * (characters // len(LINE) + 1))[:characters]
    place = {"item_id": "msg_0", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": whole, "annotations": []}
    item = {"id": "msg_0", "type": "message", "role": "assistant", "content": [part]}
    deltas = [{"type": "response.output_text.delta", **place, "delta": piece} for piece in _pieces(whole)]
    dones = [{"type": "response.output_text.done", **place, "text": whole}]
    return Workload("text", _stream([item], deltas, dones), [], whole)
