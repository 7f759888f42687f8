"""What a stream must know of the request that it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from transcodec.errors import DecodeError
from transcodec.reference.json_reader import InvalidJson, JsonLiteral, read_json
from transcodec.reference.members import MemberFault, Members, as_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Context", "ToolKind"]

#: A function takes JSON arguments, a custom tool free text.
ToolKind = Literal["function", "custom"]

_FORMATS = ("openai_chat", "openai_responses")


@dataclass(frozen=True, slots=True)
class Context:
    """The client's own request, as far as its answer depends on it.

    Attributes:
        tools: Name of each declared tool: `function` or `custom`.
        include_usage: Whether the client asked for usage; None if its format has no such flag.
    """

    tools: Mapping[str, ToolKind]
    include_usage: bool | None = None

    @classmethod
    def from_request(cls, body: bytes | bytearray | memoryview, /, *, format: str) -> Context:
        """Read a request body.

        Args:
            body: The request as JSON.
            format: `openai_chat` or `openai_responses`.

        Raises:
            DecodeError: the body is no JSON, or a member that is needed has another type.
            ValueError: the format is unknown.
        """
        if format not in _FORMATS:
            raise ValueError(f"format must be one of {', '.join(_FORMATS)}, not {format!r}")
        try:
            request = as_object(read_json(bytes(memoryview(body))), "")
            return _of_chat(request) if format == "openai_chat" else _of_responses(request)
        except InvalidJson as fault:
            raise DecodeError(fault.code, "the request is no JSON text", fault.at, "") from None
        except MemberFault as fault:
            raise DecodeError(
                fault.code, "a member of the request is not usable", fault.at, fault.path
            ) from None


def _of_chat(request: Members) -> Context:
    tools: dict[str, ToolKind] = {}
    for tool, kind in _declared(request, "tools"):
        named = tool.object(kind)
        if named is not None:
            tools[named.string("name") or ""] = kind
    for function, path in request.array("functions"):
        tools[as_object(function, path).string("name") or ""] = "function"
    options = request.object("stream_options")
    flag = None if options is None else options.get("include_usage")
    return Context(tools, isinstance(flag, JsonLiteral) and flag.value is True)


def _of_responses(request: Members) -> Context:
    return Context({tool.string("name") or "": kind for tool, kind in _declared(request, "tools")})


def _declared(request: Members, member: str) -> Iterator[tuple[Members, ToolKind]]:
    """The function and custom tools; others are the provider's own."""
    for item, path in request.array(member):
        tool = as_object(item, path)
        kind = tool.string("type")
        if kind == "function":
            yield tool, "function"
        elif kind == "custom":
            yield tool, "custom"
