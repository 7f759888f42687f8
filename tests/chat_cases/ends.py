"""Vectors of ends: reasons, done marks, errors of providers, faults of the input, limits."""

from __future__ import annotations

from chat_cases.words import (
    CUT,
    DONE,
    KEPT_ALIVE,
    NO_HEAD,
    START,
    Case,
    Error,
    argued,
    at,
    bare,
    broken,
    called,
    calls,
    chunk,
    content,
    cut_short,
    done,
    element,
    ended,
    failed,
    finish,
    function,
    opens,
    reasoned,
    said,
    sse,
    started,
    text,
    text_closes,
    text_opens,
    thought,
    usage,
    wrote,
)

_X = [*START, *wrote(0, "x"), *ended(said(0, "x"))]
_OPEN_X = [*START, *text_opens(0), *text(0, "x")]
_CUT_X = said(0, "x", "incomplete")
_NONE = started(head=NO_HEAD)

_BAD_ARGUMENTS = content("x") + calls(element(0, "a", "f", [1])) + DONE
_TWICE = content("x") + b'data: {"choices":[{"delta":{"content":"y","content":"z"}}]}\n\n'
_CALL_WITHOUT_NAME = calls(element(0, "a", None, '{"x":1}')) + chunk({}, "stop") + DONE
_BODY = {
    "id": "c1",
    "model": "m",
    "created": 5,
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "x", "tool_calls": [element(0, "a", "f", "{}")]},
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
_ENDLESS = {"choices": [{"message": {"role": "assistant", "content": None}}]}


def body(value: object) -> bytes:
    return sse({"body": value}).removeprefix(b'data: {"body":').removesuffix(b"}\n\n")


