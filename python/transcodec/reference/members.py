"""Typed access to the members that a decoder needs, with the place of what is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transcodec.reference.json_reader import (
    JsonArray,
    JsonLiteral,
    JsonNode,
    JsonNumber,
    JsonObject,
    JsonString,
)

__all__ = ["MemberFault", "Members", "as_object", "below"]

_MAX_UNSIGNED = 2**64 - 1
_INTEGER_PART = re.compile(rb"(0|[1-9][0-9]{0,19})(\.[0-9]+)?")
#: Longest member name that a path or a loss's detail repeats, in characters.
MAX_NAME = 64


class MemberFault(ValueError):  # noqa: N818 - a fault of the input, turned into DecodeError by the caller
    """A member is not what the format says.

    Attributes:
        code: `duplicate_key` or `invalid_type`.
        at: Index into the text that was read.
        path: JSON Pointer of the member.
    """

    def __init__(self, code: str, at: int, path: str) -> None:
        super().__init__(f"{code} at byte {at}, path {path!r}")
        self.code = code
        self.at = at
        self.path = path


def below(path: str, name: str | int) -> str:
    """A JSON Pointer one step further; a name is cut at 64 characters."""
    token = name[:MAX_NAME].replace("~", "~0").replace("/", "~1") if isinstance(name, str) else name
    return f"{path}/{token}"


def as_object(node: JsonNode, path: str) -> Members:
    """The members of a value that has to be an object."""
    if not isinstance(node, JsonObject):
        raise MemberFault("invalid_type", node.start, path)
    return Members(node, path)


@dataclass(frozen=True, slots=True)
class Members:
    """An object and its path. Every reading refuses a second member of that name; `null` is absent."""

    node: JsonObject
    path: str

    def at(self, key: str) -> str:
        """The path of a member."""
        return below(self.path, key)

    def get(self, key: str) -> JsonNode | None:
        """The value, of any type."""
        second = self.node.second(key)
        if second is not None:
            raise MemberFault("duplicate_key", second, self.at(key))
        value = self.node.get(key)
        return None if isinstance(value, JsonLiteral) and value.value is None else value

    def wrong(self, key: str, value: JsonNode) -> MemberFault:
        """The fault of a value that has another type than needed."""
        return MemberFault("invalid_type", value.start, self.at(key))

    def string(self, key: str) -> str | None:
        """A string."""
        value = self.get(key)
        if value is None or isinstance(value, JsonString):
            return None if value is None else value.value
        raise self.wrong(key, value)

    def word(self, key: str) -> str | None:
        """A string that says something: an empty one counts as absent."""
        return self.string(key) or None

    def unsigned(self, key: str) -> int | None:
        """An integer of up to 64 bits without sign, spelt with digits only."""
        value = self.get(key)
        if value is None:
            return None
        number = value.unsigned() if isinstance(value, JsonNumber) else None
        if number is None:
            raise self.wrong(key, value)
        return number

    def integer_part(self, key: str) -> int | None:
        """What stands before the point of a number without sign and exponent; anything else is absent."""
        value = self.get(key)
        spelt = _INTEGER_PART.fullmatch(value.raw) if isinstance(value, JsonNumber) else None
        return int(spelt[1]) if spelt is not None and int(spelt[1]) <= _MAX_UNSIGNED else None

    def object(self, key: str) -> Members | None:
        """An object."""
        value = self.get(key)
        return None if value is None else as_object(value, self.at(key))

    def array(self, key: str) -> tuple[tuple[JsonNode, str], ...]:
        """The items of an array, each with its path; none if it is absent."""
        value = self.get(key)
        if value is None:
            return ()
        if not isinstance(value, JsonArray):
            raise self.wrong(key, value)
        path = self.at(key)
        return tuple((item, below(path, number)) for number, item in enumerate(value.items))
