"""Lenient access to members: what has another type counts as absent. The translation tells of it."""

from __future__ import annotations

from typing import Any

__all__ = ["as_index", "as_list", "as_object", "as_text"]


def as_object(value: Any) -> dict[str, Any]:
    """The object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """The string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_index(value: Any) -> int | None:
    """The unsigned integer, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
