"""The corpus run holds what fails against the list of exceptions, both ways."""

from __future__ import annotations

import tomllib

import run_kit


def test_what_fails_must_be_listed_and_what_is_listed_must_fail() -> None:
    entries = tomllib.loads(run_kit.EXCEPTIONS.read_text())["exception"]
    assert all(entry["reason"] for entry in entries)
    for source, target in run_kit.PAIRS:
        listed = sorted(entry["recording"] for entry in entries if [source, target] in entry["pairs"])
        failed = [{"stream": f"folder/{name}"} for name in listed]
        for implementation in ("native", "reference"):
            judged = run_kit.against_exceptions(failed, source, target, implementation)
            assert judged == ([], [])
            judged = run_kit.against_exceptions([{"stream": "new.sse"}], source, target, implementation)
            assert judged == (["new.sse"], listed)
