"""Times stream translation; `make bench` runs it and prints the table of `report.py` from its record."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import answers
import matrix
import record
import workloads
from matrix import Route, Start

workload_named = cache(workloads.load)


def cells() -> Iterator[Any]:
    """All measurements, competitors innermost: whoever is compared is timed within the same second."""
    everyone = {route: matrix.competitors(route) for route in matrix.ROUTES}
    for number in range(record.PASSES):
        for route, competitors in everyone.items():
            for feeding in matrix.FEEDINGS:
                name = f"{number}-{route.workload}-{route}-{feeding}"
                yield pytest.param(route, feeding, record.FLOOR, None, id=f"{name}-{record.FLOOR}")
                for competitor, start in competitors.items():
                    if competitor != record.REFERENCE or number < record.REFERENCE_PASSES:
                        yield pytest.param(route, feeding, competitor, start, id=f"{name}-{competitor}")


@cache
def verdict(route: Route, feeding: str, start: Start) -> str:
    """What is wrong with the output; empty if nothing is."""
    workload = workload_named(route.workload)
    try:
        output = matrix.output_of(start, matrix.FEEDINGS[feeding](workload))
        answers.check(output, route.target, workload.truth)
    except (answers.WrongOutputError, LookupError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize(("route", "feeding", "competitor", "start"), list(cells()))
def test_stream(
    benchmark: BenchmarkFixture, route: Route, feeding: str, competitor: str, start: Start | None
) -> None:
    """Times one way through one workload, and checks what comes out of it."""
    workload = workload_named(route.workload)
    note = record.Note(
        workload=workload.name,
        job=str(route),
        feeding=feeding,
        competitor=competitor,
        units=len(workload.payloads),
        unit="event",
        bytes=len(workload.stream),
        wrong=verdict(route, feeding, start) if start else None,
    )
    if start:
        record.measure(benchmark, note, matrix.run, start, matrix.FEEDINGS[feeding](workload))
    else:
        record.measure(benchmark, note, matrix.parse, workload.payloads)
