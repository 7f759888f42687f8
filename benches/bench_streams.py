"""Responses streams into Chat: native, reference, and dict edits. `make bench` runs it on the release build.

Each row checks its output before it is timed. `events` and `bytes` in the extra info give the rates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import transcodec
from dict_edits import DictEdits
from streams import Workload, text, tool_calls
from transcodec.demo.client import assemble
from transcodec.reference import StreamTranslator as ReferenceTranslator

WORKLOADS = [tool_calls(1, 20_000), tool_calls(4, 5_000), text(20_000)]


def cut(stream: bytes, piece_bytes: int) -> list[bytes]:
    """Pieces as a network would deliver them."""
    return [stream[at : at + piece_bytes] for at in range(0, len(stream), piece_bytes)]


def native(pieces: Iterable[bytes]) -> bytes:
    """The library."""
    translator = transcodec.StreamTranslator("openai_responses", "openai_chat")
    return b"".join([translator.feed(piece) for piece in pieces]) + translator.finish()


def reference(pieces: Iterable[bytes]) -> bytes:
    """The pure-Python specification, which is not written to be fast."""
    translator = ReferenceTranslator("openai_responses", "openai_chat")
    return b"".join([translator.feed(piece) for piece in pieces]) + translator.finish()


def dict_edits(pieces: Iterable[bytes]) -> bytes:
    """What most gateways write first."""
    translator = DictEdits()
    return b"".join([translator.feed(piece) for piece in pieces])


ROWS: list[tuple[str, Callable[[Iterable[bytes]], bytes], Callable[[Workload], list[bytes]]]] = [
    ("native, whole", native, lambda load: [load.stream]),
    ("native, 4 KiB pieces", native, lambda load: cut(load.stream, 4096)),
    ("native, an event a piece", native, lambda load: load.events),
    ("native, 64-byte pieces", native, lambda load: cut(load.stream, 64)),
    ("dict edits, an event a piece", dict_edits, lambda load: load.events),
    ("reference, an event a piece", reference, lambda load: load.events),
]


@pytest.mark.parametrize("load", WORKLOADS, ids=lambda load: load.name)
@pytest.mark.parametrize(("translate", "pieces_of"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def bench_stream(
    benchmark: BenchmarkFixture,
    load: Workload,
    translate: Callable[[Iterable[bytes]], bytes],
    pieces_of: Callable[[Workload], list[bytes]],
) -> None:
    """Times one translation of the whole workload."""
    pieces = pieces_of(load)
    answer = assemble(translate(pieces))
    assert [call.arguments for _, call in sorted(answer.calls.items())] == load.arguments
    assert (answer.text, answer.done) == (load.text, True)
    benchmark.group = load.name
    benchmark.extra_info.update(events=len(load.events), bytes=len(load.stream))
    benchmark(translate, pieces)
