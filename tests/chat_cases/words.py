"""Short words for Chat vectors: chunks on one side, the Responses events they must become on the other.

The words only spell chunks and events out; what is expected of a stream is written by hand, case by case. An
event is written without its sequence number: the numbers are those of the list.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
#: A target event, or a comment as `{"comment": text}`.
Events = list[Json]
#: A loss: code, severity, path.
Loss = tuple[str, str, str]

#: FNV-1a 64 of `resp_c1`, the id of every answer here that has one.
HASH = "b5141b09b89ccad4"


@dataclass(frozen=True)
class Error:
    """What the batch call raises. `offset` is counted in the wire."""

    cls: str
    code: str
    offset: int | None
    path: str | None


@dataclass(frozen=True)
class Case:
    """One vector; `vectors/openai_chat/README.md` says what the members become."""

    name: str
    pins: str
    wire: bytes
    expected: Events
    losses: list[Loss] = field(default_factory=list)
    outcome: str = "completed"
    options: Json = field(default_factory=dict)
    request: Json | None = None
    error: Error | None = None
    is_body: bool = False


# The source.


def sse(chunk: Json) -> bytes:
    return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"


def bare(*choices: Json, **members: Any) -> bytes:
    """A chunk without a head."""
    return sse({"choices": list(choices), **members})


def chunk(delta: Json | None = None, finish: str | None = None, index: int = 0, **members: Any) -> bytes:
    choice = {"index": index, "delta": delta or {}, "finish_reason": finish, **members}
    return sse({"id": "c1", "model": "m", "created": 5, "choices": [choice]})


def content(text: str) -> bytes:
    return chunk({"content": text})


def calls(*elements: Json) -> bytes:
    return chunk({"tool_calls": list(elements)})


def element(index: int | None, call_id: str | None, name: str | None, arguments: Any = None) -> Json:
    """An element of `tool_calls`; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    members = (("index", index), ("id", call_id), ("function", function or None))
    return {key: value for key, value in members if value is not None}


def finish(reason: str = "stop") -> bytes:
    return chunk({}, reason) + DONE


def at(part: bytes, token: str) -> int:
    """Offset of a token in a stream."""
    return part.index(token.encode())


DONE = b"data: [DONE]\n\n"

# The target.

KEPT_ALIVE: Json = {"comment": "keep-alive"}


def response(
    status: str,
    output: Events,
    *,
    usage: Json | None = None,
    error: Json | None = None,
    reason: str | None = None,
    head: tuple[str, int, str] = ("resp_c1", 5, "m"),
) -> Json:
    response_id, created, model = head
    return {
        "id": response_id,
        "object": "response",
        "created_at": created,
        "status": status,
        "error": error,
        "incomplete_details": None if reason is None else {"reason": reason},
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": usage,
    }


def started(**members: Any) -> Events:
    begun = response("in_progress", [], **members)
    return [{"type": f"response.{kind}", "response": begun} for kind in ("created", "in_progress")]


START = started()


def ended(*output: Json, usage: Json | None = None, **members: Any) -> Events:
    return [
        {
            "type": "response.completed",
            "response": response("completed", list(output), usage=usage, **members),
        }
    ]


def cut_short(reason: str, *output: Json) -> Events:
    return [{"type": "response.incomplete", "response": response("incomplete", list(output), reason=reason)}]


def failed(code: str, message: str, *output: Json, param: str | None = None, **members: Any) -> Events:
    error = {"code": code, "message": message}
    return [
        {"type": "error", **error, "param": param},
        {"type": "response.failed", "response": response("failed", list(output), error=error, **members)},
    ]


def broken(code: str, offset: int, *output: Json, **members: Any) -> Events:
    """The end behind a fault of the input."""
    return failed(code, f"invalid upstream stream: {code} at byte {offset}", *output, **members)


NO_HEAD = ("resp_cbf29ce484222325", 0, "unknown")
CUT = ("stream_truncated", "the upstream stream ended before the answer was complete")


def usage(
    read: int, written: int, total: int, *, cached: int = 0, cache_write: int = 0, reasoning: int = 0
) -> Json:
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": cache_write},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": total,
    }


# Items of the target. The first argument is the output index.


def text_part(text: str, *annotations: Json) -> Json:
    return {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}


def refusal_part(text: str) -> Json:
    return {"type": "refusal", "refusal": text}


def message(index: int, *parts: Json, status: str = "completed") -> Json:
    item_id = f"msg_{HASH}_{index}"
    return {"id": item_id, "type": "message", "status": status, "role": "assistant", "content": list(parts)}


def said(index: int, text: str, status: str = "completed") -> Json:
    return message(index, text_part(text), status=status)


def thought(index: int, text: str | None = None) -> Json:
    summary = [] if text is None else [{"type": "summary_text", "text": text}]
    return {"id": f"rs_{HASH}_{index}", "type": "reasoning", "summary": summary}


