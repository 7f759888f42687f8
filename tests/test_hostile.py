"""Hostile streams: nothing is injected, nothing crashes, nothing grows past its bound or by the square."""

from __future__ import annotations

import contextlib
import json
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import peak_memory
import streaming
from implementations import IMPLEMENTATIONS, offering
from stream_cases.words import (
    CREATED,
    added,
    arguments,
    compact,
    ended,
    event,
    function,
    message,
    sse,
    text,
    text_part,
)
from transcodec.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Callable

each_implementation = pytest.mark.parametrize("module", offering("StreamTranslator"))
#: Text that would be an event of its own if it came out raw.
INJECTION = 'x\n\ndata: {"injected":true}\n\n\r\rdata: [DONE]\r\n\r\n\u2028\u2029\u0085\x00: y\n'


def is_native(module: Any) -> bool:
    return module is IMPLEMENTATIONS["native"]


# Numbers: no value of an option is more than an error.

NUMBERS = [
    "created",
    "max_event_bytes",
    "max_held_bytes",
    "max_open_calls",
    "max_blocks",
    "max_answer_bytes",
    "max_losses",
]
CHAT_BODY = b'{"id":"r","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}'


@each_implementation
@pytest.mark.parametrize("number", [0, 2**32 - 1, 2**32, 2**63, 2**64 - 1])
@pytest.mark.parametrize("option", [*NUMBERS, "max_body_bytes"])
def test_large_and_small_numbers_are_numbers(module: Any, option: str, number: int) -> None:
    pair = {"source": "openai_chat", "target": "openai_responses", option: number}
    with contextlib.suppress(DecodeError):
        if option == "max_body_bytes":
            module.translate_response(CHAT_BODY, **pair)
        else:
            module.translate_stream(b"data: " + CHAT_BODY + b"\n\ndata: [DONE]\n\n", **pair)


@each_implementation
@pytest.mark.parametrize(
    ("number", "error"),
    [(-1, ValueError), (2**64, ValueError), (True, TypeError), (1.5, TypeError), ("1", TypeError)],
)
@pytest.mark.parametrize("option", [*NUMBERS, "max_body_bytes"])
def test_other_numbers_are_refused(module: Any, option: str, number: Any, error: type[Exception]) -> None:
    pair = {"source": "openai_chat", "target": "openai_responses", option: number}
    call = module.translate_response if option == "max_body_bytes" else module.translate_stream
    with pytest.raises(error) as caught:
        call(CHAT_BODY, **pair)
    assert type(caught.value) is error


@pytest.mark.skipif(IMPLEMENTATIONS["native"] is None, reason="the native module is not built")
def test_a_body_whose_places_have_no_32_bits_is_refused() -> None:
    # Zeros that nobody writes take no memory.
    body = bytes(2**32 + 1)
    pair = {"source": "openai_chat", "target": "openai_responses", "max_body_bytes": 2**33}
    with pytest.raises(DecodeError) as caught:
        IMPLEMENTATIONS["native"].translate_response(body, **pair)
    assert (caught.value.code, caught.value.offset) == ("event_too_large", 2**32 - 1)


# Injection: every text that reaches the client stays inside its JSON string.


@each_implementation
def test_no_text_of_an_answer_becomes_an_event(module: Any) -> None:
    citation = {"type": "url_citation", "url": INJECTION, "title": INJECTION, INJECTION: INJECTION}
    wire = (
        event("response.created", response={"id": INJECTION, "model": INJECTION, "created_at": 1})
        + text(0, INJECTION, logprobs=[{"token": INJECTION, "logprob": 0}])
        + event("response.output_text.annotation.added", output_index=0, annotation=citation)
        + event("response.refusal.delta", output_index=0, content_index=1, delta=INJECTION)
        + event("response.reasoning_text.delta", output_index=1, delta=INJECTION)
        + added(2, function(INJECTION, INJECTION, INJECTION))
        + arguments(2, INJECTION)
        + ended(usage={"input_tokens": 1, INJECTION: 2})
    )
    events = streaming.read_events(streaming.run(module, [wire]).output)
    assert events[-1] == "[DONE]"
    assert all("injected" not in each for each in events[:-1])
    deltas = [choice["delta"] for each in events[:-1] for choice in each["choices"]]
    assert [delta["content"] for delta in deltas if delta.get("content")] == [INJECTION]


