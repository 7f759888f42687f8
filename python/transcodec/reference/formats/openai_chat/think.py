"""Reasoning that stands in the text between `<think>` tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ThinkSplitter"]

_WHITE_SPACE = " \t\n\r"
_OPENING = "<think>"
_CLOSING = "</think>"
#: White space before the tag that is held at most, in characters; behind more of it no tag is looked for.
_MAX_WHITE_SPACE = 1024


class ThinkSplitter:
    """Splits the text of one choice, however it is cut, into reasoning and text."""

    def __init__(self) -> None:
        self._place = "before"
        self._held = ""

    @property
    def is_text(self) -> bool:
        """Whether all that follows is text."""
        return self._place == "text"

    def feed(self, text: str) -> Iterator[tuple[bool, str]]:
        """Pieces that can be told, each with whether it is reasoning."""
        text, self._held = self._held + text, ""
        if self._place == "before":
            after_space = text.lstrip(_WHITE_SPACE)
            if after_space.startswith(_OPENING):
                self._place, text = "reasoning", after_space[len(_OPENING) :]
            elif _OPENING.startswith(after_space) and len(text) - len(after_space) <= _MAX_WHITE_SPACE:
                self._held, text = text, ""
            else:
                self._place = "text"
        if self._place == "reasoning":
            reasoning, tag, text = text.partition(_CLOSING)
            if tag:
                self._place = "behind"
            else:
                self._held = _beginning_of_tag(reasoning)
                reasoning = reasoning[: len(reasoning) - len(self._held)]
            if reasoning:
                yield True, reasoning
        if self._place == "behind":
            text = text.lstrip(_WHITE_SPACE)
            if text:
                self._place = "text"
        if self._place == "text" and text:
            yield False, text

    def flush(self) -> Iterator[tuple[bool, str]]:
        """What was held because it could have been a tag: it is none."""
        held, self._held = self._held, ""
        if held:
            if self._place == "before":
                self._place = "text"
            yield self._place == "reasoning", held


def _beginning_of_tag(text: str) -> str:
    """The end of a text with which the closing tag may begin."""
    lengths = range(min(len(text), len(_CLOSING) - 1), 0, -1)
    return next((text[-length:] for length in lengths if _CLOSING.startswith(text[-length:])), "")
