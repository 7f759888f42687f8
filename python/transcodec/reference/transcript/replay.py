"""A history as rows toward a provider, paired: docs/envelopes.md, sections 7 and 8."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from transcodec.errors import UnsupportedError
from transcodec.losses import Loss
from transcodec.reference.transcript.envelope import Refused, envelope_object, written_text
from transcodec.reference.transcript.json_text import (
    Order,
    check_option,
    elements,
    fault,
    has_lone_surrogate,
    in_kind,
    read_document,
    write_array,
    write_object,
    write_string,
)
from transcodec.reference.transcript.packing import packed_rows, step_of, write_row
from transcodec.reference.transcript.pairing import DuplicateIds, SplitResults, pair
from transcodec.reference.transcript.rows import (
    Call,
    CallTurn,
    Entry,
    PlainRow,
    ResultItem,
    ResultsRecord,
    Riders,
    read_entry,
)
from transcodec.replay import Replay, Unpaired

OnUnpaired = Literal["drop", "text", "keep", "error"]


def to_provider_messages(
    history: Any,
    *,
    order: Order = "sorted",
    unpaired: OnUnpaired = "drop",
    split_results: SplitResults = "merge",
    duplicate_ids: DuplicateIds = "drop",
) -> Replay[Any]:
    """A history as packed rows, complete cycles only.

    Args:
        history: JSON text (bytes-like) or parsed objects: rows and entries.
        order: Key order of the envelopes.
        unpaired: What becomes of a cycle that does not pair.
        split_results: Whether several records may answer a call turn.
        duplicate_ids: Whether repeated ids are a failure.

    Raises:
        DecodeError: as `pack`.
        UnsupportedError: `unpaired`, if that is an error.
    """
    check_option("order", order, Order)
    replay = _Replaying(unpaired, split_results, duplicate_ids)
    return replay.run(history, lambda entry: packed_rows(entry, order))


def to_typed_messages(
    history: Any,
    *,
    unpaired: OnUnpaired = "drop",
    split_results: SplitResults = "merge",
    duplicate_ids: DuplicateIds = "drop",
) -> Replay[Any]:
    """The same rows as `to_provider_messages` in the same order, with structure in fields.

    Args:
        history: JSON text (bytes-like) or parsed objects: rows and entries.
        unpaired: What becomes of a cycle that does not pair.
        split_results: Whether several records may answer a call turn.
        duplicate_ids: Whether repeated ids are a failure.

    Raises:
        DecodeError: as `pack`, but lone surrogates and depth are no matter.
        UnsupportedError: `unpaired`, if that is an error.
    """
    return _Replaying(unpaired, split_results, duplicate_ids).run(history, typed_rows)


def typed_rows(entry: Entry) -> list[bytes]:
    """An entry in the typed form."""
    if isinstance(entry, PlainRow):
        return [entry.node.raw]
    if entry.row is not None:
        return [entry.row.raw]
    if isinstance(entry, CallTurn):
        content = b"null" if entry.text is None else entry.text.raw
        members = {"role": b'"assistant"', "content": content}
        if entry.calls:
            members["tool_calls"] = entry.calls_text
        elif entry.text is None:
            members["content"] = b'""'
        if entry.reasoning is not None:
            members["reasoning_content"] = entry.reasoning.raw
        return [write_row(members, entry.riders)]
    return [_typed_result(result) for result in entry.results]


def _typed_result(result: ResultItem) -> bytes:
    members = {"role": b'"tool"', "content": result.content.raw, "tool_call_id": result.id.raw}
    if result.name is not None:
        members["name"] = result.name.raw
    return write_row(members, Riders())


class _Replaying:
    """Pairing with its options, and what becomes of the entries that fail."""

    def __init__(
        self, unpaired: OnUnpaired, split_results: SplitResults, duplicate_ids: DuplicateIds
    ) -> None:
        check_option("unpaired", unpaired, OnUnpaired)
        check_option("split_results", split_results, SplitResults)
        check_option("duplicate_ids", duplicate_ids, DuplicateIds)
        self.on_unpaired = unpaired
        self.split_results = split_results
        self.duplicate_ids = duplicate_ids

    def run(self, history: Any, write: Any) -> Replay[Any]:
        """Judge all entries, pair them, write what is kept."""
        reports: list[Unpaired] = []

        def work(source: bytes) -> bytes:
            entries = read_history(source)
            pairing = pair(
                [step_of(entry) for entry in entries],
                split_results=self.split_results,
                duplicate_ids=self.duplicate_ids,
            )
            reports.extend(pairing.unpaired)
            if reports and self.on_unpaired == "error":
                first = reports[0]
                message = f"a tool cycle does not pair: {first.code}"
                raise UnsupportedError("unpaired", message, None, f"/{first.index}")
            rows: list[bytes] = []
            for entry, kept in zip(entries, pairing.kept, strict=True):
                if kept or self.on_unpaired == "keep":
                    rows += write(entry)
                elif self.on_unpaired == "text" and isinstance(entry, CallTurn):
                    rows += _text_left(entry)
            return write_array(rows)

        output, objects = in_kind(history, work)
        messages = json.loads(output) if objects else output
        found = tuple(reports)
        return Replay(messages=messages, unpaired=found, dropped=() if self.on_unpaired == "keep" else found)


def _text_left(turn: CallTurn) -> list[bytes]:
    """The plain row that a dropped call turn leaves, if it has text."""
    if turn.text is None or not turn.text.value:
        return []
    members = {"role": b'"assistant"', "content": turn.text.raw}
    if turn.reasoning is not None:
        members["reasoning_content"] = turn.reasoning.raw
    return [write_row(members, _metadata(turn.riders))]


def _metadata(rest: Riders) -> Riders:
    """What rides on a row that is structured no more."""
    known = {name: node for name, node in rest.known.items() if name == "extra_metadata"}
    return Riders(known, rest.unknown)


def read_history(source: bytes) -> list[Entry]:
    """All entries of a history, judged."""
    return [read_entry(node, path or "") for node, path in elements(read_document(source))]


# --- text dialects --------------------------------------------------------------------------------

_BANNER = "[Tool results]\n"
_ATTRIBUTE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_MARKUP = re.compile(r"<(?=/?tool_(?:result|call)(?:[ \t\n\f\r\v>/]|\Z))", re.IGNORECASE | re.ASCII)


def to_text_messages(history: Any) -> Replay[Any]:
    """A history as plain rows for text dialects; nothing is paired.

    Args:
        history: JSON text (bytes-like) or parsed objects: rows and entries.

    Raises:
        DecodeError: as `pack`.
    """
    losses: list[Loss] = []

    def work(source: bytes) -> bytes:
        rows: list[bytes] = []
        for index, entry in enumerate(read_history(source)):
            if isinstance(entry, CallTurn) and entry.reasoning is not None:
                losses.append(Loss("reasoning.dropped", "metadata", f"/{index}", "reasoning_content"))
            rows += _text_rows(entry)
        return write_array(rows)

    output, objects = in_kind(history, work)
    return Replay(messages=json.loads(output) if objects else output, losses=tuple(losses))


def _text_rows(entry: Entry) -> list[bytes]:
    if isinstance(entry, PlainRow):
        return [entry.node.raw]
    rest = _metadata(entry.riders)
    if isinstance(entry, CallTurn):
        if entry.text is not None and entry.text.value:
            content = entry.text.raw
        else:
            content = write_string("\n".join(_shown_call(call) for call in entry.calls))
        return [write_row({"role": b'"assistant"', "content": content}, rest)]
    return [write_row({"role": b'"user"', "content": content}, rest) for content in _frames(entry)]


def _shown_call(call: Call) -> str:
    """A call as a model that writes calls in text would have written it."""
    name = written_text(call.name, f"{call.path}/name")
    arguments = written_text(call.arguments, f"{call.path}/arguments")
    if _is_object(call.arguments.value):
        arguments = call.arguments.value.strip(" \t\r\n").encode()
    shown = write_object([("arguments", arguments), ("name", name)]).replace(b"<", rb"\u003c")
    return f"<tool_call>{shown.decode()}</tool_call>"


def _is_object(text: str) -> bool:
    try:
        envelope_object(text)
    except Refused:
        return False
    return True


def _frames(record: ResultsRecord) -> list[bytes]:
    """Contents of the user rows that show the results."""
    contents: list[bytes] = []
    frame = _BANNER if not record.results else ""
    for result in record.results:
        if result.trusted_verbatim:
            if frame:
                contents.append(write_string(frame))
            contents.append(result.content.raw)
            frame = ""
        else:
            frame = (frame or _BANNER) + _framed(result)
    if frame:
        contents.append(write_string(frame))
    return contents


def _framed(result: ResultItem) -> str:
    for node, name in ((result.id, "tool_call_id"), (result.content, "content")):
        if has_lone_surrogate(node.value):
            raise fault("lone_surrogate", node.start, f"{result.path}/{name}")
    body = _MARKUP.sub("&lt;", result.content.value)
    return f'<tool_result id="{result.id.value.translate(_ATTRIBUTE)}">\n{body}\n</tool_result>\n'
