"""Vectors of whole bodies within one format."""

from __future__ import annotations

from body_cases import Case, Json, call, chat, choice, error, function, part, response, said, text_of

CHAT = ("openai_chat", "openai_chat")
RESPONSES = ("openai_responses", "openai_responses")

_USAGE: Json = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
_FULL: Json = chat(
    choice(
        {
            "content": "x",
            "reasoning": "r",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "D"}],
            "images": [{"type": "image_url", "image_url": {"url": "data:,"}}],
            "tool_calls": [{**function("a", "f", '{"n":1}'), "extra_content": {"g": 1}}],
            "annotations": [{"type": "url_citation", "url_citation": {"url": "u"}}],
        },
        "tool_calls",
        content_filter_results={},
    ),
    usage={**_USAGE, "cost": 0.5, "completion_tokens_details": {"audio_tokens": 1}},
    system_fingerprint="fp",
    citations=["a"],
)
_HOSTED: Json = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"query": "q"}}
_SEALED: Json = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "E"}
_COUNTS: Json = {
    "input_tokens": 1,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 2,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 3,
}


def spaced(value: Json) -> bytes:
    """A spelling that nobody else would choose."""
    return text_of(value).replace(b'"content":', b'"content" :\n').replace(b'"x"', b'"\\u0078"') + b"\n"


CASES = [
    Case(
        "same_chat", "a body that needs no change stays as it is", CHAT, spaced(_FULL), _FULL, unchanged=True
    ),
    Case(
        "same_chat_changed",
        "one that needs a change is written anew, with what is unknown in it at its place",
        CHAT,
        text_of(
            {
                "created": 5,
                "id": "c1",
                "model": "m",
                "provider": "p",
                "choices": [
                    {
                        "message": {
                            "content": [{"type": "text", "text": "x"}],
                            "reasoning": "r",
                            "reasoning_opaque": "O",
                            "tool_calls": [
                                {
                                    "index": 0,
                                    "id": "a",
                                    "function": {"name": "f", "arguments": {"n": 1}},
                                    "y": 2,
                                }
                            ],
                        },
                        "logprobs": {"tokens": ["x"]},
                        "finish_reason": "stop",
                        "native_finish_reason": "STOP",
                    }
                ],
                "usage": {**_USAGE, "cost": 1, "prompt_tokens_details": {"audio_tokens": 1}},
            }
        ),
        chat(
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "x",
                    "refusal": None,
                    "reasoning": "r",
                    "tool_calls": [{**function("a", "f", '{"n":1}'), "index": 0, "y": 2}],
                    "reasoning_opaque": "O",
                },
                "finish_reason": "tool_calls",
                "logprobs": {"tokens": ["x"]},
                "native_finish_reason": "STOP",
            },
            usage={**_USAGE, "cost": 1, "prompt_tokens_details": {"audio_tokens": 1}},
            provider="p",
        ),
        # The chunks of a stream have no place for all of it.
        is_streamed=False,
    ),
    Case(
        "same_chat_model",
        "what the caller gives is a change",
        CHAT,
        text_of(_FULL),
        {**_FULL, "model": "n"},
        options={"model": "n"},
        is_streamed=False,
    ),
    Case(
        "same_chat_verbatim",
        "or not, if the body is to be given back as it is",
        CHAT,
        spaced(_FULL),
        _FULL,
        options={"same_format": "verbatim", "model": "n", "on_loss": "error"},
        unchanged=True,
        is_streamed=False,
    ),
    Case(
        "same_chat_error",
        "an error keeps what is unknown in it",
        CHAT,
        b'{"error":{"message":"no","code":429,"metadata":{"a":1}},"user_id":"u"}',
        {
            "error": {
                "message": "no",
                "type": "upstream_error",
                "param": None,
                "code": "429",
                "metadata": {"a": 1},
            },
            "user_id": "u",
        },
        outcome="failed",
        error=("DecodeError", "upstream_error", None, None),
    ),
    Case(
        "same_chat_error_unchanged",
        "and stays as it is if it says all that one must",
        CHAT,
        b'{ "error": {"message":"no","type":"t","code":"c","z":1}}',
        {"error": {"message": "no", "type": "t", "code": "c", "z": 1}},
        outcome="failed",
        error=("DecodeError", "upstream_error", None, None),
        unchanged=True,
    ),
    Case(
        "same_chat_verbatim_broken",
        "what is wrong is told, and the body given back",
        CHAT,
        b'{"id":"c1","choices":[{"message":{"content":"x"}}]}',
        {"id": "c1", "choices": [{"message": {"content": "x"}}]},
        outcome="failed",
        error=("TruncatedError", "stream_truncated", 51, ""),
        options={"same_format": "verbatim"},
        unchanged=True,
    ),
    Case(
        "same_responses",
        "hosted items, opaque state and unknown members stay; a count that is not told needs no change",
        RESPONSES,
        spaced(
            body := response(
                _SEALED,
                _HOSTED,
                {**said(2, {**part("x"), "z": 1}), "phase": "final"},
                {**call(3, "a", "f", "{}"), "namespace": "n"},
                usage={**_COUNTS, "input_tokens_details": {"cached_tokens": 0}, "cost": 1},
                service_tier="default",
            )
        ),
        body,
        unchanged=True,
        is_streamed=False,
    ),
    Case(
        "same_responses_changed",
        "what is missing is put in, the rest stays in place",
        RESPONSES,
        text_of(
            {
                "id": "resp_c1",
                "object": "response",
                "created_at": 5.5,
                "model": "m",
                "output": [_SEALED, _HOSTED, said(2, part("x"))],
                "status": "completed",
                "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "cost": 1},
                "tools": [],
                "z": 1,
            }
        ),
        {
            "id": "resp_c1",
            "object": "response",
            "created_at": 5,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "model": "m",
            "output": [_SEALED, _HOSTED, said(2, part("x"))],
            "usage": {**_COUNTS, "cost": 1},
            "tools": [],
            "z": 1,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
        },
    ),
    Case(
        "same_responses_failed",
        "an answer that failed is an error, as everywhere",
        RESPONSES,
        text_of(response(status="failed", error={"code": "server_error", "message": "no"})),
        error("no", "server_error", "server_error"),
        outcome="failed",
        error=("DecodeError", "upstream_error", None, None),
    ),
]
