"""Server-sent events, read from pieces of any size; a body that is one JSON object is read as well.

`SseReader.feed` yields frames in the order of their bytes: `Event`, `Body`, `DoneMark`, `KeepAlive`,
`IgnoredLine`. What is wrong with the bytes themselves is a `FrameFault`, raised after the frames before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transcodec.reference.json_reader import InvalidJson, read_json
from transcodec.reference.json_writer import keep_on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Body",
    "DoneMark",
    "Event",
    "Frame",
    "FrameFault",
    "IgnoredLine",
    "KeepAlive",
    "Payload",
    "SseReader",
    "write_event",
    "write_keep_alive",
]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WHITE_SPACE = b" \t\n\x0c\r"
_JSON_WHITE_SPACE = b" \t\n\r"
_FIELDS = (b"data", b"event", b"id", b"retry")
_LINE_END = re.compile(rb"[\r\n]")
_BRACKET_OR_QUOTE = re.compile(rb'[{}\[\]"]')
_QUOTE_OR_ESCAPE = re.compile(rb'["\\]')


class FrameFault(ValueError):  # noqa: N818 - a fault of the input, turned into DecodeError by the caller
    """The bytes are no event stream, or an event is too large.

    Attributes:
        code: `not_a_stream`, `event_too_large` or `invalid_json` (something after a JSON body).
        offset: The first wrong byte, counted over all bytes fed.
    """

    def __init__(self, code: str, offset: int) -> None:
        super().__init__(f"{code} at byte {offset}")
        self.code = code
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Payload:
    """The text of an event, and where its bytes stood.

    Attributes:
        text: The joined data lines, trimmed.
        runs: (index in text, offset in the stream) where a run of neighbouring bytes begins.
        end: Offset of the line end behind its last line (of the byte behind it, for a body).
    """

    text: bytes
    runs: tuple[tuple[int, int], ...]
    end: int

    def offset(self, index: int) -> int:
        """Offset in the stream of a byte of the text; its length gives `end`."""
        if index >= len(self.text):
            return self.end
        first, offset = next(run for run in reversed(self.runs) if run[0] <= index)
        return offset + index - first


@dataclass(frozen=True, slots=True)
class Event:
    """One event with a payload; `name` is that of its `event:` line."""

    payload: Payload
    name: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """The input is one JSON object, and this is it."""

    payload: Payload


@dataclass(frozen=True, slots=True)
class DoneMark:
    """`data: [DONE]`."""

    payload: Payload


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """A comment, or a payload that looks like one."""


@dataclass(frozen=True, slots=True)
class IgnoredLine:
    """A line that is no field of an event stream."""


Frame = Event | Body | DoneMark | KeepAlive | IgnoredLine


def write_event(json_text: str, name: str | None = None) -> bytes:
    """One output event; formats that name their events give the name."""
    line = "" if name is None else f"event: {name}\n"
    return f"{line}data: {keep_on_one_line(json_text)}\n\n".encode()


def write_keep_alive() -> bytes:
    """A comment that keeps the connection from timing out."""
    return b": keep-alive\n\n"


class SseReader:
    """Cuts bytes into frames. Each byte is looked at a bounded number of times, however small the pieces."""

    def __init__(self, max_event_bytes: int) -> None:
        self._max_event_bytes = max_event_bytes
        self._total = 0
        self._mode = self._find_beginning
        self._mark_seen = 0
        self._stray: int | None = None
        self._first_line = True
        # The line that is not complete yet, and where it began.
        self._line = bytearray()
        self._line_start = 0
        self._after_cr = False
        # The event block that is not complete yet.
        self._block_start: int | None = None
        self._data: list[tuple[bytes, int]] = []
        self._data_end = 0
        self._name: str | None = None
        # The JSON body.
        self._body = bytearray()
        self._body_start = 0
        self._depth = 0
        self._in_string = False
        self._escaped = False

    @property
    def total(self) -> int:
        """How many bytes were fed."""
        return self._total

    def feed(self, piece: bytes) -> Iterator[Frame]:
        """The frames that are complete with this piece. The iterator must be used up.

        Raises:
            FrameFault: behind the frames that stand before the fault.
        """
        start = self._total
        self._total += len(piece)
        at = 0
        while at < len(piece):
            at, frames = self._mode(piece, at, start)
            yield from frames

    def finish(self) -> Iterator[Frame]:
        """The last event, if the input ended before its blank line and its payload is whole."""
        if self._mode == self._read_line:
            line = bytes(self._line)
            if line and not line.startswith(b":"):
                self._take_field(line, self._line_start, self._total)
            payload_or_none = self._take_payload()
            if payload_or_none is None or payload_or_none.text.startswith(b":"):
                return
            text = payload_or_none.text
            if text.startswith(b"[DONE]"):
                yield DoneMark(payload_or_none)
            elif _is_json(text):
                yield Event(payload_or_none, self._take_name())

    # The beginning: byte order mark, white space, then an object or the first line.

    def _find_beginning(self, piece: bytes, at: int, start: int) -> tuple[int, list[Frame]]:
        while at < len(piece):
            byte = piece[at : at + 1]
            offset = start + at
            if offset == self._mark_seen < 3 and byte == _BYTE_ORDER_MARK[offset : offset + 1]:
                self._mark_seen += 1
            elif 0 < self._mark_seen < 3:
                raise FrameFault("not_a_stream", offset)
            elif byte in _JSON_WHITE_SPACE:
                # White space that fills a line is no blank line, but it may stand before a body.
                if byte not in b"\r\n" and self._stray is None:
                    self._stray = offset
            elif byte == b"{":
                self._body_start = offset
                self._mode = self._read_body
                break
            elif self._stray is not None:
                # So far it could have been white space before a body.
                raise FrameFault("not_a_stream", offset)
            else:
                self._line_start = offset
                self._mode = self._read_line
                break
            at += 1
        return at, []

    # Lines and blocks.

    def _read_line(self, piece: bytes, at: int, start: int) -> tuple[int, list[Frame]]:
        if self._after_cr:
            self._after_cr = False
            if piece[at] == 0x0A:
                self._check_size(start + at + 1)
                return at + 1, []
        found = _LINE_END.search(piece, at)
        end = len(piece) if found is None else found.start()
        if end > at and not self._line:
            self._line_start = start + at
            if self._block_start is None:
                self._block_start = self._line_start
        self._line += piece[at:end]
        if self._first_line:
            self._check_first_line(complete=found is not None)
        if found is None:
            self._check_size(start + end)
            return end, []
        line = bytes(self._line)
        self._line.clear()
        self._after_cr = piece[end] == 0x0D
        line_end = start + end
        if not line:
            return end + 1, self._end_block()
        self._check_size(line_end + 1)
        return end + 1, self._take_line(line, self._line_start, line_end)

    def _check_size(self, offset: int) -> None:
        """Refuse a block that reaches up to `offset` if that is too far."""
        if self._block_start is not None and offset - self._block_start > self._max_event_bytes:
            raise FrameFault("event_too_large", self._block_start + self._max_event_bytes)

    def _check_first_line(self, *, complete: bool) -> None:
        line = bytes(self._line)
        misfit = _misfit(line, complete=complete)
        if misfit is not None and misfit < self._max_event_bytes:
            raise FrameFault("not_a_stream", self._line_start + misfit)
        if complete or len(line) > len(b"event:"):
            self._first_line = False

    def _take_line(self, line: bytes, line_start: int, line_end: int) -> list[Frame]:
        if line.startswith(b":"):
            return [KeepAlive()]
        return [] if self._take_field(line, line_start, line_end) else [IgnoredLine()]

    def _take_field(self, line: bytes, line_start: int, line_end: int) -> bool:
        """Remember a field of the block; False if the line is none."""
        field, _, value = line.partition(b":")
        value_start = line_start + len(field) + 1
        if value.startswith(b" "):
            value = value[1:]
            value_start += 1
        if field == b"data":
            if self._data:
                # The joining LF stands for the line end before.
                self._data.append((b"\n", self._data_end))
            self._data.append((value, value_start))
            self._data_end = line_end
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        return field in _FIELDS

    def _end_block(self) -> list[Frame]:
        self._block_start = None
        payload = self._take_payload()
        name = self._take_name()
        if payload is None:
            return []
        if payload.text.startswith(b":"):
            return [KeepAlive()]
        if payload.text.startswith(b"[DONE]"):
            return [DoneMark(payload)]
        return [Event(payload, name)]

    def _take_name(self) -> str | None:
        name, self._name = self._name, None
        return name or None

    def _take_payload(self) -> Payload | None:
        """The data lines joined and trimmed; None if nothing is left."""
        pieces, self._data = self._data, []
        joined = b"".join(piece for piece, _ in pieces)
        text = joined.strip(_WHITE_SPACE)
        if not text:
            return None
        first = len(joined) - len(joined.lstrip(_WHITE_SPACE))
        last = first + len(text)
        runs: list[tuple[int, int]] = []
        index = 0
        for piece, offset in pieces:
            if index < last and index + len(piece) > first:
                skipped = max(first - index, 0)
                runs.append((index + skipped - first, offset + skipped))
            index += len(piece)
        return Payload(text, tuple(runs), self._data_end)

    # One JSON body.

    def _read_body(self, piece: bytes, at: int, start: int) -> tuple[int, list[Frame]]:
        first = at
        while at < len(piece):
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            pattern = _QUOTE_OR_ESCAPE if self._in_string else _BRACKET_OR_QUOTE
            found = pattern.search(piece, at)
            if found is None:
                at = len(piece)
                break
            at = found.end()
            self._note_token(found[0])
            if self._depth == 0:
                break
        self._body += piece[first:at]
        if start + at - self._body_start > self._max_event_bytes:
            raise FrameFault("event_too_large", self._body_start + self._max_event_bytes)
        if self._depth > 0:
            return at, []
        self._mode = self._read_rest
        text = bytes(self._body)
        self._body.clear()
        return at, [Body(Payload(text, ((0, self._body_start),), start + at))]

    def _note_token(self, token: bytes) -> None:
        if token == b'"':
            self._in_string = not self._in_string
        elif token == b"\\":
            self._escaped = True
        elif token in b"{[":
            self._depth += 1
        else:
            self._depth -= 1

    def _read_rest(self, piece: bytes, at: int, start: int) -> tuple[int, list[Frame]]:
        rest = piece[at:].lstrip(_JSON_WHITE_SPACE)
        if rest:
            raise FrameFault("invalid_json", start + len(piece) - len(rest))
        return len(piece), []


def _misfit(line: bytes, *, complete: bool) -> int | None:
    """Index of the first byte with which a line can be no comment and none of the four fields."""
    if line.startswith(b":"):
        return None
    for length in range(1, min(len(line), len(b"event:")) + 1):
        beginning = line[:length]
        if not any(
            (field + b":").startswith(beginning) or beginning.startswith(field + b":") for field in _FIELDS
        ):
            return length - 1
    if complete and b":" not in line and line not in _FIELDS:
        return len(line)
    return None


def _is_json(text: bytes) -> bool:
    try:
        read_json(text)
    except InvalidJson:
        return False
    return True
