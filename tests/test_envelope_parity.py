"""The native functions and the reference agree: on every byte, report, error code, offset and path."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any, Final

import pytest

from implementations import IMPLEMENTATIONS
from odd_histories import OddHistories
from transcodec import reference
from transcodec.errors import TranscodecError

native: Any = IMPLEMENTATIONS["native"]
pytestmark = pytest.mark.skipif(not hasattr(native, "pack"), reason="the native module is not built")

VECTORS: Final = Path(__file__).parent / "vectors" / "envelopes"
#: How many generated inputs a function gets; a fuzzing run asks for more.
ROUNDS: Final = int(os.environ.get("TRANSCODEC_PARITY_ROUNDS", "600"))
ORDERS: Final = ("sorted", "insertion")
LEVELS: Final = ("lenient", "lossless", "exact", "canonical")
PAIRING: Final = {
    "unpaired": ("drop", "text", "keep", "error"),
    "split_results": ("merge", "drop"),
    "duplicate_ids": ("drop", "keep"),
}
OPTIONS: Final[dict[str, dict[str, tuple[Any, ...]]]] = {
    "pack": {"order": ORDERS},
    "unpack": {"accept": LEVELS, "order": ORDERS, "paired_only": (False, True)},
    "refused_envelopes": {"accept": LEVELS, "order": ORDERS},
    "to_provider_messages": {"order": ORDERS, **PAIRING},
    "to_typed_messages": PAIRING,
    "to_text_messages": {},
    "to_wire": {
        "content": ("empty", "null", "keep"),
        "reasoning": (False, True),
        "extra_content": (True, False),
    },
    "from_wire": {},
}
VALUE_CALLS: Final = ("encode_assistant", "encode_tool")
TEXT_CALLS: Final = {
    "decode_assistant": {"accept": LEVELS, "order": ORDERS},
    "decode_tool": {"accept": LEVELS, "order": ORDERS},
    "refusal": {"role": ("assistant", "tool"), "accept": LEVELS, "order": ORDERS},
}
ALPHABET: Final = '{}[]",:\\ntu0d8 a-1e.\x00\x1fé\u2028😀'


def combinations(options: dict[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Every combination, over and over, in an order in which neighbours differ much."""
    every = [dict(zip(options, values, strict=True)) for values in product(*options.values())]
    random.Random("options").shuffle(every)
    return cycle(every)


def outcome(call: Callable[..., Any], given: Any, options: dict[str, Any]) -> Any:
    try:
        return call(given, **options)
    except TranscodecError as error:
        return (type(error), error.code, error.offset, error.path)


def assert_same(name: str, given: Any, options: dict[str, Any]) -> None:
    wanted = outcome(getattr(reference, name), given, options)
    assert outcome(getattr(native, name), given, options) == wanted, (name, options, given)


def mutants(text: str, dice: random.Random) -> Iterator[str]:
    """The text with a character changed, dropped, put in, or a stretch taken out or doubled."""
    while True:
        start = dice.randrange(len(text) + 1)
        end = min(len(text), start + dice.choice((0, 1, 1, 2, 8, 40)))
        put_in = dice.choice(("", dice.choice(ALPHABET), text[start:end] * 2))
        yield text[:start] + put_in + text[end:]


def vector_inputs(*calls: str) -> list[Any]:
    lines = [line for path in sorted(VECTORS.glob("*.jsonl")) for line in path.read_text("utf-8").split("\n")]
    found = [json.loads(line) for line in lines if line]
    return [vector["input"] for vector in found if vector["call"] in calls]


@pytest.mark.parametrize("name", OPTIONS)
def test_odd_histories(name: str) -> None:
    histories = OddHistories(name)
    for options in islice(combinations(OPTIONS[name]), ROUNDS):
        assert_same(name, histories.history().encode(), options)


