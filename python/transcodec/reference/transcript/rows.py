"""Reading rows and entries: what is plain, what is structured, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from transcodec.reference.json_reader import JsonArray, JsonLiteral, JsonNode, JsonObject, JsonString
from transcodec.reference.transcript.json_text import fault, is_null

if TYPE_CHECKING:
    from collections.abc import Callable

ROLES = ("system", "user", "assistant", "tool")
#: Known members of a row, in the order in which they are written.
ROW_MEMBERS = (
    "role",
    "content",
    "extra_metadata",
    "tool_calls",
    "tool_call_id",
    "reasoning_content",
    "name",
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a row or an entry; `path` leads to it."""

    path: str
    id: JsonString
    name: JsonString
    arguments: JsonString
    extra_content: JsonNode | None


@dataclass(frozen=True, slots=True)
class ResultItem:
    """A result; `path` leads to the object that holds it. `name` is a string only if it was judged."""

    path: str
    id: JsonString
    content: JsonString
    name: JsonNode | None
    trusted_verbatim: bool = False


@dataclass(frozen=True, slots=True)
class Riders:
    """What a structured row has beside its structure: known members by name, unknown ones as they stand."""

    known: dict[str, JsonNode] = field(default_factory=dict)
    unknown: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PlainRow:
    """A row that is copied and not judged."""

    node: JsonObject


@dataclass(frozen=True, slots=True)
class CallTurn:
    """A `calls` entry, or a call row (`row` is its object)."""

    path: str
    text: JsonString | None
    calls: list[Call]
    calls_text: bytes
    reasoning: JsonString | None
    riders: Riders
    row: JsonObject | None


@dataclass(frozen=True, slots=True)
class ResultsRecord:
    """A `results` entry, or a result row (`row` is its object)."""

    results: list[ResultItem]
    riders: Riders
    row: JsonObject | None


Entry = PlainRow | CallTurn | ResultsRecord


# --- judging ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule:
    """What a known member must be: `read` judges its value (never null) and gives what is kept of it."""

    read: Callable[[JsonNode, str], Any]
    needed: bool = False


def judge(node: JsonObject, path: str, table: dict[str, Rule]) -> dict[str, Any]:
    """Known members of an object that are neither absent nor null.

    Raises:
        DecodeError: `duplicate_key`, what the rules raise, `missing_member`.
    """
    seen: set[str] = set()
    found: dict[str, Any] = {}
    for member in node:
        rule = table.get(member.key)
        if rule is None:
            continue
        place = f"{path}/{member.key}"
        if member.key in seen:
            raise fault("duplicate_key", member.key_at, place)
        seen.add(member.key)
        if not is_null(member.value):
            found[member.key] = rule.read(member.value, place)
    for name, rule in table.items():
        if rule.needed and name not in found:
            raise fault("missing_member", node.start, f"{path}/{name}")
    return found


def anything(value: JsonNode, _path: str) -> JsonNode:
    """Any JSON."""
    return value


def text(value: JsonNode, path: str) -> JsonString:
    """A string."""
    if not isinstance(value, JsonString):
        raise fault("invalid_type", value.start, path)
    return value


def text_or_parts(value: JsonNode, path: str) -> JsonNode:
    """A string, or an array of content parts that is not looked into."""
    if not isinstance(value, JsonString | JsonArray):
        raise fault("invalid_type", value.start, path)
    return value


def flag(value: JsonNode, path: str) -> bool:
    """A boolean."""
    if not isinstance(value, JsonLiteral) or value.value is None:
        raise fault("invalid_type", value.start, path)
    return value.value


def an_object(value: JsonNode, path: str) -> JsonObject:
    """An object."""
    if not isinstance(value, JsonObject):
        raise fault("invalid_type", value.start, path)
    return value


def list_of(read: Callable[[JsonNode, str], Any]) -> Callable[[JsonNode, str], list[Any]]:
    """A list whose items the given rule judges."""

    def read_list(value: JsonNode, path: str) -> list[Any]:
        if not isinstance(value, JsonArray):
            raise fault("invalid_type", value.start, path)
        return [read(item, f"{path}/{index}") for index, item in enumerate(value.items)]

    return read_list


CALL_RULES = {
    "id": Rule(text, needed=True),
    "name": Rule(text, needed=True),
    "arguments": Rule(text, needed=True),
    "extra_content": Rule(anything),
}


def read_call(value: JsonNode, path: str) -> Call:
    """A call."""
    found = judge(an_object(value, path), path, CALL_RULES)
    return Call(path, found["id"], found["name"], found["arguments"], found.get("extra_content"))


RESULT_RULES = {
    "tool_call_id": Rule(text, needed=True),
    "content": Rule(text, needed=True),
    "trusted_verbatim": Rule(flag),
    "name": Rule(text),
}


