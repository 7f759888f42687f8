"""Input that means harm: it is refused, bounded or made harmless, in time linear in its length."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest

from implementations import IMPLEMENTATIONS
from transcodec.errors import TranscodecError

native = IMPLEMENTATIONS["native"]
pytestmark = pytest.mark.skipif(native is None, reason="the native module is not built")
CREATED = b'data: {"type":"response.created","response":{"id":"resp_1","created_at":1,"model":"m"}}\n\n'


def event(**members: Any) -> bytes:
    return b"data: " + json.dumps(members).encode() + b"\n\n"


def text(delta: str) -> bytes:
    return event(type="response.output_text.delta", output_index=0, content_index=0, delta=delta)


def translated(wire: bytes, **options: Any) -> tuple[bytes, str | None]:
    """The output and the code of the error, if there is one."""
    translator: Any = native.StreamTranslator("openai_responses", "openai_chat", **options)
    try:
        return translator.feed(wire) + translator.finish(), None
    except TranscodecError as error:
        return (error.output or b"") + translator.finish(), error.code


@pytest.mark.parametrize("evil", ["\n\ndata: [DONE]\n\n", "\r\revent: x\r", "\u2028data: {}\u2029"])
def test_text_cannot_begin_an_event(evil: str) -> None:
    output, code = translated(CREATED + text(evil))
    blocks = output.decode().split("\n\n")[:-1]
    assert code is None
    assert b"\r" not in output
    assert all(block.startswith("data: ") and "\n" not in block for block in blocks)
    said = [json.loads(block[6:]) for block in blocks if block.startswith("data: {")]
    assert "".join(c["delta"].get("content") or "" for e in said for c in e.get("choices", ())) == evil


def test_deep_nesting_has_a_limit() -> None:
    wire = CREATED + b'data: {"type":"x","y":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n\n"
    output, code = translated(wire)
    assert code == "nesting_too_deep"
    assert b'"error"' in output


def test_huge_indexes_cost_nothing() -> None:
    wire = event(type="response.output_text.delta", output_index=2**63, content_index=2**62, delta="x")
    output, code = translated(CREATED + wire)
    assert code is None
    assert b'"content":"x"' in output


def test_an_endless_event_is_given_up() -> None:
    output, code = translated(CREATED + b"data: " + b"x" * 200_000, max_event_bytes=100_000)
    assert code == "event_too_large"
    assert b'"error"' in output


def test_a_million_tiny_events() -> None:
    output, _ = translated(CREATED + b"data: {}\n\n" * 1_000_000)
    assert len(output) < 10_000


def test_wrong_utf8_anywhere_is_told_where() -> None:
    good = text("abc")
    for at in range(len(good) - 2):
        wire = CREATED + good[:at] + b"\xff" + good[at:]
        translator: Any = native.StreamTranslator("openai_responses", "openai_chat")
        with contextlib.suppress(TranscodecError):
            translator.feed(wire)
        output = translator.finish()
        assert b"\xff" not in output
        assert translator.outcome in {"failed", "truncated"}
