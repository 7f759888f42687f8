"""Writes `vectors/openai_chat/`; `make vectors` runs it.

The streams and what they must become are written by hand in `chat_cases/`; this script only spells them out
as files, which any language can read.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

from chat_cases import calls, ends, texts
from chat_cases.words import Case

FOLDER: Final = Path(__file__).parent / "vectors/openai_chat"
CASES: Final[list[Case]] = [*calls.CASES, *texts.CASES, *ends.CASES]


def numbered(case: Case) -> list[dict[str, Any]]:
    """The expected events with their sequence numbers, which comments do not have."""
    events = []
    number = 0
    for event in case.expected:
        if "type" in event:
            events.append({"type": event["type"], "sequence_number": number, **event})
            number += 1
        else:
            events.append(event)
    return events


def files(case: Case) -> dict[str, bytes]:
    """The files of one vector."""
    lines = [json.dumps(each, separators=(",", ":")) for each in numbered(case)]
    written = {
        "body.json" if case.is_body else "wire.sse": case.wire,
        "to_openai_responses.jsonl": "".join(f"{line}\n" for line in lines).encode(),
        "case.toml": toml(case).encode(),
    }
    if case.request is not None:
        written["request.json"] = f"{json.dumps(case.request, indent=2)}\n".encode()
    if case.error is not None:
        fault = case.error
        error = {"class": fault.cls, "code": fault.code, "offset": fault.offset, "path": fault.path}
        written["error.json"] = f"{json.dumps(error)}\n".encode()
    return written


def toml(case: Case) -> str:
    """The vector's own words. JSON strings, numbers, booleans and arrays are TOML, too."""
    losses = ",\n".join(f"  {json.dumps(loss)}" for loss in case.losses)
    lines = [
        'provenance = "handmade; written out by tests/make_chat_vectors.py"',
        f"pins = {json.dumps(case.pins)}",
        f"outcome = {json.dumps(case.outcome)}",
        f"losses = [\n{losses},\n]" if losses else "losses = []",
    ]
    if case.options:
        lines += ["", "[options]", *(f"{name} = {json.dumps(value)}" for name, value in case.options.items())]
    return "\n".join([*lines, ""])


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
