"""The referee of an answer that mirrors its source: the response object, start, end, what is passed on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_responses.mirror import MirroredItems
from transcodec.reference.formats.openai_responses.mirror_objects import ResponseObject
from transcodec.reference.formats.openai_responses.objects import fault_code
from transcodec.reference.json_reader import JsonString
from transcodec.reference.json_writer import quote, well_formed
from transcodec.reference.stream import delta as d
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.hashing import fnv1a_64_hex
from transcodec.reference.stream.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transcodec.reference.stream.clean.tree import Members, Tree
    from transcodec.reference.stream.encoder import Encoder
    from transcodec.reference.stream.limits import Limits
    from transcodec.reference.stream.losses import LossLog
    from transcodec.reference.stream.turn import Outcome

__all__ = ["MirrorTurn"]

_OPEN_STATUSES = ("in_progress", "queued")


class MirrorTurn(Turn):
    """Takes what the decoder says, and says events."""

    def __init__(
        self,
        encoder: Encoder,
        losses: LossLog,
        limits: Limits,
        *,
        head: o.Head,
        tools: Mapping[str, str],
        id_seed: str,
        growing_names: bool,
        keeps_answer: bool,
    ) -> None:
        super().__init__(
            encoder,
            losses,
            limits,
            head=head,
            tools=tools,
            id_seed=id_seed,
            growing_names=growing_names,
            keeps_answer=keeps_answer,
        )
        self._object = ResponseObject()
        self._first_status = "in_progress"
        self._words_said = {"created"}
        self._items = MirroredItems(
            self._outlet,
            tools=tools,
            id_seed=id_seed,
            response_id=self._response_id,
            say_start=self._say_created,
        )
        #: Events to be passed on that came before the answer.
        self._early: list[d.Passing] = []
        self._reason: d.FinishReason | None = None

    def apply(self, delta: d.Delta) -> None:
        """Take one delta."""
        if self.is_ended:
            return
        match delta:
            case d.Start():
                if not self._outlet.is_started:
                    self._outlet.complete_head(delta)
            case d.ResponseShown():
                self._response_shown(delta)
            case d.Passing():
                if self._outlet.is_started:
                    self._pass_on(delta)
                else:
                    self._outlet.kept.take(len(delta.node.raw))
                    self._early.append(delta)
            case d.Finish():
                self._reason = delta.reason
            case d.UsageCounts() | d.Lost() | d.Fault() | d.End() | d.Alive() | d.ChoiceSeen():
                super().apply(delta)
            case _:
                self._items.apply(delta)

    def end(self) -> None:
        """Close what is open and write the closing event, if there is a reason to."""
        if self.is_ended or self._reason is None:
            return
        self._outlet.place = self._outlet.event_path
        self._begin()
        complete = self._reason in ("stop", "tool_calls")
        self._items.close_all(complete=complete)
        status = "completed" if complete else "incomplete"
        word = "max_output_tokens" if self._reason == "length" else "content_filter"
        told = None if complete else quote(word)
        written = self._response(status, ends=True, reason=told)
        self._say(f"response.{status}", {"response": written})
        reason: d.FinishReason = (
            "tool_calls" if self._reason == "stop" and self._items.has_calls else self._reason
        )
        self._outlet.said += [o.ChoiceEnded(0, reason), o.Ended(reason, self.usage)]
        self.outcome = "completed" if complete else "incomplete"

    def fail(self, fault: d.Fault, outcome: Outcome = "failed") -> None:
        """End with an error event, unless the response object told the error, and with a failed response."""
        if self.is_ended:
            return
        self._outlet.tell_lone_surrogates(fault.path, fault.message, fault.type, fault.code, fault.param)
        self._begin()
        error: Members = {"code": quote(fault_code(fault)), "message": quote(fault.message)}
        if not fault.in_response:
            self._say("error", {**error, "param": quote(fault.param)})
        self._say("response.failed", {"response": self._response("failed", ends=True, error=error)})
        self._outlet.said.append(o.Failed(fault, self.usage))
        self.fault = fault
        self.outcome = outcome

    def _response_shown(self, shown: d.ResponseShown) -> None:
        status = "in_progress" if shown.word != "queued" else "queued"
        self._object.see(shown.node)
        self._outlet.answer.take_bytes(len(shown.node.raw))
        said = shown.node.get("status")
        if isinstance(said, JsonString) and said.value in _OPEN_STATUSES:
            status = said.value
        if not shown.word:
            return
        if not self._outlet.is_started:
            self._first_status = status
            self._begin()
        if shown.word not in self._words_said:
            # Each once: the object grows with what is shown.
            self._words_said.add(shown.word)
            self._say(f"response.{shown.word}", {"response": self._response(status)})

    def _begin(self) -> None:
        if not self._outlet.is_started:
            self._outlet.ensure_started(0)
            self._say_created()

    def _say_created(self) -> None:
        self._say("response.created", {"response": self._response(self._first_status)})
        for early in self._early:
            self._pass_on(early)
        self._early.clear()

    def _pass_on(self, passing: d.Passing) -> None:
        item = self._items.known(passing.key)
        members: Members = {}
        if item is not None:
            members = {"item_id": quote(item.item_id), "output_index": str(item.index)}
        self._outlet.said.append(o.MirroredEvent({"type": quote(passing.kind), **members}, passing.node))

    def _response(
        self, status: str, *, ends: bool = False, reason: str | None = None, error: Tree = "null"
    ) -> Members:
        items: list[Tree] = [item.members() for item in self._items.items] if ends else []
        return self._object.members(
            self._outlet.head,
            status,
            items,
            self._response_id(),
            usage=self.usage if ends else None,
            reason=reason,
            error=error,
        )

    def _response_id(self) -> str:
        given = self._outlet.head.response_id
        return f"resp_{fnv1a_64_hex(self._id_seed)}" if given is None else well_formed(given)

    def _say(self, kind: str, members: Members) -> None:
        self._outlet.said.append(o.MirroredEvent({"type": quote(kind), **members}))