@each_implementation
@pytest.mark.parametrize(
    "wire",
    [
        event(
            "error", error={"message": INJECTION, "type": INJECTION, "code": INJECTION, "param": INJECTION}
        ),
        event("error", error={INJECTION: INJECTION}),
        ended(status="failed", error={"message": INJECTION, "code": INJECTION}),
    ],
)
def test_no_text_of_an_error_becomes_an_event(wire: bytes, module: Any) -> None:
    error = streaming.read_events(streaming.run(module, [wire]).output)[-1]["error"]
    assert INJECTION in error["message"] or json.loads(error["message"]) == {INJECTION: INJECTION}


@each_implementation
def test_raw_line_ends_in_a_string_are_no_text(module: Any) -> None:
    wire = CREATED + b'data: {"type":"response.output_text.delta","delta":"a\ndata: b"}\n\n' + ended()
    seen = streaming.run(module, [wire])
    assert seen.error is not None
    assert seen.error[1] == "invalid_json"


@each_implementation
def test_the_callers_words_are_no_events_either(module: Any) -> None:
    translator = module.StreamTranslator(
        streaming.SOURCE, streaming.TARGET, model=INJECTION, response_id=INJECTION
    )
    output = translator.feed(CREATED) + translator.fail(INJECTION, code=INJECTION)
    start, error = streaming.read_events(output)
    assert (start["id"], start["model"]) == (INJECTION, INJECTION)
    assert (error["error"]["message"], error["error"]["code"]) == (INJECTION, INJECTION)


# Depth and size of one event.


@each_implementation
@pytest.mark.parametrize(
    ("before", "opening", "closing"), [(b'{"a":', b"[", b"]"), (b"", b'{"a":', b"}"), (b'{"a":[', b"[", b"")]
)
def test_deep_nesting_ends_at_the_bound(before: bytes, opening: bytes, closing: bytes, module: Any) -> None:
    for depth in (129, 100_000):
        wire = CREATED + b"data: " + before + opening * depth + b"1" + closing * depth + b"\n\n"
        seen = streaming.run(module, [wire])
        assert seen.error is not None
        assert seen.error[1] == "nesting_too_deep"
        assert seen.outcome == "failed"


@each_implementation
def test_the_deepest_text_that_is_read_is_written_too(module: Any) -> None:
    # Two brackets of the event and one of the list of annotations stand around the value.
    deep = f'{{"type":"url_citation","deep":{"[" * 125}{"]" * 125}}}'
    wire = sse(
        "response.output_text.annotation.added",
        f'{{"type":"response.output_text.annotation.added","output_index":0,"annotation":{deep}}}',
    )
    seen = streaming.run(module, [CREATED, wire, ended()])
    assert seen.outcome == "completed"
    assert "[" * 125 in seen.output.decode()


