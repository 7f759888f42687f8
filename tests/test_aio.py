"""Async iterators: every fault ends as the client's error event, cancellation writes nothing."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, get_args, get_type_hints

import pytest

import transcodec
from transcodec.demo import SOURCE, TARGET, stream
from transcodec.demo.client import assemble
from transcodec.options import StreamOptions

FORMATS: Any = {"source": SOURCE, "target": TARGET}
BEGUN = stream()[:4000]
DONE = b'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
IMAGE = (
    b'data: {"type":"response.output_item.added","output_index":1,'
    b'"item":{"type":"image_generation_call","id":"ig_1"}}\n\n'
)


class LostConnection(Exception):  # noqa: N818 - stands for a client library's exception
    """What an HTTP client raises."""


class Upstream:
    """Gives out pieces, then raises or hangs; knows whether it was closed."""

    def __init__(
        self, pieces: Iterable[Any], then: BaseException | None = None, *, hangs: bool = False
    ) -> None:
        self.pieces = list(pieces)
        self.then = then
        self.hangs = hangs
        self.closed = 0

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        await asyncio.sleep(0)
        if self.pieces:
            return self.pieces.pop(0)
        if self.hangs:
            await asyncio.sleep(60)
        raise self.then or StopAsyncIteration

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        self.closed += 1
        if self.closed == 1 and self.hangs:
            raise LostConnection("closing fails as well")


def collect(stream: transcodec.aio.AsyncTranslation) -> list[bytes]:
    async def run() -> list[bytes]:
        return [piece async for piece in stream]

    return asyncio.run(run())


@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_it_gives_what_the_translator_gives(size: int) -> None:
    data = stream()
    whole = transcodec.translate_stream(data, **FORMATS)
    upstream = Upstream(data[at : at + size] for at in range(0, len(data), size))
    translation = transcodec.aio.translate(upstream, **FORMATS)
    pieces = collect(translation)
    assert b"".join(pieces) == whole.output
    assert all(pieces)
    assert (translation.outcome, translation.usage) == ("completed", whole.usage)
    assert (translation.losses, translation.loss_count, translation.exception) == ([], 0, None)
    assert translation.content_type == "text/event-stream; charset=utf-8"


def test_options_reach_the_translator() -> None:
    translation = transcodec.aio.translate(Upstream([stream()]), **FORMATS, model="mine", include_usage=False)
    output = b"".join(collect(translation))
    assert b'"model":"mine"' in output
    assert b"usage" not in output
    with pytest.raises(ValueError, match="carrier_pigeon"):
        transcodec.aio.translate(Upstream([]), source="carrier_pigeon", target=TARGET)


def test_the_answer_is_there_as_a_body_afterwards() -> None:
    translation = transcodec.aio.translate(Upstream([stream()]), **FORMATS, collect=True)
    collect(translation)
    body = transcodec.translate_response(translation.response(SOURCE), source=SOURCE, target=TARGET).body
    assert translation.response() == body


@pytest.mark.parametrize(
    ("upstream", "kind", "outcome", "code"),
    [
        (Upstream([BEGUN], LostConnection("at 10.0.0.7")), LostConnection, "failed", "upstream_failed"),
        (Upstream([BEGUN, b"\n\ndata: {]\n\n", b"more"]), transcodec.DecodeError, "failed", "invalid_json"),
        (Upstream([BEGUN]), transcodec.TruncatedError, "truncated", "stream_truncated"),
    ],
    ids=["raised", "invalid", "cut"],
)
@pytest.mark.parametrize("reraise", [False, True])
def test_faults_become_the_clients_error_event(
    upstream: Upstream, kind: type[Exception], outcome: str, code: str, *, reraise: bool
) -> None:
    fresh = Upstream(upstream.pieces, upstream.then)
    translation = transcodec.aio.translate(fresh, **FORMATS, reraise=reraise)
    sent = bytearray()

    async def run() -> None:
        async for piece in translation:
            sent.extend(piece)

    with pytest.raises(kind) if reraise else contextlib.nullcontext():
        asyncio.run(run())
    answer = assemble(bytes(sent))
    assert answer.error is not None
    assert answer.error["code"] == code
    assert "10.0.0.7" not in answer.error["message"]
    assert (answer.finish, answer.done) == (None, False)
    assert translation.outcome == outcome
    assert type(translation.exception) is kind
    assert fresh.closed == (0 if outcome == "truncated" else 1)
    assert collect(translation) == []


def test_what_came_before_a_fault_is_given_out() -> None:
    text = b'data: {"type":"response.output_text.delta","output_index":0,"item_id":"m","delta":"Hello"}\n\n'
    translation = transcodec.aio.translate(Upstream([text + b"data: {]\n\n"]), **FORMATS)
    assert assemble(b"".join(collect(translation))).text == "Hello"


def test_a_refused_loss_ends_the_stream() -> None:
    translation = transcodec.aio.translate(Upstream([IMAGE, stream()]), **FORMATS, on_loss="error")
    answer = assemble(b"".join(collect(translation)))
    assert isinstance(translation.exception, transcodec.UnsupportedError)
    assert answer.error is not None
    assert answer.error["code"] == "image.dropped"


def test_a_fault_behind_the_end_does_not_undo_the_answer() -> None:
    upstream = Upstream([DONE], LostConnection())
    translation = transcodec.aio.translate(upstream, source=TARGET, target=SOURCE, reraise=True)
    output = b"".join(collect(translation))
    assert b"response.completed" in output
    assert b"response.failed" not in output
    assert translation.outcome == "completed"
    assert isinstance(translation.exception, LostConnection)


def test_an_error_of_the_provider_itself_is_no_exception() -> None:
    failed = b'data: {"type":"error","message":"out of luck"}\n\n'
    translation = transcodec.aio.translate(Upstream([failed]), **FORMATS, reraise=True)
    assert assemble(b"".join(collect(translation))).error is not None
    assert (translation.outcome, translation.exception) == ("failed", None)


def test_cancellation_passes_through_and_closes_the_upstream() -> None:
    upstream = Upstream([BEGUN], hangs=True)
    translation = transcodec.aio.translate(upstream, **FORMATS)
    sent = []

    async def run() -> None:
        sent.append(await anext(translation))
        task = asyncio.ensure_future(anext(translation))
        await asyncio.sleep(0.01)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert upstream.closed == 1
        assert translation.outcome is None
        assert [piece async for piece in translation] == []

    asyncio.run(run())
    assert assemble(b"".join(sent)).error is None
    assert translation.exception is None


@pytest.mark.parametrize("leave", ["break", "raise"])
def test_a_loop_that_is_left_early_closes_the_upstream(leave: str) -> None:
    upstream = Upstream([BEGUN, BEGUN])

    async def run() -> None:
        translation = transcodec.aio.translate(upstream, **FORMATS)
        async with contextlib.aclosing(translation):
            async for _ in translation:
                if leave == "break":
                    break
                raise LostConnection
        await translation.aclose()
        assert [piece async for piece in translation] == []
        assert translation.outcome is None

    with pytest.raises(LostConnection) if leave == "raise" else contextlib.nullcontext():
        asyncio.run(run())
    assert upstream.closed >= 1


def test_async_generators_see_their_end() -> None:
    ended = []

    async def generator() -> AsyncIterator[bytes]:
        try:
            yield BEGUN
            yield b"\n\ndata: {]\n\n"
        finally:
            ended.append(True)

    collect(transcodec.aio.translate(generator(), **FORMATS))
    assert ended == [True]


def test_a_piece_that_is_no_bytes_is_the_callers_mistake() -> None:
    upstream = Upstream(["text"])
    with pytest.raises(TypeError):
        collect(transcodec.aio.translate(upstream, **FORMATS))
    assert upstream.closed == 1


@pytest.mark.parametrize("second", [anext, lambda it: it.aclose()], ids=["anext", "aclose"])
def test_two_tasks_at_once_are_refused(second: Callable[[transcodec.aio.AsyncTranslation], Any]) -> None:
    async def run() -> None:
        translation = transcodec.aio.translate(Upstream([], hangs=True), **FORMATS)
        first = asyncio.ensure_future(anext(translation))
        await asyncio.sleep(0)
        with pytest.raises(transcodec.StateError) as caught:
            await second(translation)
        assert caught.value.code == "concurrent_use"
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first

    asyncio.run(run())


def test_the_typed_options_are_those_of_the_translator() -> None:
    parameters = list(inspect.signature(transcodec.StreamTranslator).parameters)
    assert list(StreamOptions.__annotations__) == parameters[2:]
    hints = get_type_hints(StreamOptions)
    assert get_args(hints["on_loss"]) == ("report", "error")
