"""Every implementation turns each stream of one format into the expected one, however it is cut."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import make_clean_vectors
import streaming
from implementations import offering
from transcodec.errors import DecodeError, TranscodecError

FOLDER = make_clean_vectors.FOLDER
NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*/"))

each = pytest.mark.parametrize(
    ("module", "name"),
    [
        pytest.param(offered.values[0], name, id=f"{name}-{offered.id}")
        for offered in offering("translate_response")
        for name in NAMES
    ],
)


class Vector:
    """A vector as its files tell it."""

    def __init__(self, name: str) -> None:
        folder = FOLDER / name
        self.format = Path(name).parts[0]
        self.wire = (folder / "wire.bin").read_bytes()
        self.expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
        case = tomllib.loads((folder / "case.toml").read_text())
        self.losses = [tuple(loss) for loss in case["losses"]]
        self.outcome = case["outcome"]
        self.options: dict[str, Any] = case.get("options", {})
        response = folder / "response.json"
        self.response = json.loads(response.read_text()) if response.exists() else None
        error = folder / "error.json"
        self.error = tuple(json.loads(error.read_text()).values()) if error.exists() else None

    @property
    def is_verbatim(self) -> bool:
        return self.options.get("same_format") == "verbatim"


@cache
def vector(name: str) -> Vector:
    return Vector(name)


def payloads(output: bytes) -> list[str]:
    """The payloads of the client's events; each that has a type is named by it."""
    found = []
    assert not output or output.endswith(b"\n\n")
    for block in output.decode().split("\n\n")[:-1]:
        *names, data = block.split("\n")
        payload = data.removeprefix("data: ")
        kind = None if payload == "[DONE]" else json.loads(payload).get("type")
        assert names == ([] if kind is None else [f"event: {kind}"])
        found.append(payload)
    return found


def run(module: Any, name: str, pieces: list[bytes]) -> tuple[Any, ...]:
    """All that must not depend on how the input was cut: fed output, finishing output, the rest."""
    case = vector(name)
    translator = module.StreamTranslator(case.format, case.format, **case.options)
    output, error = b"", None
    try:
        for piece in pieces:
            output += translator.feed(piece)
    except TranscodecError as caught:
        output += caught.output
        error = (type(caught).__name__, caught.code, caught.offset, caught.path)
    end = translator.finish()
    losses = [(loss.code, loss.severity, loss.path) for loss in translator.losses]
    told = (output, end) if case.is_verbatim else output + end
    return told, losses, translator.outcome, translator.usage, error


def test_the_vectors_are_what_the_script_writes() -> None:
    cases = {
        f"{name}/{case.name}": case for name, cases in make_clean_vectors.CASES.items() for case in cases
    }
    assert sorted(cases) == NAMES
    for name, case in cases.items():
        found = {path.name: path.read_bytes() for path in (FOLDER / name).iterdir()}
        assert found == make_clean_vectors.files(case), name


@each
def test_the_stream_becomes_the_expected_one(module: Any, name: str) -> None:
    case = vector(name)
    told, losses, outcome, _, error = run(module, name, [case.wire])
    if case.is_verbatim:
        passed, told = told
        assert (passed, error) == (case.wire, None)
        told = told.removeprefix(b"\n\n") if not case.wire.endswith(b"\n\n") else told
    written = payloads(told)
    assert [line if line == "[DONE]" else json.loads(line) for line in written] == [
        line if line == "[DONE]" else json.loads(line) for line in case.expected
    ]
    source = case.wire.decode()
    for line, expected in zip(written, case.expected, strict=True):
        if f"data: {expected}\n" in source:
            assert line == expected
    assert losses == case.losses
    assert outcome == case.outcome


@pytest.mark.parametrize("module", offering("translate_response"))
@pytest.mark.parametrize("name", [name for name in NAMES if vector(name).response is not None])
def test_the_collected_stream_is_the_expected_body(module: Any, name: str) -> None:
    case = vector(name)
    translator = module.StreamTranslator(case.format, case.format, collect=True, **case.options)
    translator.feed(case.wire)
    translator.finish()
    response = json.loads(translator.response())
    assert response == case.response
    # What a client of the clean stream builds is no other answer.
    again = module.StreamTranslator(case.format, case.format, collect=True)
    again.feed(case.wire if case.is_verbatim else run(module, name, [case.wire])[0])
    again.finish()
    assert json.loads(again.response()) == response


@each
def test_the_batch_call_raises_what_is_wrong(module: Any, name: str) -> None:
    case = vector(name)
    told, *_ = run(module, name, [case.wire])
    error = None
    try:
        result = module.translate_stream(case.wire, source=case.format, target=case.format, **case.options)
        output = result.output
    except TranscodecError as caught:
        output = caught.output
        error = (type(caught).__name__, caught.code, caught.offset, caught.path)
    assert error == case.error
    assert output == (b"".join(told) if case.is_verbatim else told)


@each
def test_every_cut_is_the_same(module: Any, name: str) -> None:
    wire = vector(name).wire
    whole = run(module, name, [wire])
    assert run(module, name, [bytes([byte]) for byte in wire]) == whole
    for at in range(0, len(wire), 7):
        assert run(module, name, [wire[:at], wire[at:]]) == whole, at
    for pieces in streaming.random_cuts(wire, name):
        assert run(module, name, pieces) == whole, list(map(len, pieces))


def test_what_is_clean_stays_as_it_is() -> None:
    """The reference's own output is clean: it comes out of it byte for byte."""
    [module] = [parameter.values[0] for parameter in offering("translate_response")[:1]]
    for name in NAMES:
        case = vector(name)
        if case.is_verbatim or case.outcome not in ("completed", "incomplete"):
            continue
        once = run(module, name, [case.wire])[0]
        again = module.translate_stream(once, source=case.format, target=case.format)
        assert (name, again.output) == (name, once)
        assert again.losses == []


@pytest.mark.parametrize("module", offering("translate_response"))
def test_what_is_kept_of_unknown_members_is_bounded(module: Any) -> None:
    def chunk(number: int) -> bytes:
        members = {"content": "x", "z": "y" * 100, f"n{number}": "y" * 100}
        return (
            f"data: {json.dumps({'choices': [{'index': 0, 'delta': members}], 's': 'z' * 100})}\n\n".encode()
        )

    translator = module.StreamTranslator("openai_chat", "openai_chat", collect=True, max_answer_bytes=1000)
    # What is shown again takes no more room; what comes in pieces does.
    for number in range(4):
        translator.feed(chunk(number))
    with pytest.raises(DecodeError) as caught:
        translator.feed(chunk(4))
    assert (caught.value.code, caught.value.path) == ("answer_too_large", "/4")
    assert b"answer_too_large" in translator.finish()
