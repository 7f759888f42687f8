"""Responses in, Responses out: items and parts open and close where the source's do (DESIGN.md, 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_responses.mirror_objects import (
    MirroredItem,
    MirroredPart,
    Shown,
)
from transcodec.reference.json_reader import JsonArray, JsonObject
from transcodec.reference.json_writer import has_lone_surrogate, quote, well_formed
from transcodec.reference.stream import delta as d
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.calls import Calls
from transcodec.reference.stream.clean.tree import grown
from transcodec.reference.stream.delta import PartKind
from transcodec.reference.stream.hashing import fnv1a_64_hex
from transcodec.reference.stream.identity import Items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.stream.clean.tree import Members
    from transcodec.reference.stream.identity import Item, Part
    from transcodec.reference.stream.outlet import Outlet

__all__ = ["MirroredItems"]

_CALL_KINDS = (PartKind.ARGUMENTS, PartKind.INPUT)
_PREFIXES = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}
#: Kind: the words of its event types, the member with the text, the member with the part's number.
_TEXTS = {
    PartKind.TEXT: ("output_text", "text", "content_index"),
    PartKind.REFUSAL: ("refusal", "refusal", "content_index"),
    PartKind.SUMMARY: ("reasoning_summary_text", "text", "summary_index"),
    PartKind.REASONING: ("reasoning_text", "text", "content_index"),
}


#: Where parts stand: the kinds of those that are known.
_KINDS_OF = {
    "content": (PartKind.TEXT, PartKind.REFUSAL),
    "reasoning_content": (PartKind.REASONING,),
    "summary": (PartKind.SUMMARY,),
}


class MirroredItems:
    """The items of an answer, as the source shows them and as the client was told."""

    def __init__(
        self,
        outlet: Outlet,
        *,
        tools: Mapping[str, str],
        id_seed: str,
        response_id: Callable[[], str],
        say_start: Callable[[], None],
    ) -> None:
        self.reason: d.FinishReason | None = None
        self.items: list[MirroredItem] = []
        self._outlet = outlet
        self._response_id = response_id
        self._say_start = say_start
        self._source = Items(outlet.blocks, outlet.kept)
        self._calls = Calls(
            0,
            outlet,
            self._source,
            growing_names=False,
            tools=tools,
            id_seed=id_seed,
            before_opening=lambda: None,
        )
        self._ids: set[str] = set()
        self._shown: dict[Item, Shown] = {}
        #: The last item, or part, that was opened for one of the source's.
        self._item_of: dict[Item, MirroredItem] = {}
        self._part_of: dict[Part, MirroredPart] = {}
        self._unknown_part_of: dict[tuple[Item, str, int], MirroredPart] = {}
        #: Calls that were opened, by their ordinal.
        self._by_ordinal: list[MirroredItem] = []

    @property
    def has_calls(self) -> bool:
        """Whether a call was opened."""
        return self._calls.opened > 0

    def known(self, key: d.Key) -> MirroredItem | None:
        """The item whose index, else whose id, an event that is passed on names."""
        item = self._source.named(key)
        return None if item is None else self._item_of.get(item)

    def apply(self, delta: d.OfItem | d.PartShown | d.TextDone) -> None:
        """Take what is said of one item."""
        self._outlet.place = delta.key.path
        match delta:
            case d.Open():
                self._open(delta)
            case d.Foreign():
                item_class = d.foreign_class(delta.item_type)
                item = self._source.open(delta.key, item_class, delta.sight, None, None)
                self._see(item, delta.node)
                self._ensure_item(item, delta.item_type)
            case d.PartShown():
                self._part_shown(delta)
            case d.Append():
                self._append(self._source.find(delta.key, delta.kind.item_class), delta)
            case d.Whole():
                self._whole(self._source.find(delta.key, delta.kind.item_class), delta)
            case d.TextDone():
                self._text_done(self._source.find(delta.key, delta.kind.item_class), delta)
            case d.Note():
                item = self._source.find(delta.key, PartKind.TEXT.item_class)
                part = self._source.part(item, PartKind.TEXT, delta.number)
                self._annotate(item, part, delta.annotation, delta.path)
            case d.Close():
                self._close(self._source.find(delta.key, ""), complete=True)
            case _:
                pass

    def close_all(self, *, complete: bool) -> None:
        """Send the halves of pairs that wait, then close what is open: calls, then all else as it opened."""
        for item in self._source.in_order:
            self._flush(item)
        for item in self._source.in_order:
            if item.call is not None:
                self._close(item, complete=complete)
        for mirrored in self.items:
            self._close_item(mirrored, complete=complete)

    # Items.

    def _see(self, item: Item, node: JsonObject | None) -> Shown:
        shown = self._shown.setdefault(item, Shown())
        if node is not None:
            shown.see(node)
        return shown

    def _open(self, delta: d.Open) -> None:
        item = self._source.open(delta.key, delta.item_class, delta.sight, delta.call_id, delta.name)
        if delta.item_class != PartKind.ARGUMENTS.item_class:
            self._see(item, delta.node)
            self._ensure_item(item, delta.item_class)
            return
        call = self._calls.of(item, custom=delta.custom)
        is_announced = delta.sight is d.Sight.ANNOUNCED
        if call.ordinal is None and is_announced and not item.announced:
            call.custom = delta.custom
        item.announced = item.announced or is_announced
        self._of_calls(lambda: self._calls.identify(item, call, delta.call_id, delta.name))
        # A call opens with what was known of it before: the event that opens it may show more.
        self._see(item, delta.node)

    def _ensure_item(self, item: Item, item_type: str) -> MirroredItem:
        """The item as it is, open or not; opened if it never was."""
        return self._item_of.get(item) or self._open_item(item, item_type)

    def _item_for_text(self, item: Item, item_type: str) -> MirroredItem:
        """An item that is open: text behind its item is an item of its own."""
        mirrored = self._item_of.get(item)
        if mirrored is None or mirrored.complete is not None:
            mirrored = self._open_item(item, item_type)
        return mirrored

    def _open_item(self, item: Item, item_type: str, call: Members | None = None) -> MirroredItem:
        self._of_calls(lambda: self._outlet.ensure_started(0))
        index = len(self.items)
        if item.call is None:
            self._outlet.tell_lone_surrogates(self._outlet.event_path, item.item_id)
        item_id = None if item.item_id is None else well_formed(item.item_id)
        if item_id is None or item_id in self._ids:
            prefix = _PREFIXES.get(item_type, "item")
            item_id = f"{prefix}_{fnv1a_64_hex(self._response_id())}_{index}"
        self._ids.add(item_id)
        mirrored = MirroredItem(item_type, index, item_id, self._see(item, None), call or {})
        self.items.append(mirrored)
        self._item_of[item] = mirrored
        self._say(
            "response.output_item.added", {"output_index": str(index), "item": mirrored.members(empty=True)}
        )
        return mirrored

    def _close(self, item: Item, *, complete: bool) -> None:
        if item.closed:
            return
        item.closed = True
        if item.call is not None:
            call = item.call
            self._of_calls(lambda: self._calls.close(item, call, complete=complete))
            return
        self._flush(item)
        mirrored = self._item_of.get(item)
        if mirrored is not None:
            self._close_item(mirrored, complete=complete)

    def _close_item(self, mirrored: MirroredItem, *, complete: bool) -> None:
        if mirrored.complete is not None:
            return
        for part in mirrored.parts:
            self._close_part(mirrored, part)
        mirrored.complete = complete
        self._say(
            "response.output_item.done",
            {"output_index": str(mirrored.index), "item": mirrored.members()},
        )

    # Parts.

    def _part_shown(self, delta: d.PartShown) -> None:
        item = self._source.find(delta.key, delta.item_class)
        if delta.kind is None:
            place = (item, delta.place, delta.number)
            part = self._unknown_part_of.get(place)
            if part is None:
                mirrored = self._item_of.get(item)
                for kind in _KINDS_OF[delta.place]:
                    taken = item.parts.get((kind, delta.number))
                    if taken is not None:
                        # A text has the place; what is unknown rides along in it.
                        self._ensure_part(item, taken).see(delta.node)
                        return
                if mirrored is not None and mirrored.complete is not None:
                    return
                self._outlet.blocks.take()
                mirrored = self._item_for_text(item, delta.item_class)
                part = MirroredPart(None, 0, raw=delta.node)
                self._unknown_part_of[place] = part
                self._open_part(mirrored, part, delta.place)
        else:
            part = self._ensure_part(item, self._source.part(item, delta.kind, delta.number), delta.node)
        part.see(delta.node)
        if delta.done:
            if delta.kind is not None:
                self._flush_part(item, self._source.part(item, delta.kind, delta.number))
                part = self._part_of[self._source.part(item, delta.kind, delta.number)]
            self._close_part(self._item_of[item], part)

    def _ensure_part(self, item: Item, part: Part, node: JsonObject | None = None) -> MirroredPart:
        """The part as it is, open or not; opened if it never was. `node` is what shows it."""
        return self._part_of.get(part) or self._new_part(item, part, node)

    def _part_for_text(self, item: Item, part: Part) -> MirroredPart:
        """A part that is open: text behind its part is a part of its own."""
        mirrored = self._part_of.get(part)
        if mirrored is not None and not mirrored.closed:
            return mirrored
        if mirrored is not None:
            self._outlet.blocks.take()
        return self._new_part(item, part)

    def _new_part(self, item: Item, part: Part, node: JsonObject | None = None) -> MirroredPart:
        mirrored = self._item_for_text(item, part.kind.item_class)
        new = MirroredPart(part.kind, 0)
        if node is not None:
            new.see(node)
        self._part_of[part] = new
        self._open_part(mirrored, new, "summary" if part.kind is PartKind.SUMMARY else "content")
        return new

    def _open_part(self, item: MirroredItem, part: MirroredPart, place: str) -> None:
        siblings = item.summary if place == "summary" else item.content
        part.number = len(siblings)
        siblings.append(part)
        item.parts.append(part)
        self._say_part("added", item, part)

    def _close_part(self, item: MirroredItem, part: MirroredPart) -> None:
        if part.closed:
            return
        if part.kind is not None and part.told != len(part.pieces):
            self._say_text_done(item, part, None)
        part.closed = True
        self._say_part("done", item, part)

    def _say_part(self, what: str, item: MirroredItem, part: MirroredPart) -> None:
        word = "reasoning_summary_part" if part in item.summary else "content_part"
        self._say(
            f"response.{word}.{what}",
            {**self._at(item, part), "part": part.members(empty=what == "added")},
        )

    def _say_text_done(self, item: MirroredItem, part: MirroredPart, logprobs: JsonNode | None) -> None:
        if part.kind is None:
            return
        word, member, _ = _TEXTS[part.kind]
        part.told = len(part.pieces)
        members: Members = {**self._at(item, part), member: quote(part.text)}
        if part.kind is PartKind.TEXT:
            own = list(map(grown, logprobs.items)) if isinstance(logprobs, JsonArray) else []
            members["logprobs"] = part.logprobs[:] or own
        self._say(f"response.{word}.done", members)

    # Texts.

    def _append(self, item: Item, delta: d.Append) -> None:
        if delta.kind in _CALL_KINDS:
            custom = delta.kind is PartKind.INPUT
            self._of_calls(lambda: self._calls.append(item, delta, custom=custom))
            return
        if not delta.text and delta.logprobs is None:
            return
        part = self._source.part(item, delta.kind, delta.number)
        text, replaced_at = part.joiner.feed(delta.text, delta.path)
        self._tell_replaced(part, replaced_at)
        if text or delta.logprobs is not None:
            self._send(item, part, text, delta.logprobs, delta.path)

    def _whole(self, item: Item, delta: d.Whole) -> None:
        if delta.kind in _CALL_KINDS:
            custom = delta.kind is PartKind.INPUT
            self._of_calls(lambda: self._calls.whole(item, delta, custom=custom))
            return
        part = self._source.part(item, delta.kind, delta.number)
        self._ensure_part(item, part)
        nothing_sent = part.sent.is_empty
        rest = part.sent.rest_of(well_formed(delta.text)) if delta.text else ""
        if rest is None:
            self._outlet.tell_once(part.told, "snapshot.mismatch", delta.path)
        elif rest:
            part.joiner.drop()
            if rest != delta.text[len(delta.text) - len(rest) :]:
                self._tell_replaced(part, delta.path)
            self._send(item, part, rest, delta.logprobs if nothing_sent else None, delta.path)
        for annotation, path in delta.annotations[part.annotations :]:
            self._annotate(item, part, annotation, path)

    def _send(self, item: Item, part: Part, text: str, logprobs: JsonNode | None, path: str) -> None:
        if logprobs is not None and has_lone_surrogate(logprobs):
            self._tell_replaced(part, path)
        mirrored = self._part_for_text(item, part)
        place = self._item_of[item]
        self._outlet.answer.take(text)
        self._outlet.answer.take_bytes(0 if logprobs is None else len(logprobs.raw))
        part.sent.extend(text)
        is_first = not mirrored.pieces
        mirrored.pieces.append(text)
        members: Members = {**self._at(place, mirrored), "delta": quote(text)}
        if part.kind is PartKind.TEXT:
            probabilities = list(map(grown, logprobs.items)) if isinstance(logprobs, JsonArray) else []
            mirrored.logprobs += probabilities
            members["logprobs"] = probabilities
        self._say(f"response.{_TEXTS[part.kind][0]}.delta", members)
        self._outlet.said.append(o.TextOut(0, part.kind, text, item.number, part.number, is_first, logprobs))

    def _text_done(self, item: Item, delta: d.TextDone) -> None:
        if delta.kind in _CALL_KINDS:
            mirrored, call = self._item_of.get(item), item.call
            if mirrored is not None and call is not None:
                self._of_calls(lambda: self._calls.release(item, call, delta.key.path))
                if mirrored.text and mirrored.told is None:
                    self._say_call_done(mirrored)
            return
        part = self._source.part(item, delta.kind, delta.number)
        self._flush_part(item, part)
        mirrored_part = self._ensure_part(item, part)
        # What comes behind a done event is told at the end of the part.
        if not mirrored_part.closed and mirrored_part.told is None:
            self._say_text_done(self._item_of[item], mirrored_part, delta.logprobs)

    def _annotate(self, item: Item, part: Part, annotation: JsonNode, path: str) -> None:
        part.annotations += 1
        if not isinstance(annotation, JsonObject):
            self._outlet.losses.tell("annotation.unknown", path)
            return
        if has_lone_surrogate(annotation):
            self._tell_replaced(part, path)
        self._outlet.kept.take(len(annotation.raw))
        mirrored = self._ensure_part(item, part)
        mirrored.annotations.append(grown(annotation))
        self._outlet.said.append(o.AnnotationsOut(0, ((part.number, annotation),)))
        if not mirrored.closed:
            self._say(
                "response.output_text.annotation.added",
                {
                    **self._at(self._item_of[item], mirrored),
                    "annotation_index": str(len(mirrored.annotations) - 1),
                    "annotation": grown(annotation),
                },
            )

    def _flush(self, item: Item) -> None:
        for part in item.parts.values():
            self._flush_part(item, part)

    def _flush_part(self, item: Item, part: Part) -> None:
        text, replaced_at = part.joiner.flush()
        if replaced_at is not None:
            self._tell_replaced(part, replaced_at)
            self._send(item, part, text, None, self._outlet.event_path)

    def _tell_replaced(self, part: Part, path: str | None) -> None:
        if path is not None:
            self._outlet.tell_once(part.told, "unicode.replaced", path)

    # Calls: what their rules say is turned into events.

    def _of_calls(self, step: Callable[[], None]) -> None:
        """Do something that says what has to be turned into events."""
        mark = len(self._outlet.said)
        step()
        self._translate(mark)

    def _translate(self, mark: int) -> None:
        for said in self._outlet.said[mark:]:
            match said:
                case o.Started():
                    self._say_start()
                case o.CallOpened(_, ordinal, call_id, name, custom):
                    item_type = "custom_tool_call" if custom else "function_call"
                    item = self._calls.in_order_of_opening[ordinal]
                    call: Members = {"call_id": quote(call_id), "name": quote(name)}
                    self._by_ordinal.append(self._open_item(item, item_type, call))
                case o.CallText(_, ordinal, text):
                    self._call_text(self._by_ordinal[ordinal], text)
                case o.CallClosed(_, ordinal, complete):
                    mirrored = self._by_ordinal[ordinal]
                    if mirrored.told != len(mirrored.text) or not mirrored.text:
                        self._say_call_done(mirrored)
                    self._close_item(mirrored, complete=complete)
                case _:
                    pass

    def _call_text(self, mirrored: MirroredItem, text: str) -> None:
        mirrored.text.append(text)
        word = (
            "function_call_arguments" if mirrored.item_type == "function_call" else "custom_tool_call_input"
        )
        self._say(f"response.{word}.delta", {**self._at(mirrored), "delta": quote(text)})

    def _say_call_done(self, mirrored: MirroredItem) -> None:
        if mirrored.complete is not None or mirrored.told == len(mirrored.text):
            return
        mirrored.told = len(mirrored.text)
        text = quote("".join(mirrored.text))
        if mirrored.item_type == "function_call":
            members = {"name": mirrored.call["name"], "arguments": text}
            self._say("response.function_call_arguments.done", {**self._at(mirrored), **members})
        else:
            self._say("response.custom_tool_call_input.done", {**self._at(mirrored), "input": text})

    def _at(self, item: MirroredItem, part: MirroredPart | None = None) -> Members:
        members: Members = {"item_id": quote(item.item_id), "output_index": str(item.index)}
        if part is not None:
            member = "summary_index" if part in item.summary else "content_index"
            members[member] = str(part.number)
        return members

    def _say(self, kind: str, members: Members) -> None:
        self._outlet.said.append(o.MirroredEvent({"type": quote(kind), **members}))
