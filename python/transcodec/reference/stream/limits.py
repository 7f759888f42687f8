"""What one stream may take."""

from __future__ import annotations

from dataclasses import dataclass

from transcodec.reference.json_writer import utf8_length

__all__ = ["AnswerBytes", "Blocks", "KeptBytes", "LimitReached", "Limits", "check_name"]

#: UTF-8 bytes of an id, a model or a tool's name.
_MAX_NAME_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one stream; each is the largest value that is still allowed.

    Attributes:
        max_event_bytes: Bytes of one event with all its lines, or of a JSON body.
        max_held_bytes: UTF-8 bytes of call text that waits, and of all annotations, ids and names.
        max_open_calls: Calls that are not closed.
        max_blocks: Items, and parts of messages and reasoning, over the whole stream.
        max_answer_bytes: UTF-8 bytes of an answer's text, where it is kept as a whole.
        max_losses: Losses that are stored; all are counted.
    """

    max_event_bytes: int = 32 * 1024 * 1024
    max_held_bytes: int = 8 * 1024 * 1024
    max_open_calls: int = 1024
    max_blocks: int = 65_536
    max_answer_bytes: int = 64 * 1024 * 1024
    max_losses: int = 256


class LimitReached(ValueError):  # noqa: N818 - a fault of the input, turned into DecodeError by the translator
    """A bound of the referee was passed; `code` says which."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def check_name(name: str | None) -> None:
    """Refuse an id or a name that is too long to be kept."""
    if name is not None and utf8_length(name) > _MAX_NAME_BYTES:
        raise LimitReached("held_too_large")


class KeptBytes:
    """Counts what a stream keeps in memory, against `max_held_bytes`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = 0

    def take(self, size: int) -> None:
        """Keep some more bytes."""
        self._now += size
        if self._now > self._most:
            raise LimitReached("held_too_large")

    def give_back(self, size: int) -> None:
        """Keep them no longer."""
        self._now -= size


class Blocks:
    """Counts items and parts, against `max_blocks`."""

    def __init__(self, most: int) -> None:
        self._left = most

    def take(self) -> None:
        """One more."""
        self._left -= 1
        if self._left < 0:
            raise LimitReached("too_many_blocks")


class AnswerBytes:
    """Counts the text of an answer that is kept as a whole, against `max_answer_bytes`."""

    def __init__(self, most: int, *, counts: bool) -> None:
        self._left = most
        self._counts = counts

    def take(self, text: str) -> None:
        """Some more text."""
        self.take_bytes(len(text.encode("utf-8")))

    @property
    def left(self) -> int:
        """Bytes that may still be kept."""
        return self._left

    def take_bytes(self, size: int) -> None:
        """Something else that is kept."""
        if self._counts:
            self._left -= size
            if self._left < 0:
                raise LimitReached("answer_too_large")
