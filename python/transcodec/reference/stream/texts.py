"""Text, refusal and reasoning of one choice: their order, their snapshots, their annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonObject
from transcodec.reference.json_writer import has_lone_surrogate, well_formed
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.delta import PartKind

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.stream import delta as d
    from transcodec.reference.stream.identity import Item, Items, Part
    from transcodec.reference.stream.outlet import Outlet

__all__ = ["Texts"]

_MESSAGE_KINDS = (PartKind.TEXT, PartKind.REFUSAL)


class Texts:
    """Parts of messages and reasoning, and which of them is open on the target's side (rules 4.4, 4.6)."""

    def __init__(self, choice: int, outlet: Outlet, items: Items) -> None:
        self.any_call_opened = False
        self._choice = choice
        self._outlet = outlet
        self._items = items
        #: Field of the target: how many parts wrote to it.
        self._places: dict[str, int] = {}
        #: Field of the target: the part that wrote to it last.
        self._last_parts: dict[str, Part] = {}
        self._open_item: Item | None = None
        self._open_part: Part | None = None

    def append(self, item: Item, delta: d.Append) -> None:
        """More text of a part."""
        if not delta.text and delta.logprobs is None:
            return
        part = self._items.part(item, delta.kind, delta.number)
        text, replaced_at = part.joiner.feed(delta.text, delta.path)
        if replaced_at is not None:
            self._outlet.tell_once(part.told, "unicode.replaced", replaced_at)
        if text or delta.logprobs is not None:
            self._send(item, part, text, delta.logprobs, delta.path)

    def whole(self, item: Item, delta: d.Whole) -> None:
        """A snapshot of a part: what was sent stays, what is missing is sent."""
        if not delta.text and not delta.annotations:
            return
        part = self._items.part(item, delta.kind, delta.number)
        if delta.text:
            self._reconcile(item, part, delta)
        for annotation, path in delta.annotations[part.annotations :]:
            self.annotate(part, annotation, path)

    def annotate(self, part: Part, annotation: JsonNode, path: str) -> None:
        """One more annotation of a part."""
        outlet = self._outlet
        part.annotations += 1
        if not isinstance(annotation, JsonObject):
            outlet.losses.tell("annotation.unknown", path)
            return
        is_open = self._open_part is not None and self._open_part.kind is PartKind.TEXT
        if not outlet.takes_annotation(annotation) or (outlet.traits.items and not is_open):
            outlet.losses.tell("annotation.unplaced", path)
            return
        if has_lone_surrogate(annotation):
            outlet.tell_once(part.told, "unicode.replaced", path)
        outlet.ensure_started(self._choice)
        outlet.kept.take(len(annotation.raw))
        if outlet.traits.items:
            outlet.said.append(o.AnnotationOut(self._choice, annotation))
        else:
            outlet.annotations.append((self._choice, part.number, annotation))

    def close(self, item: Item, *, complete: bool) -> None:
        """The source's item is complete."""
        self.flush(item)
        if self._open_item is item:
            self.close_open_item(complete=complete)

    def flush(self, item: Item) -> None:
        """Send the halves of pairs that wait; also an item that was closed may have got text."""
        for part in item.parts.values():
            text, replaced_at = part.joiner.flush()
            if replaced_at is not None:
                self._outlet.tell_once(part.told, "unicode.replaced", replaced_at)
                self._send(item, part, text, None, self._outlet.event_path)

    def close_open_item(self, *, complete: bool) -> None:
        """Close what is open on the target's side, if anything is."""
        self._close_open_part()
        if self._open_item is not None:
            self._open_item = None
            self._outlet.said.append(o.ItemClosed(self._choice, complete))

    def _close_open_part(self) -> None:
        if self._open_part is not None:
            self._open_part = None
            self._outlet.said.append(o.PartClosed(self._choice))

    def _reconcile(self, item: Item, part: Part, whole: d.Whole) -> None:
        nothing_sent = part.sent.is_empty
        rest = part.sent.rest_of(well_formed(whole.text))
        if rest is None:
            self._outlet.tell_once(part.told, "snapshot.mismatch", whole.path)
        elif rest:
            part.joiner.drop()
            if rest != whole.text[len(whole.text) - len(rest) :]:
                self._outlet.tell_once(part.told, "unicode.replaced", whole.path)
            self._send(item, part, rest, whole.logprobs if nothing_sent else None, whole.path)

    def _send(self, item: Item, part: Part, text: str, logprobs: JsonNode | None, path: str) -> None:
        outlet = self._outlet
        field = outlet.field_of(part.kind)
        if field is None:
            outlet.tell_once(part.told, "reasoning.dropped", path)
            return
        is_first = self._last_parts.get(field) is not part
        self._last_parts[field] = part
        if part.place is None:
            part.place = self._places[field] = self._places.get(field, 0) + 1
        if not outlet.traits.items:
            self._tell_lost_order(part, field, path)
        if logprobs is not None and has_lone_surrogate(logprobs):
            outlet.tell_once(part.told, "unicode.replaced", path)
        outlet.ensure_started(self._choice)
        if outlet.traits.items:
            self._open(item, part)
        outlet.answer.take(text)
        outlet.answer.take_bytes(0 if logprobs is None else len(logprobs.raw))
        outlet.said.append(
            o.TextOut(self._choice, part.kind, text, item.number, part.number, is_first, logprobs)
        )
        part.sent.extend(text)

    def _tell_lost_order(self, part: Part, field: str, path: str) -> None:
        if part.kind in _MESSAGE_KINDS and self.any_call_opened:
            self._outlet.losses.tell_once("block_order.lost", path)
        if part.place is not None and part.place < self._places[field]:
            self._outlet.tell_once(part.told, "text.interleaved", path)

    def _open(self, item: Item, part: Part) -> None:
        if self._open_part is part:
            return
        self._close_open_part()
        if self._open_item is not item:
            self.close_open_item(complete=True)
        if part.opened:
            # It is another one on the target's side.
            self._outlet.blocks.take()
        part.opened = True
        self._open_item, self._open_part = item, part
        self._outlet.said.append(o.PartOpened(self._choice, part.kind))
