"""Ordered deltas to Chat chunks: the table of docs/formats/openai_chat.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.body import write_error_body
from transcodec.reference.formats.openai_chat.members import (
    FIELDS,
    ReasoningJoiner,
    head_members,
    takes_annotation,
    write_annotation,
    write_usage,
)
from transcodec.reference.frame.sse import write_event, write_keep_alive
from transcodec.reference.json_writer import compact_well_formed, escape_text, quote
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.delta import PartKind
from transcodec.reference.stream.encoder import Traits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from transcodec.reference.json_reader import JsonObject
    from transcodec.reference.stream.encoder import EncoderOptions
    from transcodec.reference.stream.snapshot import Snapshot
    from transcodec.usage import Usage

__all__ = ["ChatEncoder"]


class ChatEncoder:
    """Writes chunks. Keeps the head and a state for each choice."""

    content_type = "text/event-stream; charset=utf-8"
    traits = Traits(choices=True, items=False, starts_before_fault=False, keeps_answer=False)

    def __init__(self, options: EncoderOptions, _snapshot: Snapshot) -> None:
        self._options = options
        self._head = ""
        self._choices: dict[int, _Choice] = {}

    def field_of(self, kind: PartKind) -> str | None:
        """The member of `delta` that takes a kind of text."""
        return FIELDS.get(kind, self._options.reasoning_field)

    def takes_annotation(self, annotation: JsonObject) -> bool:
        """Whether there is a form for an annotation."""
        return takes_annotation(annotation)

    def encode(self, ordered: o.Ordered) -> bytes:
        """The events of one ordered delta."""
        match ordered:
            case o.Started(head):
                self._head = head_members(head, self._options.id_seed, "chat.completion.chunk")
                return b""
            case o.Ended(_, usage):
                return self._end(usage)
            case o.Failed(fault):
                return write_event(write_error_body(fault))
            case o.KeptAlive():
                return write_keep_alive()
            case _:
                choice = self._choices.get(ordered.choice)
                if choice is None:
                    choice = self._choices[ordered.choice] = _Choice(self.field_of, self._options)
                return b"".join(
                    self._chunk(f'{{"index":{ordered.choice},{members}}}')
                    for members in choice.encode(ordered)
                )

    def _chunk(self, choice: str, more: str = "") -> bytes:
        return write_event(f'{{{self._head},"choices":[{choice}]{more}}}')

    def _end(self, usage: Usage | None) -> bytes:
        output = b""
        if usage is not None and self._options.include_usage:
            output = self._chunk("", f',"usage":{write_usage(usage)}')
        return output + write_event("[DONE]")


class _Choice:
    """Writes the members of one choice. Keeps the wrapped calls, and how the reasoning ended so far."""

    def __init__(self, field_of: Callable[[PartKind], str | None], options: EncoderOptions) -> None:
        self._field_of = field_of
        self._tools = options.tools
        #: Calls whose free input is written as JSON, with what has to stand before the next text.
        self._wrapped: dict[int, str] = {}
        #: Calls of tools that the client declared as custom.
        self._native: set[int] = set()
        self._reasoning = ReasoningJoiner()

    def encode(self, ordered: o.Ordered) -> Iterator[str]:
        """The members behind the index, once for each chunk."""
        match ordered:
            case o.ChoiceStarted():
                yield _members('{"role":"assistant","content":""}')
            case o.TextOut():
                yield self._text(ordered)
            case o.AnnotationsOut(_, annotations):
                written = ",".join(write_annotation(annotation) for _, annotation in annotations)
                yield _members(f'{{"annotations":[{written}]}}')
            case o.CallOpened():
                yield self._opening(ordered)
            case o.CallText(_, ordinal, text):
                yield self._call_text(ordinal, text)
            case o.CallClosed(_, ordinal):
                self._native.discard(ordinal)
                if ordinal in self._wrapped:
                    yield self._arguments(ordinal, self._wrapped.pop(ordinal) + '"}')
            case o.ChoiceEnded(_, reason):
                yield _members("{}", finish=reason)

    def _text(self, text_out: o.TextOut) -> str:
        text = text_out.text
        if text_out.kind not in FIELDS:
            text = self._reasoning.feed(text, begins_part=text_out.first)
        logprobs = ""
        if text_out.logprobs is not None:
            array = compact_well_formed(text_out.logprobs)
            refused = text_out.kind is PartKind.REFUSAL
            content, refusal = ("null", array) if refused else (array, "null")
            logprobs = f',"logprobs":{{"content":{content},"refusal":{refusal}}}'
        return _members(f"{{{quote(self._field_of(text_out.kind))}:{quote(text)}}}", logprobs)

    def _opening(self, call: o.CallOpened) -> str:
        head = f'"index":{call.ordinal},"id":{quote(call.call_id)}'
        if call.custom and self._tools.get(call.name) == "custom":
            self._native.add(call.ordinal)
            return _tool_call(f'{head},"type":"custom","custom":{{"name":{quote(call.name)},"input":""}}')
        if call.custom:
            self._wrapped[call.ordinal] = '{"input":"'
        return _tool_call(f'{head},"type":"function","function":{{"name":{quote(call.name)},"arguments":""}}')

    def _call_text(self, ordinal: int, text: str) -> str:
        if ordinal in self._native:
            return _tool_call(f'"index":{ordinal},"custom":{{"input":{quote(text)}}}')
        if ordinal in self._wrapped:
            text = self._wrapped[ordinal] + escape_text(text)
            self._wrapped[ordinal] = ""
        return self._arguments(ordinal, text)

    def _arguments(self, ordinal: int, text: str) -> str:
        return _tool_call(f'"index":{ordinal},"function":{{"arguments":{quote(text)}}}')


def _members(delta: str, logprobs: str = "", finish: str | None = None) -> str:
    return f'"delta":{delta}{logprobs},"finish_reason":{quote(finish)}'


def _tool_call(members: str) -> str:
    return _members(f'{{"tool_calls":[{{{members}}}]}}')
