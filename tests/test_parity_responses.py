"""The compiled translator and the reference, written apart from the same rules, agree on every stream.

Output is compared parsed (strings may be escaped differently, also those inside wrapped input), everything
else as it is: losses with path and detail, outcome, counts, and what is raised with its class, code, offset
and path.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import mutations
import streaming
from implementations import IMPLEMENTATIONS
from test_stream_vectors import NAMES, vector

REFERENCE, NATIVE = IMPLEMENTATIONS["reference"], IMPLEMENTATIONS["native"]
#: Recorded streams that are no part of this repository.
KIT = Path(os.environ.get("TRANSCODEC_KIT", Path(__file__).parent.parent.parent / "shared"))
CORPUS = KIT / "corpus/streams/openai_responses"
MUTANTS_PER_SEED = 400

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
    dice = random.Random(seed)
    cases = [vector(name) for name in NAMES]
    for _ in range(MUTANTS_PER_SEED):
        case, other = dice.choice(cases), dice.choice(cases)
        wire = mutations.mutant(case.wire, other.wire, dice)
        reference = shown(REFERENCE, wire, **case.arguments(REFERENCE))
        assert shown(NATIVE, wire, **case.arguments(NATIVE)) == reference, wire


def test_mutants_reach_every_kind_of_end() -> None:
    dice = random.Random("ends")
    cases = [vector(name) for name in NAMES]
    outcomes, codes = set(), set()
    for _ in range(1500):
        case = dice.choice(cases)
        wire = mutations.mutant(case.wire, dice.choice(cases).wire, dice)
        seen = streaming.run(NATIVE, [wire], **case.arguments(NATIVE))
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
    dice = random.Random("recorded")
    wires = [path.read_bytes() for path in sorted(CORPUS.glob("*.sse"))]
    small = [wire for wire in wires if len(wire) < 20_000]
    assert small
    for _ in range(MUTANTS_PER_SEED):
        wire = mutations.mutant(dice.choice(small), dice.choice(small), dice)
        assert shown(NATIVE, wire) == shown(REFERENCE, wire), wire
