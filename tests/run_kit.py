"""Runs the case kit, where there is one, on the pairs of formats that transcodec has so far.

    python tests/run_kit.py cases|corpus KIT [native|reference]...

KIT is the folder that holds `cases/` and `corpus/`. Exits with 0 when there is none: the kit is not part of
this repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ADAPTER: Final = Path(__file__).with_name("case_adapter.py")
#: Source and target.
PAIRS: Final = (("openai_responses", "openai_chat"), ("openai_chat", "openai_responses"))
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


def commands(verb: str, kit: Path) -> list[list[str]]:
    """The kit's own runner with its arguments: once for the cases, once for each pair of the corpus."""
    runner = [sys.executable, str(kit / f"cases/run_{verb}.py"), "--adapter", str(ADAPTER)]
    if verb == "cases":
        only = [part for case_id in case_ids(kit / "cases/handed") for part in ("--only", case_id)]
        return [[*runner, "--cases", str(kit / "cases/handed"), *only]]
    corpus = ["--corpus", str(kit / "corpus/streams"), "--bodies", str(kit / "corpus/bodies")]
    jobs = ["--jobs", str(os.cpu_count() or 1)]
    return [[*runner, *corpus, "--sources", source, "--targets", target, *jobs] for source, target in PAIRS]


def main() -> int:
    """Runs the verb on each implementation; the worst exit code counts."""
    verb, folder, *implementations = sys.argv[1:]
    kit = Path(folder).resolve()
    if not kit.is_dir():
        print(f"no case kit at {folder}; set KIT to its folder")
        return 0
    worst = 0
    for implementation in implementations or ["native", "reference"]:
        print(f"{verb}, {implementation}:", flush=True)
        environment = os.environ | {"TRANSCODEC_IMPLEMENTATION": implementation}
        for command in commands(verb, kit):
            done = subprocess.run(command, env=environment, check=False)
            worst = max(worst, done.returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
