"""Elements of `tool_calls`, and the `function_call` that was before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray, JsonLiteral, JsonNumber, JsonObject, JsonString
from transcodec.reference.json_writer import compact
from transcodec.reference.stream import delta as d
from transcodec.reference.stream.delta import PartKind, Sight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.reference.members import Members

__all__ = ["CallReader", "dropped_members", "signature_of", "text_of"]

#: Padding that hides the length of the text.
_NOISE = {"obfuscation"}
_READ = {"index", "id", "type", "function", "custom"}


class CallReader:
    """Reads the calls of one choice. Remembers the indexes it has seen, and the ids of calls with a name."""

    def __init__(self, choice: int) -> None:
        self._choice = choice
        #: Index: id of the call with a name that was last seen there.
        self._indexes: dict[int, str | None] = {}
        self._ids: set[str] = set()

    def element(self, element: Members) -> Iterator[d.Delta]:
        """One element: an announcement if it tells something new, then its text, then what was not read."""
        kind = element.get("type")
        kind_word = kind.value if isinstance(kind, JsonString) else ""
        custom, function = element.object("custom"), element.object("function")
        bodies = [body for body in (custom, function) if body is not None]
        if not bodies and kind_word not in ("", "custom", "function"):
            once = f"type {kind_word}"
            yield d.Lost("client_tool.dropped", element.path, kind_word, once=once, choice=self._choice)
            return
        is_custom = custom is not None or kind_word == "custom"
        index, call_id = _index_of(element), element.word("id")
        name = next(filter(None, (body.word("name") for body in bodies)), None)
        said = _first_text(bodies, ("input", "arguments") if is_custom else ("arguments", "input"))
        yield from self._call(element, name, said, index, call_id, is_custom=is_custom)
        is_signed = signature_of(element) is not None
        yield from self._unread(element, _READ | {"extra_content"} if is_signed else _READ)
        for body in bodies:
            is_source = said is not None and said[0] is body
            yield from self._unread(body, {"name", said[1]} if said is not None and is_source else {"name"})

    def legacy(self, function_call: Members, *, says_more: bool) -> Iterator[d.Delta]:
        """The one call of `function_call`, if it says more than `tool_calls` do."""
        if says_more:
            name = function_call.word("name")
            yield from self._call(function_call, name, (function_call, "arguments"), 0, None, is_custom=False)
        yield from self._unread(function_call, {"name", "arguments"})

    def _unread(self, holder: Members, read: set[str]) -> Iterator[d.Delta]:
        return dropped_members(
            holder, (each.key for each in holder.node if each.key not in read), self._choice
        )

    def _call(
        self,
        element: Members,
        name: str | None,
        said: tuple[Members, str] | None,
        index: int | None,
        call_id: str | None,
        *,
        is_custom: bool,
    ) -> Iterator[d.Delta]:
        """A call's deltas; `said` is the object and the member that has its text."""
        is_new = index is not None and index not in self._indexes
        if index is not None and call_id in self._ids and self._indexes.get(index) not in (None, call_id):
            # Several calls share the index: only the id tells them apart.
            index = None
        key = d.Key(index, call_id, element.path, self._choice)
        if is_new or name is not None or call_id is not None:
            self._remember(index, call_id if name is not None else None)
            yield d.Open(key, "call", Sight.ANNOUNCED, is_custom, call_id, name)
        signature = signature_of(element)
        if signature is not None:
            yield d.Seal(key, "thought_signature", signature, "call")
        kind = PartKind.INPUT if is_custom else PartKind.ARGUMENTS
        if said is not None:
            body, member = said
            yield d.Append(key, kind, 0, text_of(body, member), body.at(member))

    def _remember(self, index: int | None, named_id: str | None) -> None:
        if named_id is not None:
            self._ids.add(named_id)
        if index is not None:
            self._indexes[index] = named_id or self._indexes.get(index)


def dropped_members(holder: Members, names: Iterator[str], choice: int | None) -> Iterator[d.Delta]:
    """The losses of members without a place, unless they say nothing."""
    for name in names:
        value = holder.node.get(name)
        is_empty = isinstance(value, JsonString) and not value.value
        is_empty |= isinstance(value, JsonArray) and not value.items
        is_empty |= isinstance(value, JsonObject) and not value.members
        is_empty |= isinstance(value, JsonLiteral) and value.value is None
        if not is_empty and name not in _NOISE:
            yield d.Lost("delta.member_dropped", holder.at(name), name, once=name, choice=choice)


def _first_text(bodies: list[Members], members: tuple[str, ...]) -> tuple[Members, str] | None:
    """The first text that says something; every member is looked at."""
    said = None
    for body in bodies:
        for member in members:
            value = body.get(member)
            is_empty = value is None or (isinstance(value, JsonString) and not value.value)
            if said is None and not is_empty:
                said = body, member
    return said


def text_of(body: Members, member: str) -> str:
    """Arguments or input: a string, or an object as compact JSON; null is nothing."""
    value = body.get(member)
    if value is None:
        return ""
    if isinstance(value, JsonString):
        return value.value
    if isinstance(value, JsonObject):
        return compact(value)
    raise body.wrong(member, value)


def signature_of(holder: Members) -> str | None:
    """Path of `extra_content.google.thought_signature`, if it says something."""
    extra = holder.node.get("extra_content")
    google = extra.get("google") if isinstance(extra, JsonObject) else None
    signature = google.get("thought_signature") if isinstance(google, JsonObject) else None
    if isinstance(signature, JsonString) and signature.value:
        return f"{holder.path}/extra_content/google/thought_signature"
    return None


def _index_of(element: Members) -> int | None:
    value = element.get("index")
    return value.unsigned() if isinstance(value, JsonNumber) else None