@each_implementation
def test_an_endless_event_ends_at_the_bound(module: Any) -> None:
    bound, piece = 100_000, b"x" * 1000
    for beginning in (b"data: ", b": ", b"event: ", b"id: ", b"hello", b'data: {"a":"', b"data: a\ndata: "):
        fed = CREATED + beginning
        translator = module.StreamTranslator(streaming.SOURCE, streaming.TARGET, max_event_bytes=bound)
        translator.feed(fed)
        # The piece that passes the bound raises, and none before it.
        for _ in range((len(CREATED) + bound - len(fed)) // len(piece)):
            translator.feed(piece)
        with pytest.raises(DecodeError) as caught:
            translator.feed(piece)
        assert (caught.value.code, caught.value.offset) == ("event_too_large", len(CREATED) + bound)


@each_implementation
def test_an_endless_body_ends_at_the_bound(module: Any) -> None:
    translator = module.StreamTranslator(streaming.SOURCE, streaming.TARGET, max_event_bytes=10_000)
    with pytest.raises(DecodeError) as caught:
        translator.feed(b'{"a":"' + b"[" * 20_000)
    assert (caught.value.code, caught.value.offset) == ("event_too_large", 10_000)


@each_implementation
def test_endless_white_space_is_not_kept(module: Any) -> None:
    translator = module.StreamTranslator(streaming.SOURCE, streaming.TARGET, max_event_bytes=10)
    for _ in range(100):
        translator.feed(b" \n\t\r" * 100)
    with pytest.raises(DecodeError) as caught:
        translator.feed(b"<")
    assert caught.value.offset == 40_000


# Bytes that are no UTF-8, and bytes of any kind, anywhere.


#: What a byte can do to a stream that was right. The first three stand where it is or behind it; a name or a
#: word that it changed may begin before it.
SYNTAX_CODES = {"invalid_utf8", "invalid_json", "not_a_stream"}
MEMBER_CODES = {"invalid_type", "duplicate_key"}


@each_implementation
@pytest.mark.parametrize("byte", [b"\xff", b"\x80", b"\xc3", b"\x00", b'"', b"\n"])
def test_a_strange_byte_anywhere_leaves_a_whole_stream(byte: bytes, module: Any) -> None:
    wire = CREATED + added(0, function("fc_0", "call_0", "find")) + arguments(0, '{"é":1}') + ended()
    ends = [0, *(at + 2 for at in range(len(wire)) if wire.startswith(b"\n\n", at))]
    before = {
        end: module.StreamTranslator(streaming.SOURCE, streaming.TARGET).feed(wire[:end]) for end in ends
    }
    faults = 0
    for at in range(len(wire)):
        begun = max(end for end in ends if end <= at)
        for changed in (wire[:at] + byte + wire[at:], wire[:at] + byte + wire[at + 1 :]):
            seen = streaming.run(module, [changed])
            # Events that were over before the byte came are there, and every event is JSON.
            assert seen.output.startswith(before[begun])
            last = streaming.read_events(seen.output)[-1]
            if seen.error is None:
                assert seen.outcome in {"completed", "truncated"}
                assert last == "[DONE]" if seen.outcome == "completed" else "error" in last
                continue
            faults += 1
            kind, code, offset, _ = seen.error
            assert (kind, seen.outcome, last["error"]["code"]) == ("DecodeError", "failed", code)
            assert code in SYNTAX_CODES | MEMBER_CODES
            assert offset is not None
            assert (at if code in SYNTAX_CODES else begun) <= offset <= len(changed)
            # (Where a blank line is no more, two events become one, which is no JSON.)
            if byte == b"\xff" and code != "invalid_json":
                assert (code in {"invalid_utf8", "not_a_stream"}, offset) == (True, at)
    assert faults > len(wire) / 4


# Growth. Times are compared with one another only: four times as much may take 9 times as long, while the
# square would take 16 times.

FACTOR, MOST = 4, 9
#: What the clock tells well, and what the cost of starting a translator does not blur.
LEAST_SECONDS = 0.02


def seconds(run: Callable[[list[bytes]], object], pieces: list[bytes]) -> float:
    """The least of three runs, in processor time."""
    times = []
    for _ in range(3):
        start = time.process_time()
        run(pieces)
        times.append(time.process_time() - start)
    return min(times)


def many_events(count: int) -> list[bytes]:
    return [CREATED + text(0, "a") * count + ended()]


def many_keep_alives(count: int) -> list[bytes]:
    return [CREATED + b":\n" * count + b"\n" + ended()]


def huge_event_in_small_pieces(count: int) -> list[bytes]:
    wire = CREATED + text(0, "a" * count * 8) + ended()
    return [wire[at : at + 4] for at in range(0, len(wire), 4)]


def huge_body_in_small_pieces(count: int) -> list[bytes]:
    body = {"object": "response", "status": "completed", "output": [message("m", text_part('"' * count * 4))]}
    wire = compact(body).encode()
    return [wire[at : at + 4] for at in range(0, len(wire), 4)]


def many_data_lines(count: int) -> list[bytes]:
    lines = b"".join(b"data: %d,\n" % number for number in range(count))
    return [CREATED + b'data: {"type":"ping","a":[\n' + lines + b"data: 0]}\n\n" + ended()]


def many_members(count: int) -> list[bytes]:
    members = {f"m{number}": number for number in range(count)}
    return [CREATED + added(0, message("msg_0", **members)) + ended()]


def many_calls(count: int) -> list[bytes]:
    calls = [function(f"fc_{number}", "call", "find", "{}") for number in range(count)]
    opened = b"".join(added(number, {**call, "arguments": ""}) for number, call in enumerate(calls))
    return [CREATED + opened + ended(list(reversed(calls)))]


def many_unmatched_items(count: int) -> list[bytes]:
    seen = b"".join(text(number, "a") for number in range(count))
    return [CREATED + seen + ended([message(f"other_{number}", text_part("a")) for number in range(count)])]


def drip_of_held_text(count: int) -> list[bytes]:
    return [CREATED + arguments(0, "a") * count + added(0, function("fc_0", "call_0", "find")) + ended()]


def drip_behind_a_placeholder(count: int) -> list[bytes]:
    call = added(0, function("fc_0", "call_0", "find"))
    return [CREATED + call + arguments(0, "{}") + arguments(0, " ") * count + arguments(0, "{}") + ended()]


def placeholders_in_one_piece(count: int) -> list[bytes]:
    call = added(0, function("fc_0", "call_0", "find"))
    return [CREATED + call + arguments(0, "{}" * count * 10) + arguments(0, '{"q":1}') + ended()]


def many_snapshots(count: int) -> list[bytes]:
    growing = event("response.output_text.done", item_id="msg_0", output_index=0, text="a" * 200)
    return [CREATED + text(0, "a" * 200) + growing * count + ended()]


def many_unknown_types(count: int) -> list[bytes]:
    return [CREATED + b"".join(event(f"response.new_{number}") for number in range(count)) + ended()]


def interleaved_calls(count: int) -> list[bytes]:
    open_calls = count // 8
    calls = b"".join(
        added(number, function(f"fc_{number}", f"c{number}", "f")) for number in range(open_calls)
    )
    drip = b"".join(arguments(number % open_calls, "a") for number in range(count))
    return [CREATED + calls + drip + ended()]


def many_calls_and_annotations(count: int) -> list[bytes]:
    calls = b"".join(
        added(number + 1, function(f"fc_{number}", f"c{number}", "f")) for number in range(count)
    )
    note = {"type": "url_citation", "url": "u"}
    place = {"item_id": "msg_0", "output_index": 0, "content_index": 0, "annotation": note}
    return [
        CREATED
        + text(0, "a")
        + calls
        + event("response.output_text.annotation.added", **place) * count
        + ended()
    ]


@pytest.mark.slow
@each_implementation
@pytest.mark.parametrize(
    "wire_of",
    [
        many_events,
        many_keep_alives,
        huge_event_in_small_pieces,
        huge_body_in_small_pieces,
        many_data_lines,
        many_members,
        many_calls,
        many_unmatched_items,
        drip_of_held_text,
        drip_behind_a_placeholder,
        placeholders_in_one_piece,
        many_snapshots,
        many_unknown_types,
        interleaved_calls,
        many_calls_and_annotations,
    ],
)
def test_time_grows_with_the_input_only(wire_of: Callable[[int], list[bytes]], module: Any) -> None:
    bounds = ("max_open_calls", "max_blocks", "max_event_bytes", "max_held_bytes", "max_answer_bytes")
    options: dict[str, Any] = dict.fromkeys(bounds, 2**31) | {"collect": True}

    def run(pieces: list[bytes]) -> streaming.Seen:
        return streaming.run(module, pieces, **options)

    count = 4000 if is_native(module) else 250
    small = wire_of(count)
    while seconds(run, small) < LEAST_SECONDS:
        count *= 2
        small = wire_of(count)
    large = wire_of(count * FACTOR)
    assert run(large).outcome == "completed"
    # A busy machine may spoil one measurement; what grows by the square fails each.
    ratios = [seconds(run, large) / seconds(run, small)]
    while ratios[-1] >= MOST and len(ratios) < 3:
        ratios.append(seconds(run, large) / seconds(run, small))
    assert ratios[-1] < MOST, ratios


def growing_heads(count: int) -> bytes:
    heads = [event("response.in_progress", response={"id": "r", f"u{number}": 1}) for number in range(count)]
    return b"".join(heads) + ended()


def done_behind_each_delta(count: int) -> bytes:
    place = {"item_id": "msg_0", "output_index": 0, "content_index": 0}
    done = [event("response.output_text.done", **place, text="a" * number) for number in range(1, count + 1)]
    return CREATED + b"".join(text(0, "a") + each for each in done) + ended()


@each_implementation
@pytest.mark.parametrize("wire_of", [growing_heads, done_behind_each_delta])
def test_within_one_format_nothing_is_repeated_without_end(
    wire_of: Callable[[int], bytes], module: Any
) -> None:
    wire = wire_of(300)
    translated = module.translate_stream(wire, source="openai_responses", target="openai_responses")
    assert translated.outcome == "completed"
    assert len(translated.output) < 3 * len(wire)


THOUSANDS = """
import sys, peak_memory, transcodec
begin, piece, end = (text.encode() for text in sys.argv[1:])
translator = transcodec.StreamTranslator("openai_responses", "openai_chat")
translator.feed(begin)
thousand = piece * 1000
chunks = translator.feed(thousand).count(b"data: ")
before = peak_memory.reset()
for _ in range(999):
    chunks += translator.feed(thousand).count(b"data: ")
whole = translator.feed(end).endswith(b"data: [DONE]\\n\\n")
print(chunks, peak_memory.peak_bytes() - before, int(whole))
"""


@peak_memory.measured
@pytest.mark.skipif(IMPLEMENTATIONS["native"] is None, reason="the compiled module is not built")
def test_a_million_tiny_events_in_little_memory() -> None:
    wires = (CREATED, text(0, "a"), ended())
    chunks, grown_bytes, whole = peak_memory.numbers_of(THOUSANDS, *(wire.decode() for wire in wires))
    assert (chunks, whole) == (1_000_000, 1)
    # The first thousand brought the buffers; a byte an event would be a megabyte.
    assert grown_bytes < 500_000, grown_bytes


@pytest.mark.parametrize(
    "piece_of",
    [
        lambda number: text(0, f"t{number}"),
        lambda number: event(f"response.new_{number}"),
        lambda number: b": %d\n\n" % number,
        lambda number: event("response.output_text.done", item_id="msg_0", output_index=0, text=f"x{number}"),
        lambda number: added(0, message("msg_0", **{f"m{number}": 1})),
        lambda number: b"unknown %d\n\n" % number,
        lambda number: event("response.output_text.delta", item_id="m", output_index=number, delta="a"),
        lambda number: event("response.content_part.added", content_index=number, part=text_part("")),
        lambda number: event("response.output_text.delta", content_index=number, delta=""),
    ],
)
def test_a_long_stream_keeps_nothing_of_its_events(piece_of: Callable[[int], bytes]) -> None:
    translator = IMPLEMENTATIONS["reference"].StreamTranslator(streaming.SOURCE, streaming.TARGET)
    translator.feed(CREATED)
    for number in range(400):
        translator.feed(piece_of(number))
    tracemalloc.start()
    try:
        for number in range(400, 2400):
            translator.feed(piece_of(number))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Two thousand events leave less than a few of them would fill.
    assert kept < 20_000


@each_implementation
def test_losses_are_counted_and_not_kept(module: Any) -> None:
    translator = module.StreamTranslator(streaming.SOURCE, streaming.TARGET)
    translator.feed(CREATED + b"".join(event(f"response.new_{number}") for number in range(5000)))
    assert len(translator.losses) == 256
    assert translator.loss_count == 5000
