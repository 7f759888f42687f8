"""Vectors of whole bodies, both ways, written by hand; `make_body_vectors.py` spells them out as files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

#: FNV-1a 64 of `resp_c1`.
HASH = "b5141b09b89ccad4"
CHAT = ("openai_chat", "openai_responses")
RESPONSES = ("openai_responses", "openai_chat")


@dataclass(frozen=True)
class Case:
    """One vector; `vectors/bodies/README.md` says what the members become."""

    name: str
    pins: str
    pair: tuple[str, str]
    body: bytes
    expected: Json
    losses: list[tuple[str, str, str]] = field(default_factory=list)
    outcome: str = "completed"
    options: Json = field(default_factory=dict)
    request: Json | None = None
    #: Class, code, offset, path.
    error: tuple[str, str, int | None, str | None] | None = None
    #: The body comes out byte for byte.
    unchanged: bool = False
    #: A stream made of it gives it back.
    is_streamed: bool = True


def text_of(value: Json) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def chat(*choices: Json, **members: Any) -> Json:
    head = {"id": "c1", "object": "chat.completion", "created": 5, "model": "m"}
    return {**head, "choices": list(choices), **members}


def choice(message: Json, reason: str | None = "stop", index: int = 0, **members: Any) -> Json:
    full = {"role": "assistant", "content": None, "refusal": None, **message}
    return {"index": index, "message": full, **members, "finish_reason": reason}


def response(*output: Json, status: str = "completed", **members: Any) -> Json:
    return {
        "id": "resp_c1",
        "object": "response",
        "created_at": 5,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "m",
        "output": list(output),
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": None,
        **members,
    }


def said(index: int, *parts: Json, status: str = "completed") -> Json:
    item_id = f"msg_{HASH}_{index}"
    return {"id": item_id, "type": "message", "status": status, "role": "assistant", "content": list(parts)}


def part(text: str, *annotations: Json) -> Json:
    return {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}


def call(index: int, call_id: str, name: str, arguments: str, status: str = "completed") -> Json:
    named = {"call_id": call_id, "name": name, "arguments": arguments}
    return {"id": f"fc_{HASH}_{index}", "type": "function_call", "status": status, **named}


def error(message: str, kind: str, code: str | None, param: str | None = None) -> Json:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def function(call_id: str, name: str, arguments: str) -> Json:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


_CHAT_USAGE = {
    "prompt_tokens": 3,
    "completion_tokens": 2,
    "total_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2},
    "completion_tokens_details": {"reasoning_tokens": 1},
}
_RESPONSES_USAGE = {
    "input_tokens": 3,
    "input_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2},
    "output_tokens": 2,
    "output_tokens_details": {"reasoning_tokens": 1},
    "total_tokens": 5,
}
_THOUGHT = {
    "id": f"rs_{HASH}_0",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "r"}],
}
_FLAT = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}
_NESTED = {
    "type": "url_citation",
    "url_citation": {"url": "u", "title": "t", "start_index": 0, "end_index": 1},
}
_TOKEN = {"token": "x", "logprob": -1, "bytes": None, "top_logprobs": []}
_ENDLESS = text_of(chat(choice({"content": "x"}, None)))
_BAD = text_of(chat(choice({"content": "x", "tool_calls": {}})))
_CUSTOM = {"id": "a", "type": "custom", "custom": {"name": "shell", "input": 'a"b'}}
_CUSTOM_ITEM = {"type": "custom_tool_call", "call_id": "a", "name": "shell", "input": 'a"b'}

CASES = [
    Case(
        "chat_all",
        "reasoning, text, a call, counts, in the order of a stream",
        CHAT,
        text_of(
            chat(
                choice(
                    {
                        "content": "x",
                        "reasoning_content": "r",
                        "annotations": [_NESTED],
                        "tool_calls": [function("a", "f", "")],
                    },
                    "stop",
                ),
                usage=_CHAT_USAGE,
            )
        ),
        response(_THOUGHT, said(1, part("x", _FLAT)), call(2, "a", "f", "{}"), usage=_RESPONSES_USAGE),
    ),
    Case(
        "chat_refusal",
        "a refusal is no text",
        CHAT,
        text_of(chat(choice({"refusal": "no"}))),
        response(said(0, {"type": "refusal", "refusal": "no"})),
    ),
    Case(
        "chat_length",
        "what was cut stays as it is",
        CHAT,
        text_of(chat(choice({"content": "x", "tool_calls": [function("a", "f", "{")]}, "length"))),
        response(
            said(0, part("x")),
            call(1, "a", "f", "{", "incomplete"),
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        ),
        outcome="incomplete",
    ),
    Case(
        "chat_choices",
        "one choice has a place",
        CHAT,
        text_of(chat(choice({"content": "x"}), choice({"content": "y"}, index=1))),
        response(said(0, part("x"))),
        losses=[("choices.dropped", "content", "/choices/1")],
    ),
    Case(
        "chat_choices_refused",
        "on_loss='error'",
        CHAT,
        text_of(chat(choice({"content": "x"}), choice({"content": "y"}, index=1))),
        error("refused: choices.dropped", "translation_error", "choices.dropped"),
        outcome="failed",
        options={"on_loss": "error"},
        error=("UnsupportedError", "choices.dropped", None, "/choices/1"),
    ),
    Case(
        "chat_endless",
        "no reason at all",
        CHAT,
        _ENDLESS,
        error(
            f"invalid upstream body: stream_truncated at byte {len(_ENDLESS)}",
            "upstream_error",
            "stream_truncated",
        ),
        outcome="failed",
        error=("TruncatedError", "stream_truncated", len(_ENDLESS), ""),
    ),
    Case(
        "chat_error",
        "the provider's own error",
        CHAT,
        text_of(error("slow down", "rate_limit", "c", "p")),
        error("slow down", "rate_limit", "c", "p"),
        outcome="failed",
        error=("DecodeError", "upstream_error", None, None),
    ),
    Case(
        "chat_member_of_another_type",
        "code, offset and path",
        CHAT,
        _BAD,
        error(
            f"invalid upstream body: invalid_type at byte {_BAD.index(b'{}')}",
            "upstream_error",
            "invalid_type",
        ),
        outcome="failed",
        error=("DecodeError", "invalid_type", _BAD.index(b"{}"), "/choices/0/message/tool_calls"),
    ),
    Case(
        "chat_no_object",
        "an array is no answer",
        CHAT,
        b" [1]",
        error("invalid upstream body: invalid_type at byte 1", "upstream_error", "invalid_type"),
        outcome="failed",
        error=("DecodeError", "invalid_type", 1, ""),
    ),
    Case(
        "chat_too_large",
        "max_body_bytes",
        CHAT,
        b"{}   ",
        error("invalid upstream body: event_too_large at byte 4", "upstream_error", "event_too_large"),
        outcome="failed",
        options={"max_body_bytes": 4},
        error=("DecodeError", "event_too_large", 4, ""),
    ),
    Case(
        "responses_all",
        "parts are joined as in a stream; empty members are left out; counts whatever the client's flag",
        RESPONSES,
        text_of(
            response(
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": each} for each in "rs"]},
                {
                    "type": "message",
                    "content": [{**part("x", _FLAT), "logprobs": [_TOKEN]}, part("y")],
                },
                {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
                usage=_RESPONSES_USAGE,
            )
        ),
        chat(
            choice(
                {
                    "content": "xy",
                    "reasoning_content": "r\n\ns",
                    "tool_calls": [function("a", "f", "{}")],
                    "annotations": [_NESTED],
                },
                "tool_calls",
                logprobs={"content": [_TOKEN], "refusal": None},
            ),
            id="resp_c1",
            usage=_CHAT_USAGE,
        ),
        request={"model": "m", "messages": []},
    ),
    Case(
        "responses_custom_call",
        "free-form input is wrapped",
        RESPONSES,
        text_of(response(_CUSTOM_ITEM)),
        chat(
            choice({"tool_calls": [function("a", "shell", '{"input":"a\\"b"}')]}, "tool_calls"),
            id="resp_c1",
        ),
    ),
    Case(
        "responses_declared_custom_call",
        "unless the client declared the tool as custom",
        RESPONSES,
        text_of(response(_CUSTOM_ITEM)),
        chat(choice({"tool_calls": [_CUSTOM]}, "tool_calls"), id="resp_c1"),
        request={"model": "m", "messages": [], "tools": [{"type": "custom", "custom": {"name": "shell"}}]},
    ),
    Case(
        "responses_filtered",
        "incomplete by a filter",
        RESPONSES,
        text_of(response(status="incomplete", incomplete_details={"reason": "content_filter"})),
        chat(choice({}, "content_filter"), id="resp_c1"),
        outcome="incomplete",
    ),
    Case(
        "responses_failed",
        "a failed response is an error",
        RESPONSES,
        text_of(response(status="failed", error={"code": "server_error", "message": "no"})),
        error("no", "upstream_error", "server_error"),
        outcome="failed",
        error=("DecodeError", "upstream_error", None, None),
    ),
]
