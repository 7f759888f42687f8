"""The benchmarks time what they say: real shapes, and competitors whose output is right."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import agent_history
import answers
import responses_streams
from implementations import offering
from made_up import compact
from peers import orjson_envelope
from peers.orjson_translator import OrjsonTranslator
from transcodec import reference

KIT = Path(os.environ.get("TRANSCODEC_KIT", Path(__file__).parent.parent.parent / "shared"))
MAKERS = {"W1": responses_streams.one_long_call, "W2": responses_streams.reasoning_and_text}


@pytest.fixture(scope="module", params=MAKERS)
def made(request: pytest.FixtureRequest) -> tuple[str, bytes, dict[str, Any]]:
    stream, truth = MAKERS[request.param]()
    return request.param, stream, truth


def payloads(stream: bytes) -> list[dict[str, Any]]:
    return [json.loads(block.partition(b"data: ")[2]) for block in stream.split(b"\n\n") if block]


def translated(translator: Any, pieces: list[bytes]) -> bytes:
    return b"".join([*map(translator.feed, pieces), translator.finish()])


def streams(name: str) -> dict[str, tuple[bytes, dict[str, Any]]]:
    """The workload of that name with its truth: the one made up here, and the kit's if there is one."""
    found = {"made up": MAKERS[name]()}
    if (KIT / "bench").is_dir():
        truth = json.loads((KIT / "bench/truth.json").read_text())[name]
        found["handed"] = ((KIT / f"bench/{name}.sse").read_bytes(), truth)
    return found


@pytest.mark.parametrize("module", offering("StreamTranslator"))
@pytest.mark.parametrize("name", MAKERS)
def test_streams_mean_what_their_truth_says(name: str, module: Any) -> None:
    for stream, truth in streams(name).values():
        for size in (len(stream), 1024):
            pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
            translator = module.StreamTranslator("openai_responses", "openai_chat")
            answers.check(translated(translator, pieces), "openai_chat", truth)
            assert translator.outcome == "completed"
            # Chat has no place for encrypted reasoning.
            assert {loss.code for loss in translator.losses} <= {"opaque_state.dropped"}


def test_the_long_call_is_one_call_with_its_arguments() -> None:
    for _, truth in streams("W1").values():
        [tool] = truth["tools"]
        assert json.loads(tool["args"]).keys() == {"path", "mode", "content"}


@pytest.mark.parametrize("module", offering("StreamTranslator"))
def test_the_long_call_is_opened_once_and_then_only_continued(module: Any) -> None:
    for stream, truth in streams("W1").values():
        translator = module.StreamTranslator("openai_responses", "openai_chat")
        output = translated(translator, [stream]).removesuffix(b"data: [DONE]\n\n")
        deltas = [choice["delta"] for chunk in payloads(output) for choice in chunk["choices"]]
        first, *rest = [part for delta in deltas for part in delta.get("tool_calls", ())]
        [tool] = truth["tools"]
        opening = {"index": 0, "id": tool["id"], "type": "function"}
        assert first == opening | {"function": {"name": tool["name"], "arguments": ""}}
        assert len(rest) > 100
        assert all(part.keys() == {"index", "function"} for part in rest)
        assert all(part["function"].keys() == {"arguments"} for part in rest)
        assert "".join(part["function"]["arguments"] for part in rest) == tool["args"]


@pytest.mark.skipif(not (KIT / "bench").is_dir(), reason="the case kit is not part of the repository")
def test_made_up_streams_have_the_shape_of_the_kit_s(made: tuple[str, bytes, dict[str, Any]]) -> None:
    name, stream, _ = made
    handed = (KIT / f"bench/{name}.sse").read_bytes()
    assert [event["type"] for event in payloads(stream)] == [event["type"] for event in payloads(handed)]
    assert abs(len(stream) / len(handed) - 1) < 0.02
    escaped, given = (
        sum("\\" in json.dumps(event["delta"]) for event in payloads(each) if "delta" in event)
        for each in (stream, handed)
    )
    assert abs(escaped / given - 1) < 0.2


