"""Rows and Chat Completions messages: docs/envelopes.md, section 9."""

from __future__ import annotations

from typing import Any, Literal

from transcodec.errors import UnsupportedError
from transcodec.reference.json_reader import JsonNode, JsonObject, JsonString
from transcodec.reference.transcript.json_text import (
    check_flag,
    check_option,
    elements,
    fault,
    is_null,
    read_document,
    same_kind,
    write_array,
    write_object,
    write_string,
)
from transcodec.reference.transcript.packing import write_row
from transcodec.reference.transcript.rows import (
    ANY_ROW,
    ROLES,
    Call,
    Riders,
    Rule,
    an_object,
    anything,
    is_call_row,
    is_result_row,
    judge,
    list_of,
    read_calls,
    role_of,
    text,
    text_or_parts,
    unknown_members,
)

CallContent = Literal["empty", "null", "keep"]


# --- to the wire --------------------------------------------------------------------------------


def _role(value: JsonNode, path: str) -> JsonString:
    role = text(value, path)
    if role.value not in ROLES:
        raise fault("unknown_role", role.start, path)
    return role


_PLAIN = {
    **ANY_ROW,
    "role": Rule(_role, needed=True),
    "content": Rule(text_or_parts, needed=True),
}
_ASSISTANT = {**_PLAIN, "reasoning_content": Rule(text)}
_CALL = {**_ASSISTANT, "content": Rule(text_or_parts), "tool_calls": Rule(read_calls)}
_RESULT = {**_PLAIN, "tool_call_id": Rule(text), "name": Rule(text)}


def to_wire(
    rows: Any, *, content: CallContent = "empty", reasoning: bool = False, extra_content: bool = True
) -> Any:
    """Typed rows as Chat Completions messages, in the kind that was given.

    Args:
        rows: JSON text (bytes-like) or parsed objects.
        content: How a call turn without text is written.
        reasoning: Whether `reasoning_content` goes out.
        extra_content: Whether the calls' `extra_content` goes out.

    Raises:
        DecodeError: with code, path and (for text) offset.
    """
    check_option("content", content, CallContent)
    check_flag("reasoning", reasoning)
    check_flag("extra_content", extra_content)

    def work(source: bytes) -> bytes:
        writer = _ToWire(content, reasoning=reasoning, extra_content=extra_content)
        return write_array([writer.message(node, path) for node, path in elements(read_document(source))])

    return same_kind(rows, work)


class _ToWire:
    """The options, and the names of the calls seen so far."""

    def __init__(self, content: CallContent, *, reasoning: bool, extra_content: bool) -> None:
        self.content = content
        self.reasoning = reasoning
        self.extra_content = extra_content
        self.names: dict[str, JsonString] = {}

    def message(self, node: JsonNode, path: str) -> bytes:
        """One row."""
        row = an_object(node, path)
        if is_call_row(row):
            return self.call_turn(judge(row, path, _CALL))
        if is_result_row(row):
            return self.result(judge(row, path, _RESULT))
        if role_of(row) == "assistant":
            found = judge(row, path, _ASSISTANT)
            return write_object([*_members(found, "role", "content"), *self.reasons(found)])
        return write_object(_members(judge(row, path, _PLAIN), "role", "content"))

    def result(self, found: dict[str, Any]) -> bytes:
        """A result, with the name of its call."""
        own: JsonString | None = found.get("name")
        name = own if own is not None and own.value else self.names.get(found["tool_call_id"].value)
        named = [("name", name.raw)] if name is not None and name.value else []
        return write_object([*_members(found, "role", "tool_call_id"), *named, *_members(found, "content")])

    def call_turn(self, found: dict[str, Any]) -> bytes:
        """An assistant turn with calls."""
        calls: list[Call] = found["tool_calls"]
        self.names.update({call.id.value: call.name for call in calls})
        content = ("content", self.call_content(found.get("content")))
        written = ("tool_calls", write_array([self.call(call) for call in calls]))
        return write_object([*_members(found, "role"), content, *self.reasons(found), written])

    def call_content(self, body: JsonNode | None) -> bytes:
        """The text of a call turn as the server wants it."""
        if body is None:
            return b'""' if self.content == "empty" else b"null"
        empty = isinstance(body, JsonString) and not body.value
        return b"null" if empty and self.content == "null" else body.raw

    def reasons(self, found: dict[str, Any]) -> list[tuple[str, bytes]]:
        """The reasoning of an assistant row, if it has some and it is wanted."""
        wanted = self.reasoning and "reasoning_content" in found
        return _members(found, "reasoning_content") if wanted else []

    def call(self, call: Call) -> bytes:
        """A call in the nested shape of the wire."""
        function = write_object([("name", call.name.raw), ("arguments", call.arguments.raw)])
        members = [("id", call.id.raw), ("type", b'"function"'), ("function", function)]
        if self.extra_content and call.extra_content is not None:
            members.append(("extra_content", call.extra_content.raw))
        return write_object(members)


