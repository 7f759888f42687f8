"""Items of a response and their parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonLiteral
from transcodec.reference.members import MemberFault, as_object
from transcodec.reference.stream import delta as d
from transcodec.reference.stream.delta import PartKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.members import Members
    from transcodec.reference.stream.delta import Key, Sight

__all__ = ["Item", "part_deltas"]

#: Item type: what a target without it loses.
_FOREIGN = {
    **dict.fromkeys(
        ("apply_patch_call", "computer_call", "local_shell_call", "mcp_approval_request", "shell_call"),
        "client_tool.dropped",
    ),
    "image_generation_call": "image.dropped",
    "compaction": "opaque_state.dropped",
    **dict.fromkeys(
        (
            "apply_patch_call_output",
            "code_interpreter_call",
            "computer_call_output",
            "file_search_call",
            "local_shell_call_output",
            "mcp_call",
            "mcp_list_tools",
            "program",
            "program_output",
            "shell_call_output",
            "tool_search_call",
            "tool_search_output",
            "web_search_call",
            "x_search_call",
        ),
        "server_tool.dropped",
    ),
}
#: Members of every item that are noise or read elsewhere.
_QUIET_MEMBERS = {"id", "type", "status", "role", "format"}
#: Item type: the members that are read.
_READ_MEMBERS = {
    "message": {"content"},
    "reasoning": {"summary", "content", "encrypted_content"},
    "function_call": {"call_id", "name", "arguments"},
    "custom_tool_call": {"call_id", "name", "input"},
}
#: Place, part type: kind of the text, member with the text.
_PART_TYPES = {
    ("content", "output_text"): (PartKind.TEXT, "text"),
    ("content", "refusal"): (PartKind.REFUSAL, "refusal"),
    ("content", "reasoning_text"): (PartKind.REASONING, "text"),
    ("reasoning_content", "reasoning_text"): (PartKind.REASONING, "text"),
    ("reasoning_content", "text"): (PartKind.REASONING, "text"),
    ("summary", "summary_text"): (PartKind.SUMMARY, "text"),
}
#: Place: class of the item, for parts of unknown type.
_PLACES = {"content": "message", "reasoning_content": "reasoning", "summary": "reasoning"}


@dataclass(frozen=True, slots=True)
class Item:
    """An item as an event shows it. Its own `id` goes before the event's `item_id`."""

    members: Members
    index: int | None
    item_id: str | None
    sight: Sight
    mirrored: bool = False

    def deltas(self) -> Iterator[d.Delta]:
        """Metadata, dropped members, parts, text, and the closing if the item is shown whole."""
        item_type = self.members.string("type")
        if item_type is None:
            raise MemberFault("invalid_type", self.members.node.start, self.members.at("type"))
        key = d.Key(self.index, self.members.word("id") or self.item_id, self.members.path)
        if item_type == "message":
            yield d.Open(key, "message", self.sight, node=self.members.node)
            yield from self._dropped_members(key, item_type)
            yield from self._parts(key, "content", "content")
        elif item_type == "reasoning":
            yield d.Open(key, "reasoning", self.sight, node=self.members.node)
            yield from self._dropped_members(key, item_type)
            yield from self._parts(key, "summary", "summary")
            yield from self._parts(key, "content", "reasoning_content")
        elif item_type in ("function_call", "custom_tool_call"):
            yield from self._call(key, item_type)
        else:
            loss = _FOREIGN.get(item_type, "item.unknown")
            yield d.Foreign(key, item_type, loss, self.sight, self.members.node)
        if self.sight is not d.Sight.ANNOUNCED:
            yield d.Close(key)

    def _call(self, key: Key, item_type: str) -> Iterator[d.Delta]:
        custom = item_type == "custom_tool_call"
        kind, member = (PartKind.INPUT, "input") if custom else (PartKind.ARGUMENTS, "arguments")
        call_id, name = self.members.word("call_id"), self.members.word("name")
        yield d.Open(key, "call", self.sight, custom, call_id, name, self.members.node)
        yield from self._dropped_members(key, item_type)
        yield d.Whole(key, kind, 0, self.members.string(member) or "", self.members.at(member))

    def _dropped_members(self, key: Key, item_type: str) -> Iterator[d.Delta]:
        for member in self.members.node:
            if member.key == "encrypted_content" and item_type == "reasoning":
                if self.members.word(member.key) is not None:
                    yield d.Seal(key, member.key, self.members.at(member.key))
            elif member.key not in _QUIET_MEMBERS | _READ_MEMBERS[item_type] and not _is_null(member.value):
                yield d.DroppedMember(key, member.key, self.members.at(member.key))

    def _parts(self, key: Key, member: str, place: str) -> Iterator[d.Delta]:
        for number, (part, path) in enumerate(self.members.array(member)):
            yield from part_deltas(key, as_object(part, path), place, number, mirrored=self.mirrored)


def part_deltas(
    key: Key, part: Members, place: str, number: int, *, mirrored: bool, done: bool = False
) -> Iterator[d.Delta]:
    """A snapshot of one part. `place` is `content`, `reasoning_content` or `summary`."""
    known = _PART_TYPES.get((place, part.string("type") or ""))
    kind = None if known is None else known[0]
    item_class = _PLACES[place] if kind is None else kind.item_class
    shown = d.PartShown(key, kind, item_class, place, number, part.node, done=False)
    if mirrored:
        yield shown
    yield from _snapshot_of(key, part, place, number)
    if mirrored and done:
        yield replace(shown, done=True)


def _snapshot_of(key: Key, part: Members, place: str, number: int) -> Iterator[d.Delta]:
    part_type = part.string("type") or ""
    known = _PART_TYPES.get((place, part_type))
    if known is None:
        yield d.UnknownPart(key, _PLACES[place], place, number, part_type, part.path)
        return
    kind, member = known
    is_text = kind is PartKind.TEXT
    logprobs = part.get("logprobs") if is_text and part.array("logprobs") else None
    annotations = part.array("annotations") if is_text else ()
    text = part.string(member) or ""
    yield d.Whole(key, kind, number, text, part.at(member), logprobs, annotations)


def _is_null(value: JsonNode) -> bool:
    return isinstance(value, JsonLiteral) and value.value is None