def function(index: int, call_id: str, name: str, arguments: str = "", status: str = "completed") -> Json:
    return {
        "id": f"fc_{HASH}_{index}",
        "type": "function_call",
        "status": status,
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def custom(index: int, call_id: str, name: str, text: str = "", status: str = "completed") -> Json:
    return {
        "id": f"ctc_{HASH}_{index}",
        "type": "custom_tool_call",
        "status": status,
        "call_id": call_id,
        "name": name,
        "input": text,
    }


# Events of the target.


def added(index: int, item: Json) -> Events:
    return [{"type": "response.output_item.added", "output_index": index, "item": item}]


def done(index: int, item: Json) -> Events:
    return [{"type": "response.output_item.done", "output_index": index, "item": item}]


def place(prefix: str, index: int, **number: int) -> Json:
    return {"item_id": f"{prefix}_{HASH}_{index}", "output_index": index, **number}


def text_opens(index: int, number: int = 0) -> Events:
    """The first part opens the message, too."""
    begun = added(index, message(index, status="in_progress")) if number == 0 else []
    where = place("msg", index, content_index=number)
    return [*begun, {"type": "response.content_part.added", **where, "part": text_part("")}]


def text(index: int, delta: str, number: int = 0, logprobs: list[Json] | None = None) -> Events:
    where = place("msg", index, content_index=number)
    return [{"type": "response.output_text.delta", **where, "delta": delta, "logprobs": logprobs or []}]


def text_closes(
    index: int, whole: str, *annotations: Json, number: int = 0, logprobs: list[Json] | None = None
) -> Events:
    where = place("msg", index, content_index=number)
    part = text_part(whole, *annotations)
    return [
        {"type": "response.output_text.done", **where, "text": whole, "logprobs": logprobs or []},
        {"type": "response.content_part.done", **where, "part": part},
    ]


def wrote(index: int, *deltas: str, status: str = "completed") -> Events:
    """A message of one text, from its opening to its end."""
    whole = "".join(deltas)
    pieces = [event for delta in deltas for event in text(index, delta)]
    return [
        *text_opens(index),
        *pieces,
        *text_closes(index, whole),
        *done(index, said(index, whole, status)),
    ]


def refusal_opens(index: int, number: int = 0) -> Events:
    begun = added(index, message(index, status="in_progress")) if number == 0 else []
    where = place("msg", index, content_index=number)
    return [*begun, {"type": "response.content_part.added", **where, "part": refusal_part("")}]


def refusal(index: int, delta: str, number: int = 0) -> Events:
    where = place("msg", index, content_index=number)
    return [{"type": "response.refusal.delta", **where, "delta": delta}]


def refusal_closes(index: int, whole: str, number: int = 0) -> Events:
    where = place("msg", index, content_index=number)
    return [
        {"type": "response.refusal.done", **where, "refusal": whole},
        {"type": "response.content_part.done", **where, "part": refusal_part(whole)},
    ]


def reasoned(index: int, *deltas: str) -> Events:
    """A reasoning item of one summary, from its opening to its end."""
    where = place("rs", index, summary_index=0)
    whole = "".join(deltas)
    pieces = [{"type": "response.reasoning_summary_text.delta", **where, "delta": delta} for delta in deltas]
    part = {"type": "summary_text", "text": whole}
    return [
        *added(index, thought(index)),
        {
            "type": "response.reasoning_summary_part.added",
            **where,
            "part": {"type": "summary_text", "text": ""},
        },
        *pieces,
        {"type": "response.reasoning_summary_text.done", **where, "text": whole},
        {"type": "response.reasoning_summary_part.done", **where, "part": part},
        *done(index, thought(index, whole)),
    ]


def opens(index: int, call_id: str, name: str) -> Events:
    return added(index, function(index, call_id, name, status="in_progress"))


def argued(index: int, delta: str) -> Events:
    return [{"type": "response.function_call_arguments.delta", **place("fc", index), "delta": delta}]


def closes(index: int, call_id: str, name: str, arguments: str, status: str = "completed") -> Events:
    named = {"name": name, "arguments": arguments}
    return [
        {"type": "response.function_call_arguments.done", **place("fc", index), **named},
        *done(index, function(index, call_id, name, arguments, status)),
    ]


def called(index: int, call_id: str, name: str, *deltas: str) -> Events:
    """A call, from its opening to its end."""
    pieces = [event for delta in deltas for event in argued(index, delta)]
    return [*opens(index, call_id, name), *pieces, *closes(index, call_id, name, "".join(deltas))]


def called_freely(index: int, call_id: str, name: str, *deltas: str) -> Events:
    """A custom call, from its opening to its end."""
    where = place("ctc", index)
    whole = "".join(deltas)
    pieces = [{"type": "response.custom_tool_call_input.delta", **where, "delta": delta} for delta in deltas]
    return [
        *added(index, custom(index, call_id, name, status="in_progress")),
        *pieces,
        {"type": "response.custom_tool_call_input.done", **where, "input": whole},
        *done(index, custom(index, call_id, name, whole)),
    ]
