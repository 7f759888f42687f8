"""Runs the case kit, where there is one, on the pairs of formats that transcodec has so far.

    python tests/run_kit.py cases|corpus KIT [native|reference]...

KIT is the folder that holds `cases/` and `corpus/`. Exits with 0 when there is none: the kit is not part of
this repository. Recordings that cannot pass are listed in `corpus_exceptions.toml`, each with the reason; one
that is listed and passes fails the run.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

ADAPTER: Final = Path(__file__).with_name("case_adapter.py")
EXCEPTIONS: Final = Path(__file__).with_name("corpus_exceptions.toml")
FORMATS: Final = ("openai_chat", "openai_responses")
#: Source and target.
PAIRS: Final = tuple(itertools.product(FORMATS, repeat=2))
SETS: Final = ("stream", "expected_streams", "transcript")
OPERATIONS: Final = ("translate_stream", "translate_response")


def case_ids(folder: Path) -> list[str]:
    """Ids of the handed cases of streams and bodies of the pairs covered, those kept for later left out."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]
    return [
        case["id"]
        for case in map(json.loads, lines)
        if case["set"] in SETS
        and case["op"] in OPERATIONS
        and (case.get("source"), case.get("target")) in PAIRS
        and not case.get("later")
    ]


def run_cases(kit: Path, environment: dict[str, str]) -> int:
    """Runs the handed cases."""
    only = [part for case_id in case_ids(kit / "cases/handed") for part in ("--only", case_id)]
    runner = [sys.executable, str(kit / "cases/run_cases.py"), "--adapter", str(ADAPTER)]
    command = [*runner, "--cases", str(kit / "cases/handed"), *only]
    return subprocess.run(command, env=environment, check=False).returncode


def run_corpus(kit: Path, environment: dict[str, str]) -> int:
    """Runs all recordings, pair by pair, and holds what fails against the list of exceptions."""
    runner = [sys.executable, str(kit / "cases/run_corpus.py"), "--adapter", str(ADAPTER)]
    corpus = ["--corpus", str(kit / "corpus/streams"), "--bodies", str(kit / "corpus/bodies")]
    jobs = ["--jobs", str(os.cpu_count() or 1)]
    worst = 0
    for source, target in PAIRS:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "failed.json"
            pair = ["--sources", source, "--targets", target, "--json", str(report)]
            done = subprocess.run([*runner, *corpus, *pair, *jobs], env=environment, check=False)
            failed = json.loads(report.read_text()) if report.exists() else None
        if failed is None:
            return done.returncode or 1
        unexpected, cured = against_exceptions(
            failed, source, target, environment["TRANSCODEC_IMPLEMENTATION"]
        )
        for name in unexpected:
            print(f"FAILED and not listed: {source} -> {target}: {name}")
        for name in cured:
            print(f"listed and passed: {source} -> {target}: {name}")
        print(f"{source} -> {target}: {len(failed) - len(unexpected)} listed exceptions", flush=True)
        worst = max(worst, int(bool(unexpected or cured)))
    return worst


def against_exceptions(
    failed: list[dict[str, Any]], source: str, target: str, implementation: str
) -> tuple[list[str], list[str]]:
    """Recordings that failed and are not listed, and those that are listed and did not fail."""
    listed = {
        entry["recording"]
        for entry in tomllib.loads(EXCEPTIONS.read_text()).get("exception", [])
        if (source, target) in {tuple(pair) for pair in entry["pairs"]}
        and implementation in entry.get("implementations", ["native", "reference"])
    }
    names = {Path(pair["stream"]).name for pair in failed}
    return sorted(names - listed), sorted(listed - names)


def main() -> int:
    """Runs the verb on each implementation; the worst exit code counts."""
    verb, folder, *implementations = sys.argv[1:]
    kit = Path(folder).resolve()
    if not kit.is_dir():
        print(f"no case kit at {folder}; set KIT to its folder")
        return 0
    run = {"cases": run_cases, "corpus": run_corpus}[verb]
    worst = 0
    for implementation in implementations or ["native", "reference"]:
        print(f"{verb}, {implementation}:", flush=True)
        worst = max(worst, run(kit, os.environ | {"TRANSCODEC_IMPLEMENTATION": implementation}))
    return worst


if __name__ == "__main__":
    sys.exit(main())
