"""How a dialect replays history: text dialects by default, the native one packed or typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transcodec.reference.transcript import replay

if TYPE_CHECKING:
    from transcodec.replay import Replay


class TextDialect:
    """Replays plain rows, in both forms; dialects that write calls as text build on it."""

    def to_provider_messages(self, history: Any) -> Replay[Any]:
        """Rows toward the provider."""
        return replay.to_text_messages(history)

    def to_typed_messages(self, history: Any) -> Replay[Any]:
        """The same rows with structure in fields, where the dialect has some: text has none."""
        return self.to_provider_messages(history)


class NativeDialect(TextDialect):
    """Replays complete tool cycles, packed or typed, with default options."""

    def to_provider_messages(self, history: Any) -> Replay[Any]:
        """Packed rows."""
        return replay.to_provider_messages(history)

    def to_typed_messages(self, history: Any) -> Replay[Any]:
        """Typed rows."""
        return replay.to_typed_messages(history)
