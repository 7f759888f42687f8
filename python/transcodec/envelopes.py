"""Rows, envelopes, replay, pairing and wire messages; docs/envelopes.md is the contract.

Every function takes JSON text (`bytes`, `bytearray`, `memoryview`) or parsed objects (`dict`, `list`), and
gives back the same kind. Text is the fast way: it is never parsed into objects.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypedDict, TypeVar, overload

from transcodec import _native
from transcodec.errors import DecodeError, TranscodecError
from transcodec.losses import Loss
from transcodec.replay import Replay, Unpaired

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "decode_assistant",
    "decode_tool",
    "encode_assistant",
    "encode_tool",
    "from_wire",
    "pack",
    "refusal",
    "refused_envelopes",
    "to_provider_messages",
    "to_text_messages",
    "to_typed_messages",
    "to_wire",
    "unpack",
]

Text = bytes | bytearray | memoryview
#: A row, an entry or a message.
Element = dict[str, Any]
History = list[Element]
Order = Literal["sorted", "insertion"]
Accept = Literal["lenient", "lossless", "exact", "canonical"]
Result = TypeVar("Result")


class RefusedEnvelope(TypedDict):
    """A row that looks like an envelope and stays text: its index, and the code of the rule it breaks."""

    index: int
    code: str


# --- text and objects ---------------------------------------------------------------------------


def _text_of(value: Any) -> bytes:
    """The compact JSON text that an object stands for."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise DecodeError("nesting_too_deep", "brackets are nested deeper than 128") from None
    except ValueError:
        raise DecodeError("invalid_json", "NaN and infinities are no JSON") from None
    # A lone surrogate becomes its escape.
    return text.encode("utf-8", "backslashreplace")


def _without_offset(error: TranscodecError) -> NoReturn:
    """The same error without a place in a text that the caller never saw."""
    raise type(error)(error.code, error.message, None, error.path) from None


def _apply(data: Any, convert: Callable[..., Result], *options: Any) -> Result:
    """What the native function gives for text, or for the text of an object."""
    if not isinstance(data, dict | list):
        return convert(data, *options)
    try:
        return convert(_text_of(data), *options)
    except TranscodecError as error:
        _without_offset(error)


def _same_kind(data: Any, text: bytes) -> Any:
    return json.loads(text) if isinstance(data, dict | list) else text


# --- packed rows --------------------------------------------------------------------------------


@overload
def pack(data: Text, *, order: Order = "sorted") -> bytes: ...
@overload
def pack(data: Element, *, order: Order = "sorted") -> Element | History: ...
@overload
def pack(data: History, *, order: Order = "sorted") -> History: ...
def pack(data: Text | Element | History, *, order: Order = "sorted") -> bytes | Element | History:
    """Pack typed rows or entries: call turns and results become envelopes in `content`; all else is copied.

    Nothing is paired: `to_provider_messages` does that, too.

    Args:
        data: One row or entry, or an array of them.
        order: Order of keys in the envelopes; `sorted` is what stored data has.

    Returns:
        One row for one object, an array for an array; a `results` entry alone gives an array.

    Raises:
        DecodeError: `invalid_json`, `invalid_utf8`, `nesting_too_deep`, `invalid_type`, `missing_member`,
            `duplicate_key`, `unknown_entry`, `lone_surrogate`.
        ValueError: An option value is unknown.
    """
    return _same_kind(data, _apply(data, _native.pack, order))  # type: ignore[no-any-return]  # JSON


@overload
def unpack(
    data: Text, *, accept: Accept = "lossless", order: Order = "sorted", paired_only: bool = False
) -> bytes: ...
@overload
def unpack(
    data: Element, *, accept: Accept = "lossless", order: Order = "sorted", paired_only: bool = False
) -> Element: ...
@overload
def unpack(
    data: History, *, accept: Accept = "lossless", order: Order = "sorted", paired_only: bool = False
) -> History: ...
def unpack(
    data: Text | Element | History,
    *,
    accept: Accept = "lossless",
    order: Order = "sorted",
    paired_only: bool = False,
) -> bytes | Element | History:
    """Lift envelopes into fields; whatever is no envelope stays as it is.

    Args:
        data: One packed row, or an array of them.
        accept: How much of what looks like an envelope is read as one.
        order: Order of keys that `exact` and `canonical` ask for.
        paired_only: Lift a call turn only together with all its results: an answer that imitates an envelope
            stays text.

    Raises:
        DecodeError: `invalid_json`, `invalid_utf8`, `nesting_too_deep`; `invalid_type` if the top value is
            neither array nor object.
        ValueError: An option value is unknown.
    """
    rows = _apply(data, _native.unpack, accept, order, paired_only)
    return _same_kind(data, rows)  # type: ignore[no-any-return]  # JSON


