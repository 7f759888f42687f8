"""A call's life: table 4.2 of DESIGN.md, as data.

`CALL_TRANSITIONS[phase, signal]` says what is done and which phase follows. The referee (`turn.Turn`) carries
the actions out; nothing else decides about calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from transcodec.reference.stream.text import SentText, SurrogateJoiner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transcodec.reference.stream.unwrap import Unwrapper

__all__ = [
    "CALL_TRANSITIONS",
    "Action",
    "Call",
    "Phase",
    "Signal",
    "Transition",
    "is_white_space",
    "may_be_placeholder",
    "without_placeholder",
]

_JSON_WHITE_SPACE = " \t\n\r"
_PLACEHOLDERS = re.compile(r"^(?:\{\}(?=[ \t\n\r]*\{))+")


class Phase(Enum):
    """How far a call is."""

    WAITING = "waiting"
    #: The source has closed it; it opens and closes once all calls before it are open or closed.
    CLOSING = "closed, but its turn has not come"
    OPEN = "open, no text sent"
    STREAMING = "streaming"
    CLOSED = "closed"


class Signal(Enum):
    """What can happen to a call."""

    READY = "it can open, and its turn has come"
    PLACEHOLDER = "text; so far it is `{`, or `{}` and white space"
    TEXT = "text"
    CLOSE = "close or end"
    CLOSE_EARLY = "close before its turn to open has come"
    CLOSE_NAMELESS = "close or end without a name"


class Action(Enum):
    """What the referee does."""

    SEND_OPENING = "send the opening chunk"
    RELEASE = "let the held text arrive again"
    HOLD = "hold the text"
    SEND = "send the text so far"
    DERIVE_ID = "without a call id: take the item id, else derive one"
    SEND_LAST = "send the held text; `{}` if a function has none"
    REPORT_LATE = "drop the text: loss delta.after_close"
    DROP_NAMELESS = "drop the call: loss tool_call.nameless if it has text"
    SEND_CLOSING = "tell that the call is complete"


@dataclass(frozen=True, slots=True)
class Transition:
    """Actions in their order, then the next phase."""

    actions: tuple[Action, ...]
    phase: Phase


_OPEN_AND_CLOSE = Transition(
    (Action.DERIVE_ID, Action.SEND_OPENING, Action.SEND_LAST, Action.SEND_CLOSING), Phase.CLOSED
)

CALL_TRANSITIONS: Mapping[tuple[Phase, Signal], Transition] = {
    (Phase.WAITING, Signal.READY): Transition((Action.SEND_OPENING, Action.RELEASE), Phase.OPEN),
    (Phase.WAITING, Signal.PLACEHOLDER): Transition((Action.HOLD,), Phase.WAITING),
    (Phase.WAITING, Signal.TEXT): Transition((Action.HOLD,), Phase.WAITING),
    (Phase.WAITING, Signal.CLOSE): _OPEN_AND_CLOSE,
    (Phase.WAITING, Signal.CLOSE_EARLY): Transition((), Phase.CLOSING),
    (Phase.WAITING, Signal.CLOSE_NAMELESS): Transition((Action.DROP_NAMELESS,), Phase.CLOSED),
    (Phase.CLOSING, Signal.READY): _OPEN_AND_CLOSE,
    (Phase.CLOSING, Signal.TEXT): Transition((Action.REPORT_LATE,), Phase.CLOSING),
    (Phase.OPEN, Signal.PLACEHOLDER): Transition((Action.HOLD,), Phase.OPEN),
    (Phase.OPEN, Signal.TEXT): Transition((Action.SEND,), Phase.STREAMING),
    (Phase.OPEN, Signal.CLOSE): Transition((Action.SEND_LAST, Action.SEND_CLOSING), Phase.CLOSED),
    (Phase.STREAMING, Signal.TEXT): Transition((Action.SEND,), Phase.STREAMING),
    (Phase.STREAMING, Signal.CLOSE): Transition((Action.SEND_CLOSING,), Phase.CLOSED),
    (Phase.CLOSED, Signal.TEXT): Transition((Action.REPORT_LATE,), Phase.CLOSED),
}


@dataclass(slots=True, eq=False)
class Call:
    """State of one call.

    Attributes:
        custom: Its text is free, not JSON.
        call_id: As the wire gives it.
        name: As the wire gives it.
        path: Path of first sight.
        ordinal: Its place in the order of opening; None before.
        complete: It was closed before the answer was cut short.
        can_open: It could open, if its turn has come.
        has_text: Text has come, sent or not.
        unwrapper: Takes its text out of a JSON wrapper, if the client wants that.
    """

    custom: bool
    path: str
    call_id: str | None = None
    name: str | None = None
    phase: Phase = Phase.WAITING
    ordinal: int | None = None
    can_open: bool = False
    has_text: bool = False
    unwrapper: Unwrapper | None = None
    complete: bool = True
    #: Pieces of text that wait, joined only when needed: a call may wait for a million of them.
    held: list[str] = field(default_factory=list)
    held_bytes: int = 0
    joiner: SurrogateJoiner = field(default_factory=SurrogateJoiner)
    sent: SentText = field(default_factory=SentText)
    #: Codes of the losses that are told once per call.
    told: set[str] = field(default_factory=set)

    @property
    def is_passed(self) -> bool:
        """Whether calls behind it need not wait for it."""
        return self.phase in (Phase.OPEN, Phase.STREAMING, Phase.CLOSED)


def is_white_space(text: str) -> bool:
    """Whether a text is nothing but white space between JSON tokens."""
    return not text.strip(_JSON_WHITE_SPACE)


def may_be_placeholder(text: str) -> bool:
    """Whether a call's text so far is a `{}` that may still give way, or the beginning of one."""
    return text == "{" or (text.startswith("{}") and is_white_space(text[2:]))


def without_placeholder(text: str) -> str:
    """The text without each leading `{}` that an object follows."""
    return _PLACEHOLDERS.sub("", text, count=1)