def test_the_orjson_translator_is_right_however_the_stream_is_cut(
    made: tuple[str, bytes, dict[str, Any]],
) -> None:
    _, stream, truth = made
    whole = translated(OrjsonTranslator(), [stream])
    answers.check(whole, "openai_chat", truth)
    dice = random.Random(0)
    for source in (stream, stream.replace(b"\n", b"\r\n")):
        ends = sorted(dice.sample(range(len(source)), 2_000))
        pieces = [source[a:b] for a, b in zip([0, *ends], [*ends, len(source)], strict=True)]
        assert translated(OrjsonTranslator(), pieces) == whole
        single = [source[at : at + 1] for at in range(len(source))]
        assert translated(OrjsonTranslator(), single) == whole


def test_the_orjson_translator_reads_unusual_blocks() -> None:
    created, delta, completed = (
        b'{"type":"response.created","response":{"id":"r","created_at":1,"model":"m"}}',
        b'{"type":"response.output_text.delta","delta":"data: x"}',
        b'{"type":"response.completed",\ndata:"response":{}}',
    )
    stream = b": hello\n\ndata:%b\n\nevent: data: \ndata: %b\n\ndata: %b\n\ndata: [DONE]\n\n"
    output = translated(OrjsonTranslator(), [stream % (created, delta, completed)])
    contents = [chunk["choices"][0]["delta"].get("content") for chunk in payloads(output[:-14])]
    assert contents == ["", "data: x", None]


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("W1", b'"function":{"arguments":"', b'"id":"again","function":{"arguments":"'),
        ("W1", b'"finish_reason":"tool_calls"', b'"finish_reason":"stop"'),
        ("W1", b'"role":"assistant"', b'"role":"user"'),
        ("W1", b'"cached_tokens":17280', b'"cached_tokens":0'),
        ("W1", b'"index":0,"id":"call_', b'"index":1,"id":"call_'),
        ("W2", b'"reasoning_content":"\\n\\n"', b'"reasoning_content":""'),
        ("W2", b'"content":"in"', b'"content":"out"'),
        ("W2", b"data: [DONE]\n\n", b""),
        ("W2", b'"model":"made-up-2026-01-01","choices":[]', b'"model":"other","choices":[]'),
    ],
)
def test_the_check_finds_what_is_wrong(kind: str, right: bytes, wrong: bytes) -> None:
    stream, truth = MAKERS[kind]()
    output = translated(OrjsonTranslator(), [stream])
    assert right in output
    with pytest.raises(answers.WrongOutputError):
        answers.check(output.replace(right, wrong, 1), "openai_chat", truth)


def test_the_lengths_of_events_vary_as_those_of_models_do(made: tuple[str, bytes, dict[str, Any]]) -> None:
    _, stream, _ = made
    lengths = Counter(len(event["delta"]) for event in payloads(stream) if "delta" in event)
    assert len(lengths) > 5


def histories() -> dict[str, bytes]:
    made = {"made up": agent_history.two_hundred_messages()}
    if (KIT / "bench").is_dir():
        messages = json.loads((KIT / "bench/H1.json").read_text())["messages"]
        made["handed"] = agent_history.rows_of_chat(messages)
    return {name: compact(rows).encode() for name, rows in made.items()}


def test_histories_have_200_messages_with_calls_and_their_results() -> None:
    for name, data in histories().items():
        rows = json.loads(data)
        calls = [call["id"] for row in rows for call in row.get("tool_calls", ())]
        results = [row["tool_call_id"] for row in rows if row["role"] == "tool"]
        assert (len(rows), calls) == (200, results), name
        assert len(calls) > 100
        assert 300_000 < len(data) < 450_000


def test_the_orjson_envelope_gives_the_reference_s_bytes() -> None:
    for data in histories().values():
        packed = orjson_envelope.pack(data)
        assert packed == reference.pack(data) != data
        assert orjson_envelope.unpack(packed) == reference.unpack(packed) == data


def test_the_orjson_envelope_keeps_what_rides_along() -> None:
    call = {"id": "k", "name": "f", "arguments": "{}", "extra_content": {"a": 1}}
    rows = [
        {"role": "assistant", "content": None, "extra_metadata": {"n": 1}, "tool_calls": [call]}
        | {"reasoning_content": "why"},
        {"role": "tool", "content": '{"a":1}', "extra_metadata": 2, "tool_call_id": "k"},
        {"role": "assistant", "content": "{not an envelope}"},
        {"role": "tool", "content": "plain"},
    ]
    packed = orjson_envelope.pack(compact(rows).encode())
    assert packed == reference.pack(compact(rows).encode())
    assert json.loads(orjson_envelope.unpack(packed)) == rows
