"""Writes the Responses stream that `transcodec demo` translates; `make vectors` runs it.

All content is made up here. The order of events and members is the one of the live API: items are announced,
filled by deltas, closed by `done` snapshots, and the terminal event repeats the whole answer.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]

PATH: Final = Path(__file__).parent.parent / "python/transcodec/demo/responses_tool_call.sse"

SUMMARY: Final = [
    "**Planning the evening**\n\n",
    "Weather and table are independent, ",
    "so both tools can run at once.",
]
TEXT: Final = [
    "I'll check tonight's weather ",
    "in Lisbon and look for ",
    "a table for four ",
    "— one moment.",
]
#: Argument text in the pieces it arrives in. Spelling is part of the demo: `19.50` and `1e3` must come out as
#: they are, an escaped quote is cut in two, and é arrives once raw and once as an escape.
WEATHER: Final = ['{"city":', '"Lisbon",', '"hours":[', "19.50,", '22.00],"units":"metric"}']
TABLE: Final = [
    '{"query":"terrace, \\',
    '"quiet\\" corner","guests"',
    ':4,"near":{"lat":38.7140,',
    '"radius_m":1e3},"cuisine":["caf\\u00e9",',
    '"marisqueira até às 23h"]}',
]


def identifier(prefix: str) -> str:
    """An id of the length that the live API uses, the same on every run."""
    return f"{prefix}_{hashlib.sha256(f'transcodec demo {prefix}'.encode()).hexdigest()[:50]}"


def response(status: str, output: list[Json], usage: Json | None) -> Json:
    """The response object that the first two events and the last one carry."""
    return {
        "id": identifier("resp"),
        "object": "response",
        "created_at": 1767225600,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": "You are the concierge of a small hotel.",
        "max_output_tokens": None,
        "model": "gpt-demo-2026-01-01",
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": "low", "summary": "auto"},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [tool("get_weather", ["city", "hours"]), tool("find_table", ["query", "guests"])],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
        "metadata": {},
    }


def tool(name: str, required: list[str]) -> Json:
    """A declared function, with a schema that is long enough to look real."""
    return {
        "type": "function",
        "name": name,
        "description": None,
        "parameters": {"type": "object", "properties": {key: {} for key in required}, "required": required},
        "strict": False,
    }


def reasoning_events(index: int) -> tuple[list[Json], Json]:
    """A reasoning item with one summary part: its events and the finished item."""
    item_id = identifier("rs")
    at = {"item_id": item_id, "output_index": index, "summary_index": 0}
    text = "".join(SUMMARY)
    part = {"type": "summary_text", "text": text}
    done = {"id": item_id, "type": "reasoning", "summary": [part]}
    return [
        {"type": "response.output_item.added", "output_index": index, "item": {**done, "summary": []}},
        {"type": "response.reasoning_summary_part.added", **at, "part": {**part, "text": ""}},
        *({"type": "response.reasoning_summary_text.delta", **at, "delta": piece} for piece in SUMMARY),
        {"type": "response.reasoning_summary_text.done", **at, "text": text},
        {"type": "response.reasoning_summary_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": index, "item": done},
    ], done


def message_events(index: int) -> tuple[list[Json], Json]:
    """A message item with one text part: its events and the finished item."""
    item_id = identifier("msg")
    at = {"item_id": item_id, "output_index": index, "content_index": 0}
    text = "".join(TEXT)
    part = {"type": "output_text", "annotations": [], "logprobs": [], "text": text}
    done = {"id": item_id, "type": "message", "status": "completed", "content": [part], "role": "assistant"}
    added = {**done, "status": "in_progress", "content": []}
    return [
        {"type": "response.output_item.added", "output_index": index, "item": added},
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []} for piece in TEXT),
        {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": index, "item": done},
    ], done


def call_events(index: int, name: str, pieces: list[str]) -> tuple[Json, list[Json], list[Json], Json]:
    """A function call: its announcement, its deltas, its closing events, and the finished item."""
    item_id = identifier(f"fc{index}")
    at = {"item_id": item_id, "output_index": index}
    call_id = "call_" + hashlib.sha256(name.encode()).hexdigest()[:24]
    text = "".join(pieces)
    json.loads(text)
    done = {
        "id": item_id,
        "type": "function_call",
        "status": "completed",
        "arguments": text,
        "call_id": call_id,
        "name": name,
    }
    added = {**done, "status": "in_progress", "arguments": ""}
    return (
        {"type": "response.output_item.added", "output_index": index, "item": added},
        [
            {
                "type": "response.function_call_arguments.delta",
                **at,
                "delta": piece,
                "obfuscation": "x" * (-len(piece) % 16),
            }
            for piece in pieces
        ],
        [
            {"type": "response.function_call_arguments.done", **at, "arguments": text},
            {"type": "response.output_item.done", "output_index": index, "item": done},
        ],
        done,
    )


def events() -> list[Json]:
    """All events, without their sequence numbers."""
    reasoning, reasoning_item = reasoning_events(0)
    message, message_item = message_events(1)
    weather_added, weather_deltas, weather_done, weather_item = call_events(2, "get_weather", WEATHER)
    table_added, table_deltas, table_done, table_item = call_events(3, "find_table", TABLE)
    interleaved = itertools.chain.from_iterable(zip(weather_deltas, table_deltas, strict=True))
    usage = {
        "input_tokens": 1874,
        "input_tokens_details": {"cached_tokens": 1536, "cache_write_tokens": 256},
        "output_tokens": 143,
        "output_tokens_details": {"reasoning_tokens": 64},
        "total_tokens": 2017,
    }
    output = [reasoning_item, message_item, weather_item, table_item]
    return [
        {"type": "response.created", "response": response("in_progress", [], None)},
        {"type": "response.in_progress", "response": response("in_progress", [], None)},
        *reasoning,
        *message,
        weather_added,
        table_added,
        *interleaved,
        *weather_done,
        *table_done,
        {"type": "response.completed", "response": response("completed", output, usage)},
    ]


def stream() -> bytes:
    """The stream as bytes."""
    blocks = []
    for number, event in enumerate(events()):
        kind = event["type"]
        body = {"type": kind, "sequence_number": number} | event
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        blocks.append(f"event: {kind}\ndata: {text}\n\n")
    return "".join(blocks).encode()


if __name__ == "__main__":
    PATH.write_bytes(stream())
    print(f"{PATH.name}: {len(events())} events")
