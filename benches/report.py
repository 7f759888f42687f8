"""Prints one table from one run of the benchmarks, and says which speed goals it meets.

    python benches/report.py RECORD     RECORD is what pytest-benchmark wrote

Exits with 1 if any output was wrong, never for a missed goal: the machine decides those.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import workloads
from record import FLOOR, NATIVE, PEER, Note

#: Workload, job, feeding, competitor.
Key = tuple[str, str, str, str]


@dataclass(slots=True)
class Row:
    """All passes over one cell: the fastest round counts."""

    note: Note
    seconds: float


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound on native's time as a multiple of another's; with `times_less` on the inverse."""

    job: str
    feeding: str
    against: str
    bound: float
    times_less: bool = False

    def __str__(self) -> str:
        if self.times_less:
            return f"{self.feeding}: at least {self.bound:g} × less than {self.against}"
        return f"{self.feeding}: at most {self.bound:g} × {self.against}"


RESPONSES_TO_CHAT: Final = "openai_responses → openai_chat"
FROM_CHAT_OR_CLEAN: Final = [
    "openai_chat → openai_responses",
    "openai_chat → openai_chat",
    "openai_responses → openai_responses",
]
GOALS: Final = [
    Goal(RESPONSES_TO_CHAT, "1 KB pieces", FLOOR, 0.5),
    Goal(RESPONSES_TO_CHAT, "one event a call", FLOOR, 0.7),
    Goal(RESPONSES_TO_CHAT, "1 KB pieces", PEER, 8, times_less=True),
    *(Goal(job, "1 KB pieces", FLOOR, 0.5) for job in FROM_CHAT_OR_CLEAN),
    Goal("pack", "bytes to bytes", PEER, 0.35),
    Goal("unpack", "bytes to bytes", PEER, 0.35),
]


def rows_of(benchmarks: list[dict[str, Any]]) -> dict[Key, Row]:
    """The cells in the order in which they were first timed."""
    rows: dict[Key, Row] = {}
    for benchmark in benchmarks:
        note = Note(**benchmark["extra_info"])
        key = (note.workload, note.job, note.feeding, note.competitor)
        row = rows.setdefault(key, Row(note, benchmark["stats"]["min"]))
        row.seconds = min(row.seconds, benchmark["stats"]["min"])
    _share_floors(rows)
    return rows


def _share_floors(rows: dict[Key, Row]) -> None:
    """What parsing costs does not depend on how the input is fed: one floor a workload and job."""
    floors: dict[tuple[str, str], float] = {}
    for (workload, job, _, competitor), row in rows.items():
        if competitor == FLOOR:
            floors[workload, job] = min(floors.get((workload, job), row.seconds), row.seconds)
    for (workload, job, _, competitor), row in rows.items():
        if competitor == FLOOR:
            row.seconds = floors[workload, job]


def print_table(rows: dict[Key, Row]) -> None:
    """One line a cell."""
    previous = ""
    for (workload, job, feeding, competitor), row in rows.items():
        note = row.note
        title = f"{workload}, {job}: {note.units} {note.unit}s, {note.bytes:,} bytes"
        if title != previous:
            heads = (f"us/{note.unit}", "MB/s", "÷ loads", "peer ÷", "correct?")
            print(f"\n{title}\n" + f"{'':38}" + "".join(f"{head:>12}" for head in heads))
            previous = title
        floor = rows[workload, job, feeding, FLOOR].seconds
        peer = rows.get((workload, job, feeding, PEER))
        cells = (
            f"{row.seconds / note.units * 1e6:.3f}",
            f"{note.bytes / row.seconds / 1e6:.0f}",
            f"{row.seconds / floor:.2f}",
            f"{peer.seconds / row.seconds:.2f}" if peer and competitor != FLOOR else "",
            "" if note.wrong is None else "NO" if note.wrong else "yes",
        )
        print(f"{feeding:18}{competitor:20}" + "".join(f"{cell:>12}" for cell in cells))
        if note.wrong:
            print(f"    {note.wrong}")


def print_goals(rows: dict[Key, Row]) -> None:
    """One line a goal and workload."""
    print("\nGoals")
    for goal in GOALS:
        cells = [key for key in rows if key[1:] == (goal.job, goal.feeding, NATIVE)]
        if not cells:
            print(f"  not timed      {goal.job}, {goal}")
        for workload, job, feeding, _ in cells:
            other = rows[workload, job, feeding, goal.against]
            ratio = rows[workload, job, feeding, NATIVE].seconds / other.seconds
            is_met = 1 / ratio >= goal.bound if goal.times_less else ratio <= goal.bound
            shown = 1 / ratio if goal.times_less else ratio
            print(f"  {'met   ' if is_met else 'MISSED'} {shown:6.2f}  {workload} {job}, {goal}")


def main() -> int:
    """Prints the report of a record."""
    record = json.loads(Path(sys.argv[1]).read_text())
    rows = rows_of(record["benchmarks"])
    machine = record["machine_info"]
    processor = machine["cpu"].get("brand_raw", "unknown processor")
    print(f"{processor}, Python {machine['python_version']}; workloads {workloads.origin()}")
    print("One interleaved run, fastest round of each. ÷ loads: multiple of orjson.loads of the same input;")
    print("peer ÷: how often it fits into the time of the same work by hand on orjson.")
    print_table(rows)
    print_goals(rows)
    return int(any(row.note.wrong for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
