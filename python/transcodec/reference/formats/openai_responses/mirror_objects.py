"""What a mirrored answer is made of: the response object, items, parts, and what rides along."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_responses.known import ITEM, PART, RESPONSE, USAGE
from transcodec.reference.json_reader import JsonArray, JsonLiteral, JsonObject, JsonString
from transcodec.reference.json_writer import quote
from transcodec.reference.stream.clean.tree import passed
from transcodec.reference.stream.delta import PartKind

if TYPE_CHECKING:
    from transcodec.reference.stream.clean.levels import Level
    from transcodec.reference.stream.clean.tree import Members, Tree
    from transcodec.reference.stream.ordered import Head
    from transcodec.usage import Usage

__all__ = ["MirroredItem", "MirroredPart", "ResponseObject", "Shown"]

_NULL = "null"
#: Members that the type of a response object needs, where the source never shows them.
_NEEDED: dict[str, Tree] = {"parallel_tool_calls": "true", "tool_choice": '"auto"', "tools": "[]"}
#: Members that a response object of our own has besides.
_USUAL: dict[str, Tree] = {"instructions": _NULL, "metadata": "{}", "temperature": _NULL, "top_p": _NULL}
_TEXT_TYPES = {
    PartKind.TEXT: ("output_text", "text"),
    PartKind.REFUSAL: ("refusal", "refusal"),
    PartKind.SUMMARY: ("summary_text", "text"),
    PartKind.REASONING: ("reasoning_text", "text"),
}


def _ride(riders: dict[str, Tree], node: JsonObject, level: Level) -> None:
    """Remember the unknown members of an object as shown last; a null says nothing about what was shown."""
    for member in node:
        if member.key in level.known:
            continue
        is_null = isinstance(member.value, JsonLiteral) and member.value.value is None
        if not (is_null and member.key in riders):
            riders[member.key] = passed(member.value)


@dataclass(slots=True)
class Shown:
    """What the source showed of an item beside its texts.

    Attributes:
        riders: Unknown members.
        status: The last of its statuses.
        has_content: It was shown with a `content`, be it empty.
        raw: All of a foreign item.
    """

    riders: dict[str, Tree] = field(default_factory=dict)
    status: str | None = None
    has_content: bool = False
    raw: JsonObject | None = None

    def see(self, node: JsonObject) -> None:
        """The item is shown."""
        _ride(self.riders, node, ITEM)
        status, content = node.get("status"), node.get("content")
        if isinstance(status, JsonString):
            self.status = status.value
        if isinstance(content, JsonArray):
            self.has_content = True
        self.raw = node


@dataclass(slots=True, eq=False)
class MirroredPart:
    """A part of an item on the client's side. `kind` is None if its type is unknown; `raw` is all of it then.

    Attributes:
        number: Its place in the item's content or summary.
        told: How many pieces of its text the last done event told; None before the first.
    """

    kind: PartKind | None
    number: int
    pieces: list[str] = field(default_factory=list)
    annotations: list[Tree] = field(default_factory=list)
    logprobs: list[Tree] = field(default_factory=list)
    riders: dict[str, Tree] = field(default_factory=dict)
    raw: JsonObject | None = None
    told: int | None = None
    closed: bool = False

    def see(self, node: JsonObject) -> None:
        """The part is shown."""
        if self.kind is None:
            self.raw = node
        else:
            _ride(self.riders, node, PART)

    @property
    def text(self) -> str:
        """All of its text."""
        return "".join(self.pieces)

    def members(self, *, empty: bool = False) -> Tree:
        """The part; `empty`: as when it opens."""
        if self.kind is None:
            return _NULL if self.raw is None else passed(self.raw)
        part_type, member = _TEXT_TYPES[self.kind]
        written: Members = {"type": quote(part_type), member: quote("" if empty else self.text)}
        if self.kind is PartKind.TEXT:
            written["annotations"] = [] if empty else list(self.annotations)
        written.update(self.riders)
        return written


@dataclass(slots=True, eq=False)
class MirroredItem:
    """An item on the client's side.

    Attributes:
        item_type: As on the wire.
        index: Its output index.
        text: Pieces of a call's text.
        complete: None while it is open.
    """

    item_type: str
    index: int
    item_id: str
    shown: Shown
    call: Members = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    told: int | None = None
    content: list[MirroredPart] = field(default_factory=list)
    summary: list[MirroredPart] = field(default_factory=list)
    #: All parts in order of opening.
    parts: list[MirroredPart] = field(default_factory=list)
    complete: bool | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether nobody looks into it."""
        return self.item_type not in ("message", "reasoning", "function_call", "custom_tool_call")

    @property
    def final_status(self) -> str:
        """The status it has when it is over: the source's, if it is one of an end and did come to that."""
        if self.complete is None:
            return "incomplete"
        if self.shown.status in ("completed", "incomplete"):
            return self.shown.status
        return "completed" if self.complete else "incomplete"

    def members(self, *, empty: bool = False) -> Members:
        """The item; `empty`: as when it opens."""
        status = quote("in_progress" if empty else self.final_status)
        if self.is_foreign:
            raw = self.shown.raw
            written = {} if raw is None else {each.key: passed(each.value) for each in raw}
            return {**written, "id": quote(self.item_id)}
        written = {"id": quote(self.item_id), "type": quote(self.item_type)}
        if self.item_type != "reasoning" or self.shown.status is not None:
            written["status"] = status
        if self.item_type == "message":
            written["role"] = '"assistant"'
            written["content"] = [] if empty else [part.members() for part in self.content]
        elif self.item_type == "reasoning":
            written["summary"] = [] if empty else [part.members() for part in self.summary]
            content = [] if empty else [part.members() for part in self.content]
            if content or self.shown.has_content:
                written["content"] = content
        else:
            member = "arguments" if self.item_type == "function_call" else "input"
            written.update(self.call)
            written[member] = quote("" if empty else "".join(self.text))
        written.update(self.shown.riders)
        return written


