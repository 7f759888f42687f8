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

Key = tuple[str, str, str, str]
FLOOR: Final = "orjson.loads"
PEER: Final = "orjson translator"
NATIVE: Final = "native"


@dataclass(slots=True)
class Row:
    """All passes over one cell: the fastest round counts."""

    seconds: float
    events: int
    bytes: int
    wrong: str | None


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound on native: its time as a multiple of the floor's, or how many times less than the peer's."""

    pair: str
    feeding: str
    against: str
    bound: float

    def measured(self, native: float, other: float) -> float:
        """The ratio that the bound is on."""
        return native / other if self.against == FLOOR else other / native

    def is_met(self, ratio: float) -> bool:
        """Whether the ratio is on the right side of the bound."""
        return ratio <= self.bound if self.against == FLOOR else ratio >= self.bound

    def __str__(self) -> str:
        if self.against == FLOOR:
            return f"{self.feeding}: at most {self.bound} × {FLOOR}"
        return f"{self.feeding}: at least {self.bound} × less than the {self.against}"


RESPONSES_TO_CHAT: Final = "openai_responses → openai_chat"
GATES: Final = [
    Gate(RESPONSES_TO_CHAT, "1 KB pieces", FLOOR, 0.5),
    Gate(RESPONSES_TO_CHAT, "one event a call", FLOOR, 0.7),
    Gate(RESPONSES_TO_CHAT, "1 KB pieces", PEER, 8),
]


def rows_of(record: dict[str, Any]) -> dict[Key, Row]:
    """The cells in the order in which they were first timed."""
    rows: dict[Key, Row] = {}
    for benchmark in record["benchmarks"]:
        info = benchmark["extra_info"]
        key = (info["workload"], info["pair"], info["feeding"], info["competitor"])
        seconds = benchmark["stats"]["min"]
        row = rows.setdefault(key, Row(seconds, info["events"], info["bytes"], info["wrong"]))
        row.seconds = min(row.seconds, seconds)
        row.wrong = row.wrong or info["wrong"]
    return rows


def floors_of(rows: dict[Key, Row]) -> dict[str, float]:
    """What parsing a workload's events costs, which does not depend on how they are fed."""
    floors: dict[str, float] = {}
    for (workload, _, _, competitor), row in rows.items():
        if competitor == FLOOR:
            floors[workload] = min(floors.get(workload, row.seconds), row.seconds)
    return floors


def print_table(rows: dict[Key, Row]) -> None:
    """One line a cell."""
    floors = floors_of(rows)
    heads = ("us/event", "MB/s", "÷ loads", "peer ÷", "correct?")
    previous = ""
    for (workload, pair, feeding, competitor), row in rows.items():
        if (title := f"{workload}, {pair}, {row.events} events, {row.bytes:,} bytes") != previous:
            print(f"\n{title}\n" + f"{'':38}" + "".join(f"{head:>10}" for head in heads))
            previous = title
        floor = floors[workload]
        if competitor == FLOOR:
            row.seconds = floor
        peer = rows.get((workload, pair, feeding, PEER))
        against_peer = f"{peer.seconds / row.seconds:.1f}" if peer and competitor != FLOOR else ""
        correct = "" if row.wrong is None else "NO" if row.wrong else "yes"
        cells = (
            f"{row.seconds / row.events * 1e6:.3f}",
            f"{row.bytes / row.seconds / 1e6:.0f}",
            f"{row.seconds / floor:.2f}",
            against_peer,
            correct,
        )
        print(f"{feeding:18}{competitor:20}" + "".join(f"{cell:>10}" for cell in cells))
        if row.wrong:
            print(f"    {row.wrong}")


def print_gates(rows: dict[Key, Row]) -> None:
    """One line a goal and workload."""
    floors = floors_of(rows)
    print("\nGoals (native, times of this run)")
    for gate in GATES:
        for (workload, pair, feeding, competitor), row in rows.items():
            if (pair, feeding, competitor) != (gate.pair, gate.feeding, NATIVE):
                continue
            peer = rows.get((workload, pair, feeding, gate.against))
            other = floors[workload] if gate.against == FLOOR else peer.seconds if peer else None
            if other is None:
                continue
            ratio = gate.measured(row.seconds, other)
            print(f"  {'met   ' if gate.is_met(ratio) else 'MISSED'} {ratio:6.2f}  {workload} {pair}, {gate}")


def main() -> int:
    """Prints the report of a record."""
    record = json.loads(Path(sys.argv[1]).read_text())
    rows = rows_of(record)
    cpu = record["machine_info"]["cpu"].get("brand_raw", "unknown processor")
    python = record["machine_info"]["python_version"]
    origin = record["benchmarks"][0]["extra_info"]["origin"]
    print(f"{cpu}, Python {python}; workloads {origin}; fastest of all rounds of one interleaved run")
    print(f"÷ loads: as a multiple of {FLOOR} of the same events; peer ÷: how often it fits into the {PEER}")
    print_table(rows)
    print_gates(rows)
    return int(any(row.wrong for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
