"""What a cleaner must know of the event that it writes anew, or copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from transcodec.reference.stream.encoder import Encoder

if TYPE_CHECKING:
    from collections.abc import Callable

    from transcodec.reference.json_reader import JsonObject

__all__ = ["Cleaner", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """One event of the source.

    Attributes:
        text: Its payload, as it came.
        root: The same, read.
        name: That of its `event:` line.
        path: Its path.
    """

    text: bytes
    root: JsonObject
    name: str | None
    path: str


class Cleaner(Encoder, Protocol):
    """A target of the source's own format: `encode` collects, `settle` decides what is written."""

    def settle(self, source: Source | None, *, holds: Callable[[], bool], is_body: bool) -> bytes:
        """All that came of an event has been told: the bytes for the client.

        Args:
            source: The event, or the whole body; None for the done mark, the end, and faults.
            holds: Whether a call waits to be opened, or text of a call is held; looks at all calls.
            is_body: All of it came of a whole body.
        """
        ...

    def body(self) -> str | None:
        """The answer as a body, if the stream ended with it; else it has to be written from the snapshot."""
        ...
