"""What a stream must know of a Responses request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.declared import declared_tools

if TYPE_CHECKING:
    from transcodec.reference.declared import ToolKind
    from transcodec.reference.members import Members

__all__ = ["read_request"]


def read_request(request: Members) -> tuple[dict[str, ToolKind], bool | None]:
    """The declared tools; the format has no flag for usage."""
    return {tool.string("name") or "": kind for tool, kind in declared_tools(request)}, None
