"""Which call turns and results records pair: docs/envelopes.md, section 7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from transcodec.replay import Unpaired, UnpairedCode

SplitResults = Literal["merge", "drop"]
DuplicateIds = Literal["drop", "keep"]


@dataclass(frozen=True, slots=True)
class Calls:
    """The ids of a call turn."""

    ids: list[str]


@dataclass(frozen=True, slots=True)
class Results:
    """The ids of a results record."""

    ids: list[str]


#: What pairing sees of an entry; None is a plain row.
Step = Calls | Results | None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which entries belong to complete cycles or are plain, and what is wrong with the others."""

    kept: list[bool]
    unpaired: list[Unpaired]


def pair(
    steps: list[Step], *, split_results: SplitResults = "merge", duplicate_ids: DuplicateIds = "drop"
) -> Pairing:
    """Judge every cycle of a history."""
    kept = [step is None for step in steps]
    unpaired: list[Unpaired] = []
    at = 0
    while at < len(steps):
        step = steps[at]
        if isinstance(step, Results):
            unpaired.append(
                Unpaired(code="orphan_results", entries=(at,), ids=tuple(dict.fromkeys(step.ids)))
            )
        if not isinstance(step, Calls):
            at += 1
            continue
        run = _run_after(steps, at)
        taken, failure = _take(
            step.ids, run, merge=split_results == "merge", refuse_duplicates=duplicate_ids == "drop"
        )
        if failure is None:
            kept[at : at + 1 + taken] = [True] * (1 + taken)
            at += 1 + taken
        else:
            code, ids = failure
            entries = tuple(range(at, at + 1 + len(run)))
            unpaired.append(Unpaired(code=code, entries=entries, ids=tuple(dict.fromkeys(ids))))
            at += len(entries)
    return Pairing(kept, unpaired)


def _run_after(steps: list[Step], at: int) -> list[Results]:
    """The results records directly after a call turn."""
    run: list[Results] = []
    for index in range(at + 1, len(steps)):
        step = steps[index]
        if not isinstance(step, Results):
            break
        run.append(step)
    return run


def _take(
    calls: list[str], run: list[Results], *, merge: bool, refuse_duplicates: bool
) -> tuple[int, tuple[UnpairedCode, list[str]] | None]:
    """How many records answer the calls; and, if they do not, why not."""
    if not calls:
        return 0, ("no_calls", [])
    if not run:
        return 0, ("unanswered", calls)
    wanted, answered = set(calls), set[str]()
    if refuse_duplicates and len(wanted) < len(calls):
        return 0, ("duplicate_ids", _repeated(calls, set()))
    for taken, record in enumerate(run if merge else run[:1], start=1):
        repeated = _repeated(record.ids, answered)
        if refuse_duplicates and repeated:
            return taken, ("duplicate_ids", repeated)
        if foreign := [name for name in record.ids if name not in wanted]:
            return taken, ("foreign_results", foreign)
        if len(answered) == len(wanted):
            return taken, None
    return 0, ("missing_results", [name for name in calls if name not in answered])


def _repeated(ids: list[str], seen: set[str]) -> list[str]:
    """The ids that were seen before, here or earlier; all are seen afterwards."""
    repeated: list[str] = []
    for name in ids:
        if name in seen:
            repeated.append(name)
        seen.add(name)
    return repeated
