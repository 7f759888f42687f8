"""Chat in, Chat out: what is too long to wait is told."""

from __future__ import annotations

from typing import Any

import pytest

from clean_cases.chat import COUNTS, ROLE, chunk, finish, usage
from clean_cases.words import DONE
from implementations import IMPLEMENTATIONS

PAD = f'"pad":"{"x" * (64 << 10)}"'


@pytest.fixture(params=[pytest.param(each, id=name) for name, each in IMPLEMENTATIONS.items()])
def module(request: pytest.FixtureRequest) -> Any:
    """An implementation."""
    if request.param is None:
        pytest.skip("the compiled module is not built")
    return request.param


def cleaned(module: Any, *payloads: str) -> tuple[list[str], list[tuple[str, str]]]:
    wire = "".join(f"data: {payload}\n\n" for payload in payloads).encode()
    done = module.translate_stream(wire, source="openai_chat", target="openai_chat")
    blocks = done.output.decode().removesuffix("\n\n").split("\n\n")
    return [block.removeprefix("data: ") for block in blocks], [
        (each.code, each.path) for each in done.losses
    ]


def test_a_long_chunk_with_a_reason_is_told(module: Any) -> None:
    output, losses = cleaned(module, ROLE, finish("stop", f',"z":1,{PAD}'), DONE)
    assert output == [ROLE, finish(), DONE]
    assert losses == [
        ("delta.member_dropped", "/1/choices/0/z"),
        ("delta.member_dropped", "/1/choices/0/pad"),
    ]


def test_counts_of_a_long_chunk_that_was_written_are_kept(module: Any) -> None:
    counts = f'{COUNTS},"cost":1'
    long = chunk('"delta":{"content":"x"},"finish_reason":null', f',"usage":{{{counts}}},{PAD}')
    output, losses = cleaned(module, ROLE, long, finish(), DONE)
    assert output[1:] == [
        chunk('"delta":{"content":"x"},"finish_reason":null', f",{PAD}"),
        finish(),
        usage(counts),
        DONE,
    ]
    assert losses == []