def read_result(value: JsonNode, path: str) -> ResultItem:
    """A result of a `results` entry."""
    found = judge(an_object(value, path), path, RESULT_RULES)
    verbatim = found.get("trusted_verbatim", False)
    return ResultItem(path, found["tool_call_id"], found["content"], found.get("name"), verbatim)


read_calls = list_of(read_call)
ANY_ROW = {name: Rule(anything) for name in ROW_MEMBERS}
CALL_ROW = {
    **ANY_ROW,
    "content": Rule(text),
    "tool_calls": Rule(read_calls, needed=True),
    "reasoning_content": Rule(text),
}
RESULT_ROW = {**ANY_ROW, "content": Rule(text, needed=True), "tool_call_id": Rule(text, needed=True)}
CALLS_ENTRY = {
    "kind": Rule(anything),
    "text": Rule(text),
    "tool_calls": Rule(read_calls, needed=True),
    "reasoning_content": Rule(text),
    "extra_metadata": Rule(anything),
}
RESULTS_ENTRY = {"kind": Rule(anything), "results": Rule(list_of(read_result), needed=True)}
CHAT_ENTRY = {"kind": Rule(anything), "message": Rule(an_object, needed=True)}


# --- rows ---------------------------------------------------------------------------------------


def role_of(node: JsonObject) -> str | None:
    """The role, None if it is no string."""
    role = node.get("role")
    return role.value if isinstance(role, JsonString) else None


def is_call_row(node: JsonObject) -> bool:
    """An assistant row with calls."""
    calls = node.get("tool_calls")
    empty = is_null(calls) or (isinstance(calls, JsonArray) and not calls.items)
    return role_of(node) == "assistant" and not empty


def is_result_row(node: JsonObject) -> bool:
    """A tool row with the id of its call."""
    return role_of(node) == "tool" and not is_null(node.get("tool_call_id"))


def unknown_members(node: JsonObject) -> list[bytes]:
    """The members of a row that are not ours, each from its key to the end of its value."""
    return [
        node.document[member.key_at : member.value.end] for member in node if member.key not in ROW_MEMBERS
    ]


def riders(node: JsonObject, consumed: tuple[str, ...]) -> Riders:
    """What a row has beside the members that a change consumes."""
    known = {name: node.get(name) for name in ROW_MEMBERS if name not in consumed}
    present = {name: value for name, value in known.items() if value is not None and not is_null(value)}
    return Riders(present, unknown_members(node))


def read_row(node: JsonObject, path: str) -> Entry:
    """A row, judged only if it is structured."""
    if is_call_row(node):
        found = judge(node, path, CALL_ROW)
        rest = riders(node, ("role", "content", "tool_calls", "reasoning_content"))
        calls_text = _raw(node.get("tool_calls"))
        return CallTurn(
            path,
            found.get("content"),
            found["tool_calls"],
            calls_text,
            found.get("reasoning_content"),
            rest,
            node,
        )
    if is_result_row(node):
        found = judge(node, path, RESULT_ROW)
        rest = riders(node, ("role", "content", "tool_call_id"))
        result = ResultItem(path, found["tool_call_id"], found["content"], None)
        return ResultsRecord([result], rest, node)
    return PlainRow(node)


def read_entry(node: JsonNode, path: str) -> Entry:
    """A row or an entry.

    Raises:
        DecodeError: as docs/envelopes.md, section 1, lists.
    """
    entry = an_object(node, path)
    if entry.get("role") is not None:
        return read_row(entry, path)
    kind = entry.get("kind")
    name = kind.value if isinstance(kind, JsonString) else None
    if name == "calls":
        found = judge(entry, path, CALLS_ENTRY)
        metadata = found.get("extra_metadata")
        rest = Riders({} if metadata is None else {"extra_metadata": metadata})
        calls_text = _raw(entry.get("tool_calls"))
        return CallTurn(
            path,
            found.get("text"),
            found["tool_calls"],
            calls_text,
            found.get("reasoning_content"),
            rest,
            None,
        )
    if name == "results":
        return ResultsRecord(judge(entry, path, RESULTS_ENTRY)["results"], Riders(), None)
    if name == "chat":
        message: JsonObject = judge(entry, path, CHAT_ENTRY)["message"]
        if message.get("role") is None:
            raise fault("missing_member", message.start, f"{path}/message/role")
        return read_row(message, f"{path}/message")
    if kind is None:
        raise fault("unknown_entry", entry.start, path)
    raise fault("unknown_entry", kind.start, f"{path}/kind")


def _raw(node: JsonNode | None) -> bytes:
    return b"" if node is None else node.raw
