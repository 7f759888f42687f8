"""What the referee must know of a target, and how it speaks to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transcodec.reference.json_reader import JsonObject
    from transcodec.reference.stream.delta import PartKind
    from transcodec.reference.stream.ordered import Ordered

__all__ = ["Encoder", "EncoderOptions", "Traits"]


@dataclass(frozen=True, slots=True)
class Traits:
    """What a target can say.

    Attributes:
        choices: Several answers side by side.
        items: Its texts are parts of items, which open and close; else each kind of text is one field.
        starts_before_fault: Its error event needs the start before it.
        keeps_answer: It repeats the whole answer at its end.
        mirrors: Items and parts open and close where the source's do.
        held_apart: Text of a call that was held goes out apart from the text that came next.
    """

    choices: bool
    items: bool
    starts_before_fault: bool
    keeps_answer: bool
    mirrors: bool = False
    held_apart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderOptions:
    """What the caller wants of a target.

    Attributes:
        tools: Kinds of the tools that the client declared.
        id_seed: What ids are derived from if the source gives none.
        include_usage: Whether a stream that may leave usage out has it.
        reasoning_field: The member that takes reasoning where the format has none; None drops it.
        same_format: The source has the target's format: what that can say is said as the source says it.
    """

    tools: Mapping[str, str]
    id_seed: str
    include_usage: bool
    reasoning_field: str | None
    same_format: bool


class Encoder(Protocol):
    """Writes what it is told in a target's form; keeps nothing but the target's own indexes."""

    #: MIME type of what `encode` writes.
    content_type: str
    traits: Traits

    def field_of(self, kind: PartKind) -> str | None:
        """The field (of a target with fields) that parts of a kind share; None if the target is not told."""
        ...

    def takes_annotation(self, annotation: JsonObject) -> bool:
        """Whether there is a form for an annotation."""
        ...

    def encode(self, ordered: Ordered) -> bytes:
        """The bytes for the client."""
        ...
