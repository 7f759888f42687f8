"""The bundled stream and the screen that shows its translation."""

from __future__ import annotations

import json
from functools import partial

import click
import pytest
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

import make_demo_stream
import transcodec
from transcodec.demo import SOURCE, TARGET, screen, stream
from transcodec.demo.client import assemble, blocks, payload


def shown() -> list[str]:
    lines = screen.render(stream(), partial(transcodec.StreamTranslator, SOURCE, TARGET))
    return [click.unstyle(line) for line in lines]


def test_the_bundled_stream_is_what_the_script_writes() -> None:
    assert stream() == make_demo_stream.stream()


def test_the_bundled_stream_is_a_responses_stream_to_the_official_types() -> None:
    adapter: TypeAdapter[ResponseStreamEvent] = TypeAdapter(ResponseStreamEvent)
    types = [adapter.validate_python(payload(block)).type for block in blocks(stream())]
    assert (types[0], types[-1]) == ("response.created", "response.completed")


def test_the_client_gets_both_calls_with_their_exact_arguments() -> None:
    answer = assemble(transcodec.translate_stream(stream(), source=SOURCE, target=TARGET).output)
    assert [(call.name, call.arguments) for _, call in sorted(answer.calls.items())] == [
        ("get_weather", "".join(make_demo_stream.WEATHER)),
        ("find_table", "".join(make_demo_stream.TABLE)),
    ]
    assert answer.text == "".join(make_demo_stream.TEXT)
    assert answer.reasoning == "".join(make_demo_stream.SUMMARY)
    assert (answer.finish, answer.done, answer.error) == ("tool_calls", True, None)
    assert answer.usage["completion_tokens_details"] == {"reasoning_tokens": 64}


def test_the_screen_fits_100_columns() -> None:
    assert max(map(len, shown())) <= screen.WIDTH


def test_the_screen_has_a_row_for_every_source_event() -> None:
    types = [payload(block)["type"].removeprefix("response.") for block in blocks(stream())]
    lefts = [line.split("│")[0] for line in shown() if "│" in line]
    rows = [left for left in lefts if left.strip() and "end of input" not in left]
    assert len(rows) == len(types)
    assert all(kind in row for kind, row in zip(types, rows, strict=True))


def test_the_screen_ends_with_the_answer_put_together() -> None:
    text = "\n".join(shown())
    assert "".join(make_demo_stream.WEATHER) in text
    assert "finish     tool_calls, [DONE]" in text
    assert "byte by byte: the same bytes" in text


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
