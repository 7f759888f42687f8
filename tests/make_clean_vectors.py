"""Writes `vectors/same_format/`; `make vectors` runs it.

The streams and what they must become are written by hand in `clean_cases/`; this script only spells them out
as files, which any language can read.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

from clean_cases import chat, chat_answers, chat_losses, responses
from clean_cases.words import Case

FOLDER: Final = Path(__file__).parent / "vectors/same_format"
CASES: Final[dict[str, list[Case]]] = {
    "openai_chat": [*chat.CASES, *chat_answers.CASES, *chat_losses.CASES],
    "openai_responses": responses.CASES,
}


def files(case: Case) -> dict[str, bytes]:
    """The files of one vector."""
    written = {
        "wire.bin": case.wire,
        "expected.txt": "".join(f"{line}\n" for line in case.expected).encode(),
        "case.toml": toml(case).encode(),
    }
    if case.error is not None:
        fault = case.error
        offset = len(case.wire) if fault.offset is None else fault.offset
        error = {"class": fault.cls, "code": fault.code, "offset": offset, "path": fault.path}
        written["error.json"] = f"{json.dumps(error)}\n".encode()
    if case.response is not None:
        written["response.json"] = f"{json.dumps(case.response, indent=2)}\n".encode()
    return written


def toml(case: Case) -> str:
    """The vector's own words. JSON strings, numbers, booleans and arrays are TOML, too."""
    losses = ",\n".join(f"  {json.dumps(loss)}" for loss in case.losses)
    lines = [
        'provenance = "handmade; written out by tests/make_clean_vectors.py"',
        f"pins = {json.dumps(case.pins)}",
        f"outcome = {json.dumps(case.outcome)}",
        f"losses = [\n{losses},\n]" if losses else "losses = []",
    ]
    if case.options:
        lines += ["", "[options]", *(f"{name} = {json.dumps(value)}" for name, value in case.options.items())]
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the folder anew."""
    for format_name, cases in CASES.items():
        shutil.rmtree(FOLDER / format_name, ignore_errors=True)
        for case in cases:
            folder = FOLDER / format_name / case.name
            folder.mkdir(parents=True)
            for name, content in files(case).items():
                (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
