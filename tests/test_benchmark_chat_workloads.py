"""The Chat workloads and the check of Responses output: what the benchmarks of these pairs rest on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import answers
import chat_streams
from implementations import offering
from transcodec import reference

KIT = Path(os.environ.get("TRANSCODEC_KIT", Path(__file__).parent.parent.parent / "shared"))
MAKERS = {"W4": chat_streams.interleaved_calls, "W4t": chat_streams.reasoning_and_text}
TARGETS = ("openai_chat", "openai_responses")


@pytest.fixture(scope="module", params=MAKERS)
def made(request: pytest.FixtureRequest) -> tuple[str, bytes, dict[str, Any]]:
    stream, truth = MAKERS[request.param]()
    return request.param, stream, truth


def output_of(implementation: Any, stream: bytes, target: str) -> bytes:
    translator = implementation.StreamTranslator("openai_chat", target)
    return bytes(translator.feed(stream) + translator.finish())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("implementation", offering("StreamTranslator"))
def test_every_target_says_what_the_stream_means(
    made: tuple[str, bytes, dict[str, Any]], implementation: Any, target: str
) -> None:
    _, stream, truth = made
    answers.check(output_of(implementation, stream, target), target, truth)
    for tool in truth["tools"]:
        assert set(json.loads(tool["args"])) == {"path", "content"}


@pytest.mark.skipif(not (KIT / "bench").is_dir(), reason="the case kit is not part of the repository")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("implementation", offering("StreamTranslator"))
@pytest.mark.parametrize("name", MAKERS)
def test_the_kit_s_streams_come_out_right_too(name: str, implementation: Any, target: str) -> None:
    stream = (KIT / f"bench/{name}.sse").read_bytes()
    truth = json.loads((KIT / "bench/truth.json").read_text())[name]
    answers.check(output_of(implementation, stream, target), target, truth)


@pytest.mark.skipif(not (KIT / "bench").is_dir(), reason="the case kit is not part of the repository")
def test_made_up_streams_are_as_large_as_the_kit_s(made: tuple[str, bytes, dict[str, Any]]) -> None:
    name, stream, _ = made
    handed = (KIT / f"bench/{name}.sse").read_bytes()
    assert abs(len(stream) / len(handed) - 1) < 0.1
    assert abs(stream.count(b"\n\n") / handed.count(b"\n\n") - 1) < 0.1


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (b'"sequence_number":7,', b'"sequence_number":8,'),
        (b'"output_index":2,"item"', b'"output_index":3,"item"'),
        (b'"call_id":"call_', b'"call_id":"other_'),
        (b'"delta":"', b'"delta":"x'),
        (b"event: response.completed", b"event: response.completed\ndata: {}\n\nevent: response.completed"),
        (b'"cached_tokens":4096', b'"cached_tokens":0'),
        (b'"type":"response.completed"', b'"type":"response.failed"'),
    ],
)
def test_the_check_finds_what_is_wrong(right: bytes, wrong: bytes) -> None:
    stream, truth = chat_streams.interleaved_calls()
    output = output_of(reference, stream, "openai_responses")
    assert right in output
    broken = output.replace(right, wrong, 1) if b"call_id" not in right else output.replace(right, wrong)
    with pytest.raises((answers.WrongOutputError, LookupError)):
        answers.check(broken, "openai_responses", truth)
