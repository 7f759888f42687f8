"""Every implementation translates each body into the expected one, and a stream made of it agrees."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

import make_body_vectors
import streaming
from implementations import offering
from transcodec.errors import StateError, TranscodecError

FOLDER = make_body_vectors.FOLDER
CASES = make_body_vectors.CASES
NAMES = sorted(path.name for path in FOLDER.glob("*/"))
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

    def __init__(self, name: str, module: Any) -> None:
        folder = FOLDER / name
        self.body = (folder / "body.json").read_bytes()
        self.expected = json.loads((folder / "expected.json").read_text())
        case = tomllib.loads((folder / "case.toml").read_text())
        self.outcome = case["outcome"]
        self.unchanged = case.get("unchanged", False)
        self.is_streamed = case.get("is_streamed", True)
        self.losses = [tuple(loss) for loss in case["losses"]]
        error, request = folder / "error.json", folder / "request.json"
        self.error = tuple(json.loads(error.read_text()).values()) if error.exists() else None
        self.arguments: dict[str, Any] = {"source": case["source"], "target": case["target"]}
        self.arguments |= case.get("options", {})
        if request.exists():
            target = case["target"]
            self.arguments["context"] = module.Context.from_request(request.read_bytes(), format=target)


def test_the_vectors_are_what_the_script_writes() -> None:
    cases = {case.name: case for case in CASES}
    assert len(cases) == len(CASES)
    assert sorted(cases) == NAMES
    for name in NAMES:
        found = {path.name: path.read_bytes() for path in (FOLDER / name).iterdir()}
        assert found == make_body_vectors.files(cases[name]), name


@each
def test_the_body_becomes_the_expected_one(module: Any, name: str) -> None:
    vector = Vector(name, module)
    error, losses, outcome = None, vector.losses, "failed"
    try:
        translated = module.translate_response(vector.body, **vector.arguments)
    except TranscodecError as caught:
        error = (type(caught).__name__, caught.code, caught.offset, caught.path)
        body = caught.output
    else:
        body, outcome = translated.body, translated.outcome
        losses = [(loss.code, loss.severity, loss.path) for loss in translated.losses]
    assert error == vector.error
    assert json.loads(body) == vector.expected
    assert list(json.loads(body)) == list(vector.expected)
    if vector.unchanged:
        assert body == vector.body
    assert losses == vector.losses
    assert outcome == vector.outcome


@each
def test_the_parsed_object_becomes_the_same(module: Any, name: str) -> None:
    vector = Vector(name, module)
    body = json.loads(vector.body)
    if vector.error is None:
        assert module.translate_response(body, **vector.arguments).body == vector.expected
    elif isinstance(body, dict) and "max_body_bytes" not in vector.arguments:
        with pytest.raises(TranscodecError) as caught:
            module.translate_response(body, **vector.arguments)
        assert caught.value.code == vector.error[1]


@each
def test_a_stream_made_of_the_body_gives_it_back(module: Any, name: str) -> None:
    vector = Vector(name, module)
    if vector.error is not None or not vector.is_streamed:
        return
    translator = module.StreamTranslator(**vector.arguments, collect=True)
    translator.feed(vector.body)
    translator.finish()
    assert json.loads(translator.response()) == vector.expected


@each
def test_a_body_in_pieces_is_the_same_stream(module: Any, name: str) -> None:
    vector = Vector(name, module)
    options = {key: value for key, value in vector.arguments.items() if key != "max_body_bytes"}

    def run(pieces: list[bytes]) -> tuple[Any, ...]:
        translator = module.StreamTranslator(**options)
        output, error = b"", None
        try:
            for piece in pieces:
                output += translator.feed(piece)
        except TranscodecError as caught:
            output += caught.output
            error = streaming.described(caught)
        output += translator.finish()
        return output, error, translator.losses, translator.outcome, translator.usage

    whole = run([vector.body])
    for pieces in (streaming.bytewise(vector.body), *streaming.random_cuts(vector.body, name)):
        assert run(pieces) == whole, list(map(len, pieces))


@pytest.mark.parametrize("module", offering("translate_response"))
def test_response_needs_an_answer_that_is_kept_and_has_ended(module: Any) -> None:
    formats = {"source": "openai_chat", "target": "openai_responses"}
    with pytest.raises(StateError, match="collect"):
        module.StreamTranslator(**formats).response()
    open_one = module.StreamTranslator(**formats, collect=True)
    with pytest.raises(StateError) as caught:
        open_one.response()
    assert caught.value.code == "not_ended"
    with pytest.raises(ValueError, match="odd"):
        open_one.response("odd")


@pytest.mark.parametrize("module", offering("translate_response"))
def test_response_gives_other_formats_too(module: Any) -> None:
    body = (FOLDER / "chat_all/body.json").read_bytes()
    translator = module.StreamTranslator("openai_chat", "openai_responses", collect=True)
    translator.feed(body)
    message = json.loads(translator.response("openai_chat"))["choices"][0]["message"]
    assert message["content"] == "x"
    assert message["reasoning_content"] == "r"
    assert [call["id"] for call in message["tool_calls"]] == ["a"]
