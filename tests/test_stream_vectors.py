"""Every implementation turns each vector's stream into the expected one, however the input is cut."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import make_stream_vectors
import streaming
from implementations import offering
from test_code_lists import rows
from transcodec.errors import DecodeError, UnsupportedError
from transcodec.reference.stream.call import CALL_TRANSITIONS, Phase, Signal
from transcodec.reference.stream.losses import SEVERITIES

FOLDER = make_stream_vectors.FOLDER
NAMES = sorted(path.name for path in FOLDER.glob("*/"))
#: Losses of other sources and targets.
OTHER_LOSSES = {
    "arguments.cut",
    "arguments.not_wrapped",
    "choices.dropped",
    "delta.member_dropped",
    "finish_reason.unknown",
}
#: A limit of targets that keep the answer.
OTHER_FAULTS = {"answer_too_large"}
#: Vectors up to this size are cut at every byte.
SMALL_BYTES = 1024

each_implementation = pytest.mark.parametrize("module", offering("StreamTranslator"))
each_vector = pytest.mark.parametrize("name", NAMES)


class Vector:
    """A vector as its files tell it."""

    def __init__(self, folder: Path) -> None:
        self.wire = next(path for path in folder.iterdir() if path.stem in {"wire", "body"}).read_bytes()
        lines = (folder / "to_openai_chat.jsonl").read_text().splitlines()
        self.expected = [json.loads(line) for line in lines]
        case = tomllib.loads((folder / "case.toml").read_text())
        self.losses = [tuple(loss) for loss in case["losses"]]
        self.outcome = case["outcome"]
        self.options: dict[str, Any] = case.get("options", {}) | dict.fromkeys(case.get("options_none", []))
        request, error = folder / "request.json", folder / "error.json"
        self.request = request.read_bytes() if request.exists() else None
        self.error = tuple(json.loads(error.read_text()).values()) if error.exists() else None

    def arguments(self, module: Any) -> dict[str, Any]:
        """Keyword arguments of the translator."""
        if self.request is None:
            return self.options
        context = module.Context.from_request(self.request, format=streaming.TARGET)
        return {**self.options, "context": context}


@cache
def vector(name: str) -> Vector:
    return Vector(FOLDER / name)


def test_the_vectors_are_what_the_script_writes() -> None:
    cases = {case.name: case for case in make_stream_vectors.CASES}
    assert len(cases) == len(make_stream_vectors.CASES)
    assert sorted(cases) == NAMES
    for name in NAMES:
        found = {path.name: path.read_bytes() for path in (FOLDER / name).iterdir()}
        assert found == make_stream_vectors.files(cases[name]), name


@each_implementation
@each_vector
def test_the_stream_becomes_the_expected_one(name: str, module: Any) -> None:
    case = vector(name)
    seen = streaming.run(module, [case.wire], **case.arguments(module))
    assert streaming.read_events(seen.output) == case.expected
    assert [loss[:3] for loss in seen.losses] == case.losses
    assert seen.outcome == case.outcome


@each_implementation
@each_vector
def test_the_batch_call_gives_the_same_output_and_raises_what_is_wrong(name: str, module: Any) -> None:
    case = vector(name)
    error, output = streaming.batch_error(module, case.wire, **case.arguments(module))
    assert error == case.error
    assert streaming.read_events(output) == case.expected


@each_implementation
@each_vector
def test_byte_by_byte_is_the_same(name: str, module: Any) -> None:
    case = vector(name)
    options = case.arguments(module)
    whole = streaming.run(module, [case.wire], **options)
    assert streaming.run(module, streaming.bytewise(case.wire), **options) == whole


@each_implementation
@each_vector
def test_every_single_cut_is_the_same(name: str, module: Any) -> None:
    case = vector(name)
    options = case.arguments(module)
    whole = streaming.run(module, [case.wire], **options)
    # Byte by byte has met every place once; larger vectors are cut at every eleventh.
    step = 1 if len(case.wire) <= SMALL_BYTES else 11
    for at in range(0, len(case.wire), step):
        assert streaming.run(module, streaming.cut_at(case.wire, at), **options) == whole, at


@each_implementation
@each_vector
def test_random_cuts_are_the_same(name: str, module: Any) -> None:
    case = vector(name)
    options = case.arguments(module)
    whole = streaming.run(module, [case.wire], **options)
    for pieces in streaming.random_cuts(case.wire, name):
        assert streaming.run(module, pieces, **options) == whole, list(map(len, pieces))


@each_implementation
@pytest.mark.parametrize("name", [name for name in NAMES if vector(name).request is None])
def test_the_output_before_an_error_does_not_depend_on_the_cut(name: str, module: Any) -> None:
    case = vector(name)
    translator = module.StreamTranslator(streaming.SOURCE, streaming.TARGET, **case.options)
    pieces = [translator.feed(b"")]
    for byte in streaming.bytewise(case.wire):
        try:
            pieces.append(translator.feed(byte))
        except (DecodeError, UnsupportedError) as error:
            pieces.append(error.output)
            break
    # Each piece is whole events: a gateway may send it at once.
    for piece in pieces:
        streaming.read_events(piece)


def test_every_loss_of_the_pair_is_told_by_a_vector() -> None:
    told = {(code, severity) for name in NAMES for code, severity, _ in vector(name).losses}
    assert told == {(code, severity) for code, severity in SEVERITIES.items() if code not in OTHER_LOSSES}


def test_every_fault_of_the_pair_is_raised_by_a_vector() -> None:
    errors = [vector(name).error for name in NAMES]
    raised = {error[1] for error in errors if error is not None and error[0] != "UnsupportedError"}
    faults = rows("docs/errors.md", "## DecodeError: the bytes are wrong").keys()
    assert raised == (faults | {"stream_truncated"}) - OTHER_FAULTS


def test_continuations_of_calls_have_index_and_text_only() -> None:
    for name in NAMES:
        metadata: dict[int, int] = {}
        for chunk in vector(name).expected:
            choices = chunk.get("choices", []) if isinstance(chunk, dict) else []
            for call in (call for choice in choices for call in choice["delta"].get("tool_calls", [])):
                if "id" in call:
                    metadata[call["index"]] = metadata.get(call["index"], 0) + 1
                    assert call.keys() - {"function", "custom"} == {"index", "id", "type"}
                else:
                    assert list(call) in (["index", "function"], ["index", "custom"]), name
                    assert list(next(reversed(call.values()))) in (["arguments"], ["input"]), name
        assert list(metadata) == list(range(len(metadata)))
        assert set(metadata.values()) <= {1}


def test_the_table_of_calls_answers_every_signal_that_can_come() -> None:
    impossible = {
        # A call is opened once and closed once.
        *((phase, Signal.READY) for phase in (Phase.OPEN, Phase.STREAMING, Phase.CLOSED)),
        *((phase, Signal.CLOSE) for phase in (Phase.CLOSING, Phase.CLOSED)),
        # Only a waiting call can lack a name, or be closed before its turn.
        *((phase, Signal.CLOSE_NAMELESS) for phase in Phase if phase is not Phase.WAITING),
        *((phase, Signal.CLOSE_EARLY) for phase in Phase if phase is not Phase.WAITING),
        # Text is a placeholder only of a call that may still take it and of which nothing was sent.
        *((phase, Signal.PLACEHOLDER) for phase in (Phase.CLOSING, Phase.STREAMING, Phase.CLOSED)),
    }
    every = {(phase, signal) for phase in Phase for signal in Signal}
    assert CALL_TRANSITIONS.keys() == every - impossible
