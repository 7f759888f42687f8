"""The translation most gateways write first: `json.loads`, a new dict, `json.dumps`, once per event.

It knows the happy path only and takes whole events, so it does less than transcodec; that is the yardstick.
"""

from __future__ import annotations

import json
from typing import Any


class DictEdits:
    """Responses events to Chat chunks, by hand."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._calls: dict[int, int] = {}

    def feed(self, event: bytes) -> bytes:
        """Takes one whole event and returns the chunks it becomes."""
        body = json.loads(event.partition(b"data: ")[2])
        match body["type"]:
            case "response.created":
                response = body["response"]
                self._head = {
                    "id": response["id"],
                    "object": "chat.completion.chunk",
                    "created": response["created_at"],
                    "model": response["model"],
                }
                return self._chunk({"role": "assistant", "content": ""})
            case "response.output_text.delta":
                return self._chunk({"content": body["delta"]})
            case "response.output_item.added" if body["item"]["type"] == "function_call":
                index = self._calls[body["output_index"]] = len(self._calls)
                function = {"name": body["item"]["name"], "arguments": ""}
                call = {
                    "index": index,
                    "id": body["item"]["call_id"],
                    "type": "function",
                    "function": function,
                }
                return self._chunk({"tool_calls": [call]})
            case "response.function_call_arguments.delta":
                call = {"index": self._calls[body["output_index"]], "function": {"arguments": body["delta"]}}
                return self._chunk({"tool_calls": [call]})
            case "response.completed":
                finish = self._chunk({}, "tool_calls" if self._calls else "stop")
                usage = body["response"]["usage"]
                counts = {"prompt_tokens": usage["input_tokens"], "completion_tokens": usage["output_tokens"]}
                return finish + self._write([], usage=counts) + b"data: [DONE]\n\n"
        return b""

    def _call(self, index: int, function: dict[str, Any], **members: Any) -> bytes:
        return self._chunk({"tool_calls": [{"index": index, **members, "function": function}]})

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        return self._write([{"index": 0, "delta": delta, "finish_reason": finish}])

    def _write(self, choices: list[dict[str, Any]], **members: Any) -> bytes:
        chunk = {**self._head, "choices": choices, **members}
        return f"data: {json.dumps(chunk, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
