"""Times envelopes of whole histories, bytes to bytes, in the way of `test_streams.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import orjson
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import record
import transcodec
import workloads
from peers import orjson_envelope
from transcodec import reference

Codec = Callable[[bytes], bytes]

HISTORY: Final = "H1"
FEEDING: Final = "bytes to bytes"
JOBS: Final = ("pack", "unpack")
COMPETITORS: Final[dict[str, Any]] = {
    record.NATIVE: transcodec,
    record.PEER: orjson_envelope,
    record.REFERENCE: reference,
}


def cells() -> Iterator[Any]:
    """All measurements, competitors innermost."""
    for number in range(record.PASSES):
        for job in JOBS:
            yield pytest.param(job, record.FLOOR, orjson.loads, id=f"{number}-{job}-{record.FLOOR}")
            for competitor, module in COMPETITORS.items():
                codec = getattr(module, job, None)
                if codec and (competitor != record.REFERENCE or number < record.REFERENCE_PASSES):
                    yield pytest.param(job, competitor, codec, id=f"{number}-{job}-{competitor}")


@cache
def forms() -> dict[str, bytes]:
    """What each job is given: typed rows to pack, packed rows to unpack."""
    typed = workloads.load_history(HISTORY)
    return {"pack": typed, "unpack": reference.pack(typed)}


@pytest.mark.parametrize(("job", "competitor", "codec"), list(cells()))
def test_history(benchmark: BenchmarkFixture, job: str, competitor: str, codec: Codec) -> None:
    """Times one job on the history; packed and typed rows must come out as each other."""
    given = forms()[job]
    other = forms()["unpack" if job == "pack" else "pack"]
    wrong = None
    if competitor != record.FLOOR:
        wrong = "" if codec(given) == other else "differs from the reference, or packing from unpacking"
    note = record.Note(
        workload=HISTORY,
        job=job,
        feeding=FEEDING,
        competitor=competitor,
        units=len(orjson.loads(given)),
        unit="message",
        bytes=len(given),
        wrong=wrong,
    )
    record.measure(benchmark, note, codec, given)
