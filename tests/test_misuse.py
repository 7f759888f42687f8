"""Misuse of a translator has its codes in every implementation and pair, and changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from implementations import IMPLEMENTATIONS, offering
from test_code_lists import rows
from transcodec import aio
from transcodec.errors import DecodeError, StateError

TEXTS = {
    "openai_chat": b'data: {"id":"r","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n',
    "openai_responses": (
        b'data: {"type":"response.output_text.delta","output_index":0,"item_id":"m_1","delta":"Hello"}\n\n'
    ),
}
BROKEN = b"data: {]\n\n"

each = pytest.mark.parametrize(
    ("module", "source", "target"),
    [
        pytest.param(offered.values[0], *pair, id=f"{offered.id}-{'-'.join(pair)}")
        for offered in offering("StreamTranslator")
        for pair in product(TEXTS, repeat=2)
    ],
)


def refused(call: Callable[..., object], *arguments: object, **options: object) -> str:
    """The code of the `StateError`."""
    with pytest.raises(StateError) as caught:
        call(*arguments, **options)
    assert isinstance(caught.value, RuntimeError)
    # It is about the caller, not about the stream.
    assert (caught.value.offset, caught.value.path, caught.value.output) == (None, None, b"")
    return caught.value.code


@each
def test_feed_after_an_error(module: Any, source: str, target: str) -> None:
    translator = module.StreamTranslator(source, target)
    with pytest.raises(DecodeError):
        translator.feed(TEXTS[source] + BROKEN)
    for _ in range(2):
        assert refused(translator.feed, TEXTS[source]) == "feed_after_error"
        assert refused(translator.feed, b"") == "feed_after_error"
    assert b"invalid_json" in translator.finish()
    assert translator.outcome == "failed"
    assert refused(translator.feed, b"") == "feed_after_finish"


@each
@pytest.mark.parametrize("begun", [False, True])
def test_anything_after_finish(module: Any, source: str, target: str, begun: bool) -> None:  # noqa: FBT001 - a case
    translator = module.StreamTranslator(source, target)
    translator.feed(TEXTS[source] if begun else b"")
    assert b"stream_truncated" in translator.finish()
    seen = (translator.outcome, translator.losses, translator.loss_count, translator.usage)
    assert refused(translator.feed, TEXTS[source]) == "feed_after_finish"
    assert refused(translator.feed, b"") == "feed_after_finish"
    assert refused(translator.fail, "late", code="late") == "feed_after_finish"
    assert translator.finish() == b""
    assert translator.finish() == b""
    assert (translator.outcome, translator.losses, translator.loss_count, translator.usage) == seen


@each
def test_finish_after_fail_adds_nothing(module: Any, source: str, target: str) -> None:
    translator = module.StreamTranslator(source, target)
    translator.feed(TEXTS[source])
    assert b"too_slow" in translator.fail("too slow", code="too_slow")
    assert translator.finish() == b""
    assert translator.outcome == "failed"
    assert refused(translator.feed, b"") == "feed_after_finish"


@each
@pytest.mark.parametrize("again", ["feed", "fail"])
def test_more_after_fail_is_more_after_the_end(module: Any, source: str, target: str, again: str) -> None:
    translator = module.StreamTranslator(source, target)
    translator.feed(TEXTS[source])
    assert translator.fail("too slow", code="too_slow")
    given = {"feed": TEXTS[source], "fail": "again"}[again]
    assert getattr(translator, again)(given) == b""
    assert translator.finish() == b""
    assert translator.outcome == "failed"


@each
def test_response_needs_an_answer_that_is_kept_and_over(module: Any, source: str, target: str) -> None:
    assert refused(module.StreamTranslator(source, target).response) == "not_collected"
    kept = module.StreamTranslator(source, target, collect=True)
    kept.feed(TEXTS[source])
    assert refused(kept.response) == "not_ended"


@pytest.mark.parametrize("call", ["feed", "finish", "fail"])
@pytest.mark.parametrize("module", offering("StreamTranslator"))
def test_two_threads_at_once(module: Any, call: str) -> None:
    translator = module.StreamTranslator("openai_responses", "openai_chat")
    text = TEXTS["openai_responses"] * (40_000 if module is IMPLEMENTATIONS["native"] else 2_000)
    began, stopped = threading.Event(), threading.Event()

    def feed() -> None:
        while not stopped.is_set():
            began.set()
            translator.feed(text)

    other = threading.Thread(target=feed)
    other.start()
    assert began.wait(60)
    code = None
    try:
        # The other thread is nearly always inside; between two calls of it an empty `feed` does no harm.
        for _ in range(100_000):
            try:
                translator.feed(b"")
            except StateError:
                # Inside for long: what is called now is refused.
                code = refused(getattr(translator, call), *{"feed": (b"",), "fail": ("x",)}.get(call, ()))
                break
    finally:
        stopped.set()
        other.join()
    assert code == "concurrent_use"
    assert translator.outcome is None
    assert b"stream_truncated" in translator.finish()


@pytest.mark.skipif(IMPLEMENTATIONS["native"] is None, reason="the compiled module is not built")
def test_the_async_translation_has_the_same_codes() -> None:
    """For `concurrent_use` see `test_aio.py`. After its end it gives nothing: there is no feed to refuse."""

    async def endless() -> Any:
        yield b""

    formats: Any = {"source": "openai_chat", "target": "openai_responses"}
    assert refused(aio.translate(endless(), **formats).response) == "not_collected"
    assert refused(aio.translate(endless(), **formats, collect=True).response) == "not_ended"


def test_every_documented_code_is_met_here() -> None:
    documented = rows("docs/errors.md", "## StateError: the API was misused").keys()
    assert documented == {
        "feed_after_error",
        "feed_after_finish",
        "not_collected",
        "not_ended",
        "concurrent_use",
    }