def refused_envelopes(
    data: Text | Element | History, *, accept: Accept = "lossless", order: Order = "sorted"
) -> list[RefusedEnvelope]:
    """Tell which rows look like envelopes and yet stay text, and by which rule.

    Raises:
        DecodeError: As `unpack`.
        ValueError: An option value is unknown.
    """
    refused = _apply(data, _native.refused_envelopes, accept, order)
    return [{"index": index, "code": code} for index, code in refused]


# --- one envelope -------------------------------------------------------------------------------


def _encoded(encode: Callable[[bytes, str], str], value: Any, order: str) -> str:
    if not isinstance(value, dict):
        raise TypeError(f"a dict is needed, not {type(value).__name__}")
    return _apply(value, encode, order)


def encode_assistant(value: Element, *, order: Order = "sorted") -> str:
    """Write the envelope of a call turn: `tool_calls`, and optionally `text` and `reasoning_content`.

    Raises:
        DecodeError: As `pack`.
        ValueError: An option value is unknown.
    """
    return _encoded(_native.encode_assistant, value, order)


def encode_tool(value: Element, *, order: Order = "sorted") -> str:
    """Write the envelope of a result: `tool_call_id` and `content`.

    Raises:
        DecodeError: As `pack`.
        ValueError: An option value is unknown.
    """
    return _encoded(_native.encode_tool, value, order)


def _is_unicode(content: str) -> bool:
    """Whether the text has no lone surrogate, which no envelope has."""
    try:
        content.encode()
    except UnicodeEncodeError:
        return False
    return True


def _decoded(decode: Callable[[str, str, str], bytes | None], content: str, *options: str) -> Element | None:
    # A text that is no Unicode is refused like any other that is no JSON; options are judged all the same.
    text = decode(content if _is_unicode(content) else "", *options)
    return None if text is None else json.loads(text)


def decode_assistant(content: str, *, accept: Accept = "lenient", order: Order = "sorted") -> Element | None:
    """Read the envelope of a call turn: `text`, `tool_calls`, `reasoning_content`; None if it is none.

    Raises:
        ValueError: An option value is unknown.
    """
    return _decoded(_native.decode_assistant, content, accept, order)


def decode_tool(content: str, *, accept: Accept = "lenient", order: Order = "sorted") -> Element | None:
    """Read the envelope of a result: `tool_call_id` and `content`; None if it is none.

    Raises:
        ValueError: An option value is unknown.
    """
    return _decoded(_native.decode_tool, content, accept, order)


def refusal(
    content: str, *, role: Literal["assistant", "tool"], accept: Accept = "lossless", order: Order = "sorted"
) -> str | None:
    """Tell the first rule by which a text is not read as an envelope; None if it is.

    Raises:
        ValueError: An option value is unknown.
    """
    return _native.refusal(content if _is_unicode(content) else "", role, accept, order)


# --- replay -------------------------------------------------------------------------------------


def _replay(data: Any, found: tuple[bytes, list[tuple[Any, ...]]], unpaired: str) -> Replay[Any]:
    rows, reports = found
    listed = tuple(Unpaired(code=code, entries=entries, ids=ids) for code, entries, ids in reports)
    dropped = () if unpaired == "keep" else listed
    return Replay(messages=_same_kind(data, rows), unpaired=listed, dropped=dropped)


@overload
def to_provider_messages(
    history: Text,
    *,
    order: Order = "sorted",
    unpaired: Literal["drop", "text", "keep", "error"] = "drop",
    split_results: Literal["merge", "drop"] = "merge",
    duplicate_ids: Literal["drop", "keep"] = "drop",
) -> Replay[bytes]: ...
@overload
def to_provider_messages(
    history: Element | History,
    *,
    order: Order = "sorted",
    unpaired: Literal["drop", "text", "keep", "error"] = "drop",
    split_results: Literal["merge", "drop"] = "merge",
    duplicate_ids: Literal["drop", "keep"] = "drop",
) -> Replay[History]: ...
def to_provider_messages(
    history: Text | Element | History,
    *,
    order: Order = "sorted",
    unpaired: Literal["drop", "text", "keep", "error"] = "drop",
    split_results: Literal["merge", "drop"] = "merge",
    duplicate_ids: Literal["drop", "keep"] = "drop",
) -> Replay[bytes] | Replay[History]:
    """Replay a history as packed rows, call turns and results only in complete cycles.

    Args:
        history: Rows and entries.
        order: Order of keys in the envelopes.
        unpaired: `drop` leaves incomplete cycles out, `text` keeps the text of their call turns, `keep`
            leaves nothing out, `error` raises for the first.
        split_results: Whether the results of one call turn may stand in several records.
        duplicate_ids: Whether repeated ids make a cycle incomplete.

    Raises:
        DecodeError: As `pack`.
        UnsupportedError: `unpaired`.
        ValueError: An option value is unknown.
    """
    options = (order, unpaired, split_results, duplicate_ids)
    return _replay(history, _apply(history, _native.to_provider_messages, *options), unpaired)


