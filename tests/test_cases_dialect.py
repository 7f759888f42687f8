"""The kit's dialect cases about rows, envelopes, replay and wire; skipped without the kit."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from implementations import IMPLEMENTATIONS, offering

HERE = Path(__file__).parent
KIT = Path(os.environ.get("TRANSCODEC_KIT", HERE.parent.parent / "shared"))

CASES = KIT / "cases/handed/dialect.jsonl"
#: Calls of other dialects (tool calls in text, in code, as lists) and of formats, which are not offered here.
#: A call of the kit that is in neither list fails the test.
OTHER_CALLS = {
    "code_parse", "code_signature", "coerce_to_schema", "format_results", "message_roundtrip", "native_parse",
    "openai_sse", "openai_sse_bytes", "parse_replayed_results", "parse_text", "pformat_parse",
    "pformat_signature", "repair_json", "resolve_name", "stream",
}  # fmt: skip
#: The one dialect of `pack` and `unpack` that is.
DIALECT = "json_envelope"
#: A kit with fewer cases of our calls is not the one that this was written for.
LEAST_CASES = 45


def _cases() -> dict[str, str]:
    """Ids of the cases that the kit does not keep for later, each with its call."""
    lines = CASES.read_text(encoding="utf-8").split("\n")
    cases = [case for case in map(json.loads, filter(None, lines)) if not case.get("later")]
    assert len({case["id"] for case in cases}) == len(cases)
    return {
        case["id"]: case["call"]
        for case in cases
        if case["call"] not in {"pack", "unpack"} or case["input"]["dialect"] == DIALECT
    }


@pytest.mark.skipif(not CASES.is_file(), reason="the case kit is not part of the repository")
@pytest.mark.parametrize("module", offering("pack"))
def test_handed_cases(module: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSCODEC_IMPLEMENTATION", "reference")
    offered = importlib.import_module("case_adapter").DIALECT_CALLS
    calls = _cases()
    assert set(calls.values()) <= offered.keys() | OTHER_CALLS
    assert not offered.keys() & OTHER_CALLS
    chosen = [case for case, call in calls.items() if call in offered]
    assert len(chosen) >= LEAST_CASES
    only = [part for case in chosen for part in ("--only", case)]
    verdicts = tmp_path / "verdicts.json"
    runner = [sys.executable, str(KIT / "cases/run_cases.py"), "--adapter", str(HERE / "case_adapter.py")]
    cases = ["--cases", str(CASES.parent), "--set", "dialect", "--json", str(verdicts)]
    which = "native" if module is IMPLEMENTATIONS["native"] else "reference"
    environment = os.environ | {"TRANSCODEC_IMPLEMENTATION": which, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*runner, *cases, *only], check=False, env=environment, capture_output=True, text=True
    )
    assert verdicts.exists(), done.stderr
    results = {verdict["id"]: verdict["failures"] for verdict in json.loads(verdicts.read_text())}
    assert sorted(results) == sorted(chosen)
    assert {name: failures for name, failures in results.items() if failures} == {}
