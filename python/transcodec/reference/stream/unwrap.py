"""Free-form input out of its JSON wrapper, `{"input":"..."}`, while it streams."""

from __future__ import annotations

import re
from enum import Enum, auto

from transcodec.reference.json_writer import utf8_length
from transcodec.reference.stream.text import SurrogateJoiner

__all__ = ["Unwrapper"]

_WHITE_SPACE = " \t\n\r"
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX_DIGITS = set("0123456789abcdefABCDEF")
_CONTROL = re.compile(r"[\x00-\x1f]")


class _Place(Enum):
    OPENING = auto()
    INSIDE = auto()
    CLOSING = auto()
    #: It is no wrapper; all of it waits for the call's end.
    OTHER = auto()


class Unwrapper:
    """Decodes the one string of the wrapper.

    Text that turns out to be of another shape is given back as it is by `close`, unless some of the string
    was given out before: then what is behind the string is dropped, as is an escape that was cut. Inside the
    string, control characters and escapes that JSON does not have stand for themselves: models write them.
    """

    def __init__(self) -> None:
        self._place = _Place.OPENING
        #: What waits: before the string everything, inside it an escape that is not complete.
        self._held: list[str] = []
        self._matcher = _OpeningMatcher()
        self._closing = ""
        self._joiner = SurrogateJoiner()
        self._is_clean = True
        #: UTF-8 bytes of text of which it is not known yet, or known not to be, a wrapper.
        self.held_bytes = 0
        #: A lone surrogate became U+FFFD.
        self.replaced = False

    def feed(self, text: str) -> str:
        """More of the wrapper; what it says."""
        if self._place is _Place.OPENING:
            self._hold(text)
            used = self._matcher.feed(text)
            if used is None:
                if self._matcher.has_failed:
                    self._place = _Place.OTHER
                return ""
            self._place = _Place.INSIDE
            self._held.clear()
            self.held_bytes = 0
            text = text[used:]
        elif self._place is _Place.OTHER:
            self._hold(text)
            return ""
        if self._place is _Place.INSIDE:
            return self._inside(text)
        self._close(text)
        return ""

    @property
    def is_cut(self) -> bool:
        """Whether something behind the string, or an escape that is not complete, gets lost."""
        if self._place is _Place.INSIDE:
            return bool(self._held)
        return self._place is _Place.CLOSING and self._closing not in ("", "}")

    def close(self) -> tuple[str, bool]:
        """What is left to say, and whether all of it was a wrapper. Nothing at all is an empty input."""
        if self._place in (_Place.OPENING, _Place.OTHER):
            text = "".join(self._held)
            return text, not text
        rest, replaced_at = self._joiner.flush()
        self.replaced |= replaced_at is not None
        return rest, self._place is _Place.CLOSING and self._is_clean and self._closing == "}"

    def _hold(self, text: str) -> None:
        self._held.append(text)
        self.held_bytes += utf8_length(text)

    def _inside(self, text: str) -> str:
        text = "".join(self._held) + text
        self._held.clear()
        said: list[str] = []
        at = 0
        while at < len(text):
            if text[at] == '"':
                self._place = _Place.CLOSING
                self._close(text[at + 1 :])
                break
            if text[at] != "\\":
                end = _end_of_plain(text, at)
                said.append(text[at:end])
                at = end
                continue
            length = _escape_length(text, at)
            if length is None:
                self._held.append(text[at:])
                break
            said.append(self._escape(text[at : at + length]))
            at += length
        plain = "".join(said)
        if _CONTROL.search(text[:at]):
            self._is_clean = False
        out, replaced_at = self._joiner.feed(plain, "")
        self.replaced |= replaced_at is not None
        return out

    def _escape(self, escape: str) -> str:
        if escape[1] in _ESCAPES:
            return _ESCAPES[escape[1]]
        digits = escape[2:]
        if digits:
            return chr(int(digits, 16))
        self._is_clean = False
        return escape

    def _close(self, text: str) -> None:
        """What stands behind the string: `}` and nothing more, to be a wrapper."""
        for char in text:
            if len(self._closing) < len("}}") and char not in _WHITE_SPACE:
                self._closing += char


class _OpeningMatcher:
    """Matches `{"input":"`, with white space between the tokens, however it is cut."""

    _TOKENS = ("{", '"input"', ":", '"')

    def __init__(self) -> None:
        self._token = 0
        self._in_token = 0
        self.has_failed = False

    def feed(self, text: str) -> int | None:
        """How much of the text belongs to the opening that it completes; None if it is not complete."""
        for at, char in enumerate(text):
            token = self._TOKENS[self._token]
            if self._in_token == 0 and char in _WHITE_SPACE:
                continue
            if char != token[self._in_token]:
                self.has_failed = True
                return None
            self._in_token += 1
            if self._in_token == len(token):
                self._token, self._in_token = self._token + 1, 0
                if self._token == len(self._TOKENS):
                    return at + 1
        return None


def _end_of_plain(text: str, at: int) -> int:
    ends = [end for end in (text.find('"', at), text.find("\\", at)) if end >= 0]
    return min(ends, default=len(text))


def _escape_length(text: str, at: int) -> int | None:
    """Length of the escape at a backslash; None if it is not complete. One that JSON does not have is two."""
    kind = text[at + 1 : at + 2]
    if not kind:
        return None
    if kind != "u":
        return 2
    digits = text[at + 2 : at + 6]
    if any(digit not in _HEX_DIGITS for digit in digits):
        return 2
    return 6 if len(digits) == 4 else None
