"""Writes `vectors/bodies/` from `body_cases.py`; `make vectors` runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

import body_cases
import body_cases_same_format
from body_cases import Case

FOLDER: Final = Path(__file__).parent / "vectors/bodies"
CASES: Final = [*body_cases.CASES, *body_cases_same_format.CASES]


def files(case: Case) -> dict[str, bytes]:
    """The files of one vector."""
    losses = ",\n".join(f"  {json.dumps(loss)}" for loss in case.losses)
    lines = [
        'provenance = "handmade; written out by tests/make_body_vectors.py"',
        f"pins = {json.dumps(case.pins)}",
        f"source = {json.dumps(case.pair[0])}",
        f"target = {json.dumps(case.pair[1])}",
        f"outcome = {json.dumps(case.outcome)}",
        f"losses = [\n{losses},\n]" if losses else "losses = []",
    ]
    if case.unchanged:
        lines.append("unchanged = true")
    if not case.is_streamed:
        lines.append("is_streamed = false")
    if case.options:
        lines += ["", "[options]", *(f"{name} = {json.dumps(value)}" for name, value in case.options.items())]
    written = {
        "body.json": case.body,
        "expected.json": f"{json.dumps(case.expected, indent=2)}\n".encode(),
        "case.toml": "\n".join([*lines, ""]).encode(),
    }
    if case.request is not None:
        written["request.json"] = f"{json.dumps(case.request, indent=2)}\n".encode()
    if case.error is not None:
        members = dict(zip(("class", "code", "offset", "path"), case.error, strict=True))
        written["error.json"] = f"{json.dumps(members)}\n".encode()
    return written


def main() -> None:
    """Write the folder anew."""
    for folder in FOLDER.glob("*/"):
        shutil.rmtree(folder)
    for case in CASES:
        folder = FOLDER / case.name
        folder.mkdir(parents=True)
        for name, content in files(case).items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
