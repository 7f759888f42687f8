"""Vectors of usage, finishes, failures, cuts, and of what comes behind the end."""

from __future__ import annotations

from typing import Any

from stream_cases.words import (
    CREATED,
    CUT,
    DONE,
    KEPT_ALIVE,
    START,
    Case,
    Json,
    Out,
    chunk,
    chunk_head,
    compact,
    content,
    cut,
    ended,
    event,
    failure,
    finish,
    message,
    text,
    text_part,
)

HI = CREATED + text(0, "Hi")
USAGE: Json = {
    "input_tokens": 20,
    "input_tokens_details": {"cached_tokens": 16, "cache_write_tokens": 4},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 25,
}


def used(counts: Json) -> Out:
    return {**chunk_head(), "choices": [], "usage": counts}


def with_usage(counts: Json) -> list[Out]:
    return [START, content("Hi"), chunk({}, "stop"), used(counts), DONE]


USED: Json = {
    "prompt_tokens": 20,
    "completion_tokens": 5,
    "total_tokens": 25,
    "prompt_tokens_details": {"cached_tokens": 16, "cache_write_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 3},
}
ASKS_NOT: Json = {"model": "m", "messages": []}


def failed(error: Any) -> bytes:
    return ended(status="failed", error=error)


LONG: Json = {"type": "error", "x": "é" * 2000}

CASES = [
    Case("usage", "all counts, behind the finish", HI + ended(usage=USAGE), with_usage(USED)),
    Case(
        "usage_not_wanted",
        "include_usage=False leaves the usage chunk out",
        HI + ended(usage=USAGE),
        [START, content("Hi"), *finish("stop")],
        options={"include_usage": False},
    ),
    Case(
        "usage_not_asked_for",
        "a Chat request without stream_options does not ask for usage",
        HI + ended(usage=USAGE),
        [START, content("Hi"), *finish("stop")],
        request=ASKS_NOT,
    ),
    Case(
        "usage_asked_for",
        "stream_options.include_usage asks for it",
        HI + ended(usage=USAGE),
        with_usage(USED),
        request={**ASKS_NOT, "stream_options": {"include_usage": True}},
    ),
    Case(
        "usage_argument_before_context",
        "the argument goes before the request",
        HI + ended(usage=USAGE),
        with_usage(USED),
        options={"include_usage": True},
        request=ASKS_NOT,
    ),
    Case(
        "usage_partial",
        "unknown counts are 0, the total is the larger of what was given and the sum",
        HI
        + ended(usage={"output_tokens": 5, "total_tokens": 3, "input_tokens_details": {"cached_tokens": 0}}),
        with_usage(
            {
                "prompt_tokens": 0,
                "completion_tokens": 5,
                "total_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 0},
            }
        ),
    ),
    Case(
        "usage_total_only",
        "a total larger than the sum stays",
        HI + ended(usage={"total_tokens": 9, "input_tokens": None}),
        with_usage({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 9}),
    ),
    Case("usage_empty", "no count, no chunk", HI + ended(usage={}), [START, content("Hi"), *finish("stop")]),
    Case(
        "usage_odd",
        "counts that are none and members without a place are told; the rest counts",
        HI
        + ended(
            usage={
                "input_tokens": -1,
                "output_tokens": 5,
                "total_tokens": "7",
                "input_tokens_details": {"cached_tokens": 1.0, "image_tokens": 2, "audio_tokens": None},
                "output_tokens_details": {"reasoning_tokens": 3, "modality": {"text": 1}},
                "cost": 0.5,
            }
        ),
        with_usage(
            {
                "prompt_tokens": 0,
                "completion_tokens": 5,
                "total_tokens": 5,
                "completion_tokens_details": {"reasoning_tokens": 3},
            }
        ),
        [
            ("usage.invalid", "metadata", "/2/response/usage/input_tokens"),
            ("usage.invalid", "metadata", "/2/response/usage/total_tokens"),
            ("usage.invalid", "metadata", "/2/response/usage/input_tokens_details/cached_tokens"),
            ("usage.member_dropped", "metadata", "/2/response/usage/input_tokens_details/image_tokens"),
            ("usage.member_dropped", "metadata", "/2/response/usage/output_tokens_details/modality"),
            ("usage.member_dropped", "metadata", "/2/response/usage/cost"),
        ],
    ),
    Case(
        "incomplete_length",
        "the answer was cut by its limit",
        HI + ended(status="incomplete", incomplete_details={"reason": "max_output_tokens"}, usage=USAGE),
        [START, content("Hi"), chunk({}, "length"), used(USED), DONE],
        outcome="incomplete",
    ),
    Case(
        "incomplete_content_filter",
        "the answer was cut by a filter",
        HI + ended(status="incomplete", incomplete_details={"reason": "content_filter"}),
        [START, content("Hi"), *finish("content_filter")],
        outcome="incomplete",
    ),
    Case(
        "incomplete_without_details",
        "anything else is a length",
        HI + ended(status="incomplete"),
        [START, content("Hi"), *finish("length")],
        outcome="incomplete",
    ),
    Case(
        "status_before_event_type",
        "the object's status goes before the event's word",
        HI + event("response.done", response={"id": "resp_1", "status": "incomplete"}),
        [START, content("Hi"), *finish("length")],
        outcome="incomplete",
    ),
    Case(
        "status_unknown",
        "with a status of no meaning the event's word counts",
        HI + event("response.incomplete", response={"id": "resp_1", "status": "in_progress"}),
        [START, content("Hi"), *finish("length")],
        outcome="incomplete",
    ),
    Case(
        "terminal_without_response",
        "the event's word alone ends the answer",
        HI + event("response.completed"),
        [START, content("Hi"), *finish("stop")],
    ),
    Case(
        "failed",
        "a failed response becomes the error event; no finish, no done mark",
        HI + failed({"code": "server_error", "message": "no luck"}),
        [START, content("Hi"), failure("no luck", code="server_error")],
        outcome="failed",
    ),
    Case(
        "failed_without_error",
        "a failure without words",
        HI + failed(None),
        [START, content("Hi"), failure("the response failed")],
        outcome="failed",
    ),
    Case(
        "failed_before_anything",
        "the start is written, since the terminal object says who answers",
        failed({"code": "rate_limit_exceeded", "message": "slow down"}),
        [START, failure("slow down", code="rate_limit_exceeded")],
        outcome="failed",
    ),
    Case(
        "failed_keeps_items_back",
        "the items of a failed response are not reconciled",
        HI + ended([message("msg_0", text_part("Hi there"))], "failed", error={"message": "no luck"}),
        [START, content("Hi"), failure("no luck")],
        outcome="failed",
    ),
    Case(
        "cancelled",
        "a cancelled response is a failure",
        HI + ended(status="cancelled"),
        [START, content("Hi"), failure("the response was cancelled", code="cancelled")],
        outcome="failed",
    ),
    Case(
        "error_nested",
        "the fields of the error object",
        HI + event("error", error={"type": "t", "code": 429, "message": "m", "param": "p"}),
        [START, content("Hi"), failure("m", "t", "429", "p")],
        outcome="failed",
    ),
    Case(
        "error_flat",
        "the type of a flat error event is not the fault's type",
        event("error", code="c", message="m", param=None, sequence_number=3),
        [failure("m", code="c")],
        outcome="failed",
    ),
    Case(
        "error_without_type",
        "an event without type and with an error object is an error",
        b'data: {"error":{"message":"m"}}\n\n',
        [failure("m")],
        outcome="failed",
    ),
    Case(
        "error_without_message",
        "the compact text of the object stands in",
        b'data: {"type": "error", "error": {"code": null, "message": 5, "n": [1.50, "\\u00e9"]}}\n\n',
        [failure('{"code":null,"message":5,"n":[1.50,"\\u00e9"]}')],
        outcome="failed",
    ),
    Case(
        "error_without_message_is_cut",
        "at 2,048 bytes, between characters",
        b"data: " + compact(LONG).encode() + b"\n\n",
        [failure('{"type":"error","x":"' + "é" * 1013)],
        outcome="failed",
    ),
    Case(
        "cut",
        "neither a terminal event nor anything that ends the answer",
        HI,
        [START, content("Hi"), CUT],
        outcome="truncated",
        error=cut(HI),
    ),
    Case(
        "cut_at_done_mark",
        "the done mark does not end a Responses stream",
        HI + b"data: [DONE]\n\n",
        [START, content("Hi"), CUT],
        outcome="truncated",
        error=cut(HI + b"data: [DONE]\n\n"),
    ),
    Case("cut_empty", "no byte at all", b"", [CUT], outcome="truncated", error=cut(b"")),
    Case(
        "done_mark_behind_the_end",
        "the done mark behind the terminal event is no news, nor is a keep-alive",
        HI + ended() + b": ping\n\ndata: [DONE]\n\n",
        [START, content("Hi"), *finish("stop")],
    ),
    Case(
        "events_behind_the_end",
        "they are not read, whatever they are: told once, at the first",
        HI + ended() + ended() + text(0, "more") + b"data: {broken\n\n" + ended(),
        [START, content("Hi"), *finish("stop")],
        [("event.after_end", "metadata", "/3")],
    ),
    Case(
        "events_behind_a_failure",
        "the first failure counts; the failed response behind an error is its own",
        HI + event("error", message="m") + failed({"message": "other"}) + failed({"message": "other"}),
        [START, content("Hi"), failure("m")],
        [("event.after_end", "metadata", "/4")],
        outcome="failed",
    ),
    Case(
        "keep_alives",
        "comments, typed keep-alives and payloads that look like comments pass on in their places",
        b": a\n\n"
        + HI
        + b":\n\n"
        + event("keepalive", sequence_number=1)
        + event("ping")
        + b"data: : b\n\n"
        + ended()
        + b": c\n\n",
        [KEPT_ALIVE, START, content("Hi"), KEPT_ALIVE, KEPT_ALIVE, KEPT_ALIVE, KEPT_ALIVE, *finish("stop")],
    ),
]
