"""The official client reads every stream we write: its own parser and accumulator, in memory.

What it puts together is what `response()` says, member by member, for all pairs of formats.
Streams that end with an error must raise the client's
API error, and no other.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from openai.lib.streaming._deltas import accumulate_delta

import transcodec
from transcodec.errors import DecodeError, UnsupportedError

VECTORS = Path(__file__).parent / "vectors"
#: Folders of vectors, with source and target.
PAIRS = {
    "openai_responses": ("openai_responses", "openai_chat"),
    "openai_chat": ("openai_chat", "openai_responses"),
    "same_format/openai_chat": ("openai_chat", "openai_chat"),
    "same_format/openai_responses": ("openai_responses", "openai_responses"),
}
#: Strings of unknown members that we take for words; the client joins them like texts.
WORDS = {"id", "type", "format", "name", "role", "model", "provider", "channel", "status", "mime_type"}
#: Members of a chat completion that the client does not simply take from the first chunk.
PUT_TOGETHER = {"id", "object", "created", "model", "choices", "usage"}
PIECE_BYTES = 512


def _cases() -> Iterator[Any]:
    for pair in PAIRS:
        for case in sorted((VECTORS / pair).glob("*/case.toml")):
            # What is passed on as it is may be anything. The client's models, as they are read here, cannot
            # be shown with half a surrogate pair in a name.
            is_passed = 'same_format = "verbatim"' in case.read_text()
            if not is_passed and case.parent.name != "halves_of_pairs_in_names":
                yield pytest.param(pair, case.parent, id=f"{pair}/{case.parent.name}")


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

    def __init__(self, pair: str, folder: Path) -> None:
        source, self.target = PAIRS[pair]
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
def _answer(pair: str, folder: Path) -> _Answer:
    return _Answer(pair, folder)


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


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # parts of types that it does not know
@pytest.mark.parametrize(("pair", "folder"), list(_cases()))
def test_the_official_client_reads_what_we_write(pair: str, folder: Path) -> None:
    answer = _answer(pair, folder)
    if answer.target == "openai_chat":
        if answer.has_failed:
            with pytest.raises(openai.APIError):
                _read_chat(answer.output)
            return
        _compare_chat(_read_chat(answer.output), answer)
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


def _compare_chat(read: Any, answer: _Answer) -> None:
    """Hold all members against each other.

    Where the client's way of putting chunks together loses or garbles what is no part of the format, ours is
    held against the chunks.
    """
    body = _without_nulls(answer.body)
    chunks = [
        json.loads(line[6:]) for line in answer.output.decode().split("\n") if line.startswith("data: {")
    ]
    # A body has the counts also where the stream's client did not ask for them.
    if read.get("usage") is not None:
        assert read["usage"] == body.get("usage")
    for name in ("id", "object", "created", "model"):
        assert read[name] == body[name]
    _compare_last_shown(chunks, read, body, PUT_TOGETHER)
    choices = {choice["index"]: choice for choice in read["choices"]}
    assert choices.keys() == {choice["index"] for choice in body["choices"]}
    for choice in body["choices"]:
        index = choice["index"]
        mine = choices[index]
        assert mine["finish_reason"] == choice["finish_reason"]
        _compare_logprobs(mine.get("logprobs"), choice.get("logprobs"))
        of_choice = [each for chunk in chunks for each in chunk["choices"] if each["index"] == index]
        known = {"index", "delta", "message", "finish_reason", "logprobs"}
        _compare_last_shown(of_choice, mine, choice, known)
        got, wanted = mine["message"], choice["message"]
        # A text that never came is null in a body, and may be empty in a stream.
        assert got.pop("content", "") == wanted.pop("content", "")
        calls, wanted_calls = got.pop("tool_calls", []), wanted.pop("tool_calls", [])
        assert len(calls) == len(wanted_calls)
        for call, wanted_call in zip(calls, wanted_calls, strict=True):
            # Only chunks need it.
            del call["index"]
            call.get("function", {}).pop("parsed_arguments", None)
            assert (call["id"], call["type"]) == (wanted_call["id"], wanted_call["type"])
            kind = wanted_call["type"]
            assert call[kind]["name"] == wanted_call[kind]["name"]
            _compare_pieces(call, wanted_call, "")
        _compare_pieces(got, wanted, "")


def _compare_last_shown(shown: list[Any], read: Any, body: Any, known: set[str]) -> None:
    """The client takes unknown members of chunks and choices from the first one; we take the last."""
    unknown = {name for each in [*shown, read, body] for name in each} - known - {"obfuscation"}
    for name in unknown:
        values = [each[name] for each in shown if each.get(name) is not None]
        assert body.get(name) == (_without_nulls(values[-1]) if values else None), name
        assert read.get(name) in [None, *map(_without_nulls, values)], name


def _compare_logprobs(read: Any, wanted: Any) -> None:
    names = ("content", "refusal")
    assert [(read or {}).get(name) or None for name in names] == [(wanted or {}).get(name) for name in names]


def _compare_pieces(read: Any, wanted: Any, name: str) -> None:
    """The same but for words, which the client joins, and numbers, which it adds up."""
    if isinstance(wanted, dict):
        assert {key for key in read if read[key] is not None} == wanted.keys(), name
        for key, value in wanted.items():
            _compare_pieces(read[key], value, key)
    elif isinstance(wanted, list):
        folded: Any = wanted
        if all(isinstance(each, dict) and "index" in each for each in wanted):
            # The client goes by the index alone, not by types and ids.
            folded = accumulate_delta({}, {name: copy.deepcopy(wanted)})[name]
        assert len(read) == len(folded), name
        for mine, value in zip(read, folded, strict=True):
            _compare_pieces(mine, value, name)
    elif name in WORDS and isinstance(wanted, str):
        assert wanted in read, name
    elif isinstance(wanted, bool) or not isinstance(wanted, int | float):
        assert read == wanted, name
    else:
        assert isinstance(read, int | float), name


def _comparable_response(response: Any) -> Any:
    """A response without the members that the client adds to what it parsed."""
    plain = _without_nulls(response)
    for item in plain["output"]:
        item.pop("parsed_arguments", None)
        for part in item.get("content", []):
            part.pop("parsed", None)
    return plain
