"""What a stream must know of a Chat Completions request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.declared import declared_tools
from transcodec.reference.json_reader import JsonLiteral
from transcodec.reference.members import as_object

if TYPE_CHECKING:
    from transcodec.reference.declared import ToolKind
    from transcodec.reference.members import Members

__all__ = ["read_request"]


def read_request(request: Members) -> tuple[dict[str, ToolKind], bool | None]:
    """The declared tools, and whether the client asked for usage."""
    tools: dict[str, ToolKind] = {}
    for tool, kind in declared_tools(request):
        named = tool.object(kind)
        if named is not None:
            tools[named.string("name") or ""] = kind
    for function, path in request.array("functions"):
        tools[as_object(function, path).string("name") or ""] = "function"
    options = request.object("stream_options")
    flag = None if options is None else options.get("include_usage")
    return tools, isinstance(flag, JsonLiteral) and flag.value is True
