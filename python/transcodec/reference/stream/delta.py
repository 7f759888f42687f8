"""The neutral vocabulary: what decoders say.

Decoders translate words and say what the wire says (`Delta`). The referee (`turn.Turn`) decides what it means
and speaks to the encoder in the words of `ordered.py`, where everything is in order and each call has its
ordinal.

Text is decoded. It may hold lone surrogates, because a pair may be split over two deltas. `path` is where the
thing stood in the source: a JSON Pointer, led by the ordinal of the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode, JsonObject
    from transcodec.usage import Usage

__all__ = [
    "Alive",
    "Append",
    "ChoiceSeen",
    "Close",
    "Delta",
    "DroppedMember",
    "End",
    "Fault",
    "Finish",
    "FinishReason",
    "ForMirror",
    "Foreign",
    "ItemClass",
    "Key",
    "Lost",
    "Note",
    "OfItem",
    "Open",
    "PartKind",
    "PartShown",
    "Passing",
    "ResponseShown",
    "Seal",
    "Sight",
    "Start",
    "TextDone",
    "UnknownPart",
    "UsageCounts",
    "Whole",
    "foreign_class",
]

#: `message`, `reasoning`, `call`, or `foreign:` and the item's type.
ItemClass = str

#: Why an answer ended.
FinishReason = Literal["stop", "tool_calls", "length", "content_filter"]


def foreign_class(item_type: str) -> ItemClass:
    """The class of the items of a type that has no neutral form."""
    return f"foreign:{item_type}"


class PartKind(Enum):
    """Kinds of text. The value is the class of the items that have such parts."""

    TEXT = ("text", "message")
    REFUSAL = ("refusal", "message")
    SUMMARY = ("summary", "reasoning")
    REASONING = ("reasoning", "reasoning")
    ARGUMENTS = ("arguments", "call")
    INPUT = ("input", "call")

    @property
    def item_class(self) -> ItemClass:
        """The class of the item it belongs to."""
        return self.value[1]


class Sight(Enum):
    """How an item is seen."""

    #: It begins.
    ANNOUNCED = auto()
    #: It is shown once more, whole.
    DONE = auto()
    #: It is listed in the object that ends the answer.
    TERMINAL = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """What the wire says about which item is meant.

    One `Key` object stands for one item of one event: deltas that share it after an `Open` mean that item.
    """

    index: int | None
    item_id: str | None
    #: Path of the item, or of the event if it only names the item.
    path: str
    choice: int = 0


# What decoders say.


@dataclass(frozen=True, slots=True)
class Start:
    """The answer begins, or says once more who it is. `choice` begins with it, if it is not None."""

    response_id: str | None
    model: str | None
    created: int | None
    path: str
    choice: int | None = 0


@dataclass(frozen=True, slots=True)
class ChoiceSeen:
    """A choice is heard of."""

    choice: int
    path: str


@dataclass(frozen=True, slots=True)
class Open:
    """An item with its metadata. `custom` tells calls with free text from functions; `node` is all of it."""

    key: Key
    item_class: ItemClass
    sight: Sight
    custom: bool = False
    call_id: str | None = None
    name: str | None = None
    node: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Append:
    """More text of a part. `logprobs` is the provider's array."""

    key: Key
    kind: PartKind
    number: int
    text: str
    path: str
    logprobs: JsonNode | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    """A snapshot of a part: all of its text so far, and all its annotations with their paths."""

    key: Key
    kind: PartKind
    number: int
    text: str
    path: str
    logprobs: JsonNode | None = None
    annotations: tuple[tuple[JsonNode, str], ...] = ()
    #: A call's name, where the snapshot brings it.
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """An annotation of a text part."""

    key: Key
    number: int
    annotation: JsonNode
    path: str


@dataclass(frozen=True, slots=True)
class Seal:
    """Opaque state of an item that the provider wants back: the member that holds it."""

    key: Key
    member: str
    path: str
    item_class: ItemClass = "reasoning"


@dataclass(frozen=True, slots=True)
class DroppedMember:
    """A member of an item that has no neutral form."""

    key: Key
    member: str
    path: str


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """A part of a type that the decoder does not know; `place` and `number` tell it from others."""

    key: Key
    item_class: ItemClass
    place: str
    number: int
    part_type: str
    path: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """An item without neutral form; `loss` is what a target without it loses."""

    key: Key
    item_type: str
    loss: str
    sight: Sight
    node: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Close:
    """An item is complete. The key is that of its `Open`."""

    key: Key


@dataclass(frozen=True, slots=True)
class UsageCounts:
    """Token counts."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that the decoder itself could not say. `once` (if not empty) is told only once a stream.

    `choice` is the one it belongs to; None: to the whole answer.
    """

    code: str
    path: str
    detail: str
    once: str = ""
    choice: int | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """A choice has a reason to end; content and usage may follow."""

    reason: FinishReason
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """The answer ends with an error of the provider, or of the way to it; `choice` is who told it.

    `in_response`: told by the object that ends the answer, not by an event of its own.
    """

    message: str
    type: str | None = None
    code: str | None = None
    param: str | None = None
    path: str = ""
    choice: int | None = None
    in_response: bool = False


@dataclass(frozen=True, slots=True)
class End:
    """Nothing follows."""


@dataclass(frozen=True, slots=True)
class Alive:
    """The provider is still there."""


# What only a target that mirrors its source is told.


@dataclass(frozen=True, slots=True)
class ResponseShown:
    """The response object; `word` is `created`, `in_progress`, `queued`, or empty at the end."""

    node: JsonObject
    word: str


@dataclass(frozen=True, slots=True)
class PartShown:
    """A part as an event shows it. `kind` is None if its type is unknown; `done`: it is complete."""

    key: Key
    kind: PartKind | None
    item_class: ItemClass
    place: str
    number: int
    node: JsonObject
    done: bool


@dataclass(frozen=True, slots=True)
class TextDone:
    """A text is complete."""

    key: Key
    kind: PartKind
    number: int
    logprobs: JsonNode | None


@dataclass(frozen=True, slots=True)
class Passing:
    """An event of a type that is no part of an answer."""

    key: Key
    kind: str
    node: JsonObject


#: What only a mirroring target is told.
ForMirror = ResponseShown | PartShown | TextDone | Passing

#: What is said of one item, or of one of its parts.
OfItem = Open | Append | Whole | Note | Seal | DroppedMember | UnknownPart | Foreign | Close

Delta = Start | ChoiceSeen | OfItem | UsageCounts | Lost | Finish | Fault | End | Alive | ForMirror
