"""The whole answer, as its target was told it; bodies are written from it (section 7 of DESIGN.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray
from transcodec.reference.json_writer import compact_well_formed
from transcodec.reference.stream import ordered as o

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonObject
    from transcodec.reference.stream.delta import Fault, FinishReason, PartKind
    from transcodec.usage import Usage

__all__ = ["AnswerCall", "AnswerChoice", "AnswerItem", "AnswerPart", "Snapshot"]


@dataclass(slots=True)
class AnswerPart:
    """One part.

    Attributes:
        source: Number of the source's part; several parts may be made of one.
        first: It is the first that was made of it.
        logprobs: Elements of the provider's arrays, as compact JSON.
    """

    kind: PartKind
    source: int = -1
    first: bool = True
    pieces: list[str] = field(default_factory=list)
    annotations: list[JsonObject] = field(default_factory=list)
    logprobs: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of its text."""
        return "".join(self.pieces)


@dataclass(slots=True)
class AnswerItem:
    """A message or a reasoning item; `complete` is None while it is open."""

    parts: list[AnswerPart] = field(default_factory=list)
    #: Number of the source's item, where the target does not tell items apart.
    source: int = -1
    complete: bool | None = None


@dataclass(slots=True)
class AnswerCall:
    """A call; `complete` is None while it is open."""

    call_id: str
    name: str
    custom: bool
    pieces: list[str] = field(default_factory=list)
    complete: bool | None = None

    @property
    def text(self) -> str:
        """All of its arguments or input."""
        return "".join(self.pieces)


@dataclass(slots=True)
class AnswerChoice:
    """One choice: its items in the target's order."""

    items: list[AnswerItem | AnswerCall] = field(default_factory=list)
    calls: list[AnswerCall] = field(default_factory=list)
    annotations: list[JsonObject] = field(default_factory=list)
    reason: FinishReason | None = None
    open_item: AnswerItem | None = None
    #: The part that the target was told to open.
    open_part: AnswerPart | None = None

    #: The last part that was made of each of the source's.
    last_parts: dict[int, AnswerPart] = field(default_factory=dict)

    def parts(self) -> list[AnswerPart]:
        """All parts in order."""
        return [part for item in self.items if isinstance(item, AnswerItem) for part in item.parts]


class Snapshot:
    """Hears what the target's encoder hears. If that has no items, the rules for items make some."""

    def __init__(self) -> None:
        self.head = o.Head()
        self.choices: dict[int, AnswerChoice] = {}
        self.usage: Usage | None = None
        self.fault: Fault | None = None

    def hear(self, ordered: o.Ordered) -> None:
        """Take one ordered delta."""
        match ordered:
            case o.Started(head):
                self.head = head
            case o.Ended(_, usage):
                self.usage = usage
            case o.Failed(fault, usage):
                self.fault, self.usage = fault, usage
            case o.KeptAlive() | o.MirroredEvent():
                pass
            case _:
                choice = self.choices.setdefault(ordered.choice, AnswerChoice())
                _hear_of_choice(choice, ordered)


def _hear_of_choice(choice: AnswerChoice, ordered: o.OfChoice) -> None:
    match ordered:
        case o.PartOpened(_, kind):
            choice.open_part = _new_part(choice, kind, -1)
        case o.TextOut():
            _text(choice, ordered)
        case o.AnnotationOut(_, annotation):
            choice.annotations.append(annotation)
            if choice.open_part is not None:
                choice.open_part.annotations.append(annotation)
        case o.AnnotationsOut(_, annotations):
            for source, annotation in annotations:
                choice.annotations.append(annotation)
                _place(choice, source, annotation)
        case o.PartClosed():
            choice.open_part = None
        case o.ItemClosed(_, complete):
            _close_item(choice, complete=complete)
        case o.CallOpened(_, _, call_id, name, custom):
            _close_item(choice, complete=True)
            call = AnswerCall(call_id, name, custom)
            choice.items.append(call)
            choice.calls.append(call)
        case o.CallText(_, ordinal, text):
            choice.calls[ordinal].pieces.append(text)
        case o.CallClosed(_, ordinal, complete):
            choice.calls[ordinal].complete = complete
        case o.ChoiceEnded(_, reason):
            _close_item(choice, complete=reason in ("stop", "tool_calls"))
            choice.reason = reason


def _text(choice: AnswerChoice, said: o.TextOut) -> None:
    part = choice.open_part
    if part is None:
        open_item = choice.open_item
        last = open_item.parts[-1] if open_item is not None and open_item.source == said.item else None
        part = last if last is not None and last.source == said.part else None
        if part is None:
            part = _new_part(choice, said.kind, said.item)
    if part.source < 0:
        part.source, part.first = said.part, said.first
    choice.last_parts[part.source] = part
    part.pieces.append(said.text)
    if isinstance(said.logprobs, JsonArray):
        part.logprobs += map(compact_well_formed, said.logprobs.items)


def _new_part(choice: AnswerChoice, kind: PartKind, source: int) -> AnswerPart:
    """A part in the open item, if it is the right one, else in a new item."""
    item = choice.open_item
    if item is None or item.source != source:
        _close_item(choice, complete=True)
        item = choice.open_item = AnswerItem(source=source)
        choice.items.append(item)
    part = AnswerPart(kind)
    item.parts.append(part)
    return part


def _close_item(choice: AnswerChoice, *, complete: bool) -> None:
    if choice.open_item is not None:
        choice.open_item.complete = complete
    choice.open_item = choice.open_part = None


def _place(choice: AnswerChoice, source: int, annotation: JsonObject) -> None:
    """Give an annotation to the last part that was made of the source's part."""
    part = choice.last_parts.get(source)
    if part is not None:
        part.annotations.append(annotation)
