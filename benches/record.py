"""What every row of the benchmarks notes for the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

from pytest_benchmark.fixture import BenchmarkFixture

#: The floor of anything in Python that parses what it translates.
FLOOR: Final = "orjson.loads"
NATIVE: Final = "native"
REFERENCE: Final = "reference"
#: Python written with care, in `peers/`.
PEER: Final = "by hand on orjson"

#: Everything is run this many times over, so that a slow stretch of the machine hits everyone alike.
PASSES: Final = 12
#: The reference is slow enough to need fewer.
REFERENCE_PASSES: Final = 2
ROUNDS: Final = {FLOOR: 8, NATIVE: 8, PEER: 4, REFERENCE: 1}


@dataclass(frozen=True, slots=True)
class Note:
    """One cell of the report.

    Attributes:
        workload: Its name.
        job: What is done to it, such as a pair of formats.
        feeding: How it is handed over.
        competitor: Who does it.
        units: How many events or messages it has.
        unit: Which of both.
        bytes: How long it is.
        wrong: What is wrong with the output; empty if nothing is, None if there is no output.
    """

    workload: str
    job: str
    feeding: str
    competitor: str
    units: int
    unit: str
    bytes: int
    wrong: str | None


def measure(benchmark: BenchmarkFixture, note: Note, run: Callable[..., object], *arguments: object) -> None:
    """Times some rounds, notes what they were, and fails if the output is wrong."""
    rounds = ROUNDS[note.competitor]
    benchmark.extra_info.update(asdict(note))
    warm_up_rounds = int(rounds > 1)
    benchmark.pedantic(run, arguments, rounds=rounds, warmup_rounds=warm_up_rounds)  # type: ignore[no-untyped-call]
    assert not note.wrong
