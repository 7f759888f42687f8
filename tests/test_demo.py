"""The bundled stream and the screen that shows its translation."""

from __future__ import annotations

import json

import pytest
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

import make_demo_stream
from transcodec.demo import screen, stream
from transcodec.demo.client import blocks, payload


def test_the_bundled_stream_is_what_the_script_writes() -> None:
    assert stream() == make_demo_stream.stream()


def test_the_bundled_stream_is_a_responses_stream_to_the_official_types() -> None:
    adapter: TypeAdapter[ResponseStreamEvent] = TypeAdapter(ResponseStreamEvent)
    types = [adapter.validate_python(payload(block)).type for block in blocks(stream())]
    assert (types[0], types[-1]) == ("response.created", "response.completed")


def test_the_screen_says_so_when_the_cut_changes_the_output() -> None:
    class Echo:
        def feed(self, data: bytes, /) -> bytes:
            return f"data: {json.dumps({'fed': len(data)})}\n\n".encode()

        def finish(self) -> bytes:
            return b""

    assert any("DIFFERENT BYTES" in line for line in screen.render(stream(), Echo))


@pytest.mark.parametrize("block", [b": keep-alive\n\n", b"data: [DONE]\n\n"])
def test_blocks_without_json_have_no_payload(block: bytes) -> None:
    assert payload(block) is None
