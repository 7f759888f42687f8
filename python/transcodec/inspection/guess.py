"""Which format a stream is in."""

from __future__ import annotations

from typing import Any

from transcodec.inspection.members import as_text

__all__ = ["guess_format"]


def guess_format(value: dict[str, Any], name: str | None) -> str | None:
    """The format of an event or body; None if it does not tell."""
    kind = as_text(value.get("type")) or name or ""
    if kind.startswith("response.") or value.get("object") == "response":
        return "openai_responses"
    if as_text(value.get("object")).startswith("chat.completion") or isinstance(value.get("choices"), list):
        return "openai_chat"
    return None
