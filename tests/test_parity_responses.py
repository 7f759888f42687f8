"""The compiled translator and the reference, written apart from the same rules, agree on every stream.

Output is compared parsed (strings may be escaped differently, also those inside wrapped input), everything
else as it is: losses with path and detail, outcome, counts, and what is raised with its class, code, offset
and path.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mutations
import streaming
from implementations import IMPLEMENTATIONS
from mutant_pool import MUTANTS, MutantPool
from test_stream_vectors import NAMES, vector

REFERENCE, NATIVE = IMPLEMENTATIONS["reference"], IMPLEMENTATIONS["native"]
#: Recorded streams that are no part of this repository.
KIT = Path(os.environ.get("TRANSCODEC_KIT", Path(__file__).parent.parent.parent / "shared"))
CORPUS = KIT / "corpus/streams/openai_responses"

pytestmark = pytest.mark.skipif(NATIVE is None, reason="the compiled module is not built")


WRAPPER = '{"input":"'


def meant(events: list[Any]) -> list[Any]:
    """The events with the pieces of wrapped input decoded."""
    wrapped: set[int] = set()
    for each in events:
        choices = each.get("choices", []) if isinstance(each, dict) else []
        for call in (call for choice in choices for call in choice["delta"].get("tool_calls", [])):
            text = call.get("function", {}).get("arguments", "")
            if text.startswith(WRAPPER):
                wrapped.add(call["index"])
            if call["index"] in wrapped and not text.endswith('"}'):
                call["function"]["arguments"] = json.loads(f'"{text.removeprefix(WRAPPER)}"')
    return events


def shown(module: Any, wire: bytes, **options: Any) -> dict[str, Any]:
    """All that a caller can see of a translation."""
    seen = streaming.run(module, [wire], **options)
    error, output = streaming.batch_error(module, wire, **options)
    assert output == seen.output
    return {
        "events": meant(streaming.read_events(seen.output)),
        "losses": seen.losses,
        "loss_count": seen.loss_count,
        "outcome": seen.outcome,
        "usage": seen.usage,
        "raised by feed": seen.error,
        "raised by the batch call": error,
    }


@pytest.mark.parametrize("name", NAMES)
def test_on_every_vector(name: str) -> None:
    case = vector(name)
    reference = shown(REFERENCE, case.wire, **case.arguments(REFERENCE))
    assert shown(NATIVE, case.wire, **case.arguments(NATIVE)) == reference


@pytest.mark.parametrize("seed", range(10))
def test_on_mutants(seed: int) -> None:
    for name, wire in mutants(f"seed {seed}", MUTANTS):
        case = vector(name)
        reference = shown(REFERENCE, wire, **case.arguments(REFERENCE))
        assert shown(NATIVE, wire, **case.arguments(NATIVE)) == reference, wire


def mutants(seed: str, count: int) -> Iterator[tuple[str, bytes]]:
    """Mutants of vectors, each with the name of the vector whose options count."""
    # A pool draws bytes; here they are the names, since a vector is more than its wire.
    pool = MutantPool({name: name.encode() for name in NAMES})
    for name, other, dice in pool.draws(seed, count):
        yield name.decode(), mutations.mutant(vector(name.decode()).wire, vector(other.decode()).wire, dice)


def test_mutants_reach_every_kind_of_end() -> None:
    outcomes, codes = set(), set()
    for name, wire in mutants("ends", 1500):
        seen = streaming.run(NATIVE, [wire], **vector(name).arguments(NATIVE))
        outcomes.add(seen.outcome)
        codes.add(seen.error and seen.error[1])
    assert outcomes == {"completed", "incomplete", "failed", "truncated"}
    assert codes >= {None, "invalid_json", "invalid_utf8", "invalid_type", "duplicate_key", "not_a_stream"}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recorded streams are not part of the repository")
def test_on_recorded_streams() -> None:
    wires = {path.name: path.read_bytes() for path in sorted(CORPUS.glob("*.sse"))}
    assert wires
    different = [name for name, wire in wires.items() if shown(NATIVE, wire) != shown(REFERENCE, wire)]
    assert different == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recorded streams are not part of the repository")
def test_on_mutants_of_recorded_streams() -> None:
    wires = {path.name: path.read_bytes() for path in sorted(CORPUS.glob("*.sse"))}
    pool = MutantPool({name: wire for name, wire in wires.items() if len(wire) < 20_000})
    for draw in pool.draws("recorded", MUTANTS):
        wire = mutations.mutant(*draw)
        assert shown(NATIVE, wire) == shown(REFERENCE, wire), wire
