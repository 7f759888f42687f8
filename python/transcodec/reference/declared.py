"""Tools as requests of all formats declare them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from transcodec.reference.members import as_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.reference.members import Members

__all__ = ["ToolKind", "declared_tools"]

#: A function takes JSON arguments, a custom tool free text.
ToolKind = Literal["function", "custom"]


def declared_tools(request: Members) -> Iterator[tuple[Members, ToolKind]]:
    """The function and custom tools; others are the provider's own."""
    for item, path in request.array("tools"):
        tool = as_object(item, path)
        kind = tool.string("type")
        if kind == "function":
            yield tool, "function"
        elif kind == "custom":
            yield tool, "custom"