CASES = [
    Case("done_mark_alone", "[DONE] ends a choice without a reason", content("x") + DONE, _X),
    Case("reason_alone", "a reason ends a stream without [DONE]", content("x") + chunk({}, "stop"), _X),
    Case(
        "cut",
        "neither: the stream is cut",
        content("x"),
        [*_OPEN_X, *failed(*CUT, _CUT_X)],
        outcome="truncated",
        error=Error("TruncatedError", "stream_truncated", len(content("x")), ""),
    ),
    Case(
        "nothing_but_a_done_mark",
        "no choice ever came",
        bare(id="c1") + DONE,
        [*_NONE, *failed(*CUT, head=NO_HEAD)],
        outcome="truncated",
        error=Error("TruncatedError", "stream_truncated", len(bare(id="c1") + DONE), ""),
    ),
    Case(
        "cut_while_another_choice_ended",
        "the reason of a choice that was dropped ends nothing",
        content("x") + chunk({}, "stop", index=1),
        [*_OPEN_X, *failed(*CUT, _CUT_X)],
        losses=[("choices.dropped", "content", "/1/choices/0")],
        outcome="truncated",
        error=Error("TruncatedError", "stream_truncated", len(content("x") + chunk({}, "stop", index=1)), ""),
    ),
    Case(
        "reason_before_content",
        "content may follow a reason; the last reason counts",
        chunk({"content": "x"}, "stop") + chunk({"content": "y"}, "length") + DONE,
        [
            *START,
            *wrote(0, "x", "y", status="incomplete"),
            *cut_short("max_output_tokens", said(0, "xy", "incomplete")),
        ],
        outcome="incomplete",
    ),
    Case(
        "reason_of_another_format",
        "words for filters and length keep their meaning, others are stop; told once a word",
        content("x")
        + chunk({}, "eos")
        + chunk({}, "eos")
        + chunk({}, "SAFETY")
        + chunk({}, "MAX_TOKENS")
        + DONE,
        [
            *START,
            *wrote(0, "x", status="incomplete"),
            *cut_short("max_output_tokens", _CUT_X),
        ],
        losses=[
            ("finish_reason.unknown", "metadata", "/1/choices/0/finish_reason"),
            ("finish_reason.unknown", "metadata", "/3/choices/0/finish_reason"),
            ("finish_reason.unknown", "metadata", "/4/choices/0/finish_reason"),
        ],
        outcome="incomplete",
    ),
    Case(
        "reason_that_is_a_fault",
        "a broken call is no clean stop; counts beside it are kept",
        content("x")
        + bare({"delta": {}, "finish_reason": "MALFORMED_FUNCTION_CALL"}, usage={"prompt_tokens": 3}),
        [
            *_OPEN_X,
            *failed("MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL", _CUT_X, usage=usage(3, 0, 3)),
        ],
        outcome="failed",
    ),
    Case(
        "reason_empty",
        "an empty string and null are no reason",
        chunk({"content": "x"}, "") + chunk({"content": "y"}) + finish(),
        [*START, *wrote(0, "x", "y"), *ended(said(0, "xy"))],
    ),
    Case(
        "events_after_the_end",
        "nothing is written behind the end",
        content("x") + finish() + content("y") + b": ping\n\n",
        _X,
        losses=[("event.after_end", "metadata", "/2")],
    ),
    Case(
        "error_object",
        "in the midst of a stream",
        content("x")
        + sse({"error": {"message": "slow down", "type": "rate_limit", "code": 429, "param": "p"}}),
        [*_OPEN_X, *failed("429", "slow down", _CUT_X, param="p")],
        outcome="failed",
    ),
    Case(
        "error_first",
        "the start is written before it",
        sse({"error": "no"}),
        [*_NONE, *failed("server_error", "no", head=NO_HEAD)],
        outcome="failed",
    ),
    Case(
        "error_beside_content",
        "what was said goes out, then the error; the reason beside it is not read",
        bare(
            {"delta": {"content": "x"}, "finish_reason": "error"},
            id="c1",
            model="m",
            created=5,
            error={"message": "no", "code": "c"},
        ),
        [*_OPEN_X, *failed("c", "no", _CUT_X)],
        outcome="failed",
    ),
    Case(
        "error_in_a_choice",
        "likewise",
        chunk({"content": "x"}, "error", error={"message": "no", "type": "t"}),
        [*_OPEN_X, *failed("t", "no", _CUT_X)],
        outcome="failed",
    ),
    Case(
        "error_of_a_dropped_choice",
        "it fails only its choice",
        content("x") + chunk({}, "error", index=1) + finish(),
        _X,
        losses=[("choices.dropped", "content", "/1/choices/0")],
    ),
    Case(
        "error_before_another_choice",
        "an error ends the answer: what stands behind it in its chunk is not read",
        bare(
            {"delta": {"content": "x"}, "error": {"message": "no", "type": "t"}},
            {"delta": {"content": "y", "refusal": 5}, "finish_reason": "stop"},
            id="c1",
            model="m",
            created=5,
        ),
        [*_OPEN_X, *failed("t", "no", _CUT_X)],
        outcome="failed",
    ),
    Case(
        "reason_that_is_a_fault_before_another_choice",
        "likewise",
        bare(
            {"delta": {"content": "x"}, "finish_reason": "malformed_response"},
            {"delta": {"content": "y"}},
            id="c1",
            model="m",
            created=5,
        ),
        [*_OPEN_X, *failed("malformed_response", "malformed_response", _CUT_X)],
        outcome="failed",
    ),
    Case(
        "error_behind_a_tag_that_was_held",
        "what was held is not written behind the error, neither at the done mark nor at the end",
        content("<thi") + sse({"error": "no"}) + DONE,
        [*START, *failed("server_error", "no")],
        outcome="failed",
        options={"think_tags": True},
    ),
    Case(
        "reason_that_is_a_fault_behind_a_tag_that_was_held",
        "a reason lets go what was held, also one that is a fault",
        content("<") + chunk({}, "error"),
        [
            *START,
            *text_opens(0),
            *text(0, "<"),
            *failed("error", "error", said(0, "<", "incomplete")),
        ],
        outcome="failed",
        options={"think_tags": True},
    ),
    Case(
        "dropped_choice_is_not_read",
        "what a choice without a place says is not judged",
        content("x") + chunk({"content": [5]}, "error", index=1) + finish(),
        _X,
        losses=[("choices.dropped", "content", "/1/choices/0")],
    ),
    Case(
        "error_event",
        "an event of that name without choices",
        content("x") + b"event: error\n" + sse({"message": "no", "type": "overloaded"}),
        [*_OPEN_X, *failed("overloaded", "no", _CUT_X)],
        outcome="failed",
    ),
    Case(
        "error_that_says_nothing",
        "an empty text or object is none",
        sse({"error": ""}) + sse({"error": {}}) + content("x") + finish(),
        _X,
    ),
    Case(
        "error_with_a_call_open",
        "calls stay as they are",
        calls(element(0, "a", "f", '{"x"')) + sse({"error": "no"}),
        [
            *START,
            *opens(0, "a", "f"),
            *argued(0, '{"x"'),
            *failed("server_error", "no", function(0, "a", "f", '{"x"', "incomplete")),
        ],
        outcome="failed",
    ),
    Case(
        "chunks_in_an_envelope",
        "an object `data` without choices around it is the chunk",
        b"".join(
            sse({"data": {"id": "c1", "model": "m", "created": 5, "choices": [choice]}})
            for choice in ({"delta": {"content": "x"}}, {"delta": {}, "finish_reason": "stop"})
        ),
        _X,
    ),
    Case(
        "keep_alives",
        "they pass at once",
        b": ping\n\n" + content("x") + b"data: : ping\n\n" + finish(),
        [
            KEPT_ALIVE,
            *_OPEN_X,
            KEPT_ALIVE,
            *wrote(0, "x")[3:],
            *ended(said(0, "x")),
        ],
    ),
    Case(
        "whole_body",
        "a body in the place of a stream becomes a stream",
        body(_BODY),
        [
            *START,
            *wrote(0, "x"),
            *called(1, "a", "f", "{}"),
            *ended(said(0, "x"), function(1, "a", "f", "{}"), usage=usage(1, 1, 2)),
        ],
        is_body=True,
    ),
    Case(
        "whole_body_without_a_reason",
        "it is cut",
        body(_ENDLESS),
        [*_NONE, *failed(*CUT, head=NO_HEAD)],
        outcome="truncated",
        error=Error("TruncatedError", "stream_truncated", len(body(_ENDLESS)), ""),
        is_body=True,
    ),
    Case(
        "arguments_of_another_type",
        "only text, an object or null can be arguments; the event leaves nothing behind",
        _BAD_ARGUMENTS,
        [*_OPEN_X, *broken("invalid_type", at(_BAD_ARGUMENTS, "[1]"), _CUT_X)],
        outcome="failed",
        error=Error(
            "DecodeError",
            "invalid_type",
            at(_BAD_ARGUMENTS, "[1]"),
            "/1/choices/0/delta/tool_calls/0/function/arguments",
        ),
    ),
    Case(
        "first_event_broken",
        "the start is written all the same",
        sse({"choices": {}}),
        [*_NONE, *broken("invalid_type", at(sse({"choices": {}}), "{}"), head=NO_HEAD)],
        outcome="failed",
        error=Error("DecodeError", "invalid_type", at(sse({"choices": {}}), "{}"), "/0/choices"),
    ),
    Case(
        "member_twice",
        "a member that is needed stands twice",
        _TWICE,
        [*_OPEN_X, *broken("duplicate_key", _TWICE.rindex(b'"content"'), _CUT_X)],
        outcome="failed",
        error=Error(
            "DecodeError", "duplicate_key", _TWICE.rindex(b'"content"'), "/1/choices/0/delta/content"
        ),
    ),
    Case(
        "choices_refused",
        "on_loss='error' stops before the choice that would be lost",
        content("x") + chunk({"content": "y"}, index=1),
        [*_OPEN_X, *failed("choices.dropped", "refused: choices.dropped", _CUT_X)],
        losses=[("choices.dropped", "content", "/1/choices/0")],
        outcome="failed",
        options={"on_loss": "error"},
        error=Error("UnsupportedError", "choices.dropped", None, "/1/choices/0"),
    ),
    Case(
        "nameless_call_refused_at_the_done_mark",
        "what the end would lose is refused, too",
        _CALL_WITHOUT_NAME,
        [*START, *failed("tool_call.nameless", "refused: tool_call.nameless")],
        losses=[("tool_call.nameless", "content", "/0/choices/0/delta/tool_calls/0")],
        outcome="failed",
        options={"on_loss": "error"},
        error=Error("UnsupportedError", "tool_call.nameless", None, "/0/choices/0/delta/tool_calls/0"),
    ),
    Case(
        "answer_too_large",
        "the answer is kept as a whole",
        content("x") + content("yz"),
        [*_OPEN_X, *broken("answer_too_large", len(content("x")) + len("data: "), _CUT_X)],
        outcome="failed",
        options={"max_answer_bytes": 2},
        error=Error("DecodeError", "answer_too_large", len(content("x")) + len("data: "), "/1"),
    ),
    Case(
        "held_too_large",
        "a call waits for its name",
        content("x") + calls(element(0, "a", None, '{"aaaa')),
        [*_OPEN_X, *broken("held_too_large", len(content("x")) + len("data: "), _CUT_X)],
        outcome="failed",
        options={"max_held_bytes": 6},
        error=Error("DecodeError", "held_too_large", len(content("x")) + len("data: "), "/1"),
    ),
    Case(
        "name_too_long",
        "an id or a name has 4 KiB at most, put together",
        content("x") + calls(element(0, "a" * 4096, "f" * 4096)) + calls(element(0, None, "g")),
        [
            *_OPEN_X,
            *broken(
                "held_too_large",
                len(content("x") + calls(element(0, "a" * 4096, "f" * 4096))) + len("data: "),
                _CUT_X,
            ),
        ],
        outcome="failed",
        error=Error(
            "DecodeError",
            "held_too_large",
            len(content("x") + calls(element(0, "a" * 4096, "f" * 4096))) + len("data: "),
            "/2",
        ),
    ),
    Case(
        "model_too_long",
        "every chunk repeats it",
        bare(model="m" * 4097) + content("x"),
        [*_NONE, *broken("held_too_large", len("data: "), head=NO_HEAD)],
        outcome="failed",
        error=Error("DecodeError", "held_too_large", len("data: "), "/0"),
    ),
    Case(
        "logprobs_too_large",
        "log probabilities are kept, too",
        content("x") + chunk({"content": "y"}, logprobs={"content": [{"token": "y"}]}),
        [*_OPEN_X, *broken("answer_too_large", len(content("x")) + len("data: "), _CUT_X)],
        outcome="failed",
        options={"max_answer_bytes": 8},
        error=Error("DecodeError", "answer_too_large", len(content("x")) + len("data: "), "/1"),
    ),
    Case(
        "too_many_openings",
        "a part that opens anew is another block",
        content("x") + chunk({"reasoning": "r"}) + content("y"),
        [
            *_OPEN_X,
            *text_closes(0, "x"),
            *done(0, said(0, "x")),
            *reasoned(1, "r")[:3],
            *broken(
                "too_many_blocks",
                len(content("x") + chunk({"reasoning": "r"})) + len("data: "),
                said(0, "x"),
                thought(1, "r"),
            ),
        ],
        outcome="failed",
        options={"max_blocks": 4},
        error=Error(
            "DecodeError",
            "too_many_blocks",
            len(content("x") + chunk({"reasoning": "r"})) + len("data: "),
            "/2",
        ),
    ),
    Case(
        "too_many_open_calls",
        "waiting calls count",
        content("x") + calls(element(0, "a", None), element(1, "b", None)),
        [*_OPEN_X, *broken("too_many_open_calls", len(content("x")) + len("data: "), _CUT_X)],
        outcome="failed",
        options={"max_open_calls": 1},
        error=Error("DecodeError", "too_many_open_calls", len(content("x")) + len("data: "), "/1"),
    ),
    Case(
        "too_many_blocks",
        "an item and its part are two",
        content("x") + chunk({"reasoning": "r"}),
        [*_OPEN_X, *broken("too_many_blocks", len(content("x")) + len("data: "), _CUT_X)],
        outcome="failed",
        options={"max_blocks": 2},
        error=Error("DecodeError", "too_many_blocks", len(content("x")) + len("data: "), "/1"),
    ),
]
