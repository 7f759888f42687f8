"""Times stream translation; `make bench` runs it and prints the table of `report.py` from its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import answers
import matrix
import workloads
from matrix import Route, Translator

workload_named = cache(workloads.load)


@dataclass(frozen=True, slots=True)
class Cell:
    """One measurement; without `make` the floor's."""

    number: int
    route: Route
    feeding: str
    competitor: str
    make: Callable[[], Translator] | None
    rounds: int

    def __str__(self) -> str:
        return f"{self.number}-{self.route}-{self.feeding}-{self.competitor}"


def cells() -> Iterator[Cell]:
    """All measurements, competitors innermost: whoever is compared is timed within the same second."""
    makes = [
        (route, competitor, make)
        for route in matrix.ROUTES
        for competitor in matrix.COMPETITORS
        if (make := competitor.make(route))
    ]
    for number in range(matrix.PASSES):
        for route in matrix.ROUTES:
            for feeding in matrix.FEEDINGS:
                yield Cell(number, route, feeding, matrix.FLOOR, None, matrix.FLOOR_ROUNDS)
                for taken, competitor, make in makes:
                    if taken == route and number < competitor.passes:
                        yield Cell(number, route, feeding, competitor.name, make, competitor.rounds)


@cache
def verdict(route: Route, feeding: str, make: Callable[[], Translator]) -> str:
    """What is wrong with the output; empty if nothing is."""
    workload = workload_named(route.workload)
    try:
        output = matrix.output_of(make, matrix.FEEDINGS[feeding](workload))
        answers.check(output, route.target, workload.truth)
    except (answers.WrongOutputError, LookupError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("cell", list(cells()), ids=str)
def test_stream(benchmark: BenchmarkFixture, cell: Cell) -> None:
    """Times one way through one workload, and checks what comes out of it."""
    workload = workload_named(cell.route.workload)
    wrong = verdict(cell.route, cell.feeding, cell.make) if cell.make else None
    benchmark.extra_info.update(
        workload=workload.name,
        pair=f"{cell.route.source} → {cell.route.target}",
        feeding=cell.feeding,
        competitor=cell.competitor,
        events=len(workload.payloads),
        bytes=len(workload.stream),
        wrong=wrong,
        origin=workloads.origin(),
    )
    if cell.make:
        matrix.measure(benchmark, cell.rounds, matrix.run, cell.make, matrix.FEEDINGS[cell.feeding](workload))
    else:
        matrix.measure(benchmark, cell.rounds, matrix.parse, workload.payloads)
    assert not wrong
