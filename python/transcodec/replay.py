"""What replaying a history gives: the messages, and a report of what pairing found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from transcodec.losses import Loss

__all__ = ["Replay", "Unpaired", "UnpairedCode"]

Messages = TypeVar("Messages")

#: Why a call turn or a results record does not pair; the rules stand in docs/envelopes.md, section 7.
UnpairedCode = Literal[
    "no_calls", "unanswered", "duplicate_ids", "foreign_results", "missing_results", "orphan_results"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """One cycle of a history that a strict server would refuse.

    Attributes:
        code: What is wrong with it.
        entries: Indexes into the history: the call turn with all its results, or one orphaned record.
        ids: The ids at fault, distinct.
    """

    code: UnpairedCode
    entries: tuple[int, ...]
    ids: tuple[str, ...]

    @property
    def index(self) -> int:
        """Index of the first entry."""
        return self.entries[0]

    def to_dict(self) -> dict[str, Any]:
        """JSON form: `index`, `entries`, `code`, `ids`."""
        return {"index": self.index, "entries": list(self.entries), "code": self.code, "ids": list(self.ids)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay(Generic[Messages]):
    """Rows toward a provider.

    Attributes:
        messages: The rows: `bytes` for JSON text, a list for parsed objects.
        unpaired: Every cycle that does not pair, by its first entry, whatever became of it.
        dropped: Those whose entries are not in `messages`; empty with `unpaired="keep"`.
        losses: What a text dialect cannot say; empty for the packed and the typed form.
    """

    messages: Messages
    unpaired: tuple[Unpaired, ...] = ()
    dropped: tuple[Unpaired, ...] = ()
    losses: tuple[Loss, ...] = ()
