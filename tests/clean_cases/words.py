"""How the cases are written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fault:
    """What the batch call raises; without an offset it stands at the end of the wire."""

    cls: str
    code: str
    offset: int | None
    path: str


@dataclass(frozen=True)
class Case:
    """One vector.

    Attributes:
        pins: The rule that it is for.
        source: Payloads of the events in their order, or the whole wire.
        expected: Payloads of the client's events. One that stands in the wire has to come out byte for byte,
            all others are compared parsed. With `verbatim`, only what `finish` adds.
        losses: Code, severity and path of each.
        response: The body of the collected stream, where that is what the vector is for.
    """

    name: str
    pins: str
    source: list[str] | bytes
    expected: list[str]
    losses: list[list[str]] = field(default_factory=list)
    outcome: str = "completed"
    options: dict[str, Any] = field(default_factory=dict)
    error: Fault | None = None
    response: dict[str, Any] | None = None

    @property
    def wire(self) -> bytes:
        """The upstream's bytes."""
        if isinstance(self.source, bytes):
            return self.source
        return "".join(f"data: {payload}\n\n" for payload in self.source).encode()


DONE = "[DONE]"
TRUNCATED = "the upstream stream ended before the answer was complete"


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
