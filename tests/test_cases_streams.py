"""The kit's handed cases of streams and response bodies, for every pair of formats that is offered.

Skipped without the kit. Cases of a pair that an implementation does not offer are not run; none is left out
otherwise.
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


def _offers(module: Any, operation: str, source: str, target: str) -> bool:
    if operation == "translate_response":
        return hasattr(module, "translate_response")
    try:
        module.StreamTranslator(source, target)
    except ValueError:
        return False
    return True


def _cases(module: Any) -> list[str]:
    operations = ("translate_stream", "translate_response")
    offered = {
        (operation, *pair)
        for operation in operations
        for pair in itertools.product(FORMATS, repeat=2)
        if _offers(module, operation, *pair)
    }
    paths = sorted((KIT / "cases/handed").glob("*.jsonl"))
    lines = [line for path in paths for line in path.read_text("utf-8").split("\n") if line]
    return [
        case["id"]
        for case in map(json.loads, lines)
        if (case["op"], case.get("source"), case.get("target")) in offered and not case.get("later")
    ]


@pytest.mark.skipif(not (KIT / "cases").is_dir(), reason="the case kit is not part of the repository")
@pytest.mark.parametrize("module", offering("StreamTranslator"))
def test_handed_cases(module: Any, tmp_path: Path) -> None:
    chosen = _cases(module)
    assert chosen
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
