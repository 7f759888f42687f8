"""The keyword arguments of `StreamTranslator`, for functions that pass them on."""

from __future__ import annotations

from typing import Literal, TypedDict

from transcodec._native import Context

__all__ = ["StreamOptions"]


class StreamOptions(TypedDict, total=False):
    """What `StreamTranslator` takes by keyword; its docstring explains each."""

    context: Context | None
    model: str | None
    response_id: str | None
    created: int | None
    id_seed: str | None
    include_usage: bool | None
    reasoning_field: Literal["reasoning_content", "reasoning"] | None
    on_loss: Literal["report", "error"]
    same_format: Literal["clean", "verbatim"]
    collect: bool
    think_tags: bool
    max_event_bytes: int
    max_held_bytes: int
    max_open_calls: int
    max_blocks: int
    max_answer_bytes: int
    max_losses: int
