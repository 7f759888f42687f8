"""Every implementation turns each Chat vector into the expected Responses stream, however it is cut."""

from __future__ import annotations

import contextlib
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import make_chat_vectors
import streaming
from chat_cases import words
from implementations import offering
from transcodec.errors import TranscodecError

FOLDER = make_chat_vectors.FOLDER
NAMES = sorted(path.name for path in FOLDER.glob("*/"))
PAIR = {"source": "openai_chat", "target": "openai_responses"}

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

    def __init__(self, folder: Path) -> None:
        self.wire = next(path for path in folder.iterdir() if path.stem in {"wire", "body"}).read_bytes()
        lines = (folder / "to_openai_responses.jsonl").read_text().splitlines()
        self.expected = [json.loads(line) for line in lines]
        case = tomllib.loads((folder / "case.toml").read_text())
        self.losses = [tuple(loss) for loss in case["losses"]]
        self.outcome = case["outcome"]
        self.options: dict[str, Any] = case.get("options", {})
        request, error = folder / "request.json", folder / "error.json"
        self.request = request.read_bytes() if request.exists() else None
        self.error = tuple(json.loads(error.read_text()).values()) if error.exists() else None

    def arguments(self, module: Any) -> dict[str, Any]:
        """Keyword arguments of the translator."""
        if self.request is None:
            return {**PAIR, **self.options}
        context = module.Context.from_request(self.request, format=PAIR["target"])
        return {**PAIR, **self.options, "context": context}


@cache
def vector(name: str) -> Vector:
    return Vector(FOLDER / name)


def read_events(output: bytes) -> list[Any]:
    """The client's events, parsed; each has its name."""
    events: list[Any] = []
    assert output.endswith(b"\n\n")
    for block in output.decode().removesuffix("\n\n").split("\n\n"):
        if block == ": keep-alive":
            events.append({"comment": "keep-alive"})
            continue
        name, data = block.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        events.append(event)
    return events


def run(module: Any, pieces: list[bytes], **arguments: Any) -> tuple[Any, ...]:
    """All that must not depend on how the input was cut, the output first."""
    translator = module.StreamTranslator(**arguments)
    output, error = b"", None
    try:
        for piece in pieces:
            output += translator.feed(piece)
    except TranscodecError as caught:
        output += caught.output
        error = (type(caught).__name__, caught.code, caught.offset, caught.path)
    output += translator.finish()
    losses = [(each.code, each.severity, each.path) for each in translator.losses]
    return output, losses, translator.outcome, translator.usage, error


def test_the_vectors_are_what_the_script_writes() -> None:
    cases = {case.name: case for case in make_chat_vectors.CASES}
    assert len(cases) == len(make_chat_vectors.CASES)
    assert sorted(cases) == NAMES
    for name in NAMES:
        found = {path.name: path.read_bytes() for path in (FOLDER / name).iterdir()}
        assert found == make_chat_vectors.files(cases[name]), name


@each
def test_the_stream_becomes_the_expected_one(module: Any, name: str) -> None:
    case = vector(name)
    output, losses, outcome, _, _ = run(module, [case.wire], **case.arguments(module))
    assert read_events(output) == case.expected
    assert losses == case.losses
    assert outcome == case.outcome


@each
def test_the_batch_call_raises_what_is_wrong(module: Any, name: str) -> None:
    case = vector(name)
    error = None
    try:
        output = module.translate_stream(case.wire, **case.arguments(module)).output
    except TranscodecError as caught:
        output = caught.output
        error = (type(caught).__name__, caught.code, caught.offset, caught.path)
    assert error == case.error
    assert read_events(output) == case.expected


@each
def test_every_cut_is_the_same(module: Any, name: str) -> None:
    case = vector(name)
    arguments = case.arguments(module)
    whole = run(module, [case.wire], **arguments)
    assert run(module, [bytes([byte]) for byte in case.wire], **arguments) == whole
    for at in range(0, len(case.wire), 3):
        assert run(module, [case.wire[:at], case.wire[at:]], **arguments) == whole, at
    for pieces in streaming.random_cuts(case.wire, name):
        assert run(module, pieces, **arguments) == whole, list(map(len, pieces))


@each
def test_the_body_says_what_the_stream_says(module: Any, name: str) -> None:
    case = vector(name)
    translator = module.StreamTranslator(**case.arguments(module), collect=True)
    with contextlib.suppress(TranscodecError):
        translator.feed(case.wire)
    translator.finish()
    body = json.loads(translator.response())
    last = case.expected[-1]["response"]
    if case.outcome in ("completed", "incomplete"):
        assert body == last
    else:
        assert body["error"]["message"] == last["error"]["message"]


@pytest.mark.parametrize("module", offering("translate_response"))
def test_a_wrapped_pair_is_joined_over_two_deltas(module: Any) -> None:
    begun = words.calls(words.element(0, "a", "shell", '{"input":"\\ud83d'))
    wire = begun + words.calls(words.element(0, None, None, '\\ude00"}')) + words.finish()
    request = b'{"tools":[{"type":"custom","name":"shell"}]}'
    context = module.Context.from_request(request, format=PAIR["target"])
    output, losses, *_ = run(module, [wire], **PAIR, context=context)
    assert read_events(output)[-1]["response"]["output"][0]["input"] == "\U0001f600"
    assert losses == []
