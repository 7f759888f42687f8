"""The referee: the only place with rules about order and identity (section 4 of DESIGN.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from transcodec.reference.json_reader import JsonObject
from transcodec.reference.json_writer import has_lone_surrogate, utf8_length, well_formed
from transcodec.reference.stream import delta as d
from transcodec.reference.stream.call import (
    CALL_TRANSITIONS,
    Action,
    Call,
    Phase,
    Signal,
    is_white_space,
    may_be_placeholder,
    without_placeholder,
)
from transcodec.reference.stream.hashing import fnv1a_64_hex
from transcodec.reference.stream.identity import Item, Items, Part
from transcodec.reference.stream.limits import KeptBytes, LimitReached

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.stream.encoder import Encoder
    from transcodec.reference.stream.limits import Limits
    from transcodec.reference.stream.losses import LossLog
    from transcodec.usage import Usage

__all__ = ["Outcome", "Turn"]

Outcome = Literal["completed", "incomplete", "failed", "truncated"]

_MESSAGE_KINDS = (d.PartKind.TEXT, d.PartKind.REFUSAL)
_CALL_KINDS = (d.PartKind.ARGUMENTS, d.PartKind.INPUT)


class Turn:
    """One answer. `apply` takes what a decoder says; what the client gets collects in `output`."""

    def __init__(
        self, encoder: Encoder, losses: LossLog, limits: Limits, *, head: d.Head, id_seed: str
    ) -> None:
        self.output = bytearray()
        self.outcome: Outcome | None = None
        self.usage: Usage | None = None
        self._encoder = encoder
        self._losses = losses
        self._limits = limits
        self._head = head
        self._id_seed = id_seed
        self._started = False
        self._reason: d.FinishReason | None = None
        self._kept = KeptBytes(limits.max_held_bytes)
        self._items = Items(limits.max_blocks, self._kept)
        self._open_calls = 0
        self._opened_calls = 0
        self._call_ids: set[str] = set()
        self._next_suffix: dict[str, int] = {}
        self._places: dict[str, int] = {}
        #: They go out together: a client that puts chunks together cannot append to a list without indexes.
        self._annotations: list[JsonObject] = []

    @property
    def is_ended(self) -> bool:
        """Whether the client's answer is complete, well or not."""
        return self.outcome is not None

    def apply(self, delta: d.Delta) -> None:
        """Take one delta.

        Raises:
            LimitReached: too many blocks or open calls, too much held text.
            LossRefused: what the target cannot say is refused.
        """
        if self.is_ended:
            return
        match delta:
            case d.Start():
                self._start(delta)
            case d.Open():
                self._open(delta)
            case d.Append():
                self._append(delta)
            case d.Whole():
                self._whole(delta)
            case d.Note():
                item = self._items.find(delta.key, d.PartKind.TEXT.item_class)
                part = self._items.part(item, d.PartKind.TEXT, delta.number)
                self._annotate(part, delta.annotation, delta.path)
            case d.Seal():
                self._seal(delta)
            case d.DroppedMember():
                self._member(delta)
            case d.UnknownPart():
                self._unknown_part(delta)
            case d.Foreign():
                self._foreign(delta)
            case d.Close():
                self._close(self._items.find(delta.key, ""))
            case d.UsageCounts():
                self.usage = delta.usage
            case d.Lost():
                once = (delta.code, delta.once) if delta.once else None
                self._losses.tell(delta.code, delta.path, delta.detail, once=once)
            case d.Finish():
                self._finish(delta.reason)
            case d.Fault():
                self.fail(delta)
            case d.End():
                self.end()
            case d.Alive():
                self._send(d.KeptAlive())

    def end(self) -> None:
        """Nothing follows: write the closing event, if the answer has finished."""
        if self._reason is None or self.is_ended:
            return
        self._send_annotations()
        self._send(d.Ended(self._reason, self.usage))
        self.outcome = "completed" if self._reason in ("stop", "tool_calls") else "incomplete"

    def fail(self, fault: d.Fault, outcome: Outcome = "failed") -> None:
        """End with an error event. Calls stay as they are: nothing held is sent, nothing is closed."""
        if self.is_ended:
            return
        self._tell_lone_surrogates(fault.path, fault.message, fault.type, fault.code, fault.param)
        self._send_annotations()
        self._send(fault)
        self.outcome = outcome

    def mark(self) -> tuple[int, int]:
        """A point to come back to."""
        return len(self.output), len(self._annotations)

    def take_back(self, mark: tuple[int, int]) -> None:
        """Do not say what was said since the mark. Only `fail` may follow."""
        output, annotations = mark
        del self.output[output:]
        del self._annotations[annotations:]

    def _send(self, delta: d.Ordered) -> None:
        self.output += self._encoder.encode(delta)

    def _send_annotations(self) -> None:
        if self._annotations:
            self._send(d.AnnotationsOut(tuple(self._annotations)))

    # The head.

    def _start(self, start: d.Start) -> None:
        if self._started:
            return
        given = self._head
        self._head = d.Head(
            start.response_id if given.response_id is None else given.response_id,
            start.model if given.model is None else given.model,
            start.created if given.created is None else given.created,
        )
        self._tell_lone_surrogates(start.path, self._head.response_id, self._head.model)
        self._ensure_started()

    def _ensure_started(self) -> None:
        if not self._started:
            self._started = True
            self._send(d.Started(self._head))

    # Items.

    def _open(self, delta: d.Open) -> None:
        item = self._items.open(delta.key, delta.item_class, delta.sight, delta.call_id)
        if delta.item_class == d.PartKind.ARGUMENTS.item_class:
            call = self._call_of(item, custom=delta.custom)
            if call.phase is Phase.WAITING:
                call.custom = delta.custom
            self._identify(item, call, delta.call_id, delta.name, delta.key.path)

    def _seal(self, delta: d.Seal) -> None:
        item = self._items.find(delta.key, d.PartKind.REASONING.item_class)
        self._tell_once(item.told, "opaque_state.dropped", delta.path, delta.member)

    def _member(self, delta: d.DroppedMember) -> None:
        item = self._items.find(delta.key, "")
        once = ("member", item, delta.member)
        self._losses.tell("item.member_dropped", delta.path, delta.member, once=once)

    def _unknown_part(self, delta: d.UnknownPart) -> None:
        item = self._items.find(delta.key, delta.item_class)
        if (delta.place, delta.number) not in item.unknown_parts:
            self._items.count_block()
            item.unknown_parts.add((delta.place, delta.number))
            self._losses.tell("part.unknown", delta.path, delta.part_type)

    def _foreign(self, delta: d.Foreign) -> None:
        item = self._items.open(delta.key, d.foreign_class(delta.item_type), delta.sight, None)
        self._tell_once(item.told, delta.loss, item.path, delta.item_type)

    def _close(self, item: Item) -> None:
        if item.closed:
            return
        item.closed = True
        if item.call is not None:
            self._close_call(item, item.call)
        for part in item.parts.values():
            text, replaced_at = part.joiner.flush()
            if replaced_at is not None:
                self._tell_once(part.told, "unicode.replaced", replaced_at)
                self._send_text(part, text, None, replaced_at)

    # Text.

    def _append(self, delta: d.Append) -> None:
        item = self._items.find(delta.key, delta.kind.item_class)
        if delta.kind in _CALL_KINDS:
            call = self._call_of(item, custom=delta.kind is d.PartKind.INPUT)
            text, replaced_at = call.joiner.feed(delta.text, delta.path)
            if replaced_at is not None:
                self._tell_once(call.told, "unicode.replaced", replaced_at)
            self._call_text(item, call, text, delta.path)
        elif delta.text:
            part = self._items.part(item, delta.kind, delta.number)
            text, replaced_at = part.joiner.feed(delta.text, delta.path)
            if replaced_at is not None:
                self._tell_once(part.told, "unicode.replaced", replaced_at)
            if text or delta.logprobs is not None:
                self._send_text(part, text, delta.logprobs, delta.path)

    def _whole(self, delta: d.Whole) -> None:
        item = self._items.find(delta.key, delta.kind.item_class)
        if delta.kind in _CALL_KINDS:
            call = self._call_of(item, custom=delta.kind is d.PartKind.INPUT)
            self._identify(item, call, None, delta.name, delta.key.path)
            if delta.text:
                self._reconcile_call(item, call, delta)
        elif delta.text or delta.annotations:
            part = self._items.part(item, delta.kind, delta.number)
            if delta.text:
                self._reconcile_part(part, delta)
            for annotation, path in delta.annotations[part.annotations :]:
                self._annotate(part, annotation, path)

    def _reconcile_part(self, part: Part, whole: d.Whole) -> None:
        nothing_sent = part.sent.is_empty
        rest = part.sent.rest_of(well_formed(whole.text))
        if rest is None:
            self._tell_once(part.told, "snapshot.mismatch", whole.path)
        elif rest:
            part.joiner.drop()
            if rest != whole.text[len(whole.text) - len(rest) :]:
                self._tell_once(part.told, "unicode.replaced", whole.path)
            self._send_text(part, rest, whole.logprobs if nothing_sent else None, whole.path)

    def _send_text(self, part: Part, text: str, logprobs: JsonNode | None, path: str) -> None:
        field = self._encoder.field_of(part.kind)
        if field is None:
            self._tell_once(part.told, "reasoning.dropped", path)
            return
        behind_a_call = part.kind in _MESSAGE_KINDS and self._opened_calls > 0
        if behind_a_call and not self._encoder.keeps_block_order:
            self._losses.tell_once("block_order.lost", path)
        is_first = part.place is None
        if part.place is None:
            part.place = self._places[field] = self._places.get(field, 0) + 1
        elif part.place < self._places[field]:
            self._tell_once(part.told, "text.interleaved", path)
        if logprobs is not None and has_lone_surrogate(logprobs):
            self._tell_once(part.told, "unicode.replaced", path)
        self._ensure_started()
        self._send(d.TextOut(part.kind, text, is_first, logprobs))
        part.sent.extend(text)

    def _annotate(self, part: Part, annotation: JsonNode, path: str) -> None:
        part.annotations += 1
        if not isinstance(annotation, JsonObject):
            self._losses.tell("annotation.unknown", path)
            return
        if has_lone_surrogate(annotation):
            self._tell_once(part.told, "unicode.replaced", path)
        self._ensure_started()
        self._annotations.append(annotation)
        self._kept.take(len(annotation.raw))

    # Calls. `CALL_TRANSITIONS` decides, the methods below carry out.

    def _call_of(self, item: Item, *, custom: bool) -> Call:
        if item.call is None:
            self._open_calls += 1
            if self._open_calls > self._limits.max_open_calls:
                raise LimitReached("too_many_open_calls")
            item.call = Call(custom)
        return item.call

    def _identify(self, item: Item, call: Call, call_id: str | None, name: str | None, path: str) -> None:
        """Take metadata that is new, while it can still be sent."""
        if call.phase is not Phase.WAITING:
            return
        if call.call_id is None and call_id is not None:
            call.call_id = call_id
            self._items.name_call(item, call_id)
            self._kept.take(utf8_length(call_id))
        if call.name is None and name is not None:
            call.name = name
            self._kept.take(utf8_length(name))
        if call.name is not None and call.call_id is not None:
            self._signal(item, call, Signal.IDENTIFIED, path=path)

    def _call_text(self, item: Item, call: Call, text: str, path: str) -> None:
        if not text:
            return
        signal = Signal.TEXT
        if call.phase is Phase.OPEN and not call.custom:
            if call.held_bytes >= len("{}") and is_white_space(text):
                # Not joined with what is held: there may be a million of these.
                signal = Signal.PLACEHOLDER
            else:
                text = without_placeholder(self._take_held(call) + text)
                signal = Signal.PLACEHOLDER if may_be_placeholder(text) else Signal.TEXT
        self._signal(item, call, signal, text, path)

    def _reconcile_call(self, item: Item, call: Call, whole: d.Whole) -> None:
        rest = call.sent.rest_of(well_formed(whole.text))
        if rest is None:
            self._tell_once(call.told, "snapshot.mismatch", whole.path)
        elif rest:
            call.joiner.drop()
            self._take_held(call)
            if rest != whole.text[len(whole.text) - len(rest) :]:
                self._tell_once(call.told, "unicode.replaced", whole.path)
            self._call_text(item, call, rest, whole.path)

    def _close_call(self, item: Item, call: Call) -> None:
        signal = call.close_signal()
        if signal is Signal.CLOSE:
            text, replaced_at = call.joiner.flush()
            if replaced_at is not None:
                self._tell_once(call.told, "unicode.replaced", replaced_at)
                self._call_text(item, call, text, replaced_at)
        self._signal(item, call, signal, path=item.path)
        self._open_calls -= 1
        if call.ordinal is not None:
            self._send(d.CallClosed(call.ordinal))

    def _signal(self, item: Item, call: Call, signal: Signal, text: str = "", path: str = "") -> None:
        transition = CALL_TRANSITIONS[call.phase, signal]
        call.phase = transition.phase
        for action in transition.actions:
            match action:
                case Action.DERIVE_ID:
                    call.call_id = call.call_id or item.item_id or self._derived_call_id()
                case Action.SEND_OPENING:
                    self._send_opening(call, path)
                case Action.RELEASE:
                    self._call_text(item, call, self._take_held(call), path)
                case Action.HOLD:
                    self._hold(call, text)
                case Action.SEND:
                    self._send_call_text(call, text)
                case Action.SEND_LAST:
                    last = self._take_held(call)
                    self._send_call_text(call, last if call.custom else without_placeholder(last) or "{}")
                case Action.REPORT_LATE:
                    self._tell_once(call.told, "delta.after_close", path)
                case Action.REPORT_NAMELESS:
                    self._take_held(call)
                    self._losses.tell("tool_call.nameless", item.path)

    def _send_opening(self, call: Call, path: str) -> None:
        call_id, name = call.call_id or "", call.name or ""
        call.ordinal = self._opened_calls
        self._opened_calls += 1
        self._ensure_started()
        self._tell_lone_surrogates(path, call_id, name)
        unique_id = self._unique(well_formed(call_id), path)
        self._send(d.CallOpened(call.ordinal, unique_id, well_formed(name), call.custom))

    def _send_call_text(self, call: Call, text: str) -> None:
        if text and call.ordinal is not None:
            self._send(d.CallText(call.ordinal, text))
            call.sent.extend(text)

    def _hold(self, call: Call, text: str) -> None:
        size = utf8_length(text)
        call.held.append(text)
        call.held_bytes += size
        self._kept.take(size)

    def _take_held(self, call: Call) -> str:
        text = "".join(call.held)
        call.held.clear()
        self._kept.give_back(call.held_bytes)
        call.held_bytes = 0
        return text

    def _derived_call_id(self) -> str:
        seed = self._head.response_id if self._head.response_id is not None else self._id_seed
        return f"call_{fnv1a_64_hex(f'{seed}/{self._opened_calls}')}"

    def _unique(self, call_id: str, path: str) -> str:
        unique = call_id
        suffix = self._next_suffix.get(call_id, 2)
        while unique in self._call_ids:
            unique = f"{call_id}_{suffix}"
            suffix += 1
        if unique != call_id:
            self._next_suffix[call_id] = suffix
            self._losses.tell("id.rewritten", path)
        self._call_ids.add(unique)
        return unique

    # The end.

    def _finish(self, reason: d.FinishReason) -> None:
        if self._reason is not None:
            return
        for item in self._items.in_order:
            self._close(item)
        self._ensure_started()
        raised = reason == "stop" and self._opened_calls > 0
        self._reason = "tool_calls" if raised else reason

    # Losses.

    def _tell_once(self, told: set[str], code: str, path: str, detail: str = "") -> None:
        """Tell a loss that is told once of an item or a part, which remember it in `told`."""
        if code not in told:
            told.add(code)
            self._losses.tell(code, path, detail)

    def _tell_lone_surrogates(self, path: str, *texts: str | None) -> None:
        if any(text is not None and text != well_formed(text) for text in texts):
            self._losses.tell("unicode.replaced", path)
