"""The options of a translation, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from transcodec.reference.stream.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transcodec.reference.context import Context

__all__ = ["DEFAULT_LIMITS", "Options", "check_text"]

DEFAULT_LIMITS = Limits()
#: Members of a Chat delta that reasoning must not be written to.
_TAKEN_FIELDS = {"annotations", "audio", "content", "function_call", "refusal", "role", "tool_calls"}
_MAX_UNSIGNED = 2**64 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller wants; see `StreamTranslator`."""

    context: Context | None
    model: str | None
    response_id: str | None
    created: int | None
    id_seed: str | None
    include_usage: bool | None
    reasoning_field: str | None
    think_tags: bool
    on_loss: str
    same_format: str
    collect: bool
    limits: Limits

    def __post_init__(self) -> None:
        for name in ("model", "response_id", "id_seed", "reasoning_field"):
            value = getattr(self, name)
            check_text(name, "" if value is None else value)
        if self.include_usage is not None and not isinstance(self.include_usage, bool):
            raise TypeError(f"include_usage must be a bool or None, not {type(self.include_usage).__name__}")
        for name in ("think_tags", "collect"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TypeError(f"{name} must be a bool, not {type(value).__name__}")
        if self.created is not None:
            _check_count("created", self.created)
        for name in Limits.__slots__:
            _check_count(name, getattr(self.limits, name))
        if self.on_loss not in ("report", "error"):
            raise ValueError(f"on_loss must be 'report' or 'error', not {self.on_loss!r}")
        if self.same_format not in ("clean", "verbatim"):
            raise ValueError(f"same_format must be 'clean' or 'verbatim', not {self.same_format!r}")
        if self.reasoning_field is not None and self.reasoning_field in _TAKEN_FIELDS | {""}:
            raise ValueError(f"reasoning_field must not be {self.reasoning_field!r}")

    @property
    def tools(self) -> Mapping[str, str]:
        """Kinds of the tools that the client declared."""
        return {} if self.context is None else self.context.tools

    @property
    def wants_usage(self) -> bool:
        """Whether the client gets usage: as the argument says, else the context's flag, else yes."""
        asked = None if self.context is None else self.context.include_usage
        flag = asked if self.include_usage is None else self.include_usage
        return flag is not False


def check_text(name: str, value: object) -> None:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")


def _check_count(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not 0 <= value <= _MAX_UNSIGNED:
        raise ValueError(f"{name} must be an unsigned 64-bit integer, not {value}")
