"""What a translation could not carry over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Loss", "Severity"]

#: How much a loss matters. `content` is text, calls or media that a reader would miss; `state` is opaque data
#: that a provider wants back on the next turn (signatures, encrypted reasoning); `metadata` is everything
#: around the answer.
Severity = Literal["content", "state", "metadata"]


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that the target format cannot say.

    Attributes:
        code: Stable slug; `docs/losses.md` lists them.
        severity: How much it matters.
        path: Where it stood in the source: a JSON Pointer, on streams led by the ordinal of the event.
        detail: A sentence for a person. It quotes no content.
    """

    code: str
    severity: Severity
    path: str
    detail: str
