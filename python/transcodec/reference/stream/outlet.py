"""Where a turn's words collect until the event that caused them is known to be good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_writer import well_formed
from transcodec.reference.stream import ordered as o
from transcodec.reference.stream.limits import AnswerBytes, Blocks, KeptBytes, check_name

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonObject
    from transcodec.reference.stream.delta import Start
    from transcodec.reference.stream.encoder import Encoder
    from transcodec.reference.stream.limits import Limits
    from transcodec.reference.stream.losses import LossLog

__all__ = ["Outlet"]


class Outlet:
    """What the choices of a turn share: the head, the bounds, the losses, and the way to the writers."""

    def __init__(
        self, encoder: Encoder, losses: LossLog, limits: Limits, *, head: o.Head, keeps_answer: bool
    ) -> None:
        self.traits = encoder.traits
        self.field_of = encoder.field_of
        self.takes_annotation = encoder.takes_annotation
        self.losses = losses
        self.max_open_calls = limits.max_open_calls
        self.kept = KeptBytes(limits.max_held_bytes)
        self.blocks = Blocks(limits.max_blocks)
        self.answer = AnswerBytes(limits.max_answer_bytes, counts=keeps_answer)
        self.open_calls = 0
        #: Ids of the calls of all choices, and what makes the next one of that id unique.
        self.call_ids: set[str] = set()
        self.next_suffix: dict[str, int] = {}
        #: Paths of the event, and of the item in it, that is being taken.
        self.event_path = self.place = ""
        self.head = head
        #: Said since the last event that was good.
        self.said: list[o.Ordered] = []
        #: Choice, number of the source part, annotation. A target with fields gets them together at the end,
        #: because a client that puts chunks together cannot append to a list without indexes.
        self.annotations: list[tuple[int, int, JsonObject]] = []
        self._started = False
        self._started_choices: set[int] = set()
        #: Of those, the ones since the last event that was good.
        self._new_choices: list[int] = []
        self._mark = (head, False, 0)

    @property
    def is_started(self) -> bool:
        """Whether the head is fixed."""
        return self._started

    def complete_head(self, start: Start) -> None:
        """Fill what the caller left open with what the source says."""
        check_name(start.response_id)
        check_name(start.model)
        given = self.head
        self.head = o.Head(
            start.response_id if given.response_id is None else given.response_id,
            start.model if given.model is None else given.model,
            start.created if given.created is None else given.created,
            given.id_is_given,
        )
        self.tell_lone_surrogates(start.path, self.head.response_id, self.head.model)

    def ensure_started(self, choice: int | None) -> None:
        """Write the start, and that of a choice, if they were not written."""
        if not self._started:
            self._started = True
            self.said.append(o.Started(self.head))
        if choice is not None and choice not in self._started_choices:
            self._started_choices.add(choice)
            self._new_choices.append(choice)
            self.said.append(o.ChoiceStarted(choice))

    def commit(self) -> list[o.Ordered]:
        """The event was good: hand over what it caused."""
        said, self.said = self.said, []
        self._new_choices.clear()
        self._mark = (self.head, self._started, len(self.annotations))
        return said

    def take_back(self) -> None:
        """The event was not good: forget what it caused. Only an error may follow."""
        if self.traits.mirrors:
            # Numbers were given away: what came of the event stays.
            return
        self.said.clear()
        self.head, self._started, annotations = self._mark
        self._started_choices.difference_update(self._new_choices)
        del self.annotations[annotations:]

    def tell_once(self, told: set[str], code: str, path: str, detail: str = "") -> None:
        """Tell a loss that is told once of an item or a part, which remember it in `told`."""
        if code not in told:
            told.add(code)
            self.losses.tell(code, path, detail)

    def tell_lone_surrogates(self, path: str, *texts: str | None) -> None:
        """Tell that texts of the answer's own metadata had to be changed."""
        if any(text is not None and text != well_formed(text) for text in texts):
            self.losses.tell("unicode.replaced", path)
