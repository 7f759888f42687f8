"""The report of a benchmark run: its numbers, and what makes it fail."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import record
import report
import workloads

REPORT = Path(report.__file__)
STREAMS = report.RESPONSES_TO_CHAT
#: Seconds at which each goal is met with room: a peer eight times and more as slow, twice the floor's time.
MET = {record.NATIVE: 1.0, record.FLOOR: 4.0, record.PEER: 40.0}


def cell(job: str, feeding: str, competitor: str, seconds: float, wrong: str | None = "") -> dict[str, Any]:
    """One benchmark as pytest-benchmark writes it."""
    unchecked = None if competitor == record.FLOOR else wrong
    note = record.Note("W1", job, feeding, competitor, 10, "event", 1000, unchecked)
    return {"extra_info": asdict(note), "stats": {"min": seconds}}


def cells(**changed: float) -> list[dict[str, Any]]:
    """A run that meets all goals, but for what is changed."""
    seconds = MET | changed
    places = [(goal.job, goal.feeding) for goal in report.GOALS]
    return [
        cell(*place, competitor, seconds[competitor])
        for place in dict.fromkeys(places)
        for competitor in seconds
    ]


@pytest.fixture(autouse=True)
def _no_workloads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workloads, "origin", lambda: "made up for a test")


def run(benchmarks: list[dict[str, Any]], *, strict: bool) -> int:
    machine = {"cpu": {}, "python_version": "3.11"}
    return report.report({"benchmarks": benchmarks, "machine_info": machine}, strict=strict)


@pytest.mark.parametrize("strict", [False, True])
def test_a_run_that_meets_all_goals_passes(capsys: pytest.CaptureFixture[str], *, strict: bool) -> None:
    assert run(cells(), strict=strict) == 0
    shown = capsys.readouterr().out
    goals = shown.partition("\nGoals\n")[2].splitlines()
    assert len(goals) == len(report.GOALS)
    assert all(line.startswith("  met ") for line in goals)
    assert "made up for a test" in shown


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("competitor", [record.NATIVE, record.PEER])
def test_wrong_output_fails(capsys: pytest.CaptureFixture[str], competitor: str, *, strict: bool) -> None:
    bad = cell(STREAMS, "whole", competitor, 1, "ValueError: no such call")
    floor = cell(STREAMS, "whole", record.FLOOR, 1)
    assert run([*cells(), floor, bad], strict=strict) == 1
    assert "ValueError: no such call" in capsys.readouterr().out


@pytest.mark.parametrize("strict", [False, True])
def test_a_run_of_nothing_fails(capsys: pytest.CaptureFixture[str], *, strict: bool) -> None:
    assert run([], strict=strict) == 1
    assert "nothing was timed" in capsys.readouterr().out


@pytest.mark.parametrize(
    "changed",
    [{record.NATIVE: 4.0}, {record.PEER: 2.0}, {record.FLOOR: 1.0}],
    ids=["native", "peer", "floor"],
)
def test_missed_goals_fail_only_a_strict_report(
    capsys: pytest.CaptureFixture[str], changed: dict[str, float]
) -> None:
    assert run(cells(**changed), strict=False) == 0
    assert "  MISSED " in capsys.readouterr().out
    assert run(cells(**changed), strict=True) == 1


def test_goals_that_were_not_timed_fail_only_a_strict_report(capsys: pytest.CaptureFixture[str]) -> None:
    without = [each for each in cells() if each["extra_info"]["job"] != "pack"]
    assert run(without, strict=False) == 0
    assert "  not timed      pack, " in capsys.readouterr().out
    assert run(without, strict=True) == 1


def test_output_that_nobody_looked_at_fails_only_a_strict_report() -> None:
    unseen = [cell(STREAMS, "1 KB pieces", record.REFERENCE, 9.0, None)]
    assert run(cells() + unseen, strict=False) == 0
    assert run(cells() + unseen, strict=True) == 1


def test_the_fastest_round_of_all_passes_counts_and_floors_are_shared() -> None:
    feedings = ("1 KB pieces", "whole")
    slow = [cell(STREAMS, feeding, record.FLOOR, 9.0) for feeding in feedings]
    rows = report.rows_of([*slow, cell(STREAMS, "whole", record.FLOOR, 3.0), *cells(**{record.NATIVE: 2.0})])
    assert rows["W1", STREAMS, "1 KB pieces", record.FLOOR].seconds == 3.0
    assert rows["W1", STREAMS, "whole", record.FLOOR].seconds == 3.0
    again = report.rows_of([*cells(**{record.NATIVE: 2.0}), *cells(**{record.NATIVE: 1.5})])
    assert again["W1", STREAMS, "1 KB pieces", record.NATIVE].seconds == 1.5


def test_the_command_line(tmp_path: Path) -> None:
    written = tmp_path / "run.json"
    written.write_text(json.dumps({"benchmarks": [], "machine_info": {}}))
    done = subprocess.run(
        [sys.executable, str(REPORT), "--strict", str(written)], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stdout) == (1, "nothing was timed\n")
