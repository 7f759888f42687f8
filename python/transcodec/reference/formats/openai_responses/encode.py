"""Ordered deltas to Responses events: "Encode: events" of docs/formats/openai_responses.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_responses.objects import (
    fault_code,
    final_status,
    item_id,
    response_id,
    response_object,
    takes_annotation,
    write_annotation,
    write_item,
    write_output,
    write_part,
)
from transcodec.reference.frame.sse import write_event, write_keep_alive
from transcodec.reference.json_reader import JsonArray
from transcodec.reference.json_writer import compact_well_formed, quote
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.delta import PartKind
from transcodec.reference.stream.encoder import Traits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.reference.json_reader import JsonObject
    from transcodec.reference.stream.delta import Fault
    from transcodec.reference.stream.encoder import EncoderOptions
    from transcodec.reference.stream.snapshot import AnswerCall, AnswerItem, AnswerPart, Snapshot
    from transcodec.usage import Usage

__all__ = ["ResponsesEncoder"]

#: Kind: the words of its event types, the member with the text, the member with the part's number.
_TEXTS = {
    PartKind.TEXT: ("output_text", "text", "content_index"),
    PartKind.REFUSAL: ("refusal", "refusal", "content_index"),
    PartKind.SUMMARY: ("reasoning_summary_text", "text", "summary_index"),
    PartKind.REASONING: ("reasoning_text", "text", "content_index"),
}


class ResponsesEncoder:
    """Writes events. Reads the items from the snapshot, which hears each delta before; counts the events."""

    content_type = "text/event-stream; charset=utf-8"
    traits = Traits(choices=False, items=True, starts_before_fault=True, keeps_answer=True)

    def __init__(self, options: EncoderOptions, snapshot: Snapshot) -> None:
        self._id_seed = options.id_seed
        self._snapshot = snapshot
        self._response_id = ""
        self._next_number = 0
        #: The item and the part that are or were last open, and their indexes.
        self._place: tuple[int, AnswerItem, int, AnswerPart] | None = None
        #: Output index of each call.
        self._calls: list[int] = []

    def field_of(self, kind: PartKind) -> str | None:
        """Every kind is taken."""
        return kind.name

    def takes_annotation(self, annotation: JsonObject) -> bool:
        """Whether there is a form for an annotation."""
        return takes_annotation(annotation)

    def encode(self, ordered: o.Ordered) -> bytes:
        """The events of one ordered delta."""
        return b"".join(self._events(ordered))

    def _events(self, ordered: o.Ordered) -> Iterator[bytes]:
        match ordered:
            case o.Started(head):
                self._response_id = response_id(head, self._id_seed)
                started = response_object(self._snapshot, self._id_seed, "in_progress", "")
                yield self._event("response.created", f'"response":{started}')
                yield self._event("response.in_progress", f'"response":{started}')
            case o.PartOpened():
                yield from self._open_part()
            case o.TextOut():
                yield self._text(ordered)
            case o.AnnotationOut(_, annotation):
                yield self._annotation(annotation)
            case o.PartClosed():
                yield from self._close_part()
            case o.ItemClosed(_, complete):
                yield self._close_item(complete=complete)
            case o.CallOpened():
                yield self._open_call()
            case o.CallText(_, ordinal, text):
                index, call = self._call(ordinal)
                member = "custom_tool_call_input" if call.custom else "function_call_arguments"
                yield self._event(f"response.{member}.delta", f'{self._at(index)},"delta":{quote(text)}')
            case o.CallClosed(_, ordinal, complete):
                yield from self._close_call(*self._call(ordinal), complete=complete)
            case o.Ended(_, usage):
                yield self._end(usage)
            case o.Failed(fault, usage):
                yield from self._fail(fault, usage)
            case o.KeptAlive():
                yield write_keep_alive()
            case _:
                pass

    def _event(self, kind: str, members: str) -> bytes:
        number = self._next_number
        self._next_number += 1
        return write_event(f'{{"type":"{kind}","sequence_number":{number},{members}}}', name=kind)

    def _item_id(self, index: int) -> str:
        return item_id(self._snapshot.choices[0].items[index], self._response_id, index)

    def _at(self, index: int) -> str:
        return f'"item_id":{quote(self._item_id(index))},"output_index":{index}'

    def _added(self, index: int) -> bytes:
        item = self._snapshot.choices[0].items[index]
        written = write_item(item, self._item_id(index), "in_progress", empty=True)
        return self._event("response.output_item.added", f'"output_index":{index},"item":{written}')

    def _done(self, index: int, *, complete: bool) -> bytes:
        item = self._snapshot.choices[0].items[index]
        written = write_item(item, self._item_id(index), "completed" if complete else "incomplete")
        return self._event("response.output_item.done", f'"output_index":{index},"item":{written}')

    # Messages and reasoning.

    def _open_part(self) -> Iterator[bytes]:
        choice = self._snapshot.choices[0]
        item, part = choice.open_item, choice.open_part
        if item is None or part is None:
            return
        index = len(choice.items) - 1
        if len(item.parts) == 1:
            yield self._added(index)
        is_summary = part.kind is PartKind.SUMMARY
        siblings = [each for each in item.parts if (each.kind is PartKind.SUMMARY) == is_summary]
        self._place = (index, item, len(siblings) - 1, part)
        yield self._part_event("added", write_part(part, empty=True))

    def _part_event(self, what: str, written: str) -> bytes:
        part = self._open()[1]
        word = "reasoning_summary_part" if part.kind is PartKind.SUMMARY else "content_part"
        return self._event(f"response.{word}.{what}", f'{self._open()[0]},"part":{written}')

    def _open(self) -> tuple[str, AnswerPart]:
        """Members that say where the part is, and the part."""
        if self._place is None:
            raise LookupError("no part was opened")
        index, _, number, part = self._place
        return f'{self._at(index)},"{_TEXTS[part.kind][2]}":{number}', part

    def _text(self, said: o.TextOut) -> bytes:
        at, part = self._open()
        logprobs = ""
        if part.kind is PartKind.TEXT:
            written = compact_well_formed(said.logprobs) if isinstance(said.logprobs, JsonArray) else "[]"
            logprobs = f',"logprobs":{written}'
        return self._event(
            f"response.{_TEXTS[part.kind][0]}.delta", f'{at},"delta":{quote(said.text)}{logprobs}'
        )

    def _annotation(self, annotation: JsonObject) -> bytes:
        at, part = self._open()
        number = len(part.annotations) - 1
        return self._event(
            "response.output_text.annotation.added",
            f'{at},"annotation_index":{number},"annotation":{write_annotation(annotation)}',
        )

    def _close_part(self) -> Iterator[bytes]:
        at, part = self._open()
        word, member, _ = _TEXTS[part.kind]
        logprobs = f',"logprobs":[{",".join(part.logprobs)}]' if part.kind is PartKind.TEXT else ""
        yield self._event(f"response.{word}.done", f'{at},"{member}":{quote(part.text)}{logprobs}')
        yield self._part_event("done", write_part(part))

    def _close_item(self, *, complete: bool) -> bytes:
        if self._place is None:
            raise LookupError("no item was opened")
        return self._done(self._place[0], complete=complete)

    # Calls.

    def _call(self, ordinal: int) -> tuple[int, AnswerCall]:
        return self._calls[ordinal], self._snapshot.choices[0].calls[ordinal]

    def _open_call(self) -> bytes:
        index = len(self._snapshot.choices[0].items) - 1
        self._calls.append(index)
        return self._added(index)

    def _close_call(self, index: int, call: AnswerCall, *, complete: bool) -> Iterator[bytes]:
        at = self._at(index)
        if call.custom:
            yield self._event("response.custom_tool_call_input.done", f'{at},"input":{quote(call.text)}')
        else:
            yield self._event(
                "response.function_call_arguments.done",
                f'{at},"name":{quote(call.name)},"arguments":{quote(call.text)}',
            )
        yield self._done(index, complete=complete)

    # The end.

    def _end(self, usage: Usage | None) -> bytes:
        status = final_status(self._snapshot)
        output = write_output(self._snapshot, self._id_seed)
        written = response_object(self._snapshot, self._id_seed, status, output, usage=usage)
        return self._event(f"response.{status}", f'"response":{written}')

    def _fail(self, fault: Fault, usage: Usage | None) -> Iterator[bytes]:
        members = f'"code":{quote(fault_code(fault))},"message":{quote(fault.message)}'
        yield self._event("error", f'{members},"param":{quote(fault.param)}')
        output = write_output(self._snapshot, self._id_seed)
        failed = response_object(self._snapshot, self._id_seed, "failed", output, usage=usage, error=fault)
        yield self._event("response.failed", f'"response":{failed}')
