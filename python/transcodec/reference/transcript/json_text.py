"""JSON text of rows and envelopes: the two kinds of input, the writer, and what an envelope may hold."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from transcodec.errors import DecodeError, TranscodecError
from transcodec.reference.json_reader import (
    InvalidJson,
    JsonArray,
    JsonLiteral,
    JsonNode,
    JsonNumber,
    JsonObject,
    JsonString,
    read_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Order = Literal["sorted", "insertion"]
Result = TypeVar("Result")

#: Brackets that may be open at the same time in an envelope: one less than in other JSON text.
ENVELOPE_DEPTH = 127

MESSAGES = {
    "invalid_json": "the input is no JSON text",
    "invalid_utf8": "the input is no UTF-8 text",
    "nesting_too_deep": "brackets are nested too deep",
    "invalid_type": "the member has another type",
    "missing_member": "the member is missing",
    "duplicate_key": "the member stands twice in one object",
    "unknown_role": "the role is none of system, user, assistant, tool",
    "unknown_entry": "the object is neither a row nor an entry",
    "lone_surrogate": "the text holds a lone surrogate",
}

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile('["\\\\\x00-\x1f]')
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def fault(code: str, offset: int, path: str | None) -> DecodeError:
    """The error for one of the codes above."""
    return DecodeError(code, MESSAGES[code], offset, path)


def check_option(name: str, value: object, choices: Any) -> None:
    """Raise ValueError unless the value is one of a `Literal` type's."""
    if value not in get_args(choices):
        raise ValueError(f"{name} must be one of {', '.join(get_args(choices))}")


def check_flag(name: str, value: object) -> None:
    """Raise TypeError unless the value is a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, not {type(value).__name__}")


def in_kind(data: Any, work: Callable[[bytes], Result]) -> tuple[Result, bool]:
    """Do the work on JSON text, or on objects as if they were text; tells whether they were objects."""
    if isinstance(data, bytes | bytearray | memoryview):
        return work(bytes(data)), False
    if not isinstance(data, dict | list):
        raise TypeError(f"bytes-like JSON text, a dict or a list is needed, not {type(data).__name__}")
    try:
        return work(text_of_objects(data)), True
    except TranscodecError as error:
        error.offset = None
        raise


def same_kind(data: Any, work: Callable[[bytes], bytes]) -> Any:
    """Like `in_kind`, with the output in the kind of the input."""
    output, objects = in_kind(data, work)
    return json.loads(output) if objects else output


def text_of_objects(value: object) -> bytes:
    """Parsed objects as JSON text."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise fault("nesting_too_deep", 0, None) from None
    except ValueError:
        raise fault("invalid_json", 0, None) from None
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def read_document(text: bytes) -> JsonNode:
    """The whole input.

    Raises:
        DecodeError: `invalid_json`, `invalid_utf8`, `nesting_too_deep`.
    """
    try:
        return read_json(text)
    except InvalidJson as error:
        raise fault(error.code, error.at, None) from None


def elements(document: JsonNode) -> list[tuple[JsonNode, str]]:
    """The elements of the top array with their paths, or the lone object with the empty path."""
    if isinstance(document, JsonArray):
        return [(item, f"/{index}") for index, item in enumerate(document.items)]
    if not isinstance(document, JsonObject):
        raise fault("invalid_type", document.start, "")
    return [(document, "")]


def is_null(node: JsonNode | None) -> bool:
    """Whether a member is absent: it is not there, or null."""
    return node is None or (isinstance(node, JsonLiteral) and node.value is None)


# --- writing ------------------------------------------------------------------------------------


def write_string(text: str) -> bytes:
    """A string token; only what must be escaped is."""
    return b'"' + _ESCAPED.sub(_escape, text).encode() + b'"'


def _escape(found: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"


def has_lone_surrogate(text: str) -> bool:
    """Whether the text cannot be encoded."""
    return _LONE_SURROGATE.search(text) is not None


def write_object(members: list[tuple[str, bytes]], copied: list[bytes] | None = None) -> bytes:
    """An object of keys and value texts, then members copied whole."""
    written = [write_string(key) + b":" + value for key, value in members]
    return b"{" + b",".join(written + (copied or [])) + b"}"


def write_array(items: list[bytes]) -> bytes:
    """An array of value texts."""
    return b"[" + b",".join(items) + b"]"


def write_anew(node: JsonNode, order: Order) -> bytes:
    """A value written compactly: strings escaped anew, numbers as spelt, of repeated keys the last value."""
    if isinstance(node, JsonString):
        return write_string(node.value)
    if isinstance(node, JsonArray):
        return write_array([write_anew(item, order) for item in node.items])
    if isinstance(node, JsonObject):
        values = {member.key: member.value for member in node}
        keys = sorted(values) if order == "sorted" else list(values)
        return write_object([(key, write_anew(values[key], order)) for key in keys])
    return node.raw


# --- what stands in a value -----------------------------------------------------------------------


@dataclass(slots=True)
class Contents:
    """What a walk over a value found."""

    depth: int = 0
    lone_surrogate: bool = False
    overflow: bool = False
    duplicates: bool = False
    canonical_numbers: bool = True


def contents(node: JsonNode) -> Contents:
    """Walk over a value and all values in it."""
    found = Contents()
    _walk(node, 0, found)
    return found


def _walk(node: JsonNode, depth: int, found: Contents) -> None:
    if isinstance(node, JsonString):
        found.lone_surrogate |= has_lone_surrogate(node.value)
    elif isinstance(node, JsonNumber):
        found.overflow |= math.isinf(float(node.raw))
        found.canonical_numbers &= _is_canonical(node.raw.decode())
    elif isinstance(node, JsonArray):
        found.depth = max(found.depth, depth + 1)
        for item in node.items:
            _walk(item, depth + 1, found)
    elif isinstance(node, JsonObject):
        found.depth = max(found.depth, depth + 1)
        keys = [member.key for member in node]
        found.duplicates |= len(set(keys)) < len(keys)
        found.lone_surrogate |= any(map(has_lone_surrogate, keys))
        for member in node:
            _walk(member.value, depth + 1, found)


def _is_canonical(spelling: str) -> bool:
    if spelling.removeprefix("-").isdigit():
        # 20 characters hold every such integer; int() refuses texts of thousands of digits.
        return spelling != "-0" and len(spelling) <= 20 and -(2**63) <= int(spelling) < 2**64
    return "e" not in spelling and "E" not in spelling and repr(float(spelling)) == spelling
