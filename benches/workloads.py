"""What the benchmarks translate.

    python benches/workloads.py KIT     writes streams with what they mean, and a history, to `FOLDER`

They are those of the case kit at KIT where there is one (its `bench/` folder), else made up here with
the same names, shapes and sizes. Python and Rust benchmarks read the same files.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import agent_history
import chat_streams
import responses_streams
from made_up import compact

FOLDER: Final = Path(__file__).parent.parent / ".benchmarks/workloads"
MADE_UP: Final = {
    "W1": responses_streams.one_long_call,
    "W2": responses_streams.reasoning_and_text,
    "W4": chat_streams.interleaved_calls,
    "W4t": chat_streams.reasoning_and_text,
}


@dataclass(frozen=True, slots=True)
class Workload:
    """A recorded-shape stream and what it means.

    Attributes:
        name: Name of the file.
        stream: All bytes.
        events: The same, one event each, with its blank line.
        payloads: The JSON text of each event.
        truth: `text`, `reasoning`, `finish`, `usage` (input, output, cached, reasoning tokens) and `tools`
            (`id`, `name`, `args`).
    """

    name: str
    stream: bytes
    events: list[bytes]
    payloads: list[bytes]
    truth: dict[str, Any]


def load(name: str) -> Workload:
    """Reads a workload that `write` has written."""
    stream = (FOLDER / f"{name}.sse").read_bytes()
    blank = b"\r\n\r\n" if b"\r\n" in stream else b"\n\n"
    events = [block + blank for block in stream.split(blank) if block]
    data = [block.partition(b"data:")[2].strip() for block in events]
    payloads = [text for text in data if text.startswith((b"{", b"[")) and text != b"[DONE]"]
    truth = json.loads((FOLDER / "truth.json").read_text())[name]
    return Workload(name, stream, events, payloads, truth)


def load_history(name: str) -> bytes:
    """Reads a history: a JSON array of typed rows."""
    return (FOLDER / f"{name}.json").read_bytes()


def origin() -> str:
    """Where the workloads come from."""
    return (FOLDER / "origin").read_text()


def write(kit: Path) -> None:
    """Writes all workloads, the kit's if it has them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    handed = kit / "bench"
    if handed.is_dir():
        streams = {name: (handed / f"{name}.sse").read_bytes() for name in MADE_UP}
        truth = json.loads((handed / "truth.json").read_text())
        history = agent_history.rows_of_chat(json.loads((handed / "H1.json").read_text())["messages"])
    else:
        made = {name: make() for name, make in MADE_UP.items()}
        streams = {name: stream for name, (stream, _) in made.items()}
        truth = {name: answer for name, (_, answer) in made.items()}
        history = agent_history.two_hundred_messages()
    for name, stream in streams.items():
        (FOLDER / f"{name}.sse").write_bytes(stream)
    (FOLDER / "H1.json").write_text(compact(history))
    (FOLDER / "truth.json").write_text(json.dumps(truth))
    (FOLDER / "origin").write_text("of the case kit" if handed.is_dir() else "made up")


if __name__ == "__main__":
    write(Path(sys.argv[1]).resolve())
