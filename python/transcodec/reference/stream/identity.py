"""Which item does an event mean? Rules 4.1 of DESIGN.md."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from transcodec.reference.json_writer import utf8_length
from transcodec.reference.stream.delta import PartKind, Sight
from transcodec.reference.stream.limits import check_name
from transcodec.reference.stream.text import SentText, SurrogateJoiner

if TYPE_CHECKING:
    from transcodec.reference.stream.call import Call
    from transcodec.reference.stream.delta import ItemClass, Key
    from transcodec.reference.stream.limits import Blocks, KeptBytes

__all__ = ["Item", "Items", "Part"]


@dataclass(slots=True, eq=False)
class Part:
    """One text of a message or of a reasoning item."""

    kind: PartKind
    joiner: SurrogateJoiner = field(default_factory=SurrogateJoiner)
    sent: SentText = field(default_factory=SentText)
    #: How many annotations were dealt with.
    annotations: int = 0
    #: Number within the choice.
    number: int = 0
    #: It was opened on the target's side.
    opened: bool = False
    #: Place in the order in which parts wrote to the target's field; None before the first text.
    place: int | None = None
    #: Codes of the losses that are told once per part.
    told: set[str] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Item:
    """One item of the answer, as the wire showed it."""

    item_class: ItemClass
    #: Path of first sight.
    path: str
    #: Number within the choice, in order of first sight.
    number: int
    item_id: str | None = None
    #: The last index that was bound to it.
    index: int | None = None
    #: An announcement has told which kind of call it is.
    announced: bool = False
    closed: bool = False
    #: The call's own state, if this is one.
    call: Call | None = None
    parts: dict[tuple[PartKind, int], Part] = field(default_factory=dict)
    #: Place and number of the parts of unknown type.
    unknown_parts: set[tuple[str, int]] = field(default_factory=set)
    #: Codes of the losses that are told once per item.
    told: set[str] = field(default_factory=set)

    def is_other_call(self, call_id: str | None) -> bool:
        """Whether this is a named call, and not the one with that call id."""
        if self.call is None or call_id is None:
            return False
        return self.call.name is not None and self.call.call_id not in (None, call_id)


class Items:
    """All items of a choice, in order of first sight, and how the wire's keys lead to them."""

    def __init__(self, blocks: Blocks, kept: KeptBytes) -> None:
        self.in_order: list[Item] = []
        self._blocks = blocks
        self._kept = kept
        self._parts = 0
        self._by_index: dict[int, Item] = {}
        self._by_id: dict[tuple[ItemClass, str], Item] = {}
        self._by_any_id: dict[str, Item] = {}
        self._by_call_id: dict[str, Item] = {}
        self._last: dict[ItemClass, Item] = {}
        self._untaken: _Untaken | None = None
        self._of_key: tuple[Key, Item] | None = None

    def find(self, key: Key, item_class: ItemClass) -> Item:
        """The item that an event names: by index, else by id, else a new one."""
        if self._of_key is not None and self._of_key[0] is key:
            return self._of_key[1]
        item = self._known(key, item_class)
        return self._bind(item or self._new(key, item_class), key)

    def open(
        self, key: Key, item_class: ItemClass, sight: Sight, call_id: str | None, name: str | None
    ) -> Item:
        """The item that an event shows whole or announces. Its key means it from now on."""
        if sight is Sight.TERMINAL:
            if self._untaken is None:
                self._untaken = _Untaken(self.in_order)
            taken = self._untaken.take(key.item_id, item_class, call_id)
            item = self._bind(taken or self._new(key, item_class), key)
            self._of_key = (key, item)
            return item
        known = self._known(key, item_class)
        other = known is not None and known.is_other_call(call_id)
        if sight is Sight.ANNOUNCED:
            if known is not None and (
                known.closed or (name is not None and (other or self._is_elsewhere(key, known)))
            ):
                known = None
        elif other or (known is None and key.index is None):
            known = self._by_ids_alone(key, item_class, call_id)
        item = self._bind(known or self._new(key, item_class), key)
        self._of_key = (key, item)
        return item

    def named(self, key: Key) -> Item | None:
        """The item of any class that an index, else an id, leads to."""
        item = None if key.index is None else self._by_index.get(key.index)
        if item is None and key.item_id is not None:
            item = self._by_any_id.get(key.item_id)
        return item

    def name_call(self, item: Item, call_id: str) -> None:
        """Let the wire's call id lead to a call."""
        self._by_call_id[call_id] = item

    def part(self, item: Item, kind: PartKind, number: int) -> Part:
        """A part of an item, new or known."""
        part = item.parts.get((kind, number))
        if part is None:
            self._blocks.take()
            part = item.parts[kind, number] = Part(kind, number=self._parts)
            self._parts += 1
        return part

    def _known(self, key: Key, item_class: ItemClass) -> Item | None:
        if key.index is not None:
            bound = self._by_index.get(key.index)
            if bound is not None and bound.item_class == item_class:
                return bound
        if key.item_id is not None:
            return self._by_id.get((item_class, key.item_id))
        return self._last.get(item_class) if key.index is None else None

    def _by_ids_alone(self, key: Key, item_class: ItemClass, call_id: str | None) -> Item | None:
        item = None if key.item_id is None else self._by_id.get((item_class, key.item_id))
        if item is not None and not item.is_other_call(call_id):
            return item
        return None if call_id is None else self._by_call_id.get(call_id)

    def _new(self, key: Key, item_class: ItemClass) -> Item:
        self._blocks.take()
        item = Item(item_class, key.path, len(self.in_order))
        self.in_order.append(item)
        self._last[item_class] = item
        return self._bind(item, key)

    def _is_elsewhere(self, key: Key, known: Item) -> bool:
        """Whether a key leads to an item by its id alone, which has an index of its own, or by nothing."""
        if key.index is None:
            return key.item_id is None
        return known.index not in (None, key.index) and self._by_index.get(key.index) is not known

    def _bind(self, item: Item, key: Key) -> Item:
        """Let the index lead to the item, and the id if it is the item's first."""
        if key.index is not None:
            # An item has one index, the last: the map does not outgrow the items.
            if item.index is not None and self._by_index.get(item.index) is item:
                del self._by_index[item.index]
            self._by_index[key.index] = item
            item.index = key.index
        if key.item_id is not None and item.item_id is None:
            check_name(key.item_id)
            self._kept.take(utf8_length(key.item_id))
            item.item_id = key.item_id
            self._by_id[item.item_class, key.item_id] = item
            self._by_any_id.setdefault(key.item_id, item)
        return item


