r"""A strict JSON reader that remembers where everything stood.

`read_json` turns bytes into nodes. Every node knows its place (`start`, `end`), its source bytes (`raw`) and,
for strings and numbers, how it was spelt; nothing is normalised, so that text can be copied instead of
written again. A fault is `InvalidJson(code, at)`: `at` is the first byte that no valid JSON text could have
there.

    invalid_json       syntax: `tru}` 3, `01` 1, `"\x"` 2, `{"a":1,}` 7, `"cut` the length, `1 x` 2
    invalid_utf8       the first byte after which no UTF-8 can follow: E2 28 -> 1; cut sequence -> the length
    nesting_too_deep   the 129th open bracket

Of several faults the one at the smaller offset is told; at the same byte `invalid_utf8` goes first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "MAX_DEPTH",
    "InvalidJson",
    "JsonArray",
    "JsonLiteral",
    "JsonNode",
    "JsonNumber",
    "JsonObject",
    "JsonString",
    "Member",
    "read_json",
    "utf8_fault",
]

#: Brackets that may be open at the same time.
MAX_DEPTH = 128

_MAX_UNSIGNED = 2**64 - 1
_WHITE_SPACE = re.compile(rb"[ \t\n\r]*")
_PLAIN_TEXT = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(rb"[0-9]*")
_ESCAPES = {
    0x22: '"', 0x5C: "\\", 0x2F: "/", 0x62: "\b", 0x66: "\f", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
}  # fmt: skip
_HEX_DIGITS = b"0123456789abcdefABCDEF"
_LITERALS = {0x74: (b"true", True), 0x66: (b"false", False), 0x6E: (b"null", None)}


class InvalidJson(ValueError):  # noqa: N818 - it is named after its code
    """The bytes are no JSON text.

    Attributes:
        code: `invalid_json`, `invalid_utf8` or `nesting_too_deep`.
        at: Index into the bytes that were read; their length if more had to come.
    """

    def __init__(self, code: str, at: int) -> None:
        super().__init__(f"{code} at byte {at}")
        self.code = code
        self.at = at


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: `document[start:end]`."""

    document: bytes = field(repr=False, compare=False)
    start: int
    end: int

    @property
    def raw(self) -> bytes:
        """The value as it was spelt."""
        return self.document[self.start : self.end]


@dataclass(frozen=True, slots=True)
class JsonString(_Place):
    """`value` is decoded; an escaped surrogate without its partner stays a lone surrogate in it."""

    value: str

    @property
    def body(self) -> bytes:
        """The token between its quotes, escapes kept."""
        return self.document[self.start + 1 : self.end - 1]


@dataclass(frozen=True, slots=True)
class JsonNumber(_Place):
    """A number; its spelling is `raw`."""

    def unsigned(self) -> int | None:
        """The value if it is spelt with digits only and fits 64 bits, else None."""
        spelling = self.raw
        # 20 digits hold 2**64; int() refuses texts of thousands of digits.
        if not spelling.isdigit() or len(spelling) > 20:
            return None
        value = int(spelling)
        return value if value <= _MAX_UNSIGNED else None


@dataclass(frozen=True, slots=True)
class JsonLiteral(_Place):
    """`true`, `false` or `null`."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class JsonArray(_Place):
    """An array."""

    items: tuple[JsonNode, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object; `key_at` is the index of the key's first quote, `key_raw` its token."""

    key: str
    key_at: int
    value: JsonNode
    key_raw: bytes


@dataclass(frozen=True, slots=True)
class JsonObject(_Place):
    """An object with all its members in source order, duplicates included. Keys are compared decoded."""

    members: tuple[Member, ...]

    def get(self, key: str) -> JsonNode | None:
        """The value of the last member with that key, or None."""
        return next((member.value for member in reversed(self.members) if member.key == key), None)

    def second(self, key: str) -> int | None:
        """Where a key stands for the second time, or None."""
        places = [member.key_at for member in self.members if member.key == key]
        return places[1] if len(places) > 1 else None

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)


JsonNode = JsonString | JsonNumber | JsonLiteral | JsonArray | JsonObject


