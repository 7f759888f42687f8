"""Whole rows and histories into and out of the packed form: docs/envelopes.md, sections 5 and 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transcodec.errors import DecodeError
from transcodec.reference.json_reader import JsonArray, JsonNode, JsonObject, JsonString
from transcodec.reference.transcript.envelope import (
    Accept,
    Refused,
    encode_result,
    encode_turn,
    read_assistant,
    read_tool,
)
from transcodec.reference.transcript.json_text import (
    Order,
    check_flag,
    check_option,
    elements,
    in_kind,
    is_null,
    read_document,
    same_kind,
    write_array,
    write_object,
    write_string,
)
from transcodec.reference.transcript.pairing import Calls, Results, Step, pair
from transcodec.reference.transcript.rows import (
    ROW_MEMBERS,
    Call,
    CallTurn,
    Entry,
    PlainRow,
    ResultItem,
    ResultsRecord,
    Riders,
    is_call_row,
    is_result_row,
    read_entry,
    riders,
    role_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def write_row(members: dict[str, bytes], rest: Riders) -> bytes:
    """A row: its new members and what rides, in the order of rows, then the unknown members."""
    known = {**{name: node.raw for name, node in rest.known.items()}, **members}
    return write_object([(name, known[name]) for name in ROW_MEMBERS if name in known], rest.unknown)


# --- pack ---------------------------------------------------------------------------------------


def packed_rows(entry: Entry, order: Order) -> list[bytes]:
    """An entry in the packed form."""
    if isinstance(entry, PlainRow):
        return [entry.node.raw]
    if isinstance(entry, CallTurn):
        envelope = encode_turn(entry, order).decode()
        members = {"role": b'"assistant"', "content": write_string(envelope)}
        return [write_row(members, entry.riders)]
    return [_packed_result(entry, result, order) for result in entry.results]


def _packed_result(record: ResultsRecord, result: ResultItem, order: Order) -> bytes:
    envelope = encode_result(result, order).decode()
    members = {"role": b'"tool"', "content": write_string(envelope)}
    if result.name is not None:
        members["name"] = result.name.raw
    return write_row(members, record.riders)


def pack(data: Any, *, order: Order = "sorted") -> Any:
    """Typed rows or entries as packed rows, in the kind that was given.

    Args:
        data: JSON text (bytes-like) or parsed objects: one row or entry, or a list of them.
        order: Key order of the envelopes.

    Raises:
        DecodeError: with code, path and (for text) offset.
    """
    check_option("order", order, Order)

    def work(source: bytes) -> bytes:
        document = read_document(source)
        rows: list[bytes] = []
        entry: Entry | None = None
        for node, path in elements(document):
            entry = read_entry(node, path)
            rows += packed_rows(entry, order)
        alone = isinstance(document, JsonObject)
        if alone and not (isinstance(entry, ResultsRecord) and entry.row is None):
            return rows[0]
        return write_array(rows)

    return same_kind(data, work)


# --- unpack -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Lifted:
    """A row whose envelope can be taken apart."""

    row: JsonObject
    envelope: CallTurn | ResultItem

    def write(self) -> bytes:
        """The typed row."""
        if isinstance(self.envelope, CallTurn):
            turn = self.envelope
            content = b"null" if turn.text is None else write_string(turn.text.value)
            calls = write_array([_written_call(call) for call in turn.calls])
            members = {"role": b'"assistant"', "content": content, "tool_calls": calls}
            if turn.reasoning is not None:
                members["reasoning_content"] = write_string(turn.reasoning.value)
        else:
            members = {
                "role": b'"tool"',
                "content": write_string(self.envelope.content.value),
                "tool_call_id": write_string(self.envelope.id.value),
            }
        return write_row(members, riders(self.row, tuple(members)))

    def step(self) -> Step:
        """What pairing sees of it."""
        if isinstance(self.envelope, CallTurn):
            return Calls([call.id.value for call in self.envelope.calls])
        return Results([self.envelope.id.value])


def _written_call(call: Call) -> bytes:
    members = [(key, write_string(getattr(call, key).value)) for key in ("id", "name", "arguments")]
    if call.extra_content is not None:
        members.append(("extra_content", call.extra_content.raw))
    return write_object(members)


def _may_hold_envelope(row: JsonNode) -> bool:
    """Whether a row is looked into at all."""
    if not isinstance(row, JsonObject) or is_call_row(row) or is_result_row(row):
        return False
    if any(row.second(name) is not None for name in ROW_MEMBERS):
        return False
    role = role_of(row)
    reasons = role == "assistant" and not is_null(row.get("reasoning_content"))
    return role in ("assistant", "tool") and isinstance(row.get("content"), JsonString) and not reasons


def _lift(row: JsonNode, accept: Accept, order: Order) -> _Lifted | str | None:
    """The row taken apart; or why it is not; None for a row that is not looked into."""
    if not isinstance(row, JsonObject) or not _may_hold_envelope(row):
        return None
    content = row.get("content")
    text = content.value if isinstance(content, JsonString) else ""
    try:
        if role_of(row) == "assistant":
            return _Lifted(row, read_assistant(text, accept, order))
        return _Lifted(row, read_tool(text, accept, order))
    except Refused as refused:
        return refused.code


def _typed_step(row: JsonNode) -> Step:
    """What pairing sees of a row that is typed already; a broken one is plain."""
    try:
        return step_of(read_entry(row, "")) if isinstance(row, JsonObject) else None
    except DecodeError:
        return None


def step_of(entry: Entry) -> Step:
    """What pairing sees of an entry."""
    if isinstance(entry, CallTurn):
        return Calls([call.id.value for call in entry.calls])
    if isinstance(entry, ResultsRecord):
        return Results([result.id.value for result in entry.results])
    return None


def unpack(
    data: Any, *, accept: Accept = "lossless", order: Order = "sorted", paired_only: bool = False
) -> Any:
    """Packed rows as typed rows, in the kind that was given; what is no envelope stays as it is.

    Args:
        data: JSON text (bytes-like) or parsed objects: one row, or a list of rows.
        accept: Which envelopes are taken apart.
        order: Key order that `exact` and `canonical` ask for.
        paired_only: Take apart only what belongs to complete cycles.

    Raises:
        DecodeError: the input is no JSON, or neither an object nor a list; nothing else.
    """
    check_option("accept", accept, Accept)
    check_option("order", order, Order)
    check_flag("paired_only", paired_only)

    def work(source: bytes) -> bytes:
        document = read_document(source)
        nodes = [node for node, _ in elements(document)]
        lifted = [_lift(node, accept, order) for node in nodes]
        chosen = [found if isinstance(found, _Lifted) else None for found in lifted]
        if paired_only:
            chosen = _paired(nodes, chosen) if isinstance(document, JsonArray) else [None]
        rows = [
            node.raw if found is None else found.write() for node, found in zip(nodes, chosen, strict=True)
        ]
        return rows[0] if isinstance(document, JsonObject) else write_array(rows)

    return same_kind(data, work)


def _paired(nodes: Sequence[JsonNode], lifted: Sequence[_Lifted | None]) -> list[_Lifted | None]:
    """Only the rows that belong to complete cycles."""
    steps = [
        _typed_step(node) if found is None else found.step()
        for node, found in zip(nodes, lifted, strict=True)
    ]
    kept = pair(steps).kept
    return [found if keep else None for found, keep in zip(lifted, kept, strict=True)]


_NOT_AN_ENVELOPE = ("not_json", "not_object", "no_calls", "no_call_id")


def refused_envelopes(
    data: Any, *, accept: Accept = "lossless", order: Order = "sorted"
) -> list[dict[str, Any]]:
    """Rows that look like an envelope and stay text: `index` and `code` of each.

    Raises:
        DecodeError: as `unpack`.
    """
    check_option("accept", accept, Accept)
    check_option("order", order, Order)

    def work(source: bytes) -> list[dict[str, Any]]:
        found = [_lift(node, accept, order) for node, _ in elements(read_document(source))]
        return [
            {"index": index, "code": code}
            for index, code in enumerate(found)
            if isinstance(code, str) and code not in _NOT_AN_ENVELOPE
        ]

    return in_kind(data, work)[0]
