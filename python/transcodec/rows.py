"""Rows and history entries as Python objects: docs/envelopes.md, sections 2 and 3.

All classes are frozen and keyword-only, so that a new field breaks no caller. `to_dict()` gives the JSON form
that `pack`, `to_typed_messages` and their kin take; `from_dict` and `from_json` read it strictly.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, get_args

from transcodec.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "CallsEntry",
    "ChatEntry",
    "Entry",
    "Message",
    "ResultsEntry",
    "Role",
    "ToolCall",
    "ToolResult",
    "entry_from_dict",
]

Role = Literal["system", "user", "assistant", "tool"]


# --- reading ------------------------------------------------------------------------------------


class _JsonObject(dict[str, Any]):
    """An object as it was read, with the keys that stand in it more than once."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: set[str] = set()
        if len(self) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                (self.repeated if key in seen else seen).add(key)


def _read_json(text: str | bytes) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_JsonObject, parse_constant=_no_constant)
    except RecursionError:
        raise DecodeError("nesting_too_deep", "brackets are nested too deep") from None
    except UnicodeDecodeError:
        raise DecodeError("invalid_utf8", "the input is no UTF-8 text") from None
    except ValueError:
        raise DecodeError("invalid_json", "the input is no JSON text") from None


def _no_constant(_name: str) -> NoReturn:
    raise ValueError("NaN and infinities are no JSON")