@overload
def to_typed_messages(
    history: Text,
    *,
    unpaired: Literal["drop", "text", "keep", "error"] = "drop",
    split_results: Literal["merge", "drop"] = "merge",
    duplicate_ids: Literal["drop", "keep"] = "drop",
) -> Replay[bytes]: ...
@overload
def to_typed_messages(
    history: Element | History,
    *,
    unpaired: Literal["drop", "text", "keep", "error"] = "drop",
    split_results: Literal["merge", "drop"] = "merge",
    duplicate_ids: Literal["drop", "keep"] = "drop",
) -> Replay[History]: ...
def to_typed_messages(
    history: Text | Element | History,
    *,
    unpaired: Literal["drop", "text", "keep", "error"] = "drop",
    split_results: Literal["merge", "drop"] = "merge",
    duplicate_ids: Literal["drop", "keep"] = "drop",
) -> Replay[bytes] | Replay[History]:
    """Replay a history as typed rows: the rows of `to_provider_messages`, with structure in fields.

    Args and errors as there, but nothing is unfit for a field.
    """
    options = (unpaired, split_results, duplicate_ids)
    return _replay(history, _apply(history, _native.to_typed_messages, *options), unpaired)


@overload
def to_text_messages(history: Text) -> Replay[bytes]: ...
@overload
def to_text_messages(history: Element | History) -> Replay[History]: ...
def to_text_messages(history: Text | Element | History) -> Replay[bytes] | Replay[History]:
    """Replay a history as plain rows, for models that read tool rounds as text. Nothing is paired.

    Raises:
        DecodeError: As `pack`.
    """
    rows, without_reasoning = _apply(history, _native.to_text_messages)
    losses = tuple(
        Loss("reasoning.dropped", "metadata", f"/{index}", "reasoning_content") for index in without_reasoning
    )
    return Replay(messages=_same_kind(history, rows), losses=losses)


# --- wire ---------------------------------------------------------------------------------------


@overload
def to_wire(
    rows: Text,
    *,
    content: Literal["empty", "null", "keep"] = "empty",
    reasoning: bool = False,
    extra_content: bool = True,
) -> bytes: ...
@overload
def to_wire(
    rows: Element | History,
    *,
    content: Literal["empty", "null", "keep"] = "empty",
    reasoning: bool = False,
    extra_content: bool = True,
) -> History: ...
def to_wire(
    rows: Text | Element | History,
    *,
    content: Literal["empty", "null", "keep"] = "empty",
    reasoning: bool = False,
    extra_content: bool = True,
) -> bytes | History:
    """Write typed rows as Chat Completions messages.

    Args:
        rows: Typed rows, as `to_typed_messages` and `unpack` give them.
        content: How absent text of a call row is written: `""`, null (empty text, too), or as it is.
        reasoning: Write `reasoning_content` of assistant rows.
        extra_content: Write `extra_content` of calls.

    Raises:
        DecodeError: `invalid_json`, `invalid_utf8`, `nesting_too_deep`, `invalid_type`, `missing_member`,
            `duplicate_key`, `unknown_role`.
        ValueError: An option value is unknown.
    """
    messages = _apply(rows, _native.to_wire, content, reasoning, extra_content)
    return _same_kind(rows, messages)  # type: ignore[no-any-return]  # JSON


@overload
def from_wire(messages: Text) -> bytes: ...
@overload
def from_wire(messages: Element | History) -> History: ...
def from_wire(messages: Text | Element | History) -> bytes | History:
    """Read Chat Completions messages into typed rows.

    Raises:
        DecodeError: As `to_wire`.
        UnsupportedError: `call_type`.
    """
    return _same_kind(messages, _apply(messages, _native.from_wire))  # type: ignore[no-any-return]  # JSON