class ResponseObject:
    """The response object without its output: what the source showed of it last."""

    def __init__(self) -> None:
        self.riders: dict[str, Tree] = {}
        self.was_shown = False
        self._count_riders: dict[str, dict[str, Tree]] = {"": {}}

    def see(self, node: JsonObject) -> None:
        """It is shown."""
        self.was_shown = True
        _ride(self.riders, node, RESPONSE)
        usage = node.get("usage")
        if isinstance(usage, JsonObject):
            _ride(self._count_riders[""], usage, USAGE)
            for name, level in USAGE.objects.items():
                details = usage.get(name)
                if isinstance(details, JsonObject):
                    _ride(self._count_riders.setdefault(name, {}), details, level)

    def members(
        self,
        head: Head,
        status: str,
        output: list[Tree],
        response_id: str,
        *,
        usage: Usage | None = None,
        reason: str | None = None,
        error: Tree = _NULL,
    ) -> Members:
        """The whole object."""
        written: Members = {
            "id": quote(response_id),
            "object": '"response"',
            "created_at": str(head.created or 0),
            "status": quote(status),
            "error": error,
            "incomplete_details": _NULL if reason is None else {"reason": reason},
            "model": quote("unknown" if head.model is None else head.model),
            "output": output,
            "usage": _NULL if usage is None else self._usage(usage),
        }
        usual = {} if self.was_shown else _USUAL
        needed = {key: value for key, value in _NEEDED.items() if key not in self.riders}
        return {**written, **usual, **self.riders, **needed}

    def _usage(self, usage: Usage) -> Members:
        read, wrote = usage.input_tokens or 0, usage.output_tokens or 0
        total = min(max(usage.total_tokens or 0, read + wrote), 2**64 - 1)
        riders = self._count_riders
        return {
            "input_tokens": str(read),
            "input_tokens_details": {
                "cached_tokens": str(usage.cached_tokens or 0),
                "cache_write_tokens": str(usage.cache_write_tokens or 0),
                **riders.get("input_tokens_details", {}),
            },
            "output_tokens": str(wrote),
            "output_tokens_details": {
                "reasoning_tokens": str(usage.reasoning_tokens or 0),
                **riders.get("output_tokens_details", {}),
            },
            "total_tokens": str(total),
            **riders[""],
        }
