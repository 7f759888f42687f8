"""Native and reference see the same in streams: in vectors, mutations of them, recorded traffic.

Compared are the parsed output, losses, their number, outcome, usage and error (class, code, offset, path).
What is not specified (DESIGN.md section 2: how much of an event at fault a life-cycle target shows before its
error) is cut off both outputs alike.
"""

from __future__ import annotations

import functools
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import mutations
from implementations import IMPLEMENTATIONS
from mutant_pool import MUTANTS, MutantPool, assert_few
from transcodec.errors import TranscodecError

HERE = Path(__file__).parent
VECTORS = HERE / "vectors"
KIT = Path(os.environ.get("TRANSCODEC_KIT", HERE.parent.parent / "shared"))
PAIRS = [("openai_responses", "openai_chat"), ("openai_chat", "openai_responses")]
#: Longer streams are cut before they are mutated, and recorded ones above the second limit are left out.
MUTATED_BYTES = 6_000
RECORDED_BYTES = 40_000
SNIPPETS = [b"null", b'"', b"{}", b"\\ud83d", b",", b"\n\n", b'"x"', b"1", b"[]", b"\xff", b"\r", b": x\n\n"]

both = pytest.mark.skipif(IMPLEMENTATIONS["native"] is None, reason="the native module is not built")


def _events(output: bytes) -> list[Any]:
    found: list[Any] = []
    for block in output.decode().split("\n\n")[:-1]:
        name, _, data = block.rpartition("data: ")
        found.append((name, json.loads(data)) if data.startswith("{") else block)
    return found


def seen(module: Any, source: str, target: str, wire: bytes) -> tuple[Any, ...]:
    """All that a translation shows."""
    translator = module.StreamTranslator(source, target)
    output, error = b"", None
    try:
        output += translator.feed(wire)
    except TranscodecError as caught:
        output += caught.output
        error = (type(caught).__name__, caught.code, caught.offset, caught.path)
    output += translator.finish()
    events: Any = _events(output)
    if error is not None and target == "openai_responses":
        events = events[-1][1]["response"]["error"]
    losses = [(each.code, each.severity, each.path, each.detail) for each in translator.losses]
    return events, losses, translator.loss_count, translator.outcome, translator.usage, error


def agree(source: str, target: str, wire: bytes) -> bool:
    native, reference = (
        seen(IMPLEMENTATIONS[name], source, target, wire) for name in ("native", "reference")
    )
    return native == reference


@functools.cache
def _vectors(source: str) -> dict[str, bytes]:
    wires = [*(VECTORS / source).glob("*/wire.*"), *(VECTORS / source).glob("*/body.*")]
    return {str(path.relative_to(VECTORS)): path.read_bytes() for path in sorted(wires)}


@functools.cache
def _recorded(source: str) -> dict[str, bytes]:
    paths = sorted((KIT / "corpus/streams" / source).glob("*.sse"))
    return {f"recorded/{path.name}": path.read_bytes() for path in paths}


def mutated(wire: bytes, chance: random.Random) -> bytes:
    """One to three small changes: a byte, a gap, a repetition, a cut, a foreign piece, two events swapped."""
    data = bytearray(wire[:MUTATED_BYTES])
    for _ in range(chance.choice([1, 1, 2, 3])):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(6)
        if kind == 0:
            data[at : at + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            del data[at : at + chance.randrange(1, 30)]
        elif kind == 2:
            data[at:at] = data[max(0, at - chance.randrange(1, 60)) : at]
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            data[at:at] = chance.choice(SNIPPETS)
        else:
            events = bytes(data).split(b"\n\n")
            one, other = chance.randrange(len(events)), chance.randrange(len(events))
            events[one], events[other] = events[other], events[one]
            data = bytearray(b"\n\n".join(events))
    return bytes(data)


@both
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_vectors(source: str, target: str) -> None:
    wires = _vectors(source)
    assert len(wires) > 50
    assert [name for name, wire in wires.items() if not agree(source, target, wire)] == []


@both
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_mutations(source: str, target: str) -> None:
    pool = MutantPool(_vectors(source) | _recorded(source))
    mutants = [mutated(wire, dice) for wire, _, dice in pool.draws(f"parity of {source}", MUTANTS)]
    assert_few([wire for wire in mutants if not agree(source, target, wire)], source, target)


@both
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_mutations_with_pieces_of_other_streams(source: str, target: str) -> None:
    pool = MutantPool(_vectors(source))
    mutants = [mutations.mutant(*draw) for draw in pool.draws(f"splices of {source}", MUTANTS)]
    assert_few([wire for wire in mutants if not agree(source, target, wire)], source, target)


@both
@pytest.mark.skipif(not (KIT / "corpus").is_dir(), reason="recorded traffic is not part of the repository")
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_recorded_streams(source: str, target: str) -> None:
    wires = {name: wire for name, wire in _recorded(source).items() if len(wire) <= RECORDED_BYTES}
    assert wires
    assert [name for name, wire in wires.items() if not agree(source, target, wire)] == []
