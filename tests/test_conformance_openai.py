"""The official client reads every stream we write: its own parser and accumulator, in memory.

What it puts together is what `response()` says. Streams that end with an error must raise the client's
API error, and no other.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

import transcodec
from transcodec.errors import DecodeError, UnsupportedError

VECTORS = Path(__file__).parent / "vectors"
PAIRS = {"openai_responses": "openai_chat", "openai_chat": "openai_responses"}
PIECE_BYTES = 512


def _cases() -> Iterator[Any]:
    for source in PAIRS:
        for folder in sorted((VECTORS / source).glob("*/case.toml")):
            yield pytest.param(source, folder.parent, id=f"{source}/{folder.parent.name}")


class _Server:
    """Answers every request with one body, handed over in pieces as a network would."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    def client(self) -> openai.OpenAI:
        http = httpx2.Client(transport=httpx2.MockTransport(self._answer))
        return openai.OpenAI(api_key="k", base_url="http://test/v1", http_client=http, max_retries=0)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        body = self.body

        class Pieces(httpx2.SyncByteStream):
            def __iter__(self) -> Iterator[bytes]:
                yield from (body[at : at + PIECE_BYTES] for at in range(0, len(body), PIECE_BYTES))

        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, stream=Pieces(), request=request)


class _Answer:
    """What a vector's stream becomes."""

    def __init__(self, source: str, folder: Path) -> None:
        self.target = PAIRS[source]
        wire = next(path for path in folder.iterdir() if path.stem in {"wire", "body"}).read_bytes()
        case = tomllib.loads((folder / "case.toml").read_text())
        options = case.get("options", {}) | dict.fromkeys(case.get("options_none", []))
        request = folder / "request.json"
        if request.exists():
            options["context"] = transcodec.Context.from_request(request.read_bytes(), format=self.target)
        translator = transcodec.StreamTranslator(source, self.target, collect=True, **options)
        try:
            self.output = translator.feed(wire)
        except (DecodeError, UnsupportedError) as error:
            self.output = error.output
        self.output += translator.finish()
        self.outcome = translator.outcome
        self.has_failed = self.outcome in {"failed", "truncated"}
        self.body: Any = json.loads(translator.response())


@cache
def _answer(source: str, folder: Path) -> _Answer:
    return _Answer(source, folder)


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", exclude_none=True, warnings=False)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def _read_chat(output: bytes) -> Any:
    """The accumulated chat completion; what ends the answer raises."""
    client = _Server(output).client()
    with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "x"}]) as stream:
        for _ in stream:
            pass
        # `get_final_completion` refuses answers that a limit cut.
        return _plain(stream.current_completion_snapshot)


def _read_responses(output: bytes) -> list[Any]:
    """The events as the accumulator hands them out."""
    with _Server(output).client().responses.stream(model="m", input="x") as stream:
        return [_plain(event) for event in stream]


@pytest.mark.parametrize(("source", "folder"), list(_cases()))
def test_the_official_client_reads_what_we_write(source: str, folder: Path) -> None:
    answer = _answer(source, folder)
    if answer.target == "openai_chat":
        if answer.has_failed:
            with pytest.raises(openai.APIError):
                _read_chat(answer.output)
            return
        _compare_chat(_read_chat(answer.output), answer.body)
        return
    events = _read_responses(answer.output)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    last = events[-1]
    if answer.has_failed:
        assert last["type"] == "response.failed"
        assert last["response"]["error"]["message"] == answer.body["error"]["message"]
        return
    assert last["type"] == f"response.{answer.outcome}"
    assert _comparable_response(last["response"]) == _comparable_response(answer.body)


def _compare_chat(read: Any, body: Any) -> None:
    assert read["id"] == body["id"]
    # A body has the counts also where the stream's client did not ask for them.
    if read.get("usage") is not None:
        assert read["usage"] == _without_nulls(body.get("usage"))
    choices = {choice["index"]: choice for choice in read["choices"]}
    assert choices.keys() == {choice["index"] for choice in body["choices"]}
    for choice in body["choices"]:
        mine = choices[choice["index"]]
        assert mine["finish_reason"] == choice["finish_reason"]
        wanted = _without_nulls(choice["message"])
        got = mine["message"]
        assert got.get("content", "") == wanted.get("content", "")
        for name in ("refusal", "reasoning_content", "reasoning", "annotations"):
            assert got.get(name) == wanted.get(name), name
        assert [_call(call) for call in got.get("tool_calls", [])] == [
            _call(call) for call in wanted.get("tool_calls", [])
        ]


def _call(call: Any) -> tuple[Any, ...]:
    body = call.get("function") or call.get("custom")
    return call["id"], call["type"], body["name"], body.get("arguments", body.get("input"))


def _comparable_response(response: Any) -> Any:
    """A response without the members that the client adds to what it parsed."""
    plain = _without_nulls(response)
    for item in plain["output"]:
        item.pop("parsed_arguments", None)
        for part in item.get("content", []):
            part.pop("parsed", None)
    return plain
