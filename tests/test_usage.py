"""All six counts and the content type, through Python, in every implementation and pair."""

from __future__ import annotations

import dataclasses
import json
from itertools import product
from typing import Any

import pytest

from implementations import offering
from transcodec.usage import Usage

#: No two alike, and none is the sum of others but the total, which is not.
COUNTS = Usage(
    input_tokens=101,
    output_tokens=57,
    total_tokens=1000,
    cached_tokens=31,
    cache_write_tokens=17,
    reasoning_tokens=23,
)
WRITTEN: dict[str, dict[str, Any]] = {
    "openai_chat": {
        "prompt_tokens": 101,
        "completion_tokens": 57,
        "total_tokens": 1000,
        "prompt_tokens_details": {"cached_tokens": 31, "cache_write_tokens": 17},
        "completion_tokens_details": {"reasoning_tokens": 23},
    },
    "openai_responses": {
        "input_tokens": 101,
        "input_tokens_details": {"cached_tokens": 31, "cache_write_tokens": 17},
        "output_tokens": 57,
        "output_tokens_details": {"reasoning_tokens": 23},
        "total_tokens": 1000,
    },
}
#: Where each count stands, by format.
PLACES = {
    "openai_chat": {
        "input_tokens": ("prompt_tokens",),
        "output_tokens": ("completion_tokens",),
        "total_tokens": ("total_tokens",),
        "cached_tokens": ("prompt_tokens_details", "cached_tokens"),
        "cache_write_tokens": ("prompt_tokens_details", "cache_write_tokens"),
        "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
    },
    "openai_responses": {
        "input_tokens": ("input_tokens",),
        "output_tokens": ("output_tokens",),
        "total_tokens": ("total_tokens",),
        "cached_tokens": ("input_tokens_details", "cached_tokens"),
        "cache_write_tokens": ("input_tokens_details", "cache_write_tokens"),
        "reasoning_tokens": ("output_tokens_details", "reasoning_tokens"),
    },
}
FORMATS = tuple(WRITTEN)
COUNTED = [field.name for field in dataclasses.fields(Usage)]

each = pytest.mark.parametrize(
    ("module", "source", "target"),
    [
        pytest.param(offered.values[0], *pair, id=f"{offered.id}-{'-'.join(pair)}")
        for offered in offering("StreamTranslator")
        for pair in product(FORMATS, repeat=2)
    ],
)


def stream(source: str, usage: dict[str, Any]) -> bytes:
    """A short answer with those counts."""
    events: list[Any]
    if source == "openai_chat":
        choice = {"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}
        events = [{"id": "r", "choices": [choice]}, {"id": "r", "choices": [], "usage": usage}]
        end = b"data: [DONE]\n\n"
    else:
        part = {"type": "output_text", "text": "x", "annotations": []}
        item = {"type": "message", "id": "m", "role": "assistant", "content": [part]}
        answer = {"object": "response", "id": "r", "status": "completed", "output": [item], "usage": usage}
        events = [{"type": "response.completed", "response": answer}]
        end = b""
    return b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events) + end


def body(source: str, usage: dict[str, Any]) -> bytes:
    """The same answer as a body."""
    if source == "openai_chat":
        choice = {"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}
        return json.dumps({"id": "r", "choices": [choice], "usage": usage}).encode()
    payload = stream(source, usage).removeprefix(b"data: ")
    return json.dumps(json.loads(payload)["response"]).encode()


def written(target: str, output: bytes) -> Any:
    """The counts in the client's stream."""
    payloads = [block.rpartition(b"data: ")[2] for block in output.split(b"\n\n") if block]
    events = [json.loads(payload) for payload in payloads if payload != b"[DONE]"]
    [found] = [
        counts
        for event in events
        if (counts := (event if target == "openai_chat" else event.get("response", {})).get("usage"))
    ]
    return found


@each
def test_all_six_counts_come_through(module: Any, source: str, target: str) -> None:
    translator = module.StreamTranslator(source, target)
    output = translator.feed(stream(source, WRITTEN[source])) + translator.finish()
    assert translator.usage == COUNTS
    assert type(translator.usage) is Usage
    assert written(target, output) == WRITTEN[target]
    assert translator.losses == []


@each
def test_all_six_counts_come_through_in_one_call(module: Any, source: str, target: str) -> None:
    result = module.translate_stream(stream(source, WRITTEN[source]), source=source, target=target)
    assert result.usage == COUNTS
    whole = module.translate_response(body(source, WRITTEN[source]), source=source, target=target)
    assert whole.usage == COUNTS
    assert json.loads(whole.body)["usage"] == WRITTEN[target]


@each
@pytest.mark.parametrize("name", COUNTED)
def test_each_count_alone_is_that_count(module: Any, source: str, target: str, name: str) -> None:
    usage: Any = 7
    for member in reversed(PLACES[source][name]):
        usage = {member: usage}
    translator = module.StreamTranslator(source, target)
    output = translator.feed(stream(source, usage)) + translator.finish()
    assert translator.usage == Usage(**{name: 7})
    found: Any = written(target, output)
    for member in PLACES[target][name]:
        found = found[member]
    assert found == 7


@each
def test_no_counts_are_none_and_none_is_not_zero(module: Any, source: str, target: str) -> None:
    translator = module.StreamTranslator(source, target)
    assert translator.usage is None
    translator.feed(stream(source, {}))
    assert translator.usage is None
    zero = {PLACES[source]["input_tokens"][0]: 0}
    result = module.translate_stream(stream(source, zero), source=source, target=target)
    assert result.usage == Usage(input_tokens=0)


@each
@pytest.mark.parametrize("same_format", ["clean", "verbatim"])
def test_the_content_type_is_that_of_event_streams(
    module: Any, source: str, target: str, same_format: str
) -> None:
    translator = module.StreamTranslator(source, target, same_format=same_format)
    assert translator.content_type == "text/event-stream; charset=utf-8"