class _Untaken:
    """The items that the terminal object has not named yet; each is looked at a bounded number of times."""

    def __init__(self, items: list[Item]) -> None:
        self._taken: set[int] = set()
        self._queues: dict[tuple[object, ...], deque[Item]] = {}
        for item in items:
            call_id = None if item.call is None else item.call.call_id
            self._queue(item, "any", item.item_class)
            self._queue(item, "call id", item.item_class, call_id)
            self._queue(item, "item id", item.item_class, item.item_id)

    def take(self, item_id: str | None, item_class: ItemClass, call_id: str | None) -> Item | None:
        """By call id, else by item id, else the first whose call id is not a different one."""
        item = None
        if call_id is not None:
            item = self._first("call id", item_class, call_id)
        if item is None and item_id is not None:
            item = self._first("item id", item_class, item_id)
        if item is None:
            fitting = ("any", item_class) if call_id is None else ("call id", item_class, None)
            item = self._first(*fitting)
        if item is not None:
            self._taken.add(id(item))
        return item

    def _queue(self, item: Item, *name: object) -> None:
        self._queues.setdefault(name, deque()).append(item)

    def _first(self, *name: object) -> Item | None:
        queue = self._queues.get(name)
        while queue and id(queue[0]) in self._taken:
            queue.popleft()
        return queue[0] if queue else None
