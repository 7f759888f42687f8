"""What an inspection finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from transcodec.inspection.catalogue import ODDITIES
from transcodec.losses import Loss
from transcodec.reference.json_reader import InvalidJson, JsonObject, read_json

__all__ = ["Answer", "Call", "Fault", "Notes", "Oddity", "Report"]

#: Characters that a report shows of a text.
SHOWN_CHARACTERS = 60
#: Events that an oddity names.
SHOWN_EVENTS = 5


@dataclass(slots=True)
class Oddity:
    """One kind of oddity, however often it was met.

    Attributes:
        code: Key of `ODDITIES`.
        count: How often.
        events: Ordinals of the first events that have it, counted from 0; empty if it is the stream's.
        detail: A word about the first of them.
    """

    code: str
    count: int = 0
    events: list[int] = field(default_factory=list)
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        what = ODDITIES[self.code]
        members = {"code": self.code, "count": self.count, "events": self.events, "what": what}
        return members | ({"detail": self.detail} if self.detail else {})


class Notes:
    """Collects oddities by code; `event` is the ordinal of the event that is looked at, or None."""

    def __init__(self) -> None:
        self.event: int | None = None
        self._found: dict[str, Oddity] = {}

    def tell(self, code: str, detail: object = "", *, event: int | None = None) -> None:
        """Note an oddity of the present event, or of another one."""
        oddity = self._found.setdefault(code, Oddity(code, detail=str(detail)[:SHOWN_CHARACTERS]))
        oddity.count += 1
        ordinal = self.event if event is None else event
        if ordinal is not None and len(oddity.events) < SHOWN_EVENTS:
            oddity.events.append(ordinal)

    def listed(self) -> list[Oddity]:
        """All of them: the stream's own first, then by event."""
        return sorted(self._found.values(), key=lambda oddity: oddity.events or [-1])


@dataclass(slots=True)
class Call:
    """A call as its pieces add up."""

    id: str | None = None
    name: str | None = None
    arguments: list[str] = field(default_factory=list)
    is_custom: bool = False

    @property
    def text(self) -> str:
        """The argument text, or the input of a custom call."""
        return "".join(self.arguments)

    @property
    def validity(self) -> Literal["object", "json", "empty", "invalid", "text"]:
        """What the argument text is: a JSON object, other JSON, nothing, no JSON; free text if custom."""
        if self.is_custom:
            return "text"
        if not self.text.strip():
            return "empty"
        try:
            value = read_json(self.text.encode("utf-8", "replace"))
        except InvalidJson:
            return "invalid"
        return "object" if isinstance(value, JsonObject) else "json"

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        arguments = _shown(self.text) | {"validity": self.validity}
        return {"id": self.id, "name": self.name, "arguments": arguments}

    def tell_what_is_odd(self, notes: Notes) -> None:
        """At the end: what never came, and whether the arguments can be read."""
        if not self.id:
            notes.tell("call.id_missing")
        if not self.name:
            notes.tell("call.name_missing")
        if self.validity in {"empty", "invalid"}:
            notes.tell(f"call.arguments_{self.validity}", self.name or "")


@dataclass(slots=True)
class Answer:
    """One choice; Responses streams have one."""

    index: int = 0
    texts: list[str] = field(default_factory=list)
    reasonings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    finish: str | None = None
    calls: list[Call] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text."""
        return "".join(self.texts)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "index": self.index,
            "text": _shown(self.text),
            "reasoning": _shown("".join(self.reasonings)),
            "refusal": _shown("".join(self.refusals)),
            "calls": [call.to_dict() for call in self.calls],
            "finish": self.finish,
        }

    def tell_shared_ids(self, notes: Notes) -> None:
        """At the end: calls that cannot be told apart."""
        for call_id, count in Counter(call.id for call in self.calls if call.id).items():
            if count > 1:
                notes.tell("call.id_shared", call_id)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the translation of the stream stopped: a `TranscodecError` in short."""

    code: str
    offset: int | None
    path: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"code": self.code, "offset": self.offset, "path": self.path}


@dataclass(slots=True, kw_only=True)
class Report:
    """What is in a stream, and what is odd about it.

    Attributes:
        format: Name of its format.
        is_guessed: The format was not given.
        is_body: It is one JSON body, no stream.
        byte_count: Its length.
        event_count: Events with a payload, `[DONE]` not counted.
        keep_alive_count: Comments.
        id: Id of the answer.
        model: Name of the model.
        answers: One a choice.
        usage: Token counts as the provider wrote them.
        provider_error: The error that the provider sent.
        target: Format that it was translated to.
        outcome: As of `StreamTranslator`.
        fault: What stopped the translation.
        losses: What the target cannot say.
        loss_count: Those not listed counted as well.
        oddities: One a code.
    """

    format: str
    is_guessed: bool
    is_body: bool
    byte_count: int
    event_count: int
    keep_alive_count: int
    id: str | None
    model: str | None
    answers: list[Answer]
    usage: dict[str, Any] | None
    provider_error: Any
    target: str
    outcome: str
    fault: Fault | None
    losses: list[Loss]
    loss_count: int
    oddities: list[Oddity]

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        losses = [
            {"code": loss.code, "severity": loss.severity, "path": loss.path, "detail": loss.detail}
            for loss in self.losses
        ]
        return {
            "format": self.format,
            "guessed": self.is_guessed,
            "body": self.is_body,
            "bytes": self.byte_count,
            "events": self.event_count,
            "keep_alives": self.keep_alive_count,
            "id": self.id,
            "model": self.model,
            "answers": [answer.to_dict() for answer in self.answers],
            "usage": self.usage,
            "provider_error": self.provider_error,
            "outcome": self.outcome,
            "fault": None if self.fault is None else self.fault.to_dict(),
            "oddities": [oddity.to_dict() for oddity in self.oddities],
            "translated": {"target": self.target, "losses": losses, "loss_count": self.loss_count},
        }


def _shown(text: str) -> dict[str, Any]:
    return {"characters": len(text), "begins": text[:SHOWN_CHARACTERS]}