def _plain(value: Any) -> Any:
    """Without our marks of repeated keys."""
    if isinstance(value, _JsonObject):
        return {key: _plain(member) for key, member in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _object(value: Any, path: str, known: Iterable[str]) -> dict[str, Any]:
    """The known members that are not null."""
    if not isinstance(value, dict):
        raise DecodeError("invalid_type", "an object is needed", None, path)
    for name in known:
        if isinstance(value, _JsonObject) and name in value.repeated:
            raise DecodeError(
                "duplicate_key", "the member stands twice in one object", None, f"{path}/{name}"
            )
    return {name: value[name] for name in known if value.get(name) is not None}


def _needed(found: dict[str, Any], path: str, name: str) -> Any:
    if name not in found:
        raise DecodeError("missing_member", "the member is missing", None, f"{path}/{name}")
    return found[name]


def _typed(value: Any, kind: type, path: str) -> Any:
    if not isinstance(value, kind):
        raise DecodeError("invalid_type", "the member has another type", None, path)
    return value


def _text(found: dict[str, Any], path: str, name: str) -> str:
    return str(_typed(_needed(found, path, name), str, f"{path}/{name}"))


def _optional_text(found: dict[str, Any], path: str, name: str) -> str | None:
    return _text(found, path, name) if name in found else None


def _role(found: dict[str, Any], path: str) -> Role:
    role = _text(found, path, "role")
    for known in get_args(Role):
        if role == known:
            return known  # type: ignore[no-any-return]  # get_args knows no types
    raise DecodeError(
        "unknown_role", "the role is none of system, user, assistant, tool", None, f"{path}/role"
    )


def _present(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _to_json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


# --- rows ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call.

    Attributes:
        id: The provider's id.
        name: Name of the tool.
        arguments: The provider's exact text; never parsed.
        extra_content: Any JSON that belongs to the call, such as Gemini's thought signature.
    """

    id: str
    name: str
    arguments: str
    extra_content: Any = None

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        call = {"id": self.id, "name": self.name, "arguments": self.arguments}
        return {**call, **_present(extra_content=self.extra_content)}

    def to_json(self) -> str:
        """Compact JSON text."""
        return _to_json(self.to_dict())

    @classmethod
    def from_dict(cls, value: Any, *, path: str = "") -> Self:
        """Read the JSON form.

        Raises:
            DecodeError: `invalid_type`, `missing_member`, `duplicate_key`.
        """
        found = _object(value, path, ("id", "name", "arguments", "extra_content"))
        return cls(
            id=_text(found, path, "id"),
            name=_text(found, path, "name"),
            arguments=_text(found, path, "arguments"),
            extra_content=_plain(found.get("extra_content")),
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read JSON text; raises as `from_dict`, and `invalid_json`."""
        return cls.from_dict(_read_json(text))


def _calls(found: dict[str, Any], path: str) -> tuple[ToolCall, ...]:
    calls = _typed(found.get("tool_calls", []), list, f"{path}/tool_calls")
    return tuple(
        ToolCall.from_dict(call, path=f"{path}/tool_calls/{index}") for index, call in enumerate(calls)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A flat row toward a provider.

    Attributes:
        role: `system`, `user`, `assistant` or `tool`.
        content: The text; None only on an assistant row with calls, where the model gave no text at all.
        extra_metadata: The host's own JSON; carried, never looked into.
        tool_calls: The calls of an assistant row.
        tool_call_id: On a tool row, the call that it answers.
        reasoning_content: The reasoning of an assistant row; `""` is not absent.
        name: On a tool row, the name of the tool.
    """

    role: Role
    content: str | None
    extra_metadata: Any = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    reasoning_content: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            raise ValueError(f"role must be one of {', '.join(get_args(Role))}")
        if self.content is None and not (self.role == "assistant" and self.tool_calls):
            raise ValueError("content may be None only on an assistant row with calls")

    @classmethod
    def system(cls, text: str) -> Self:
        """A system row."""
        return cls(role="system", content=text)

    @classmethod
    def user(cls, text: str) -> Self:
        """A user row."""
        return cls(role="user", content=text)

    @classmethod
    def assistant(cls, text: str) -> Self:
        """An assistant row without calls."""
        return cls(role="assistant", content=text)

    @classmethod
    def tool(cls, text: str) -> Self:
        """A tool row that answers no call."""
        return cls(role="tool", content=text)

    @classmethod
    def assistant_with_calls(
        cls, *, text: str | None, tool_calls: Iterable[ToolCall], reasoning_content: str | None = None
    ) -> Self:
        """An assistant row with calls."""
        calls = tuple(tool_calls)
        return cls(role="assistant", content=text, tool_calls=calls, reasoning_content=reasoning_content)

    @classmethod
    def tool_result(cls, *, tool_call_id: str, content: str, name: str | None = None) -> Self:
        """A tool row that answers a call."""
        return cls(role="tool", content=content, tool_call_id=tool_call_id, name=name)

    def with_metadata(self, extra_metadata: Any) -> Self:
        """The same row with other metadata."""
        return replace(self, extra_metadata=extra_metadata)

    def to_dict(self) -> dict[str, Any]:
        """JSON form; what is absent or empty is left out, but never role and content."""
        calls = [call.to_dict() for call in self.tool_calls]
        optional = _present(
            extra_metadata=self.extra_metadata,
            tool_calls=calls or None,
            tool_call_id=self.tool_call_id,
            reasoning_content=self.reasoning_content,
            name=self.name,
        )
        return {"role": self.role, "content": self.content, **optional}

    def to_json(self) -> str:
        """Compact JSON text."""
        return _to_json(self.to_dict())

    @classmethod
    def from_dict(cls, value: Any, *, path: str = "") -> Self:
        """Read the JSON form.

        Raises:
            DecodeError: `invalid_type`, `missing_member`, `duplicate_key`, `unknown_role`.
        """
        names = (
            "role",
            "content",
            "extra_metadata",
            "tool_calls",
            "tool_call_id",
            "reasoning_content",
            "name",
        )
        found = _object(value, path, names)
        role = _role(found, path)
        calls = _calls(found, path)
        textless = role == "assistant" and bool(calls)
        return cls(
            role=role,
            content=_optional_text(found, path, "content") if textless else _text(found, path, "content"),
            extra_metadata=_plain(found.get("extra_metadata")),
            tool_calls=calls,
            tool_call_id=_optional_text(found, path, "tool_call_id"),
            reasoning_content=_optional_text(found, path, "reasoning_content"),
            name=_optional_text(found, path, "name"),
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read JSON text; raises as `from_dict`, and `invalid_json`."""
        return cls.from_dict(_read_json(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A result of a `ResultsEntry`.

    Attributes:
        tool_call_id: The call that it answers.
        content: The output.
        trusted_verbatim: Text dialects show the output alone and unescaped.
        name: Name of the tool, if known.
    """

    tool_call_id: str
    content: str
    trusted_verbatim: bool = False
    name: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "tool_call_id": self.tool_call_id,
            "content": self.content,
            "trusted_verbatim": self.trusted_verbatim,
            **_present(name=self.name),
        }

    def to_json(self) -> str:
        """Compact JSON text."""
        return _to_json(self.to_dict())

    @classmethod
    def from_dict(cls, value: Any, *, path: str = "") -> Self:
        """Read the JSON form.

        Raises:
            DecodeError: `invalid_type`, `missing_member`, `duplicate_key`.
        """
        found = _object(value, path, ("tool_call_id", "content", "trusted_verbatim", "name"))
        return cls(
            tool_call_id=_text(found, path, "tool_call_id"),
            content=_text(found, path, "content"),
            trusted_verbatim=_typed(found.get("trusted_verbatim", False), bool, f"{path}/trusted_verbatim"),
            name=_optional_text(found, path, "name"),
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read JSON text; raises as `from_dict`, and `invalid_json`."""
        return cls.from_dict(_read_json(text))


# --- entries ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatEntry:
    """A row of a history."""

    message: Message

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"kind": "chat", "message": self.message.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsEntry:
    """An assistant turn with calls.

    Attributes:
        text: What the model said; None if it said nothing, which is not the same as `""`.
        tool_calls: Its calls.
        reasoning_content: Its reasoning.
        extra_metadata: The host's own JSON.
    """

    text: str | None = None
    tool_calls: tuple[ToolCall, ...]
    reasoning_content: str | None = None
    extra_metadata: Any = None

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        calls = [call.to_dict() for call in self.tool_calls]
        optional = _present(reasoning_content=self.reasoning_content, extra_metadata=self.extra_metadata)
        return {"kind": "calls", "text": self.text, "tool_calls": calls, **optional}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsEntry:
    """The results of the call turn before it."""

    results: tuple[ToolResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"kind": "results", "results": [result.to_dict() for result in self.results]}


Entry = ChatEntry | CallsEntry | ResultsEntry


def entry_from_dict(value: Any, *, path: str = "") -> Entry:
    """Read the JSON form of an entry; a row is a `ChatEntry`.

    Raises:
        DecodeError: `invalid_type`, `missing_member`, `duplicate_key`, `unknown_role`, `unknown_entry`.
    """
    kind = _object(value, path, ("kind",)).get("kind")
    if "role" in value:
        return ChatEntry(message=Message.from_dict(value, path=path))
    if kind == "chat":
        found = _object(value, path, ("message",))
        message = Message.from_dict(_needed(found, path, "message"), path=f"{path}/message")
        return ChatEntry(message=message)
    if kind == "calls":
        found = _object(value, path, ("text", "tool_calls", "reasoning_content", "extra_metadata"))
        _needed(found, path, "tool_calls")
        return CallsEntry(
            text=_optional_text(found, path, "text"),
            tool_calls=_calls(found, path),
            reasoning_content=_optional_text(found, path, "reasoning_content"),
            extra_metadata=_plain(found.get("extra_metadata")),
        )
    if kind == "results":
        found = _object(value, path, ("results",))
        results = _typed(_needed(found, path, "results"), list, f"{path}/results")
        read = [ToolResult.from_dict(item, path=f"{path}/results/{at}") for at, item in enumerate(results)]
        return ResultsEntry(results=tuple(read))
    raise DecodeError(
        "unknown_entry",
        "the object is neither a row nor an entry",
        None,
        f"{path}/kind" if "kind" in value else path,
    )
