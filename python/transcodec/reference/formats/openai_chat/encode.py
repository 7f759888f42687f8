"""Ordered deltas to Chat chunks: the table of docs/formats/openai_chat.md."""

from __future__ import annotations

from dataclasses import replace
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

__all__ = ["DONE_MARK", "ChatEncoder"]

DONE_MARK = "[DONE]"


class ChatEncoder:
    """Writes chunks. Keeps the head and a state for each choice."""

    content_type = "text/event-stream; charset=utf-8"
    traits = Traits(choices=True, items=False, starts_before_fault=False, keeps_answer=False)

    def __init__(self, options: EncoderOptions, _snapshot: Snapshot) -> None:
        self._options = options
        if options.same_format:
            self.traits = replace(self.traits, held_apart=True)
        self._head = ""
        self._choices: dict[int, _Choice] = {}

    def field_of(self, kind: PartKind) -> str | None:
        """The member of `delta` that takes a kind of text."""
        return FIELDS.get(kind, self._options.reasoning_field)

    def takes_annotation(self, annotation: JsonObject) -> bool:
        """Whether there is a form for an annotation."""
        return takes_annotation(annotation) or self._options.same_format

    def encode(self, ordered: o.Ordered) -> bytes:
        """The events of one ordered delta."""
        if isinstance(ordered, o.KeptAlive):
            return write_keep_alive()
        return b"".join(map(write_event, self.payloads(ordered)))

    def payloads(self, ordered: o.Ordered) -> Iterator[str]:
        """The payloads of these events: chunks and the done mark."""
        match ordered:
            case o.Started(head):
                self._head = head_members(head, self._options.id_seed, "chat.completion.chunk")
            case o.Ended(_, usage):
                yield from self._end(usage)
            case o.Failed(fault):
                yield write_error_body(fault)
            case o.KeptAlive() | o.MirroredEvent():
                pass
            case _:
                choice = self._choices.get(ordered.choice)
                if choice is None:
                    choice = self._choices[ordered.choice] = _Choice(self.field_of, self._options)
                for members in choice.encode(ordered):
                    yield self.chunk(f'{{"index":{ordered.choice},{members}}}')

    def chunk(self, choices: str, more: str = "") -> str:
        """A chunk with the head that all have."""
        return f'{{{self._head},"choices":[{choices}]{more}}}'

    def _end(self, usage: Usage | None) -> Iterator[str]:
        if usage is not None and self._options.include_usage:
            yield self.chunk("", f',"usage":{write_usage(usage)}')
        yield DONE_MARK


class _Choice:
    """Writes the members of one choice. Keeps the wrapped calls, and how the reasoning ended so far."""

    def __init__(self, field_of: Callable[[PartKind], str | None], options: EncoderOptions) -> None:
        self._field_of = field_of
        self._tools = options.tools
        self._same_format = options.same_format
        #: Calls whose free input is written as JSON, with what has to stand before the next text.
        self._wrapped: dict[int, str] = {}
        #: Calls of tools that the client declared as custom.
        self._native: set[int] = set()
        self._reasoning = ReasoningJoiner()

    def encode(self, ordered: o.Ordered) -> Iterator[str]:
        """The members behind the index, once for each chunk."""
        match ordered:
            case o.ChoiceStarted():
                content = "" if self._same_format else ',"content":""'
                yield _members(f'{{"role":"assistant"{content}}}')
            case o.TextOut():
                yield self._text(ordered)
            case o.AnnotationsOut(_, annotations):
                write = compact_well_formed if self._same_format else write_annotation
                written = ",".join(write(annotation) for _, annotation in annotations)
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
        if call.custom and (self._same_format or self._tools.get(call.name) == "custom"):
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
