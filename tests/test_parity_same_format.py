"""Native and reference, written apart from the same rules, do the same to streams of one format.

Output is compared parsed, and byte for byte where an event is copied: then it stands in the wire.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
from pathlib import Path
from typing import Any

import pytest

import make_clean_vectors
import mutations
from implementations import IMPLEMENTATIONS
from mutant_pool import MUTANTS, MutantPool, assert_few
from transcodec.errors import TranscodecError

HERE = Path(__file__).parent
KIT = Path(os.environ.get("TRANSCODEC_KIT", HERE.parent.parent / "shared"))
FORMATS = ("openai_chat", "openai_responses")
RECORDED_BYTES = 200_000

pytestmark = pytest.mark.skipif(IMPLEMENTATIONS["native"] is None, reason="the compiled module is not built")


@functools.cache
def vectors(name: str) -> dict[str, bytes]:
    """The wires of a format's vectors, those of this pair and those of others."""
    others = {path.parent.name: path.read_bytes() for path in (HERE / "vectors" / name).glob("*/wire.*")}
    own = {f"{name}/{case.name}": case.wire for case in make_clean_vectors.CASES[name]}
    return dict(sorted({**others, **own}.items()))


def shown(module: Any, name: str, wire: bytes, **options: Any) -> tuple[Any, ...]:
    """All that a caller sees. Of an event at fault a format with a life cycle may show more or less."""
    translator = module.StreamTranslator(name, name, **options)
    output, error = b"", None
    try:
        output += translator.feed(wire)
    except TranscodecError as caught:
        output += caught.output
        error = (type(caught).__name__, caught.code, caught.offset, caught.path)
    output += translator.finish()
    blocks = [block.rpartition("data: ") for block in output.decode().split("\n\n")]
    events: list[Any] = [
        (line, data if f"data: {data}\n" in wire.decode("utf-8", "replace") else json.loads(data))
        if data.startswith("{")
        else (line, data)
        for line, _, data in blocks
    ]
    if error is not None and name == "openai_responses":
        events = [events[-2][1]["response"]["error"]]
    losses = [(each.code, each.severity, each.path, each.detail) for each in translator.losses]
    return events, losses, translator.loss_count, translator.outcome, translator.usage, error


def differing(name: str, wires: list[bytes], **options: Any) -> list[bytes]:
    native, reference = IMPLEMENTATIONS["native"], IMPLEMENTATIONS["reference"]
    return [
        wire
        for wire in wires
        if shown(native, name, wire, **options) != shown(reference, name, wire, **options)
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_vectors_are_cleaned_alike(name: str) -> None:
    assert differing(name, list(vectors(name).values())) == []


def answer(module: Any, name: str, wire: bytes, same_format: str) -> Any:
    """The body of a collected stream, or what stands in its place."""
    translator = module.StreamTranslator(name, name, collect=True, same_format=same_format)
    with contextlib.suppress(TranscodecError):
        translator.feed(wire)
    translator.finish()
    return json.loads(translator.response())


def whole(module: Any, name: str, body: bytes, same_format: str) -> tuple[Any, ...]:
    """What a caller sees of a translated body."""
    try:
        translated = module.translate_response(body, source=name, target=name, same_format=same_format)
    except TranscodecError as caught:
        error = (type(caught).__name__, caught.code, caught.offset, caught.path)
        return error, caught.output == body, json.loads(caught.output)
    losses = [(each.code, each.severity, each.path, each.detail) for each in translated.losses]
    same = translated.body == body
    return same, json.loads(translated.body), losses, translated.outcome, translated.usage


@pytest.mark.parametrize("same_format", ["clean", "verbatim"])
@pytest.mark.parametrize("name", FORMATS)
def test_answers_of_vectors_are_alike(name: str, same_format: str) -> None:
    native, reference = IMPLEMENTATIONS["native"], IMPLEMENTATIONS["reference"]
    for key, wire in vectors(name).items():
        of_both = [answer(each, name, wire, same_format) for each in (native, reference)]
        assert of_both[0] == of_both[1], key


@pytest.mark.skipif(not (KIT / "corpus").is_dir(), reason="recorded traffic is not part of the repository")
@pytest.mark.parametrize("name", FORMATS)
def test_recorded_answers_are_alike(name: str) -> None:
    native, reference = IMPLEMENTATIONS["native"], IMPLEMENTATIONS["reference"]
    streams = sorted((KIT / "corpus/streams" / name).glob("*.sse"))
    assert streams
    for path in streams:
        wire = path.read_bytes()
        if len(wire) <= RECORDED_BYTES:
            assert answer(native, name, wire, "clean") == answer(reference, name, wire, "clean"), path.name
    bodies = sorted((KIT / "corpus/bodies" / name / "response").glob("*.json"))
    assert bodies
    for path in bodies:
        for same_format in ("clean", "verbatim"):
            of_both = [whole(each, name, path.read_bytes(), same_format) for each in (native, reference)]
            assert of_both[0] == of_both[1], path.name


@pytest.mark.parametrize("name", FORMATS)
def test_vectors_are_observed_alike(name: str) -> None:
    for key, wire in vectors(name).items():
        seen = []
        for module in IMPLEMENTATIONS.values():
            translator = module.StreamTranslator(name, name, same_format="verbatim")
            assert translator.feed(wire) == wire, key
            end = translator.finish()
            seen.append((bool(end), translator.outcome, translator.usage))
        assert seen[0] == seen[1], key


@pytest.mark.parametrize("name", FORMATS)
def test_mutants_are_cleaned_alike(name: str) -> None:
    draws = MutantPool(vectors(name)).draws("mirrored", MUTANTS)
    assert_few(differing(name, [mutations.mutant(*draw) for draw in draws]), name, name)


def test_late_text_that_is_cut_is_told_alike() -> None:
    item = {"type": "message", "id": "m", "status": "completed", "role": "assistant", "content": []}
    delta = {"type": "response.output_text.delta", "output_index": 0, "item_id": "m", "delta": "x"}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    wire = b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in (delta, done, delta))
    assert differing("openai_responses", [wire]) == []


@pytest.mark.skipif(not (KIT / "corpus").is_dir(), reason="recorded traffic is not part of the repository")
@pytest.mark.parametrize("name", FORMATS)
def test_recorded_streams_are_cleaned_alike(name: str) -> None:
    paths = sorted((KIT / "corpus/streams" / name).glob("*.sse"))
    wires = [path.read_bytes() for path in paths if path.stat().st_size <= RECORDED_BYTES]
    assert wires
    assert differing(name, wires) == []
