"""From bytes to parsed events, with what is odd about the bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

from transcodec.inspection.report import Notes
from transcodec.reference.frame import sse
from transcodec.reference.json_reader import (
    InvalidJson,
    JsonArray,
    JsonNode,
    JsonNumber,
    JsonObject,
    read_json,
)

__all__ = ["Frames", "ParsedEvent"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANK_LINE = re.compile(rb"(?:\r\n|\r(?!\n)|\n){2}")
_LONE_CR = re.compile(rb"\r(?!\n)")
_DATA_LINE = re.compile(rb"^data:[ \t]*[^\s:]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ParsedEvent:
    """An event, a whole body, or (`value` None) the done mark."""

    value: dict[str, Any] | None
    name: str | None
    ordinal: int | None


class Frames:
    """Reads a stream to its end; the counts are right when the iterator is used up."""

    def __init__(self, data: bytes, notes: Notes) -> None:
        self.event_count = 0
        self.keep_alive_count = 0
        self.is_body = data.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith(b"{")
        self._data = data
        self._notes = notes

    def __iter__(self) -> Iterator[ParsedEvent]:
        reader = sse.SseReader(len(self._data) + 1)
        try:
            for frame in reader.feed(self._data):
                yield from self._take(frame)
            if not self.is_body:
                self._tell_line_ends()
            last = list(reader.finish())
            if last:
                self._notes.tell("event.unterminated", event=self.event_count)
            elif self._ends_inside_an_event():
                self._notes.tell("event.cut", event=self.event_count)
            for frame in last:
                yield from self._take(frame)
        except sse.FrameFault as fault:
            self._notes.event = self.event_count
            self._notes.tell("stream.fault", f"{fault.code} at byte {fault.offset}")
        self._notes.event = None

    def _ends_inside_an_event(self) -> bool:
        if self.is_body:
            return self.event_count == 0
        return _DATA_LINE.search(_BLANK_LINE.split(self._data)[-1]) is not None

    def _tell_line_ends(self) -> None:
        if self._data.startswith(_BYTE_ORDER_MARK):
            self._notes.tell("stream.byte_order_mark")
        if b"\r\n" in self._data:
            self._notes.tell("stream.crlf")
        if _LONE_CR.search(self._data):
            self._notes.tell("stream.cr")

    def _take(self, frame: sse.Frame) -> Iterator[ParsedEvent]:
        self._notes.event = self.event_count
        match frame:
            case sse.Event(payload, name):
                self.event_count += 1
                value = self._parse(payload.text)
                if value is not None:
                    yield ParsedEvent(value, name, self._notes.event)
            case sse.Body(payload):
                self.event_count += 1
                value = self._parse(payload.text)
                if value is not None:
                    yield ParsedEvent(value, None, None)
            case sse.DoneMark():
                yield ParsedEvent(None, None, None)
            case sse.KeepAlive():
                self.keep_alive_count += 1
            case sse.IgnoredLine():
                self._notes.tell("line.ignored")

    def _parse(self, text: bytes) -> dict[str, Any] | None:
        try:
            node = read_json(text)
        except InvalidJson as fault:
            self._notes.tell("event.invalid", fault.code)
            return None
        if not isinstance(node, JsonObject):
            self._notes.tell("event.invalid", "invalid_type")
            return None
        value: dict[str, Any] = self._plain(node)
        return value

    def _plain(self, node: JsonNode) -> Any:
        """The value of a node; of repeated members the last."""
        if isinstance(node, JsonObject):
            members: dict[str, Any] = {}
            for member in node:
                if member.key in members:
                    self._notes.tell("event.duplicate_member", member.key)
                members[member.key] = self._plain(member.value)
            return members
        if isinstance(node, JsonArray):
            return [self._plain(item) for item in node.items]
        if isinstance(node, JsonNumber):
            # Python refuses integers of thousands of digits, and JSON has no infinity.
            number = node.unsigned()
            if number is not None:
                return number
            return float(node.raw) if isfinite(float(node.raw)) else node.raw.decode()
        return node.value
