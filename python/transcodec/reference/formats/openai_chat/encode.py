"""Ordered deltas to Chat chunks: the table of docs/formats/openai_chat.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.frame.sse import write_event, write_keep_alive
from transcodec.reference.json_reader import JsonObject, JsonString
from transcodec.reference.json_writer import compact_well_formed, escape_text, quote
from transcodec.reference.stream import delta as d
from transcodec.reference.stream.hashing import fnv1a_64_hex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transcodec.usage import Usage

__all__ = ["ChatEncoder"]

_MAX_COUNT = 2**64 - 1
_FIELDS = {
    d.PartKind.TEXT: "content",
    d.PartKind.REFUSAL: "refusal",
}


class ChatEncoder:
    """Writes chunks. Keeps the head, the wrapped calls, and how the reasoning ended so far."""

    content_type = "text/event-stream"
    keeps_block_order = False

    def __init__(
        self, *, tools: Mapping[str, str], id_seed: str, include_usage: bool, reasoning_field: str | None
    ) -> None:
        self._tools = tools
        self._id_seed = id_seed
        self._include_usage = include_usage
        self._reasoning_field = reasoning_field
        self._head = ""
        #: Calls whose free input is written as JSON, with what has to stand before the next text.
        self._wrapped: dict[int, str] = {}
        #: Calls of tools that the client declared as custom.
        self._native: set[int] = set()
        self._reasoning_line_feeds = 0
        self._has_reasoning = False

    def field_of(self, kind: d.PartKind) -> str | None:
        """The member of `delta` that takes a kind of text."""
        return _FIELDS.get(kind, self._reasoning_field)

    def encode(self, delta: d.Ordered) -> bytes:
        """The events of one ordered delta."""
        match delta:
            case d.Started(head):
                self._head = self._write_head(head)
                return self._chunk('{"role":"assistant","content":""}')
            case d.TextOut():
                return self._text(delta)
            case d.AnnotationsOut(annotations):
                return self._chunk(f'{{"annotations":[{",".join(map(_annotation, annotations))}]}}')
            case d.CallOpened():
                return self._opening(delta)
            case d.CallText(ordinal, text):
                return self._call_text(ordinal, text)
            case d.CallClosed(ordinal):
                return self._close_call(ordinal)
            case d.Ended(reason, usage):
                return self._end(reason, usage)
            case d.Fault():
                return _error(delta)
            case d.KeptAlive():
                return write_keep_alive()

    def _write_head(self, head: d.Head) -> str:
        response_id = head.response_id
        if response_id is None:
            response_id = f"chatcmpl-{fnv1a_64_hex(self._id_seed)}"
        model = "unknown" if head.model is None else head.model
        return (
            f'"id":{quote(response_id)},"object":"chat.completion.chunk",'
            f'"created":{head.created or 0},"model":{quote(model)}'
        )

    def _chunk(self, delta: str, logprobs: str = "", finish: str | None = None) -> bytes:
        choice = f'{{"index":0,"delta":{delta}{logprobs},"finish_reason":{quote(finish)}}}'
        return write_event(f'{{{self._head},"choices":[{choice}]}}')

    def _text(self, delta: d.TextOut) -> bytes:
        field = self.field_of(delta.kind)
        text = delta.text
        if delta.kind in (d.PartKind.SUMMARY, d.PartKind.REASONING):
            text = self._separate(text, begins_part=delta.first)
        logprobs = ""
        if delta.logprobs is not None:
            array = compact_well_formed(delta.logprobs)
            refused = delta.kind is d.PartKind.REFUSAL
            content, refusal = ("null", array) if refused else (array, "null")
            logprobs = f',"logprobs":{{"content":{content},"refusal":{refusal}}}'
        return self._chunk(f"{{{quote(field)}:{quote(text)}}}", logprobs)

    def _separate(self, text: str, *, begins_part: bool) -> str:
        """Put a blank line between two parts of reasoning, of which they may bring line feeds themselves."""
        if begins_part and self._has_reasoning:
            leading = len(text) - len(text.lstrip("\n"))
            text = "\n" * (2 - min(2, self._reasoning_line_feeds + leading)) + text
        self._has_reasoning = True
        trailing = len(text) - len(text.rstrip("\n"))
        before = self._reasoning_line_feeds if trailing == len(text) else 0
        self._reasoning_line_feeds = min(2, before + trailing)
        return text

    def _tool_call(self, members: str) -> bytes:
        return self._chunk(f'{{"tool_calls":[{{{members}}}]}}')

    def _opening(self, call: d.CallOpened) -> bytes:
        head = f'"index":{call.ordinal},"id":{quote(call.call_id)}'
        if call.custom and self._tools.get(call.name) == "custom":
            self._native.add(call.ordinal)
            return self._tool_call(
                f'{head},"type":"custom","custom":{{"name":{quote(call.name)},"input":""}}'
            )
        if call.custom:
            self._wrapped[call.ordinal] = '{"input":"'
        return self._tool_call(
            f'{head},"type":"function","function":{{"name":{quote(call.name)},"arguments":""}}'
        )

    def _call_text(self, ordinal: int, text: str) -> bytes:
        if ordinal in self._native:
            return self._tool_call(f'"index":{ordinal},"custom":{{"input":{quote(text)}}}')
        if ordinal in self._wrapped:
            text = self._wrapped[ordinal] + escape_text(text)
            self._wrapped[ordinal] = ""
        return self._tool_call(f'"index":{ordinal},"function":{{"arguments":{quote(text)}}}')

    def _close_call(self, ordinal: int) -> bytes:
        self._native.discard(ordinal)
        if ordinal not in self._wrapped:
            return b""
        text = self._wrapped.pop(ordinal) + '"}'
        return self._tool_call(f'"index":{ordinal},"function":{{"arguments":{quote(text)}}}')

    def _end(self, reason: d.FinishReason, usage: Usage | None) -> bytes:
        output = self._chunk("{}", finish=reason)
        if usage is not None and self._include_usage:
            output += write_event(f'{{{self._head},"choices":[],"usage":{_usage(usage)}}}')
        return output + write_event("[DONE]")


def _annotation(annotation: JsonObject) -> str:
    """A flat URL citation becomes a nested one; other annotations stay as they are."""
    kind = annotation.get("type")
    is_citation = isinstance(kind, JsonString) and kind.value == "url_citation"
    if not is_citation or isinstance(annotation.get("url_citation"), JsonObject):
        return compact_well_formed(annotation)
    others = (each for each in annotation if each.key != "type")
    members = ",".join(f"{quote(each.key)}:{compact_well_formed(each.value)}" for each in others)
    return f'{{"type":"url_citation","url_citation":{{{members}}}}}'


def _usage(usage: Usage) -> str:
    prompt, completion = usage.input_tokens or 0, usage.output_tokens or 0
    total = min(max(usage.total_tokens or 0, prompt + completion), _MAX_COUNT)
    members = [f'"prompt_tokens":{prompt}', f'"completion_tokens":{completion}', f'"total_tokens":{total}']
    prompt_details = {
        "cached_tokens": usage.cached_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
    }
    members += _details("prompt_tokens_details", prompt_details)
    members += _details("completion_tokens_details", {"reasoning_tokens": usage.reasoning_tokens})
    return f"{{{','.join(members)}}}"


def _details(name: str, counts: dict[str, int | None]) -> list[str]:
    known = [f'"{key}":{count}' for key, count in counts.items() if count is not None]
    return [f'"{name}":{{{",".join(known)}}}'] if known else []


def _error(fault: d.Fault) -> bytes:
    kind = "upstream_error" if fault.type is None else fault.type
    return write_event(
        f'{{"error":{{"message":{quote(fault.message)},"type":{quote(kind)},'
        f'"param":{quote(fault.param)},"code":{quote(fault.code)}}}}}'
    )
