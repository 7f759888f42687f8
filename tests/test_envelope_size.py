"""Large histories: time grows with them, memory holds the input, the output and little more."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import peak_memory
from implementations import IMPLEMENTATIONS

native: Any = IMPLEMENTATIONS["native"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(native, "pack"), reason="the native module is not built"),
]

MEGABYTE: Final = 1_000_000
LARGE_BYTES: Final = 50 * MEGABYTE
TEXT: Final = 'A line of output, "quoted", with a back\\slash;\n\tand é in it.\n' * 6
#: What the process may need beside input, output and a tenth: the buffer that rows pass through, and pages
#: that allocators keep. It does not grow with the history.
FIXED_BYTES: Final = 4 * MEGABYTE

JOBS: Final = (
    "pack",
    "unpack",
    "to_provider_messages",
    "to_typed_messages",
    "to_text_messages",
    "to_wire",
    "from_wire",
)


def round_of(number: int) -> str:
    """A question, a call and its result: about 1 KB."""
    call = {"id": f"call_{number}", "name": "find", "arguments": json.dumps({"q": TEXT[:200], "n": number})}
    rows: list[dict[str, Any]] = [
        {"role": "user", "content": f"Question {number}?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": TEXT, "tool_call_id": f"call_{number}"},
    ]
    return json.dumps(rows, separators=(",", ":"), ensure_ascii=False)[1:-1]


def history(size_bytes: int) -> bytes:
    """A typed history of about that size."""
    rounds = size_bytes // len(round_of(0).encode())
    return ("[" + ",".join(map(round_of, range(rounds))) + "]").encode()


def given_to(job: str, size_bytes: int) -> bytes:
    """What the job takes, of about that size."""
    typed = history(size_bytes)
    if job == "unpack":
        packed: bytes = native.pack(typed)
        return packed
    if job == "from_wire":
        messages: bytes = native.to_wire(typed)
        return messages
    return typed


def seconds(call: Callable[[bytes], Any], given: bytes) -> float:
    """The best of three, in processor time."""
    found = []
    for _ in range(3):
        start = time.process_time()
        call(given)
        found.append(time.process_time() - start)
    return min(found)


@pytest.mark.parametrize("job", JOBS)
def test_twice_the_history_takes_twice_the_time(job: str) -> None:
    call = getattr(native, job)
    half, whole = (given_to(job, size) for size in (LARGE_BYTES // 2, LARGE_BYTES))
    # Quadratic work would take four times as long. A busy machine may spoil one measurement, not three.
    ratios = [seconds(call, whole) / seconds(call, half)]
    while ratios[-1] >= 3 and len(ratios) < 3:
        ratios.append(seconds(call, whole) / seconds(call, half))
    assert ratios[-1] < 3, ratios


MEASURE: Final = """
import sys, peak_memory, transcodec
job, path = sys.argv[1:]
# Unbuffered, a file is read into one object of its size.
with open(path, "rb", buffering=0) as file:
    given = file.readall()
before = peak_memory.reset()
if job == "copy and join":
    output = given[1:] + given
else:
    result = getattr(transcodec, job)(given)
    output = getattr(result, "messages", result)
print(peak_memory.peak_bytes() - before, len(output))
"""


@peak_memory.measured
@pytest.mark.parametrize("job", JOBS)
def test_peak_memory_is_input_and_output_and_a_tenth(job: str, tmp_path: Path) -> None:
    given = given_to(job, LARGE_BYTES)
    path = tmp_path / "history.json"
    path.write_bytes(given)
    # What is resident before the call is the interpreter and the input.
    grown_bytes, output_bytes = peak_memory.numbers_of(MEASURE, job, str(path))
    # The output at least has to be seen.
    assert grown_bytes > 0.9 * output_bytes
    assert grown_bytes <= output_bytes + (len(given) + output_bytes) / 10 + FIXED_BYTES


@peak_memory.measured
def test_the_measure_sees_a_copy_that_is_gone_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    path.write_bytes(b"x" * LARGE_BYTES)
    grown_bytes, output_bytes = peak_memory.numbers_of(MEASURE, "copy and join", str(path))
    assert grown_bytes > output_bytes + 0.9 * LARGE_BYTES
