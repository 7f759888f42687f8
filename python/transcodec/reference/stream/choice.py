"""One choice of an answer: its items, texts and calls, and why it ends (rules 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.stream import delta as d
from transcodec.reference.stream.calls import Calls
from transcodec.reference.stream.identity import Items
from transcodec.reference.stream.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transcodec.reference.stream.identity import Item
    from transcodec.reference.stream.outlet import Outlet

__all__ = ["Choice"]

_CALL_KINDS = (d.PartKind.ARGUMENTS, d.PartKind.INPUT)


class Choice:
    """State of one choice."""

    def __init__(
        self, number: int, outlet: Outlet, *, growing_names: bool, tools: Mapping[str, str], id_seed: str
    ) -> None:
        self.number = number
        self.reason: d.FinishReason | None = None
        self._outlet = outlet
        self._items = Items(outlet.blocks, outlet.kept)
        self._texts = Texts(number, outlet, self._items)
        self._calls = Calls(
            number,
            outlet,
            self._items,
            growing_names=growing_names,
            tools=tools,
            id_seed=id_seed,
            before_opening=self._before_call,
        )

    @property
    def has_calls(self) -> bool:
        """Whether a call was opened."""
        return self._calls.opened > 0

    @property
    def holds_calls(self) -> bool:
        """Whether a call waits to be opened, or text of one is held."""
        return self._calls.hold

    def apply(self, delta: d.OfItem) -> None:
        """Take what is said of one item."""
        self._outlet.place = delta.key.path
        match delta:
            case d.Open():
                self._open(delta)
            case d.Append():
                item = self._items.find(delta.key, delta.kind.item_class)
                if delta.kind in _CALL_KINDS:
                    self._calls.append(item, delta, custom=delta.kind is d.PartKind.INPUT)
                else:
                    self._texts.append(item, delta)
            case d.Whole():
                item = self._items.find(delta.key, delta.kind.item_class)
                if delta.kind in _CALL_KINDS:
                    self._calls.whole(item, delta, custom=delta.kind is d.PartKind.INPUT)
                else:
                    self._texts.whole(item, delta)
            case d.Note():
                item = self._items.find(delta.key, d.PartKind.TEXT.item_class)
                part = self._items.part(item, d.PartKind.TEXT, delta.number)
                self._texts.annotate(part, delta.annotation, delta.path)
            case d.Seal():
                item = self._items.find(delta.key, delta.item_class)
                self._outlet.tell_once(item.told, "opaque_state.dropped", delta.path, delta.member)
            case d.DroppedMember():
                item = self._items.find(delta.key, "")
                once = ("member", item, delta.member)
                self._outlet.losses.tell("item.member_dropped", delta.path, delta.member, once=once)
            case d.UnknownPart():
                self._unknown_part(delta)
            case d.Foreign():
                foreign = d.foreign_class(delta.item_type)
                item = self._items.open(delta.key, foreign, delta.sight, None, None)
                self._outlet.tell_once(item.told, delta.loss, item.path, delta.item_type)
            case d.Close():
                self._close(self._items.find(delta.key, ""), complete=True)

    def close_all(self, *, complete: bool) -> None:
        """Send the halves of pairs that wait; close what is open, calls first, in order of first sight."""
        for item in self._items.in_order:
            self._texts.flush(item)
        for item in sorted(self._items.in_order, key=lambda item: item.call is None):
            self._close(item, complete=complete)

    def _open(self, delta: d.Open) -> None:
        item = self._items.open(delta.key, delta.item_class, delta.sight, delta.call_id, delta.name)
        if delta.item_class == d.PartKind.ARGUMENTS.item_class:
            call = self._calls.of(item, custom=delta.custom)
            is_announced = delta.sight is d.Sight.ANNOUNCED
            if call.ordinal is None and is_announced and not item.announced:
                call.custom = delta.custom
            item.announced = item.announced or is_announced
            self._calls.identify(item, call, delta.call_id, delta.name)

    def _unknown_part(self, delta: d.UnknownPart) -> None:
        item = self._items.find(delta.key, delta.item_class)
        if (delta.place, delta.number) not in item.unknown_parts:
            self._outlet.blocks.take()
            item.unknown_parts.add((delta.place, delta.number))
            self._outlet.losses.tell("part.unknown", delta.path, delta.part_type)

    def _close(self, item: Item, *, complete: bool) -> None:
        if item.closed:
            return
        item.closed = True
        if item.call is not None:
            self._calls.close(item, item.call, complete=complete)
        self._texts.close(item, complete=complete)

    def _before_call(self) -> None:
        self._texts.any_call_opened = True
        if self._outlet.traits.items:
            self._texts.close_open_item(complete=True)
