"""The referee: the only place with rules about order and identity (section 4 of DESIGN.md)."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Literal

from transcodec.reference.stream import delta as d
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.choice import Choice
from transcodec.reference.stream.outlet import Outlet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transcodec.reference.stream.encoder import Encoder
    from transcodec.reference.stream.limits import Limits
    from transcodec.reference.stream.losses import LossLog
    from transcodec.usage import Usage

__all__ = ["Outcome", "Turn"]

Outcome = Literal["completed", "incomplete", "failed", "truncated"]


class Turn:
    """One answer. `apply` takes what a decoder says; `commit` hands over what the writers are to be told.

    Args:
        encoder: The target.
        head: What the caller says of the answer.
        tools: Kinds of the tools that the client declared.
        id_seed: What ids are derived from if the source gives none.
        growing_names: The source may send the name of a call in pieces.
        keeps_answer: The answer is kept as a whole, so its length is bounded.
    """

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
        self.outcome: Outcome | None = None
        self.usage: Usage | None = None
        #: The error that ended it, if one did.
        self.fault: d.Fault | None = None
        self._losses = losses
        self._outlet = Outlet(encoder, losses, limits, head=head, keeps_answer=keeps_answer)
        self._new_choice: Callable[[int], Choice] = lambda number: Choice(
            number, self._outlet, growing_names=growing_names, tools=tools, id_seed=id_seed
        )
        self._id_seed = id_seed
        self._choices: dict[int, Choice] = {}
        #: Numbers of the choices that the target does not take.
        self._dropped: set[int] = set()
        self._has_reason = False

    @property
    def is_ended(self) -> bool:
        """Whether the client's answer is complete, well or not."""
        return self.outcome is not None

    def holds_calls(self) -> bool:
        """Whether a call waits to be opened, or text of one is held."""
        return any(choice.holds_calls for choice in self._choices.values())

    @property
    def answer_bytes_left(self) -> int:
        """Bytes that may still be kept of the answer."""
        return self._outlet.answer.left

    def commit(self) -> list[o.Ordered]:
        """What was said since the last time."""
        return self._outlet.commit()

    def at(self, event_path: str) -> None:
        """What follows comes of the event with that path; empty, if of none."""
        self._outlet.event_path = event_path

    def take_back(self) -> None:
        """Do not say what was said since the last `commit`. Only `fail` may follow."""
        self._outlet.take_back()

    def apply(self, delta: d.Delta) -> None:
        """Take one delta.

        Raises:
            LimitReached: too many blocks or open calls, too much held text, too long an answer.
            LossRefused: what the target cannot say is refused.
        """
        if self.is_ended:
            return
        match delta:
            case d.Start():
                self._start(delta)
            case d.ChoiceSeen():
                if self._choice(delta.choice, delta.path) is not None:
                    self._outlet.ensure_started(delta.choice)
            case d.UsageCounts():
                self.usage = _folded(self.usage, delta.usage)
            case d.Lost():
                self._lost(delta)
            case d.Finish():
                self._finish(delta)
            case d.Fault():
                if delta.choice is None or self._choice(delta.choice, delta.path) is not None:
                    self.fail(delta)
            case d.End():
                self.end()
            case d.Alive():
                self._outlet.said.append(o.KeptAlive())
            case d.ResponseShown() | d.PartShown() | d.TextDone() | d.Passing():
                pass
            case _:
                choice = self._choice(delta.key.choice, delta.key.path)
                if choice is not None:
                    choice.apply(delta)

    def end(self) -> None:
        """Nothing follows: close what is open and write the closing event, if there is a reason to."""
        if self.is_ended or not self._has_reason:
            return
        self._outlet.place = self._outlet.event_path
        if not self._choices:
            self._choices[0] = self._new_choice(0)
        reasons = [self._end_choice(choice) for choice in self._choices.values()]
        self._outlet.said.append(o.Ended(reasons[0], self.usage))
        self.outcome = "completed" if _is_complete(reasons[0]) else "incomplete"

    def fail(self, fault: d.Fault, outcome: Outcome = "failed") -> None:
        """End with an error event. Calls stay as they are: nothing held is sent, nothing is closed."""
        if self.is_ended:
            return
        self._outlet.tell_lone_surrogates(fault.path, fault.message, fault.type, fault.code, fault.param)
        for number in self._choices:
            self._send_annotations(number)
        if self._outlet.traits.starts_before_fault:
            self._outlet.ensure_started(None)
        self._outlet.said.append(o.Failed(fault, self.usage))
        self.fault = fault
        self.outcome = outcome

    def _choice(self, number: int, path: str) -> Choice | None:
        """The choice of that number; None, and a loss, if the target has only one and this is another."""
        if number != 0 and not self._outlet.traits.choices:
            if number not in self._dropped:
                self._outlet.blocks.take()
                self._dropped.add(number)
                self._losses.tell("choices.dropped", path)
            return None
        choice = self._choices.get(number)
        if choice is None:
            if self._choices:
                self._outlet.blocks.take()
            choice = self._choices[number] = self._new_choice(number)
        return choice

    def _start(self, start: d.Start) -> None:
        if not self._outlet.is_started:
            self._outlet.complete_head(start)
            self._outlet.ensure_started(start.choice)
            if start.choice is not None:
                self._choice(start.choice, start.path)

    def _lost(self, lost: d.Lost) -> None:
        if lost.choice is not None and self._choice(lost.choice, lost.path) is None:
            return
        once = (lost.code, lost.once) if lost.once else None
        self._losses.tell(lost.code, lost.path, lost.detail, once=once)

    def _finish(self, finish: d.Finish) -> None:
        choice = self._choice(finish.choice, "")
        if choice is not None:
            self._has_reason = True
            choice.reason = finish.reason
            self._outlet.ensure_started(finish.choice)

    def _end_choice(self, choice: Choice) -> d.FinishReason:
        """Close a choice; its reason, where a call makes `tool_calls` of a `stop`."""
        reason = choice.reason or "stop"
        choice.close_all(complete=_is_complete(reason))
        if reason == "stop" and choice.has_calls:
            reason = "tool_calls"
        self._outlet.ensure_started(choice.number)
        self._send_annotations(choice.number)
        self._outlet.said.append(o.ChoiceEnded(choice.number, reason))
        return reason

    def _send_annotations(self, choice: int) -> None:
        of_choice = [(part, each) for number, part, each in self._outlet.annotations if number == choice]
        if of_choice:
            self._outlet.said.append(o.AnnotationsOut(choice, tuple(of_choice)))


def _is_complete(reason: d.FinishReason) -> bool:
    return reason in ("stop", "tool_calls")


def _folded(known: Usage | None, later: Usage) -> Usage:
    """Of each count the last one that is known."""
    if known is None:
        return later
    given = {name: count for name, count in asdict(later).items() if count is not None}
    return replace(known, **given)
