"""Short words for stream vectors: Responses events, and the Chat chunks that they must become.

The words only spell events and chunks out; what is expected of a stream is written by hand, case by case.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
#: A target event: a chunk, `[DONE]`, or a comment as `{"comment": text}`.
Out = Json | str
#: A loss: code, severity, path.
Loss = tuple[str, str, str]


@dataclass(frozen=True)
class Error:
    """What the batch call raises. `offset` is counted in the wire."""

    cls: str
    code: str
    offset: int | None
    path: str | None


@dataclass(frozen=True)
class Case:
    """One vector; the README of the vectors says what the members become."""

    name: str
    pins: str
    wire: bytes
    expected: list[Out]
    losses: list[Loss] = field(default_factory=list)
    outcome: str = "completed"
    options: Json = field(default_factory=dict)
    request: Json | None = None
    error: Error | None = None
    is_body: bool = False


# The source.


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sse(kind: str, json_text: str) -> bytes:
    """An event whose JSON text is given."""
    return f"event: {kind}\ndata: {json_text}\n\n".encode()


def event(kind: str, **members: Any) -> bytes:
    return sse(kind, compact({"type": kind, **members}))


def response(status: str, output: list[Json] | None = None, **members: Any) -> Json:
    head = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "status": status,
        "model": "gpt-t",
    }
    return {**head, "output": output or [], **members}


CREATED = event("response.created", response=response("in_progress"))


def ended(output: list[Json] | None = None, status: str = "completed", **members: Any) -> bytes:
    """The terminal event."""
    return event(f"response.{status}", response=response(status, output, **members))


def message(item_id: str, *parts: Json, **members: Any) -> Json:
    return {"id": item_id, "type": "message", "role": "assistant", "content": list(parts), **members}


def text_part(text: str, *annotations: Any, **members: Any) -> Json:
    return {"type": "output_text", "text": text, "annotations": list(annotations), **members}


def refusal_part(text: str) -> Json:
    return {"type": "refusal", "refusal": text}


def reasoning(item_id: str, *summary: str, **members: Any) -> Json:
    parts = [{"type": "summary_text", "text": text} for text in summary]
    return {"id": item_id, "type": "reasoning", "summary": parts, **members}


def function(item_id: str, call_id: str, name: str, arguments: str = "", **members: Any) -> Json:
    item = {"id": item_id, "type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
    return {**item, **members}


def custom(item_id: str, call_id: str, name: str, text: str = "") -> Json:
    return {"id": item_id, "type": "custom_tool_call", "call_id": call_id, "name": name, "input": text}


def added(index: int, item: Json) -> bytes:
    return event("response.output_item.added", output_index=index, item=item)


def done(index: int, item: Json) -> bytes:
    return event("response.output_item.done", output_index=index, item=item)


def text(index: int, delta: str, part: int = 0, **members: Any) -> bytes:
    place = {"item_id": f"msg_{index}", "output_index": index, "content_index": part}
    return event("response.output_text.delta", **place, delta=delta, **members)


def text_done(index: int, whole: str, part: int = 0, **members: Any) -> bytes:
    place = {"item_id": f"msg_{index}", "output_index": index, "content_index": part}
    return event("response.output_text.done", **place, text=whole, **members)


def summary(index: int, delta: str, part: int = 0) -> bytes:
    place = {"item_id": f"rs_{index}", "output_index": index, "summary_index": part}
    return event("response.reasoning_summary_text.delta", **place, delta=delta)


def thought(index: int, delta: str, part: int = 0) -> bytes:
    place = {"item_id": f"rs_{index}", "output_index": index, "content_index": part}
    return event("response.reasoning_text.delta", **place, delta=delta)


def arguments(index: int, delta: str) -> bytes:
    place = {"item_id": f"fc_{index}", "output_index": index}
    return event("response.function_call_arguments.delta", **place, delta=delta)


def arguments_done(index: int, whole: str, **members: Any) -> bytes:
    place = {"item_id": f"fc_{index}", "output_index": index}
    return event("response.function_call_arguments.done", **place, arguments=whole, **members)


def custom_input(index: int, delta: str) -> bytes:
    place = {"item_id": f"ct_{index}", "output_index": index}
    return event("response.custom_tool_call_input.delta", **place, delta=delta)


# The target.

DONE = "[DONE]"
KEPT_ALIVE: Out = {"comment": "keep-alive"}


def chunk(
    delta: Json,
    finish: str | None = None,
    logprobs: Json | None = None,
    *,
    head: tuple[str, int, str] = ("resp_1", 1700000000, "gpt-t"),
) -> Out:
    choice: Json = {"index": 0, "delta": delta}
    if logprobs is not None:
        choice["logprobs"] = logprobs
    choice["finish_reason"] = finish
    return {**chunk_head(head), "choices": [choice]}


def chunk_head(head: tuple[str, int, str] = ("resp_1", 1700000000, "gpt-t")) -> Json:
    response_id, created, model = head
    return {"id": response_id, "object": "chat.completion.chunk", "created": created, "model": model}


START = chunk({"role": "assistant", "content": ""})


def content(delta: str) -> Out:
    return chunk({"content": delta})


def opened(ordinal: int, call_id: str, name: str) -> Out:
    named = {"name": name, "arguments": ""}
    return chunk({"tool_calls": [{"index": ordinal, "id": call_id, "type": "function", "function": named}]})


def argued(ordinal: int, delta: str) -> Out:
    """A continuation: no id, no type, no name."""
    return chunk({"tool_calls": [{"index": ordinal, "function": {"arguments": delta}}]})


def finish(reason: str) -> list[Out]:
    return [chunk({}, reason), DONE]


def failure(
    message: str, kind: str = "upstream_error", code: str | None = None, param: str | None = None
) -> Out:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def broken(code: str, offset: int) -> Out:
    """The error event behind a fault of the input."""
    return failure(f"invalid upstream stream: {code} at byte {offset}", code=code)


CUT = failure("the upstream stream ended before the answer was complete", code="stream_truncated")


def cut(wire: bytes) -> Error:
    """The error of a wire that ends early."""
    return Error("TruncatedError", "stream_truncated", len(wire), "")
