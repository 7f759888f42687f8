"""What chunks say beside what the format knows, as a client that puts them together keeps it (section 8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.chunks import CHUNK, NOISE
from transcodec.reference.formats.openai_chat.of_body import as_chunk
from transcodec.reference.json_reader import (
    JsonArray,
    JsonLiteral,
    JsonNumber,
    JsonObject,
    JsonString,
    read_json,
)
from transcodec.reference.json_writer import compact, quote, quote_passed

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.stream.clean.levels import Level

__all__ = ["ChatRiders"]

#: Unknown strings that are words, not pieces of a text.
_WORDS = frozenset(
    {"id", "type", "format", "name", "role", "model", "provider", "channel", "status", "mime_type"}
)


@dataclass(slots=True)
class _Text:
    pieces: list[str]


@dataclass(slots=True)
class _List:
    elements: list[_Value] = field(default_factory=list)
    #: The last element of each index.
    last_of: dict[bytes, _Value] = field(default_factory=dict)


_Members = dict[str, "_Value"]
#: A `str` is compact JSON.
_Value = _Text | _List | _Members | str


@dataclass(slots=True)
class _Kept:
    """What is kept of an object of a known level."""

    unknown: _Members = field(default_factory=dict)
    #: Names under which a text of several names came.
    names: list[str] = field(default_factory=list)
    objects: dict[str, _Kept] = field(default_factory=dict)
    #: By index; with the id, if these objects have one.
    lists: dict[str, dict[str, tuple[list[str], _Kept]]] = field(default_factory=dict)


class ChatRiders:
    """Collects them, chunk by chunk."""

    def __init__(self) -> None:
        self._root = _Kept()
        self._taken_bytes = 0

    def take_events(self, output: bytes) -> None:
        """The events for the client."""
        for block in output.split(b"\n\n"):
            if block.startswith(b"data: {"):
                self.take(block.removeprefix(b"data: "))

    def take(self, payload: bytes) -> None:
        """One event."""
        self._taken_bytes += len(payload)
        root = read_json(payload)
        if isinstance(root, JsonObject):
            _take(self._root, root, CHUNK)

    def take_body(self, body: JsonObject) -> None:
        """A whole body in the place of a stream."""
        self.take(as_chunk(body).raw)

    def fits(self, most_bytes: int) -> bool:
        """Whether no more than so many bytes are kept."""
        return self._taken_bytes <= most_bytes or _size_of_level(self._root) <= most_bytes

    def body(self) -> str:
        """All of it in the form of a body."""
        return _write_level(self._root)


def _take(kept: _Kept, source: JsonObject, level: Level) -> None:
    for each in source:
        key, value = each.key, each.value
        if key == NOISE:
            continue
        if key not in level.known:
            if level.in_pieces:
                _grow_member(kept.unknown, key, value)
            elif key not in kept.unknown or not _is_null(value):
                kept.unknown[key] = compact(value)
        elif key in level.spellings and isinstance(value, JsonString) and value.value:
            if key not in kept.names:
                kept.names.append(key)
        elif key in level.objects and isinstance(value, JsonObject):
            _take(kept.objects.setdefault(key, _Kept()), value, level.objects[key])
        elif key in level.lists and isinstance(value, JsonArray):
            elements = kept.lists.setdefault(key, {})
            inner = level.lists[key][0]
            for element in value.items:
                if isinstance(element, JsonObject):
                    _take_element(elements, element, inner)


def _take_element(elements: dict[str, tuple[list[str], _Kept]], element: JsonObject, level: Level) -> None:
    index, element_id = element.get("index"), element.get("id")
    ids, kept = elements.setdefault(
        "0" if index is None or _is_null(index) else index.raw.decode(), ([], _Kept())
    )
    if "id" in level.known and isinstance(element_id, JsonString) and not ids:
        ids.append(element_id.value)
    _take(kept, element, level)


def _is_null(node: JsonNode) -> bool:
    return isinstance(node, JsonLiteral) and node.value is None


def _value_of(node: JsonNode) -> _Value:
    if isinstance(node, JsonString):
        return _Text([node.value])
    if isinstance(node, JsonObject):
        members: _Members = {}
        for each in node:
            _grow_member(members, each.key, each.value)
        return members
    if isinstance(node, JsonArray):
        elements = _List()
        for item in node.items:
            _add(elements, item)
        return elements
    return compact(node)


def _grow_member(members: _Members, key: str, piece: JsonNode) -> None:
    """What came under a name is a piece of what is kept under it."""
    kept = members.get(key)
    if kept is None:
        members[key] = _value_of(piece)
    elif isinstance(kept, _Text) and isinstance(piece, JsonString) and key not in _WORDS:
        kept.pieces.append(piece.value)
    elif isinstance(kept, dict) and isinstance(piece, JsonObject):
        for each in piece:
            _grow_member(kept, each.key, each.value)
    elif isinstance(kept, _List) and isinstance(piece, JsonArray):
        for item in piece.items:
            _add(kept, item)
    elif not _is_null(piece):
        members[key] = _value_of(piece)


def _add(elements: _List, element: JsonNode) -> None:
    """An element with an index is a piece of the last one with it, unless their types or ids differ."""
    index = element.get("index") if isinstance(element, JsonObject) else None
    if isinstance(element, JsonObject) and isinstance(index, JsonNumber) and not index.raw.startswith(b"-"):
        kept = elements.last_of.get(index.raw)
        if isinstance(kept, dict) and not any(_differs(kept, element, name) for name in ("type", "id")):
            for each in element:
                _grow_member(kept, each.key, each.value)
            return
        value = _value_of(element)
        elements.last_of[index.raw] = value
    else:
        value = _value_of(element)
    elements.elements.append(value)


def _differs(kept: _Members, element: JsonObject, name: str) -> bool:
    ours, theirs = kept.get(name), element.get(name)
    if not isinstance(ours, _Text) or not isinstance(theirs, JsonString):
        return False
    said = "".join(ours.pieces)
    return bool(said and theirs.value) and said != theirs.value


def _size(value: _Value) -> int:
    match value:
        case _Text(pieces):
            return sum(len(piece.encode("utf-8", "surrogatepass")) for piece in pieces)
        case _List(elements):
            return sum(_size(element) + 1 for element in elements)
        case dict():
            return sum(len(key.encode("utf-8", "surrogatepass")) + _size(each) for key, each in value.items())
    return len(value.encode())


def _size_of_level(kept: _Kept) -> int:
    inner = sum(map(_size_of_level, kept.objects.values()))
    listed = sum(_size_of_level(each) for elements in kept.lists.values() for _, each in elements.values())
    return _size(kept.unknown) + inner + listed


def _write(value: _Value) -> str:
    match value:
        case _Text(pieces):
            return quote_passed("".join(pieces))
        case _List(elements):
            return f"[{','.join(map(_write, elements))}]"
        case dict():
            return f"{{{','.join(_write_members(value))}}}"
    return value


def _write_members(members: _Members) -> list[str]:
    return [f"{quote_passed(key)}:{_write(value)}" for key, value in members.items()]


def _write_level(kept: _Kept, identity: str = "") -> str:
    members = [identity] if identity else []
    # The text itself is written by who knows it.
    members += [f'{quote(name)}:"x"' for name in kept.names]
    for name, inner in sorted(kept.objects.items()):
        members.append(f"{quote('message' if name == 'delta' else name)}:{_write_level(inner)}")
    for name, elements in kept.lists.items():
        written = [
            _write_level(each, f'"id":{quote(ids[0])}' if ids else f'"index":{index}')
            for index, (ids, each) in elements.items()
        ]
        members.append(f"{quote(name)}:[{','.join(written)}]")
    members += _write_members(kept.unknown)
    return f"{{{','.join(members)}}}"
