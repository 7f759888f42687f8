"""What README.md promises, one test a line of its table; `test_readme.py` holds the names equal."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import openai
import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState

import make_demo_stream
import transcodec
from implementations import offering
from transcodec.demo import SOURCE, TARGET, stream
from transcodec.demo.client import assemble, blocks, payload

CREATED = b'data: {"type":"response.created","response":{"id":"resp_1","model":"m","created_at":1}}\n\n'
TEXT = b'data: {"type":"response.output_text.delta","output_index":0,"item_id":"m_1","delta":"Hello"}\n\n'
IMAGE = (
    b'data: {"type":"response.output_item.added","output_index":1,'
    b'"item":{"type":"image_generation_call","id":"ig_1"}}\n\n'
)
CALLS = ["".join(make_demo_stream.WEATHER), "".join(make_demo_stream.TABLE)]


def call(index: int) -> bytes:
    """A call is announced."""
    item = {"type": "function_call", "id": f"fc_{index}", "call_id": f"call_{index}", "name": "f"}
    event = {"type": "response.output_item.added", "output_index": index, "item": item}
    return f"data: {json.dumps(event)}\n\n".encode()


def chat_stream() -> bytes:
    return transcodec.translate_stream(stream(), source=SOURCE, target=TARGET).output


def translated(pieces: list[bytes], source: str = SOURCE, target: str = TARGET) -> bytes:
    translator = transcodec.StreamTranslator(source, target)
    return b"".join(map(translator.feed, pieces)) + translator.finish()


def cuts(data: bytes, rounds: int = 40) -> Iterator[list[bytes]]:
    """The data byte by byte, and cut at random places."""
    yield [data[at : at + 1] for at in range(len(data))]
    chance = random.Random(1)
    for _ in range(rounds):
        places = [0, *sorted(chance.sample(range(1, len(data)), chance.randint(1, 12))), len(data)]
        yield [data[start:end] for start, end in itertools.pairwise(places)]


def call_chunks(output: bytes) -> list[dict[str, Any]]:
    chunks = [chunk for block in blocks(output) if (chunk := payload(block))]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return [part for delta in deltas for part in delta.get("tool_calls", [])]


def test_a_call_is_named_once() -> None:
    chunks = call_chunks(chat_stream())
    for index in range(2):
        first, *rest = [chunk for chunk in chunks if chunk["index"] == index]
        assert first.keys() == {"index", "id", "type", "function"}
        assert first["type"] == "function"
        assert first["function"].keys() == {"name", "arguments"}
        assert len(rest) > 1
        assert all(chunk.keys() == {"index", "function"} for chunk in rest)
        assert all(chunk["function"].keys() == {"arguments"} for chunk in rest)
    assert all(isinstance(chunk["function"]["arguments"], str) for chunk in chunks)


def test_interleaved_calls_keep_their_index() -> None:
    chunks = call_chunks(chat_stream())
    order = [chunk["index"] for chunk in chunks]
    assert order != sorted(order), "the bundled stream must interleave its calls"
    for index, arguments in enumerate(CALLS):
        of_call = [chunk["function"]["arguments"] for chunk in chunks if chunk["index"] == index]
        assert "".join(of_call) == arguments


def test_arguments_are_the_exact_text() -> None:
    assert "19.50" in CALLS[0]
    assert r"\u00e9" in CALLS[1]
    assert [built.arguments for built in assemble(chat_stream()).calls.values()] == CALLS
    back = translated([chat_stream()], TARGET, SOURCE)
    items = payload(blocks(back)[-1])["response"]["output"]
    assert [item["arguments"] for item in items if item["type"] == "function_call"] == CALLS


@pytest.mark.parametrize(("source", "target"), [(SOURCE, TARGET), (TARGET, SOURCE)])
def test_any_split_gives_the_same_output(source: str, target: str) -> None:
    data = stream() if source == SOURCE else chat_stream()
    whole = translated([data], source, target)
    assert all(translated(pieces, source, target) == whole for pieces in cuts(data))


def fault_of(pieces: list[bytes]) -> tuple[Any, ...]:
    translator = transcodec.StreamTranslator(SOURCE, TARGET)
    output = b""
    try:
        for piece in pieces:
            output += translator.feed(piece)
    except transcodec.DecodeError as error:
        output += error.output + translator.finish()
        return type(error), error.code, error.offset, error.path, output
    pytest.fail("no fault was found")


@pytest.mark.parametrize(
    "broken",
    [
        b'data: {"type":tru}\n\n',
        b'data: {"type":"response.output_text.delta","delta":7}\n\n',
        b"data: \xff\n\n",
    ],
    ids=["syntax", "type", "text"],
)
def test_any_split_gives_the_same_error(broken: bytes) -> None:
    data = CREATED + TEXT + broken + TEXT
    whole = fault_of([data])
    assert whole[0] is transcodec.DecodeError
    assert len(CREATED + TEXT) < whole[2] < len(CREATED + TEXT + broken)
    assert all(fault_of(pieces) == whole for pieces in cuts(data))


@pytest.mark.parametrize("module", offering("StreamTranslator"))
def test_a_fault_hands_over_what_came_before_it(module: Any) -> None:
    nine = CREATED + TEXT * 8
    before = module.StreamTranslator(SOURCE, TARGET).feed(nine)
    assert before.count(b"Hello") == 8
    translator = module.StreamTranslator(SOURCE, TARGET)
    with pytest.raises(transcodec.DecodeError) as caught:
        translator.feed(nine + b"data: {]\n\n" + TEXT)
    # The tenth event is at fault: what the nine before it say is handed over, and nothing else.
    assert (caught.value.path, caught.value.offset) == ("/9", len(nine) + len(b"data: {"))
    assert caught.value.output == before
    # The client's error event is all that the end adds.
    [last] = blocks(translator.finish())
    assert payload(last)["error"] == {
        "message": f"invalid upstream stream: invalid_json at byte {caught.value.offset}",
        "type": "upstream_error",
        "param": None,
        "code": "invalid_json",
    }
    assert translator.finish() == b""


def broken_stream(translator: transcodec.StreamTranslator) -> bytes:
    with pytest.raises(transcodec.DecodeError) as caught:
        translator.feed(CREATED + TEXT + b"data: {]\n\n")
    return caught.value.output


@pytest.mark.parametrize("target", ["openai_chat", "openai_responses"])
@pytest.mark.parametrize(
    ("upset", "outcome"),
    [
        (lambda translator: translator.feed(b""), "truncated"),
        (lambda translator: translator.fail("too slow", code="timeout"), "failed"),
        (broken_stream, "failed"),
    ],
    ids=["cut", "fail", "invalid"],
)
def test_faults_reach_the_client_as_errors(
    target: str, upset: Callable[[transcodec.StreamTranslator], bytes], outcome: str
) -> None:
    source, begun = SOURCE, CREATED + TEXT
    if target == SOURCE:
        source, begun = TARGET, b'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
    translator = transcodec.StreamTranslator(source, target)
    output = translator.feed(begun) + upset(translator) + translator.finish()
    assert translator.outcome == outcome
    last = payload(blocks(output)[-1])
    if target == TARGET:
        answer = assemble(output)
        assert answer.error is not None
        assert (answer.finish, answer.done) == (None, False)
    else:
        assert last["type"] == "response.failed"
        assert b"response.completed" not in output


def test_losses_are_reported_or_refused() -> None:
    reporting = transcodec.StreamTranslator(SOURCE, TARGET)
    reporting.feed(CREATED + TEXT + IMAGE)
    assert [(loss.code, loss.severity, loss.path) for loss in reporting.losses] == [
        ("image.dropped", "content", "/2/item")
    ]
    refusing = transcodec.StreamTranslator(SOURCE, TARGET, on_loss="error")
    with pytest.raises(transcodec.UnsupportedError) as caught:
        refusing.feed(CREATED + TEXT + IMAGE + TEXT)
    assert (caught.value.code, caught.value.path) == ("image.dropped", "/2/item")
    assert assemble(caught.value.output).text == "Hello"


def test_output_is_a_function_of_input_and_options() -> None:
    # No id, model or time in the source: this is where clocks and dice would come in.
    bare = (
        b'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )
    program = (
        "import sys, transcodec\n"
        f"result = transcodec.translate_stream({bare!r}, source={TARGET!r}, target={SOURCE!r})\n"
        "sys.stdout.buffer.write(result.output)"
    )
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    assert other == translated([bare], TARGET, SOURCE)
    assert b'"created_at":0' in other


def official_client(body: bytes) -> openai.OpenAI:
    """The official client, over a transport in memory that answers every request with the body."""

    def answer(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)

    transport = httpx2.MockTransport(answer)
    return openai.OpenAI(
        api_key="none", base_url="http://gateway.invalid/v1", http_client=httpx2.Client(transport=transport)
    )


def test_the_official_client_reads_the_same_answer() -> None:
    text = "".join(make_demo_stream.TEXT)
    state: ChatCompletionStreamState = ChatCompletionStreamState()
    with official_client(chat_stream()) as client:
        for chunk in client.chat.completions.create(model="m", messages=[], stream=True):
            state.handle_chunk(chunk)
    [choice] = state.get_final_completion().choices
    assert choice.message.content == text
    assert [built.function.arguments for built in choice.message.tool_calls or []] == CALLS
    assert choice.finish_reason == "tool_calls"

    back = translated([chat_stream()], TARGET, SOURCE)
    with official_client(back) as client, client.responses.stream(model="m", input="x") as events:
        response = events.get_final_response()
    assert response.output_text == text
    assert [item.arguments for item in response.output if item.type == "function_call"] == CALLS


@pytest.mark.parametrize(
    ("limit", "code", "source", "data"),
    [
        ({"max_event_bytes": 64}, "event_too_large", SOURCE, CREATED),
        ({"max_open_calls": 1}, "too_many_open_calls", SOURCE, CREATED + call(0) + call(1)),
        ({"max_blocks": 1}, "too_many_blocks", SOURCE, CREATED + call(0) + call(1)),
        ({"max_held_bytes": 2}, "held_too_large", SOURCE, CREATED + call(0)),
        (
            {"max_answer_bytes": 2},
            "answer_too_large",
            TARGET,
            b'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n',
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_limits_have_codes(limit: dict[str, int], code: str, source: str, data: bytes) -> None:
    target = TARGET if source == SOURCE else SOURCE
    roomy = transcodec.StreamTranslator(source, target)
    roomy.feed(data)
    translator = transcodec.StreamTranslator(source, target, **limit)  # type: ignore[arg-type]
    with pytest.raises(transcodec.DecodeError) as caught:
        translator.feed(data)
    assert caught.value.code == code
    assert code.encode() in translator.finish()


def test_losses_beyond_their_limit_are_counted() -> None:
    translator = transcodec.StreamTranslator(SOURCE, TARGET, max_losses=1)
    translator.feed(CREATED + IMAGE + IMAGE.replace(b":1,", b":2,").replace(b"ig_1", b"ig_2"))
    assert (len(translator.losses), translator.loss_count) == (1, 2)


def test_two_threads_at_once_are_refused() -> None:
    translator = transcodec.StreamTranslator(SOURCE, TARGET)
    padding = b": " + b"x" * (1 << 20) + b"\n"
    translator.feed(CREATED)
    stopped = threading.Event()

    def feed() -> None:
        while not stopped.is_set():
            try:
                translator.feed(padding * 16)
            except transcodec.StateError:
                continue

    other = threading.Thread(target=feed)
    other.start()
    codes = set()
    try:
        for _ in range(100_000):
            try:
                translator.feed(b"")
            except transcodec.StateError as error:
                codes.add(error.code)
                break
    finally:
        stopped.set()
        other.join()
    assert codes == {"concurrent_use"}
    assert translator.outcome is None


def test_the_import_is_light() -> None:
    heavy = {"asyncio", "socket", "ssl", "click", "transcodec.reference", "transcodec.cli"}
    program = f"import sys, transcodec; print(sorted({heavy!r} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
