"""What writers are told: encoders, and the snapshot beside them.

Everything is in the target's order, each call has its ordinal within its choice, and no text holds a lone
surrogate. Targets with fields hear nothing of parts and items that open and close; see `encoder.Traits`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from transcodec.reference.stream.delta import Fault

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode, JsonObject
    from transcodec.reference.stream.clean.tree import Members
    from transcodec.reference.stream.delta import FinishReason, PartKind
    from transcodec.usage import Usage

__all__ = [
    "AnnotationOut",
    "AnnotationsOut",
    "CallClosed",
    "CallOpened",
    "CallText",
    "ChoiceEnded",
    "ChoiceStarted",
    "Ended",
    "Failed",
    "Head",
    "ItemClosed",
    "KeptAlive",
    "MirroredEvent",
    "OfChoice",
    "Ordered",
    "PartClosed",
    "PartOpened",
    "Started",
    "TextOut",
]


@dataclass(frozen=True, slots=True)
class Head:
    """Who answers; None where neither the caller nor the source said it.

    Attributes:
        id_is_given: The id is the caller's, to be used as it is.
    """

    response_id: str | None = None
    model: str | None = None
    created: int | None = None
    id_is_given: bool = False


@dataclass(frozen=True, slots=True)
class Started:
    """The first thing that a writer is told, unless a fault comes first."""

    head: Head


@dataclass(frozen=True, slots=True)
class ChoiceStarted:
    """A choice begins."""

    choice: int


@dataclass(frozen=True, slots=True)
class PartOpened:
    """A part of the target opens; its item too, if none is open."""

    choice: int
    kind: PartKind


@dataclass(frozen=True, slots=True)
class TextOut:
    """Text of a message or of reasoning.

    Attributes:
        item: Number of the source's item, within the choice.
        part: Number of the source's part, within the choice.
        first: Another part than this wrote to its field before, or none.
    """

    choice: int
    kind: PartKind
    text: str
    item: int
    part: int
    first: bool
    logprobs: JsonNode | None


@dataclass(frozen=True, slots=True)
class AnnotationOut:
    """An annotation of the text part that is open."""

    choice: int
    annotation: JsonObject


@dataclass(frozen=True, slots=True)
class AnnotationsOut:
    """All annotations of a choice, each with the number of the source's part: for targets with fields."""

    choice: int
    annotations: tuple[tuple[int, JsonObject], ...]


@dataclass(frozen=True, slots=True)
class PartClosed:
    """The open part of the target is complete."""

    choice: int


@dataclass(frozen=True, slots=True)
class ItemClosed:
    """The open item of the target ends; not `complete` if the answer was cut short while it was open."""

    choice: int
    complete: bool


@dataclass(frozen=True, slots=True)
class CallOpened:
    """A call's metadata, once."""

    choice: int
    ordinal: int
    call_id: str
    name: str
    custom: bool


@dataclass(frozen=True, slots=True)
class CallText:
    """Text of an opened call."""

    choice: int
    ordinal: int
    text: str


@dataclass(frozen=True, slots=True)
class CallClosed:
    """A call ends; not `complete` if the answer was cut short while it was open."""

    choice: int
    ordinal: int
    complete: bool


@dataclass(frozen=True, slots=True)
class ChoiceEnded:
    """A choice ends."""

    choice: int
    reason: FinishReason


@dataclass(frozen=True, slots=True)
class Ended:
    """The answer ends; the reason is that of its first choice."""

    reason: FinishReason
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer ends with an error."""

    fault: Fault
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class KeptAlive:
    """Nothing happened, but the connection shall stay."""


@dataclass(frozen=True, slots=True)
class MirroredEvent:
    """An event of a target that mirrors its source, but for its number. `source` is one that is passed on."""

    members: Members
    source: JsonObject | None = None


#: What is said of one choice.
OfChoice = (
    ChoiceStarted
    | PartOpened
    | TextOut
    | AnnotationOut
    | AnnotationsOut
    | PartClosed
    | ItemClosed
    | CallOpened
    | CallText
    | CallClosed
    | ChoiceEnded
)

Ordered = Started | OfChoice | Ended | Failed | KeptAlive | MirroredEvent
