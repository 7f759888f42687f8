"""Which events of the source are copied, and how the others are written (DESIGN.md, section 8)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_responses.encode import ResponsesEncoder
from transcodec.reference.formats.openai_responses.known import EVENT
from transcodec.reference.frame.sse import write_event, write_keep_alive
from transcodec.reference.json_reader import JsonString
from transcodec.reference.json_writer import keep_on_one_line
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.clean.cover import covers
from transcodec.reference.stream.clean.take_over import are_related, copied, take_over
from transcodec.reference.stream.clean.tree import passed, write_tree
from transcodec.reference.stream.encoder import Traits

if TYPE_CHECKING:
    from collections.abc import Callable

    from transcodec.reference.stream.clean.source import Source
    from transcodec.reference.stream.clean.tree import Members
    from transcodec.reference.stream.encoder import EncoderOptions
    from transcodec.reference.stream.losses import LossLog
    from transcodec.reference.stream.snapshot import Snapshot

__all__ = ["CleanResponses"]

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class CleanResponses(ResponsesEncoder):
    """Numbers the events, and holds each against the source's."""

    traits = Traits(choices=False, items=True, starts_before_fault=True, keeps_answer=True, mirrors=True)

    def __init__(self, options: EncoderOptions, snapshot: Snapshot, _losses: LossLog) -> None:
        super().__init__(options, snapshot)
        self._written: list[o.MirroredEvent] = []
        self._number = 0
        self._last_response: str | None = None

    def encode(self, ordered: o.Ordered) -> bytes:
        """Nothing but signs of life: all else is decided when all that came of an event is known."""
        if isinstance(ordered, o.KeptAlive):
            return write_keep_alive()
        if isinstance(ordered, o.MirroredEvent):
            self._written.append(ordered)
        return b""

    def settle(self, source: Source | None, *, holds: Callable[[], bool], is_body: bool) -> bytes:  # noqa: ARG002 - nothing waits
        """The events for the client."""
        written, self._written = self._written, []
        events = [self._numbered(each) for each in written]
        if events and "response" in events[-1]:
            self._last_response = write_tree(events[-1]["response"])
        if source is not None and events and not is_body:
            if len(events) == 1 and covers(source.root, events[0], EVENT):
                return write_event(copied(source.text, source.root), name=_event_name(_kind(events[0])))
            kind = source.root.get("type")
            same = (each for each in events if isinstance(kind, JsonString) and _kind(each) == kind.value)
            heir = next(same, events[0])
            if are_related(heir, source.root, EVENT):
                take_over(heir, source.root, EVENT)
        return b"".join(write_event(write_tree(each), name=_event_name(_kind(each))) for each in events)

    def body(self) -> str | None:
        """The response object that was written last."""
        return None if self._last_response is None else keep_on_one_line(self._last_response)

    def _numbered(self, event: o.MirroredEvent) -> Members:
        number = str(self._number)
        self._number += 1
        kind = event.members["type"]
        if event.source is None:
            return {"type": kind, "sequence_number": number, **event.members}
        taken = {each.key: passed(each.value) for each in event.source}
        right = {
            key: value for key, value in event.members.items() if key in taken and not _is_null(taken[key])
        }
        return {"type": kind, **taken, "sequence_number": number, **right}


def _is_null(tree: object) -> bool:
    return tree == "null"


def _kind(event: Members) -> str:
    return str(json.loads(str(event["type"])))


def _event_name(kind: str) -> str | None:
    """The `event:` line's name; none if it would break the line."""
    return None if _CONTROL.search(kind) else kind
