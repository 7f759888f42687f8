"""A member that a decoder needs stands twice: found in streams and in whole bodies, where the second begins.

Table of DESIGN.md section 2. Each needed member of an event and of a body is doubled in its turn. Members
that nobody reads may stand twice: the last one counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import streaming
from implementations import offering
from transcodec.errors import DecodeError

CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
DELTA = {"role": "assistant", "content": "x", "refusal": "no", "tool_calls": [CALL]}
CHAT_USAGE = {
    "prompt_tokens": 1,
    "completion_tokens": 2,
    "total_tokens": 3,
    "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 1},
    "completion_tokens_details": {"reasoning_tokens": 1},
}
CHAT_HEAD = {"id": "r", "created": 1, "model": "m"}
CHUNK = CHAT_HEAD | {
    "choices": [{"index": 0, "delta": DELTA, "finish_reason": "stop"}],
    "usage": CHAT_USAGE,
    "unread": 1,
}
CHAT_BODY = CHAT_HEAD | {
    "choices": [{"index": 0, "message": DELTA, "finish_reason": "stop"}],
    "usage": CHAT_USAGE,
    "unread": 1,
}
PART = {"type": "output_text", "text": "x", "annotations": []}
ITEMS = [
    {"type": "message", "id": "m", "content": [PART]},
    {"type": "reasoning", "id": "q", "summary": [{"type": "summary_text", "text": "why"}]},
    {"type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": "{}"},
]
RESPONSES_USAGE = {
    "input_tokens": 1,
    "output_tokens": 2,
    "total_tokens": 3,
    "input_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 1},
    "output_tokens_details": {"reasoning_tokens": 1},
}
RESPONSE = {
    "object": "response",
    "id": "r",
    "created_at": 1,
    "model": "m",
    "status": "completed",
    "output": ITEMS,
    "usage": RESPONSES_USAGE,
    "unread": 1,
}
TERMINAL = {"type": "response.completed", "response": RESPONSE, "unread": 1}
#: What nobody reads: it may stand twice. (What a body is, its `object` says; there it is read.)
UNREAD = {"unread", "role", "object"}

EVENTS: dict[str, list[dict[str, Any]]] = {
    "openai_chat": [CHUNK],
    "openai_responses": [
        TERMINAL,
        {"type": "response.output_item.added", "output_index": 0, "item": ITEMS[2]},
        {"type": "response.output_text.delta", "output_index": 0, "item_id": "m", "delta": "x"},
        {
            "type": "response.function_call_arguments.done",
            "output_index": 0,
            "item_id": "f",
            "arguments": "{}",
        },
    ],
}
BODIES = {"openai_chat": CHAT_BODY, "openai_responses": RESPONSE}


def pointers(value: Any, above: str = "") -> Iterator[str]:
    """JSON Pointers to every member, at every level."""
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, member in members:
        if isinstance(value, dict):
            yield f"{above}/{name}"
        yield from pointers(member, f"{above}/{name}")


def doubled(value: Any, pointer: str, above: str = "") -> str:
    """The text of the value with that member once more, last in its object; a NUL marks the second key."""
    if isinstance(value, list):
        elements = [doubled(element, pointer, f"{above}/{at}") for at, element in enumerate(value)]
        return f"[{','.join(elements)}]"
    if not isinstance(value, dict):
        return json.dumps(value)
    texts = [
        f"{json.dumps(name)}:{doubled(member, pointer, f'{above}/{name}')}" for name, member in value.items()
    ]
    holder, _, name = pointer.rpartition("/")
    if holder == above and name in value:
        texts.append(f"\0{json.dumps(name)}:{json.dumps(value[name])}")
    return f"{{{','.join(texts)}}}"


@cache
def cases(kind: str) -> list[Any]:
    """Format, what is doubled, and its text with the mark, in streams or in bodies."""
    wholes = EVENTS if kind == "events" else {source: [body] for source, body in BODIES.items()}
    return [
        pytest.param(source, pointer, doubled(whole, pointer), id=f"{source}-{number}{pointer}")
        for source, events in wholes.items()
        for number, whole in enumerate(events)
        for pointer in pointers(whole)
    ]


def is_read(pointer: str) -> bool:
    return pointer == "/object" or pointer.rpartition("/")[2] not in UNREAD


def fed(translator: Any, pieces: list[bytes]) -> None:
    for piece in pieces:
        translator.feed(piece)


def other(source: str) -> str:
    return "openai_chat" if source == "openai_responses" else "openai_responses"


def fault(error: DecodeError) -> tuple[str, int | None, str | None]:
    return error.code, error.offset, error.path


@pytest.mark.parametrize("module", offering("StreamTranslator"))
@pytest.mark.parametrize(("source", "pointer", "marked"), cases("events"))
def test_in_streams(source: str, pointer: str, marked: str, module: Any) -> None:
    wire = b": begun\n\ndata: " + marked.replace("\0", "").encode() + b"\n\n"
    expected = ("duplicate_key", len(b": begun\n\ndata: ") + marked.index("\0"), f"/0{pointer}")
    for target in (other(source), source):
        for pieces in ([wire], streaming.bytewise(wire)):
            translator = module.StreamTranslator(source, target)
            if is_read(pointer):
                with pytest.raises(DecodeError) as caught:
                    fed(translator, pieces)
                assert fault(caught.value) == expected
            else:
                fed(translator, pieces)
                assert translator.outcome != "failed"


@pytest.mark.parametrize("module", offering("translate_response"))
@pytest.mark.parametrize(("source", "pointer", "marked"), cases("bodies"))
def test_in_whole_bodies(source: str, pointer: str, marked: str, module: Any) -> None:
    body = marked.replace("\0", "").encode()
    if not is_read(pointer):
        assert module.translate_response(body, source=source, target=other(source)).outcome == "completed"
        return
    expected = ("duplicate_key", marked.index("\0"), pointer)
    with pytest.raises(DecodeError) as caught:
        module.translate_response(body, source=source, target=other(source))
    assert fault(caught.value) == expected
    # The reader of streams takes the same body, in pieces.
    for pieces in ([body], streaming.bytewise(body)):
        translator = module.StreamTranslator(source, other(source))
        with pytest.raises(DecodeError) as caught:
            fed(translator, pieces)
        assert fault(caught.value) == expected


@pytest.mark.parametrize("module", offering("StreamTranslator"))
@pytest.mark.parametrize("spelling", ['"delta"', r'"d\u0065lta"'])
def test_keys_are_compared_decoded(spelling: str, module: Any) -> None:
    event = f'{{"type":"response.output_text.delta","item_id":"m","delta":"x",{spelling}:"y"}}'
    with pytest.raises(DecodeError) as caught:
        module.StreamTranslator("openai_responses", "openai_chat").feed(f"data: {event}\n\n".encode())
    assert fault(caught.value) == ("duplicate_key", 6 + event.rindex(spelling), "/0/delta")
