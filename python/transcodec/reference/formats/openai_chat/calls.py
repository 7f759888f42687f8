"""Elements of `tool_calls`, and the `function_call` that was before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonNumber, JsonObject, JsonString
from transcodec.reference.json_writer import compact
from transcodec.reference.stream import delta as d
from transcodec.reference.stream.delta import PartKind, Sight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.reference.members import Members

__all__ = ["CallReader", "signature_of"]


class CallReader:
    """Reads the calls of one choice. Remembers the indexes it has seen, and the ids of calls with a name."""

    def __init__(self, choice: int) -> None:
        self._choice = choice
        #: Index: id of the call with a name that was last seen there.
        self._indexes: dict[int, str | None] = {}
        self._ids: set[str] = set()

    def element(self, element: Members) -> Iterator[d.Delta]:
        """One element: an announcement if it tells something new, then its text."""
        index, call_id = _index_of(element), element.word("id")
        custom = element.object("custom")
        is_custom = custom is not None or element.word("type") == "custom"
        body, member = (element.object("function"), "arguments") if custom is None else (custom, "input")
        yield from self._call(element, body, member, index, call_id, is_custom=is_custom)

    def legacy(self, function_call: Members) -> Iterator[d.Delta]:
        """The one call of `function_call`."""
        yield from self._call(function_call, function_call, "arguments", 0, None, is_custom=False)

    def _call(
        self,
        element: Members,
        body: Members | None,
        member: str,
        index: int | None,
        call_id: str | None,
        *,
        is_custom: bool,
    ) -> Iterator[d.Delta]:
        name = None if body is None else body.word("name")
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
        if body is not None:
            yield d.Append(key, kind, 0, text_of(body, member), body.at(member))

    def _remember(self, index: int | None, named_id: str | None) -> None:
        if named_id is not None:
            self._ids.add(named_id)
        if index is not None:
            self._indexes[index] = named_id or self._indexes.get(index)


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