def utf8_fault(text: bytes) -> int | None:
    """Index of the first byte after which no UTF-8 text can follow; None if all is well."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as fault:
        starts_a_sequence = 0xC2 <= text[fault.start] <= 0xF4
        return fault.end if starts_a_sequence else fault.start
    return None


def read_json(text: bytes) -> JsonNode:
    """Read one JSON value with nothing but white space around it.

    Raises:
        InvalidJson: with the code and the index of the first wrong byte.
    """
    broken_at = utf8_fault(text)
    try:
        node = _Reader(text).document()
    except InvalidJson as fault:
        if broken_at is not None and broken_at <= fault.at:
            raise InvalidJson("invalid_utf8", broken_at) from None
        raise
    if broken_at is not None:
        raise InvalidJson("invalid_utf8", broken_at)
    return node


class _Reader:
    """Recursive descent over one text; `at` is the next byte to look at."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def document(self) -> JsonNode:
        node = self.value()
        self.skip_white_space()
        if self.at < len(self.text):
            raise InvalidJson("invalid_json", self.at)
        return node

    def peek(self) -> int | None:
        """The next byte, None at the end."""
        return self.text[self.at] if self.at < len(self.text) else None

    def expect(self, byte: bytes) -> None:
        if self.peek() != byte[0]:
            raise InvalidJson("invalid_json", self.at)
        self.at += 1

    def skip_white_space(self) -> None:
        self.at = self.end_of(_WHITE_SPACE)

    def end_of(self, pattern: re.Pattern[bytes]) -> int:
        """Where a pattern that may be empty ends, from here."""
        match = pattern.match(self.text, self.at)
        return self.at if match is None else match.end()

    def value(self) -> JsonNode:
        self.skip_white_space()
        first = self.peek()
        if first == 0x7B:
            return self.object()
        if first == 0x5B:
            return self.array()
        if first == 0x22:
            return self.string()
        if first in _LITERALS:
            return self.literal(first)
        return self.number()

    def open_bracket(self) -> int:
        if self.depth == MAX_DEPTH:
            raise InvalidJson("nesting_too_deep", self.at)
        self.depth += 1
        self.at += 1
        return self.at - 1

    def close_bracket(self) -> int:
        self.depth -= 1
        self.at += 1
        return self.at

    def object(self) -> JsonObject:
        start = self.open_bracket()
        members: list[Member] = []
        self.skip_white_space()
        while self.peek() != 0x7D or members:
            key = self.string()
            self.skip_white_space()
            self.expect(b":")
            members.append(Member(key.value, key.start, self.value(), key.raw))
            self.skip_white_space()
            if self.peek() == 0x7D:
                break
            self.expect(b",")
            self.skip_white_space()
        return JsonObject(self.text, start, self.close_bracket(), tuple(members))

    def array(self) -> JsonArray:
        start = self.open_bracket()
        items: list[JsonNode] = []
        self.skip_white_space()
        while self.peek() != 0x5D or items:
            items.append(self.value())
            self.skip_white_space()
            if self.peek() == 0x5D:
                break
            self.expect(b",")
        return JsonArray(self.text, start, self.close_bracket(), tuple(items))

    def literal(self, first: int) -> JsonLiteral:
        start = self.at
        word, value = _LITERALS[first]
        for byte in word:
            self.expect(bytes([byte]))
        return JsonLiteral(self.text, start, self.at, value)

    def number(self) -> JsonNumber:
        start = self.at
        if self.peek() == 0x2D:
            self.at += 1
        if self.peek() == 0x30:
            self.at += 1
        else:
            self.digits()
        if self.peek() == 0x2E:
            self.at += 1
            self.digits()
        if self.peek() in (0x45, 0x65):
            self.at += 1
            if self.peek() in (0x2B, 0x2D):
                self.at += 1
            self.digits()
        return JsonNumber(self.text, start, self.at)

    def digits(self) -> None:
        """At least one digit."""
        end = self.end_of(_DIGITS)
        if end == self.at:
            raise InvalidJson("invalid_json", self.at)
        self.at = end

    def string(self) -> JsonString:
        start = self.at
        self.expect(b'"')
        pieces: list[str] = []
        while True:
            end = self.end_of(_PLAIN_TEXT)
            # Bytes that are no UTF-8 were found before and win by their offset; here they only have to pass.
            pieces.append(self.text[self.at : end].decode("utf-8", "replace"))
            self.at = end
            byte = self.peek()
            if byte == 0x22:
                self.at += 1
                return JsonString(self.text, start, self.at, _join_surrogates("".join(pieces)))
            if byte != 0x5C:
                raise InvalidJson("invalid_json", self.at)
            self.at += 1
            pieces.append(self.escape())

    def escape(self) -> str:
        """What stands after a backslash."""
        byte = self.peek()
        if byte == 0x75:
            self.at += 1
            digits = self.at
            for _ in range(4):
                if self.peek() is None or self.text[self.at] not in _HEX_DIGITS:
                    raise InvalidJson("invalid_json", self.at)
                self.at += 1
            return chr(int(self.text[digits : self.at], 16))
        if byte not in _ESCAPES:
            raise InvalidJson("invalid_json", self.at)
        self.at += 1
        return _ESCAPES[byte]


def _join_surrogates(text: str) -> str:
    """Make one character of each high and low surrogate that stand together; leave lone ones."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
