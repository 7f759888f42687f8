"""Whole response bodies."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from transcodec._native import translate_response_bytes
from transcodec.losses import Loss
from transcodec.usage import Usage

__all__ = ["Translated", "translate_response"]

Body = TypeVar("Body", bytes, dict[str, Any])


@dataclass(frozen=True, slots=True)
class Translated(Generic[Body]):
    """A translated body.

    Attributes:
        body: Of the kind that was given: JSON bytes, or a parsed object.
        losses: What the target could not say.
        outcome: `completed` or `incomplete`.
        usage: Token counts, or None.
    """

    body: Body
    losses: list[Loss]
    outcome: str
    usage: Usage | None


def translate_response(body: Body, /, *, source: str, target: str, **options: Any) -> Translated[Body]:
    """Translate a response body by the same rules, and the same code, as a stream of the same answer.

    Args:
        body: JSON bytes (any buffer), or the parsed object; the same kind comes back.
        source: Format of `body`.
        target: Format of the result.
        options: `context`, `model`, `response_id`, `created`, `id_seed`, `include_usage`, `reasoning_field`,
            `on_loss`, `same_format`, `think_tags` as for `StreamTranslator`; `max_body_bytes`.

    Raises:
        DecodeError: The body is wrong; or it is an error or an answer that failed (code `upstream_error`).
        TruncatedError: The body does not say how the answer ended.
        UnsupportedError: `on_loss="error"` and content would get lost.
            The `.output` of each is the target's error body (with `same_format="verbatim"` the body itself).
    """
    if isinstance(body, dict):
        given = json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode()
        text, losses, outcome, usage = translate_response_bytes(given, source, target, **options)
        return Translated(json.loads(text), losses, outcome, usage)
    translated, losses, outcome, usage = translate_response_bytes(body, source, target, **options)
    return Translated(translated, losses, outcome, usage)
