"""Writing JSON: compact, and safe inside one line of an event stream."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray, JsonObject, JsonString

if TYPE_CHECKING:
    from collections.abc import Callable

    from transcodec.reference.json_reader import JsonNode

__all__ = [
    "compact",
    "compact_well_formed",
    "escape_text",
    "has_lone_surrogate",
    "keep_on_one_line",
    "quote",
    "quote_passed",
    "utf8_length",
    "well_formed",
]

_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MUST_ESCAPE = re.compile(r'["\\\x00-\x1f]')
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_UNICODE_LINE_ENDS = re.compile("[\u0085\u2028\u2029]")


def well_formed(text: str) -> str:
    """The text with U+FFFD for each lone surrogate."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def utf8_length(text: str) -> int:
    """Bytes of a text, lone surrogates replaced."""
    return len(well_formed(text).encode("utf-8"))


def has_lone_surrogate(node: JsonNode) -> bool:
    """Whether any string or key in a value cannot be written as UTF-8."""
    if isinstance(node, JsonString):
        return _LONE_SURROGATE.search(node.value) is not None
    if isinstance(node, JsonArray):
        return any(has_lone_surrogate(item) for item in node.items)
    if isinstance(node, JsonObject):
        return any(_LONE_SURROGATE.search(each.key) or has_lone_surrogate(each.value) for each in node)
    return False


def escape_text(text: str) -> str:
    """A JSON string's inside: what stands between the quotes."""
    return _MUST_ESCAPE.sub(lambda hit: _SHORT_ESCAPES.get(hit[0]) or f"\\u{ord(hit[0]):04x}", text)


def quote(text: str | None) -> str:
    """A JSON string, or `null`."""
    return "null" if text is None else f'"{escape_text(well_formed(text))}"'


def quote_passed(text: str) -> str:
    """A JSON string that is passed on: half a surrogate pair stays an escape."""
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return f'"{_LONE_SURROGATE.sub(_escape, escape_text(joined))}"'


def _escape(hit: re.Match[str]) -> str:
    return f"\\u{ord(hit[0]):04x}"


def compact(node: JsonNode) -> str:
    """A value without the white space between its tokens; every token keeps its spelling."""
    return _compact(node, lambda _value, raw: raw)


def compact_well_formed(node: JsonNode) -> str:
    """Like `compact`, with U+FFFD for lone surrogates."""
    return _compact(node, lambda value, raw: quote(value) if _LONE_SURROGATE.search(value) else raw)


def _compact(node: JsonNode, string: Callable[[str, str], str]) -> str:
    """Write a value; `string` spells a string token, given its value and its source."""
    if isinstance(node, JsonString):
        return string(node.value, node.raw.decode("utf-8"))
    if isinstance(node, JsonArray):
        return f"[{','.join(_compact(item, string) for item in node.items)}]"
    if isinstance(node, JsonObject):
        members = (
            f"{string(each.key, each.key_raw.decode('utf-8'))}:{_compact(each.value, string)}"
            for each in node
        )
        return f"{{{','.join(members)}}}"
    return node.raw.decode("ascii")


def keep_on_one_line(json_text: str) -> str:
    """Escape the three characters that some line readers take for line ends; they only stand in strings."""
    return _UNICODE_LINE_ENDS.sub(lambda hit: f"\\u{ord(hit[0]):04x}", json_text)
