"""What `.response()` gives in another format than the stream's, and how an answer is closed at its end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from implementations import offering

each_implementation = pytest.mark.parametrize("module", offering("StreamTranslator"))


def wire(*chunks: str) -> bytes:
    return "".join(f"data: {chunk}\n\n" for chunk in (*chunks, "[DONE]")).encode()


def kept(module: Any, target: str, body: str, *chunks: str) -> dict[str, Any]:
    translator = module.StreamTranslator("openai_chat", target, collect=True)
    translator.feed(wire(*chunks))
    translator.finish()
    answer: dict[str, Any] = json.loads(translator.response(body))
    return answer


def delta(members: str, choice: int = 0) -> str:
    return f'{{"id":"r","choices":[{{"index":{choice},"delta":{{{members}}}}}]}}'


def reason(word: str, choice: int = 0) -> str:
    return f'{{"id":"r","choices":[{{"index":{choice},"delta":{{}},"finish_reason":"{word}"}}]}}'


CALL = '"tool_calls":[{"index":0,"id":"k","function":{"name":"f","arguments":"[]"}}]'


@each_implementation
@pytest.mark.parametrize("target", ["openai_chat", "openai_responses"])
@pytest.mark.parametrize(
    ("word", "status"),
    [("length", "incomplete"), ("content_filter", "incomplete"), ("stop", "completed")],
)
def test_an_item_that_a_limit_cut_is_incomplete(module: Any, target: str, word: str, status: str) -> None:
    body = kept(module, target, "openai_responses", delta('"content":"a"'), reason(word))
    assert [item["status"] for item in body["output"]] == [status]
    assert body["status"] == status


@each_implementation
def test_the_first_choice_by_index_is_the_one_that_is_told(module: Any) -> None:
    chunks = [
        delta('"content":"b"', 1),
        delta('"content":"a"'),
        delta(CALL, 1),
        delta('"content":"c"'),
        reason("tool_calls", 1),
        reason("length"),
    ]
    body = kept(module, "openai_chat", "openai_responses", *chunks)
    assert body["status"] == "incomplete"
    assert [[part["text"] for part in item["content"]] for item in body["output"]] == [["ac"]]
    chat = kept(module, "openai_chat", "openai_chat", *chunks)
    assert [choice["index"] for choice in chat["choices"]] == [0, 1]
    assert [choice["message"]["content"] for choice in chat["choices"]] == ["ac", "b"]
    assert [choice["finish_reason"] for choice in chat["choices"]] == ["length", "tool_calls"]


@each_implementation
@pytest.mark.parametrize("target", ["openai_chat", "openai_responses"])
def test_halves_of_a_pair_stay_together_around_an_empty_text(module: Any, target: str) -> None:
    probabilities = '{"id":"r","choices":[{"delta":{"content":""},"logprobs":{"content":[{"token":"a"}]}}]}'
    chunks = [delta(r'"content":"\ud83d"'), probabilities, delta(r'"content":"\ude00"'), reason("stop")]
    translator = module.StreamTranslator("openai_chat", target, collect=True)
    translator.feed(wire(*chunks))
    translator.finish()
    assert translator.losses == []
    message = json.loads(translator.response("openai_chat"))["choices"][0]["message"]
    assert message["content"] == "\U0001f600"


@each_implementation
def test_calls_are_closed_before_the_text_that_stands_open(module: Any) -> None:
    chunks = [delta('"content":"a"'), delta(CALL), delta('"content":"b"'), reason("tool_calls")]
    translator = module.StreamTranslator("openai_chat", "openai_responses")
    output = translator.feed(wire(*chunks)) + translator.finish()
    events = [json.loads(block.partition(b"data: ")[2]) for block in output.split(b"\n\n") if block]
    closed = [event["item"]["type"] for event in events if event["type"] == "response.output_item.done"]
    assert closed == ["message", "function_call", "message"]


@each_implementation
@pytest.mark.parametrize("target", ["openai_chat", "openai_responses"])
def test_a_custom_call_stays_custom_in_the_source_s_own_format(module: Any, target: str) -> None:
    call = '"tool_calls":[{"index":0,"id":"k","type":"custom","custom":{"name":"f","input":"x"}}]'
    body = kept(module, target, "openai_chat", delta(call), reason("tool_calls"))
    calls = body["choices"][0]["message"]["tool_calls"]
    assert calls == [{"id": "k", "type": "custom", "custom": {"name": "f", "input": "x"}}]


@each_implementation
@pytest.mark.parametrize("target", ["openai_chat", "openai_responses"])
def test_a_custom_call_of_another_format_is_wrapped(module: Any, target: str) -> None:
    item = {"type": "custom_tool_call", "id": "i", "call_id": "k", "name": "f", "input": "x"}
    event = {"type": "response.completed", "response": {"id": "r", "output": [item]}}
    translator = module.StreamTranslator("openai_responses", target, collect=True)
    translator.feed(f"data: {json.dumps(event)}\n\n".encode())
    translator.finish()
    calls = json.loads(translator.response("openai_chat"))["choices"][0]["message"]["tool_calls"]
    function = {"name": "f", "arguments": '{"input":"x"}'}
    assert calls == [{"id": "k", "type": "function", "function": function}]
