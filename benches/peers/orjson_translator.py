"""Responses to Chat as a good engineer writes it in Python: orjson, dicts, no work that can be avoided.

It is the competitor that the speed goals name, so it is written to win: pieces are split in one go, one
`orjson.loads` and one dictionary look-up per event, one `orjson.dumps` per chunk. It is right on well-formed
streams and does less than transcodec beyond them: it neither reconciles snapshots nor checks order, limits or
the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import orjson

Json = dict[str, Any]

FINISH_OF_INCOMPLETE: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}


class OrjsonTranslator:
    """One stream; the same surface as `transcodec.StreamTranslator`."""

    def __init__(self) -> None:
        self._carried: list[bytes] = []
        self._seam = b""
        self._head: Json = {}
        self._call_indexes: dict[int, int] = {}
        self._unsent_calls: set[int] = set()
        self._out: list[bytes] = []
        self._handlers: dict[str, Callable[[Json], None]] = {
            "response.created": self._created,
            "response.output_text.delta": self._text,
            "response.refusal.delta": self._refusal,
            "response.reasoning_summary_part.added": self._summary_part,
            "response.reasoning_summary_text.delta": self._reasoning,
            "response.reasoning_text.delta": self._reasoning,
            "response.output_item.added": self._item,
            "response.function_call_arguments.delta": self._arguments,
            "response.function_call_arguments.done": self._arguments_done,
            "response.completed": self._completed,
            "response.incomplete": self._completed,
            "response.failed": self._failed,
            "error": self._failed,
        }

    def feed(self, data: bytes) -> bytes:
        """Takes bytes split anywhere; returns the chunks that follow from them."""
        if self._carried:
            seam = self._seam + data
            self._seam = seam[-3:]
            self._carried.append(data)
            # No blank line, no whole event: what is carried is neither joined nor searched again.
            if b"\n\n" not in seam and b"\n\r\n" not in seam:
                return b""
            data = b"".join(self._carried)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        *blocks, rest = data.split(b"\n\n")
        self._carried = [rest] if rest else []
        self._seam = rest[-3:]
        loads, handlers = orjson.loads, self._handlers
        for block in blocks:
            try:
                event = loads(block.partition(b"data: ")[2])
            except orjson.JSONDecodeError:
                event = _unusual(block)
            handler = handlers.get(event["type"])
            if handler is not None:
                handler(event)
        if len(self._out) == 1:
            return self._out.pop()
        output = b"".join(self._out)
        self._out.clear()
        return output

    def finish(self) -> bytes:
        """Takes the end of the stream."""
        return self.feed(b"\n\n") if self._carried else b""

    def _write(self, delta: Json, finish: str | None = None) -> None:
        chunk = {**self._head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        self._out.append(b"data: %b\n\n" % orjson.dumps(chunk))

    def _created(self, event: Json) -> None:
        response = event["response"]
        self._head = {
            "id": response["id"],
            "object": "chat.completion.chunk",
            "created": response["created_at"],
            "model": response["model"],
        }
        self._write({"role": "assistant", "content": ""})

    def _text(self, event: Json) -> None:
        self._write({"content": event["delta"]})

    def _refusal(self, event: Json) -> None:
        self._write({"refusal": event["delta"]})

    def _summary_part(self, event: Json) -> None:
        if event["summary_index"]:
            self._write({"reasoning_content": "\n\n"})

    def _reasoning(self, event: Json) -> None:
        self._write({"reasoning_content": event["delta"]})

    def _item(self, event: Json) -> None:
        item = event["item"]
        if item["type"] != "function_call":
            return
        place = event["output_index"]
        index = self._call_indexes[place] = len(self._call_indexes)
        self._unsent_calls.add(place)
        function = {"name": item["name"], "arguments": ""}
        call = {"index": index, "id": item["call_id"], "type": "function", "function": function}
        self._write({"tool_calls": [call]})

    def _arguments(self, event: Json) -> None:
        place = event["output_index"]
        self._unsent_calls.discard(place)
        call = {"index": self._call_indexes[place], "function": {"arguments": event["delta"]}}
        self._write({"tool_calls": [call]})

    def _arguments_done(self, event: Json) -> None:
        if event["output_index"] in self._unsent_calls and event["arguments"]:
            self._arguments({**event, "delta": event["arguments"]})

    def _completed(self, event: Json) -> None:
        response = event["response"]
        finish = "tool_calls" if self._call_indexes else "stop"
        details = response.get("incomplete_details")
        self._write({}, FINISH_OF_INCOMPLETE.get(details["reason"], finish) if details else finish)
        usage = response.get("usage")
        if usage:
            chunk = {**self._head, "choices": [], "usage": _usage(usage)}
            self._out.append(b"data: %b\n\n" % orjson.dumps(chunk))
        self._out.append(b"data: [DONE]\n\n")

    def _failed(self, event: Json) -> None:
        error = event.get("error") or event.get("response", {}).get("error") or event
        members = {"message": error.get("message"), "type": "upstream_error", "code": error.get("code")}
        self._out.append(b"data: " + orjson.dumps({"error": members}) + b"\n\n")


def _unusual(block: bytes) -> Json:
    """Reads a block without data, with data in several lines or without the space, or the done mark."""
    lines = [line[5:] for line in block.split(b"\n") if line.startswith(b"data:")]
    data = b"\n".join(lines).strip()
    event: Json = orjson.loads(data) if data and data != b"[DONE]" else {"type": ""}
    return event


def _usage(usage: Json) -> Json:
    given, made = usage["input_tokens"], usage["output_tokens"]
    cached = usage.get("input_tokens_details", {}).get("cached_tokens", 0)
    reasoning = usage.get("output_tokens_details", {}).get("reasoning_tokens", 0)
    return {
        "prompt_tokens": given,
        "completion_tokens": made,
        "total_tokens": given + made,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }
