"""Why a choice ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.stream import delta as d

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["finish_deltas"]

_REASONS: Mapping[str, d.FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
    "function_call": "tool_calls",
}
#: Gemini's words for calls that went wrong, and one that some gateways have.
_FAULTS = {
    "error",
    "malformed_function_call",
    "malformed_response",
    "missing_thought_signature",
    "too_many_tool_calls",
    "unexpected_tool_call",
}
#: Words that the format does not have; every other one is `stop`.
_FOREIGN: Mapping[str, d.FinishReason] = {
    "max_tokens": "length",
    **dict.fromkeys(
        (
            "blocklist",
            "image_prohibited_content",
            "image_recitation",
            "image_safety",
            "language",
            "model_armor",
            "prohibited_content",
            "recitation",
            "safety",
            "spii",
        ),
        "content_filter",
    ),
}


def finish_deltas(word: str, choice: int, path: str) -> Iterator[d.Delta]:
    """The deltas of a finish reason; the path is its own."""
    known = _REASONS.get(word)
    if known is not None:
        yield d.Finish(known, choice)
    elif word.lower() in _FAULTS:
        yield d.Fault(word, code=word, path=path, choice=choice)
    else:
        yield d.Lost("finish_reason.unknown", path, word, once=word, choice=choice)
        yield d.Finish(_FOREIGN.get(word.lower(), "stop"), choice)
