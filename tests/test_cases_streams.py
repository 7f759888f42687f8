"""The kit's handed cases of streams and response bodies, for every pair of formats that has to be offered.

Skipped without the kit. Which pairs have to be there is written down here: an implementation that stops
offering one fails. Cases of other formats are not run; none is left out otherwise.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from implementations import IMPLEMENTATIONS, offering

HERE = Path(__file__).parent
KIT = Path(os.environ.get("TRANSCODEC_KIT", HERE.parent.parent / "shared"))
FORMATS = ("openai_chat", "openai_responses")
#: Case ids that do not pass yet, with the reason. They are run, and have to fail: the list cannot rot.
NOT_YET_PASSING: dict[str, str] = {}


#: How many cases there are at least, by operation and pair: what runs must not become less unnoticed.
LEAST_CASES = {
    ("translate_stream", "openai_chat", "openai_chat"): 26,
    ("translate_stream", "openai_chat", "openai_responses"): 19,
    ("translate_stream", "openai_responses", "openai_chat"): 29,
    ("translate_stream", "openai_responses", "openai_responses"): 6,
    ("translate_response", "openai_chat", "openai_responses"): 1,
    ("translate_response", "openai_responses", "openai_chat"): 5,
}


def _case_ids() -> dict[tuple[str, str, str], list[str]]:
    """Ids of the cases that the kit does not keep for later, by operation and pair."""
    paths = sorted((KIT / "cases/handed").glob("*.jsonl"))
    lines = [line for path in paths for line in path.read_text("utf-8").split("\n") if line]
    found: dict[tuple[str, str, str], list[str]] = {}
    for case in map(json.loads, lines):
        pair = (case.get("source"), case.get("target"))
        if case["op"] in {"translate_stream", "translate_response"} and not case.get("later"):
            found.setdefault((case["op"], *pair), []).append(case["id"])
    return {key: ids for key, ids in found.items() if set(key[1:]) <= set(FORMATS)}


@pytest.mark.parametrize("module", offering("StreamTranslator"))
@pytest.mark.parametrize(("source", "target"), list(itertools.product(FORMATS, repeat=2)))
def test_every_pair_is_offered(module: Any, source: str, target: str) -> None:
    assert module.StreamTranslator(source, target).outcome is None
    with pytest.raises(ValueError, match="no_format"):
        module.StreamTranslator("no_format", target)
    with pytest.raises(ValueError, match="no_format"):
        module.StreamTranslator(source, "no_format")


@pytest.mark.skipif(not (KIT / "cases").is_dir(), reason="the case kit is not part of the repository")
@pytest.mark.parametrize("module", offering("StreamTranslator"))
def test_handed_cases(module: Any, tmp_path: Path) -> None:
    cases_of = _case_ids()
    counts = {key: len(ids) for key, ids in cases_of.items()}
    assert {key: counts.get(key, 0) for key in LEAST_CASES if counts.get(key, 0) < LEAST_CASES[key]} == {}
    chosen = list(itertools.chain.from_iterable(cases_of.values()))
    verdicts = tmp_path / "verdicts.json"
    runner = [sys.executable, str(KIT / "cases/run_cases.py"), "--adapter", str(HERE / "case_adapter.py")]
    cases = ["--cases", str(KIT / "cases/handed"), "--json", str(verdicts)]
    only = [part for case in chosen for part in ("--only", case)]
    which = "native" if module is IMPLEMENTATIONS["native"] else "reference"
    environment = os.environ | {"TRANSCODEC_IMPLEMENTATION": which, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*runner, *cases, *only], check=False, env=environment, capture_output=True, text=True
    )
    assert verdicts.exists(), done.stderr
    results = {verdict["id"]: verdict["failures"] for verdict in json.loads(verdicts.read_text())}
    assert sorted(results) == sorted(chosen)
    failed = {case: failures for case, failures in results.items() if failures}
    unexpected = {case: failures for case, failures in failed.items() if case not in NOT_YET_PASSING}
    assert unexpected == {}
    assert failed.keys() == NOT_YET_PASSING.keys() & set(chosen)
