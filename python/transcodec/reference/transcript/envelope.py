"""The packed envelope: encoding, and decoding at four levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from transcodec.reference.json_reader import (
    InvalidJson,
    JsonArray,
    JsonLiteral,
    JsonNode,
    JsonObject,
    JsonString,
    read_json,
)
from transcodec.reference.transcript.json_text import (
    ENVELOPE_DEPTH,
    Contents,
    Order,
    check_option,
    contents,
    fault,
    has_lone_surrogate,
    in_kind,
    is_null,
    read_document,
    write_anew,
    write_array,
    write_object,
    write_string,
)
from transcodec.reference.transcript.rows import (
    CALL_RULES,
    Call,
    CallTurn,
    ResultItem,
    Riders,
    Rule,
    judge,
    list_of,
    read_call,
    text,
)

Accept = Literal["lenient", "lossless", "exact", "canonical"]
Role = Literal["assistant", "tool"]

#: Key orders of the assistant envelope, its calls, and the tool envelope.
_ENVELOPE_KEYS: dict[Order, tuple[str, ...]] = {
    "sorted": ("content", "reasoning_content", "tool_calls"),
    "insertion": ("content", "tool_calls", "reasoning_content"),
}
_CALL_KEYS: dict[Order, tuple[str, ...]] = {
    "sorted": ("arguments", "extra_content", "id", "name"),
    "insertion": ("id", "name", "arguments", "extra_content"),
}
_TOOL_KEYS: dict[Order, tuple[str, ...]] = {
    "sorted": ("content", "tool_call_id"),
    "insertion": ("tool_call_id", "content"),
}
#: Brackets around the value of `extra_content` in an envelope: object, list of calls, call.
_AROUND_EXTRA_CONTENT = 3


# --- encoding -----------------------------------------------------------------------------------


def written_text(node: JsonString, path: str) -> bytes:
    """A string token for an envelope or a text frame.

    Raises:
        DecodeError: `lone_surrogate`.
    """
    if has_lone_surrogate(node.value):
        raise fault("lone_surrogate", node.start, path)
    return write_string(node.value)


def _encode_extra_content(node: JsonNode, path: str, order: Order) -> bytes:
    found = contents(node)
    if found.depth + _AROUND_EXTRA_CONTENT > ENVELOPE_DEPTH:
        raise fault("nesting_too_deep", node.start, path)
    if found.lone_surrogate:
        raise fault("lone_surrogate", node.start, path)
    return write_anew(node, order)


def _encode_call(call: Call, order: Order) -> bytes:
    members: list[tuple[str, bytes]] = []
    for key in _CALL_KEYS[order]:
        place = f"{call.path}/{key}"
        if key != "extra_content":
            members.append((key, written_text(getattr(call, key), place)))
        elif call.extra_content is not None:
            members.append((key, _encode_extra_content(call.extra_content, place, order)))
    return write_object(members)


def encode_turn(turn: CallTurn, order: Order) -> bytes:
    """The assistant envelope of a call turn."""
    members: list[tuple[str, bytes]] = []
    for key in _ENVELOPE_KEYS[order]:
        if key == "content":
            name = "content" if turn.row is not None else "text"
            content = b"null" if turn.text is None else written_text(turn.text, f"{turn.path}/{name}")
            members.append((key, content))
        elif key == "tool_calls":
            members.append((key, write_array([_encode_call(call, order) for call in turn.calls])))
        elif turn.reasoning is not None:
            members.append((key, written_text(turn.reasoning, f"{turn.path}/reasoning_content")))
    return write_object(members)


def encode_result(result: ResultItem, order: Order) -> bytes:
    """The tool envelope of a result."""
    values = {"content": result.content, "tool_call_id": result.id}
    return write_object(
        [(key, written_text(values[key], f"{result.path}/{key}")) for key in _TOOL_KEYS[order]]
    )


_ENVELOPE_VALUE = {
    "text": Rule(text),
    "tool_calls": Rule(list_of(read_call), needed=True),
    "reasoning_content": Rule(text),
}
_TOOL_VALUE = {"tool_call_id": Rule(text, needed=True), "content": Rule(text, needed=True)}


def encode_assistant(value: dict[str, Any], *, order: Order = "sorted") -> str:
    """The envelope of `tool_calls` with optional `text` and `reasoning_content`.

    Raises:
        DecodeError: `missing_member`, `invalid_type`, `lone_surrogate`, `nesting_too_deep`.
    """
    check_option("order", order, Order)

    def encode(source: bytes) -> bytes:
        found = judge(_object(source), "", _ENVELOPE_VALUE)
        reasoning = found.get("reasoning_content")
        turn = CallTurn("", found.get("text"), found["tool_calls"], b"", reasoning, Riders(), None)
        return encode_turn(turn, order)

    return in_kind(_needs_dict(value), encode)[0].decode()


def encode_tool(value: dict[str, Any], *, order: Order = "sorted") -> str:
    """The envelope of `tool_call_id` and `content`.

    Raises:
        DecodeError: `missing_member`, `invalid_type`, `lone_surrogate`.
    """
    check_option("order", order, Order)

    def encode(source: bytes) -> bytes:
        found = judge(_object(source), "", _TOOL_VALUE)
        return encode_result(ResultItem("", found["tool_call_id"], found["content"], None), order)

    return in_kind(_needs_dict(value), encode)[0].decode()


def _needs_dict(value: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"a dict is needed, not {type(value).__name__}")
    return value


def _object(source: bytes) -> JsonObject:
    node = read_document(source)
    if not isinstance(node, JsonObject):
        raise fault("invalid_type", node.start, "")
    return node


# --- decoding -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refused(Exception):  # noqa: N818 - it is control flow, not an error of the caller
    """The text is no envelope; `code` is the rule that fails."""

    code: str


def envelope_object(content: str) -> tuple[JsonObject, Contents]:
    """The object that the text is, with what was found in it."""
    if has_lone_surrogate(content):
        raise Refused("not_json")
    try:
        node = read_json(content.encode())
    except InvalidJson:
        raise Refused("not_json") from None
    found = contents(node)
    if found.depth > ENVELOPE_DEPTH or found.lone_surrogate or found.overflow:
        raise Refused("not_json")
    if not isinstance(node, JsonObject):
        raise Refused("not_object")
    return node, found


def read_assistant(content: str, accept: Accept, order: Order) -> CallTurn:
    """The call turn in an envelope, or `Refused`."""
    node, found = envelope_object(content)
    calls_node = node.get("tool_calls")
    if not isinstance(calls_node, JsonArray) or not calls_node.items:
        raise Refused("no_calls")
    calls = [_lenient_call(item) for item in calls_node.items]
    body = node.get("content")
    if not (is_null(body) or isinstance(body, JsonString)):
        raise Refused("content_shape")
    reasoning = node.get("reasoning_content")
    turn = CallTurn(
        "",
        body if isinstance(body, JsonString) else None,
        calls,
        calls_node.raw,
        reasoning if isinstance(reasoning, JsonString) else None,
        Riders(),
        None,
    )
    if accept == "lenient":
        return turn
    _only_known(node, _ENVELOPE_KEYS["sorted"])
    for item in calls_node.items:
        _only_known(item, tuple(CALL_RULES))
    if found.duplicates:
        raise Refused("duplicate_members")
    if not (is_null(reasoning) or isinstance(reasoning, JsonString)):
        raise Refused("reasoning_shape")
    if accept != "lossless" and encode_turn(turn, order) != content.encode():
        raise Refused("not_exact")
    if accept == "canonical":
        extras = [call.extra_content for call in calls if call.extra_content is not None]
        numbers = all(contents(extra).canonical_numbers for extra in extras)
        if turn.text is None or turn.reasoning is not None or not numbers:
            raise Refused("not_canonical")
    return turn


def _lenient_call(item: JsonNode) -> Call:
    if not isinstance(item, JsonObject):
        raise Refused("call_shape")
    call_id, name, arguments = item.get("id"), item.get("name"), item.get("arguments")
    if not (
        isinstance(call_id, JsonString) and isinstance(name, JsonString) and isinstance(arguments, JsonString)
    ):
        raise Refused("call_shape")
    extra = item.get("extra_content")
    return Call("", call_id, name, arguments, None if is_null(extra) else extra)


def _only_known(node: JsonNode, known: tuple[str, ...]) -> None:
    if isinstance(node, JsonObject) and any(member.key not in known for member in node):
        raise Refused("unknown_members")


def read_tool(content: str, accept: Accept, order: Order) -> ResultItem:
    """The result in an envelope, or `Refused`."""
    node, found = envelope_object(content)
    call_id, output = node.get("tool_call_id"), node.get("content")
    if not isinstance(call_id, JsonString):
        raise Refused("no_call_id")
    if not isinstance(output, JsonString):
        raise Refused("content_shape")
    result = ResultItem("", call_id, output, None)
    if accept == "lenient":
        return result
    _only_known(node, _TOOL_KEYS["sorted"])
    if found.duplicates:
        raise Refused("duplicate_members")
    if accept != "lossless" and encode_result(result, order) != content.encode():
        raise Refused("not_exact")
    return result


def decode_assistant(
    content: str, *, accept: Accept = "lenient", order: Order = "sorted"
) -> dict[str, Any] | None:
    """`text`, `tool_calls`, `reasoning_content` of an assistant envelope; None if the text is none."""
    _check_levels(content, accept, order)
    try:
        turn = read_assistant(content, accept, order)
    except Refused:
        return None
    return {
        "text": None if turn.text is None else turn.text.value,
        "tool_calls": [_call_value(call) for call in turn.calls],
        "reasoning_content": None if turn.reasoning is None else turn.reasoning.value,
    }


def _call_value(call: Call) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": call.id.value,
        "name": call.name.value,
        "arguments": call.arguments.value,
    }
    if call.extra_content is not None:
        value["extra_content"] = _plain(call.extra_content)
    return value


def _plain(node: JsonNode) -> Any:
    """A node as Python objects."""
    if isinstance(node, JsonObject):
        return {member.key: _plain(member.value) for member in node}
    if isinstance(node, JsonArray):
        return [_plain(item) for item in node.items]
    if isinstance(node, JsonString | JsonLiteral):
        return node.value
    spelling = node.raw.decode()
    # int() refuses texts of thousands of digits; such a number overflows a double and is no envelope.
    return int(spelling) if spelling.removeprefix("-").isdigit() else float(spelling)


def decode_tool(
    content: str, *, accept: Accept = "lenient", order: Order = "sorted"
) -> dict[str, Any] | None:
    """`tool_call_id` and `content` of a tool envelope; None if the text is none."""
    _check_levels(content, accept, order)
    try:
        result = read_tool(content, accept, order)
    except Refused:
        return None
    return {"tool_call_id": result.id.value, "content": result.content.value}


def refusal(content: str, *, role: Role, accept: Accept = "lossless", order: Order = "sorted") -> str | None:
    """Why the text is no envelope at this level: the code of the first rule that fails, or None."""
    _check_levels(content, accept, order)
    check_option("role", role, Role)
    try:
        if role == "assistant":
            read_assistant(content, accept, order)
        else:
            read_tool(content, accept, order)
    except Refused as refused:
        return refused.code
    return None


def _check_levels(content: str, accept: Accept, order: Order) -> None:
    if not isinstance(content, str):
        raise TypeError(f"a str is needed, not {type(content).__name__}")
    check_option("accept", accept, Accept)
    check_option("order", order, Order)