def _members(found: dict[str, JsonNode], *names: str) -> list[tuple[str, bytes]]:
    """Members copied as they stand."""
    return [(name, found[name].raw) for name in names]


# --- from the wire ------------------------------------------------------------------------------


def _wire_role(value: JsonNode, path: str) -> bytes:
    if text(value, path).value == "developer":
        return b'"system"'
    return _role(value, path).raw


def _function_type(value: JsonNode, path: str) -> JsonString:
    kind = text(value, path)
    if kind.value != "function":
        raise UnsupportedError("call_type", "only calls of type function have a row", kind.start, path)
    return kind


def _arguments(value: JsonNode, path: str) -> bytes:
    if isinstance(value, JsonObject):
        return write_string(value.raw.decode())
    return text(value, path).raw


_FUNCTION = {"name": Rule(text, needed=True), "arguments": Rule(_arguments)}


def _function(value: JsonNode, path: str) -> dict[str, Any]:
    return judge(an_object(value, path), path, _FUNCTION)


_WIRE_CALL = {
    "id": Rule(text, needed=True),
    "type": Rule(_function_type),
    "function": Rule(_function, needed=True),
    "extra_content": Rule(anything),
}


def _row_call(value: JsonNode, path: str) -> bytes:
    found = judge(an_object(value, path), path, _WIRE_CALL)
    function = found["function"]
    members = [
        ("id", found["id"].raw),
        ("name", function["name"].raw),
        ("arguments", function.get("arguments", b'"{}"')),
    ]
    if "extra_content" in found:
        members.append(("extra_content", found["extra_content"].raw))
    return write_object(members)


_MESSAGE = {
    "role": Rule(_wire_role, needed=True),
    "content": Rule(text_or_parts),
    "extra_metadata": Rule(anything),
    "tool_calls": Rule(list_of(_row_call)),
    "tool_call_id": Rule(text),
    "reasoning_content": Rule(text),
    "name": Rule(text),
}


def from_wire(messages: Any) -> Any:
    """Chat Completions messages as typed rows, in the kind that was given.

    Args:
        messages: JSON text (bytes-like) or parsed objects.

    Raises:
        DecodeError: with code, path and (for text) offset.
        UnsupportedError: `call_type`, for a call that is no function call.
    """

    def work(source: bytes) -> bytes:
        return write_array([_row(node, path) for node, path in elements(read_document(source))])

    return same_kind(messages, work)


def _row(node: JsonNode, path: str) -> bytes:
    message = an_object(node, path)
    found = judge(message, path, _MESSAGE)
    members = {"role": found["role"]}
    calls = found.get("tool_calls")
    if "content" in found:
        members["content"] = found["content"].raw
    elif role_of(message) != "assistant":
        raise fault("missing_member", message.start, f"{path}/content")
    else:
        members["content"] = b"null" if calls else b'""'
    if calls:
        members["tool_calls"] = write_array(calls)
    members |= {
        name: found[name].raw
        for name in ("extra_metadata", "tool_call_id", "reasoning_content", "name")
        if name in found
    }
    return write_row(members, Riders({}, _present_unknown(message)))


def _present_unknown(message: JsonObject) -> list[bytes]:
    """The members that rows do not know, unless null."""
    present = tuple(member for member in message if not is_null(member.value))
    return unknown_members(JsonObject(message.document, message.start, message.end, present))
