"""Text of one part: surrogate pairs that are split over deltas, and what was sent of it."""

from __future__ import annotations

import hashlib
import re

from transcodec.reference.json_writer import well_formed

__all__ = ["SentText", "SurrogateJoiner"]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _join(text: str) -> str:
    """Make one character of a high and a low surrogate that stand together."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class SurrogateJoiner:
    """Holds the half of a pair with which a piece of text ends, until the other half comes."""

    def __init__(self) -> None:
        self._half = ""
        self._half_path = ""

    def feed(self, text: str, path: str) -> tuple[str, str | None]:
        """Text that can be sent, and the path of a lone surrogate that was replaced in it, if any."""
        if not text:
            return "", None
        half, half_path = self._half, self._half_path
        joined = _join(half + text) if half or _LONE_SURROGATE.search(text) else text
        lone_half = bool(half) and joined[0] == half
        self._half = joined[-1] if "\ud800" <= joined[-1] <= "\udbff" else ""
        self._half_path = path
        ready = joined[: len(joined) - len(self._half)]
        if lone_half:
            return well_formed(ready), half_path
        return well_formed(ready), path if _LONE_SURROGATE.search(ready) else None

    def flush(self) -> tuple[str, str | None]:
        """What is held when the part ends."""
        half, self._half = self._half, ""
        return (well_formed(half), self._half_path) if half else ("", None)

    def drop(self) -> None:
        """Forget what is held: a snapshot has said it."""
        self._half = ""


class SentText:
    """Length and hash of the text that was sent: enough to see whether a snapshot begins with it."""

    def __init__(self) -> None:
        self._length = 0
        self._hash = hashlib.blake2b()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was sent."""
        return self._length == 0

    def extend(self, text: str) -> None:
        """More was sent."""
        self._length += len(text)
        self._hash.update(text.encode("utf-8"))

    def rest_of(self, snapshot: str) -> str | None:
        """What a snapshot has beyond the text that was sent; None if it does not begin with it."""
        beginning = snapshot[: self._length]
        if len(beginning) < self._length:
            return None
        same = hashlib.blake2b(beginning.encode("utf-8")).digest() == self._hash.digest()
        return snapshot[self._length :] if same else None