@pytest.mark.parametrize("name", OPTIONS)
def test_odd_histories_as_objects(name: str) -> None:
    histories = OddHistories(f"{name} as objects")
    for options in islice(combinations(OPTIONS[name]), ROUNDS // 4):
        value = json.loads(histories.history())
        if isinstance(value, dict | list):
            assert_same(name, value, options)


@pytest.mark.parametrize("name", OPTIONS)
def test_mutants_of_vectors(name: str) -> None:
    dice = random.Random(name)
    chosen = [text for text in vector_inputs(*OPTIONS) if len(text) < 5_000]
    for options in islice(combinations(OPTIONS[name]), ROUNDS):
        mutant = next(mutants(dice.choice(chosen), dice)).encode()
        if dice.random() < 0.02:
            at = dice.randrange(len(mutant) + 1)
            mutant = mutant[:at] + dice.choice((b"\xff", b"\xc3", b"\xed\xa0\x80")) + mutant[at:]
        assert_same(name, mutant, options)


@pytest.mark.parametrize("name", VALUE_CALLS)
def test_odd_values(name: str) -> None:
    values = OddHistories(name)
    for options in islice(combinations({"order": ORDERS}), ROUNDS):
        value = json.loads(values.value())
        assert_same(name, value, options)


@pytest.mark.parametrize("name", TEXT_CALLS)
def test_odd_envelopes(name: str) -> None:
    envelopes = OddHistories(name)
    for options in islice(combinations(TEXT_CALLS[name]), ROUNDS):
        assert_same(name, envelopes.envelope(), options)


@pytest.mark.parametrize("name", TEXT_CALLS)
def test_mutants_of_envelopes(name: str) -> None:
    dice = random.Random(name)
    chosen = [text for text in vector_inputs(*TEXT_CALLS) if len(text) < 2_000]
    for options in islice(combinations(TEXT_CALLS[name]), ROUNDS):
        assert_same(name, next(mutants(dice.choice(chosen), dice)), options)


@pytest.mark.parametrize("name", TEXT_CALLS)
def test_text_that_is_no_unicode(name: str) -> None:
    options = next(combinations(TEXT_CALLS[name]))
    assert_same(name, '{"content":"\ud800","tool_call_id":"a"}', options)


@pytest.mark.parametrize("name", [*OPTIONS, *VALUE_CALLS])
@pytest.mark.parametrize("given", [float("nan"), {"role": float("inf")}, [{"content": float("nan")}]])
def test_numbers_that_are_none(name: str, given: Any) -> None:
    if isinstance(given, float) or (name in VALUE_CALLS and isinstance(given, list)):
        with pytest.raises(TypeError):
            getattr(native, name)(given)
        with pytest.raises(TypeError):
            getattr(reference, name)(given)
    else:
        assert_same(name, given, {})


@pytest.mark.parametrize("name", OPTIONS)
def test_kinds_of_input(name: str) -> None:
    text = b'[{"role":"user","content":"x"}]'
    call = getattr(native, name)
    assert call(bytearray(text)) == call(memoryview(text)) == call(text)
    for wrong in (text.decode(), 7, None, ("x",)):
        with pytest.raises(TypeError):
            call(wrong)
        with pytest.raises(TypeError):
            getattr(reference, name)(wrong)


def chosen_options(*, are_flags: bool) -> list[tuple[str, str]]:
    """Functions with the options of theirs that are flags, or are not."""
    return [
        (name, option)
        for name, options in OPTIONS.items()
        for option, values in options.items()
        if isinstance(values[0], bool) is are_flags
    ]


@pytest.mark.parametrize(("name", "option"), chosen_options(are_flags=False))
@pytest.mark.parametrize("module", [native, reference], ids=["native", "reference"])
def test_unknown_options(module: Any, name: str, option: str) -> None:
    with pytest.raises(ValueError, match=option):
        getattr(module, name)(b"[]", **{option: "other"})


@pytest.mark.parametrize("wrong", ["other", "", 1, 0, None, []], ids=repr)
@pytest.mark.parametrize(("name", "option"), chosen_options(are_flags=True))
@pytest.mark.parametrize("module", [native, reference], ids=["native", "reference"])
def test_flags_are_booleans(module: Any, name: str, option: str, wrong: Any) -> None:
    with pytest.raises(TypeError):
        getattr(module, name)(b"[]", **{option: wrong})
