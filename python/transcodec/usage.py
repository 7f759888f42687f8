"""Token counts of one answer, in one convention for all providers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts; None where the provider said nothing.

    Attributes:
        input_tokens: All tokens of the prompt, cached and cache-written ones included.
        output_tokens: All tokens of the answer, reasoning included.
        total_tokens: Input and output together, as the provider gave it.
        cached_tokens: The part of the input that was read from a cache.
        cache_write_tokens: The part of the input that was written to a cache.
        reasoning_tokens: The part of the output that is reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
