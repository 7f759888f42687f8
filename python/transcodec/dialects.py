"""Dialects: the forms in which hosts replay tool rounds to a model. docs/envelopes.md, section 8."""

from __future__ import annotations

from typing import Any

from transcodec.envelopes import to_provider_messages, to_text_messages, to_typed_messages
from transcodec.replay import Replay

__all__ = ["NativeDialect", "TextDialect"]


class TextDialect:
    """A dialect whose tool rounds are plain text: it has no structure to put in fields."""

    def to_provider_messages(self, history: Any) -> Replay[Any]:
        """Replay a history as the dialect's plain rows; of the kind that is given."""
        return to_text_messages(history)

    def to_typed_messages(self, history: Any) -> Replay[Any]:
        """Replay a history in the typed form, which is the same: plain rows."""
        return self.to_provider_messages(history)


class NativeDialect(TextDialect):
    """The native dialect: envelopes, or structure in fields. It pairs, with default options."""

    def to_provider_messages(self, history: Any) -> Replay[Any]:
        """Replay a history as packed rows; of the kind that is given."""
        return to_provider_messages(history)

    def to_typed_messages(self, history: Any) -> Replay[Any]:
        """Replay a history as typed rows; of the kind that is given."""
        return to_typed_messages(history)
