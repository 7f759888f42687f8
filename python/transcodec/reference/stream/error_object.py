"""Errors that providers send inside of a stream, or instead of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonNumber, JsonString
from transcodec.reference.json_writer import compact, quote
from transcodec.reference.stream.delta import Fault

if TYPE_CHECKING:
    from transcodec.reference.members import Members

__all__ = ["fault_of", "fault_word", "write_error"]

_MAX_MESSAGE_BYTES = 2048


def fault_of(error: Members, *, has_type: bool = True) -> Fault:
    """The fault that an error object tells. Not `has_type`: its `type` says what kind of event it is."""
    return Fault(
        fault_word(error, "message") or _cut(compact(error.node)),
        fault_word(error, "type") if has_type else None,
        fault_word(error, "code"),
        fault_word(error, "param"),
        error.path,
    )


def fault_word(error: Members, key: str) -> str | None:
    """A string, or a code's number as it is spelt; anything else is absent: the fault shall get through."""
    value = error.get(key)
    if isinstance(value, JsonNumber) and key == "code":
        return value.raw.decode("ascii")
    return (value.value or None) if isinstance(value, JsonString) else None


def write_error(fault: Fault, default_type: str) -> str:
    """The object that tells an error, as an event of a stream and instead of a body."""
    kind = default_type if fault.type is None else fault.type
    return (
        f'{{"error":{{"message":{quote(fault.message)},"type":{quote(kind)},'
        f'"param":{quote(fault.param)},"code":{quote(fault.code)}}}}}'
    )


def _cut(text: str) -> str:
    return text.encode("utf-8")[:_MAX_MESSAGE_BYTES].decode("utf-8", "ignore")
