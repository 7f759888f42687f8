"""What the referee must know of a target, and how it speaks to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from transcodec.reference.stream.delta import Ordered, PartKind

__all__ = ["Encoder"]


class Encoder(Protocol):
    """Writes ordered deltas in a target's form; keeps nothing but the target's own indexes."""

    #: MIME type of what `encode` writes.
    content_type: str
    #: Whether text after a call stays behind it.
    keeps_block_order: bool

    def field_of(self, kind: PartKind) -> str | None:
        """The one field that parts of a kind share; None if the target is not told that kind."""
        ...

    def encode(self, delta: Ordered) -> bytes:
        """The bytes for the client."""
        ...
