"""Laws of docs/envelopes.md over generated histories: what is packed comes back, and nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from implementations import offering

every_implementation = pytest.mark.parametrize("module", offering("pack"))

texts = st.text(st.characters(codec="utf-8"), max_size=12)
#: Text that imitates what it is packed into.
hostile_texts = texts | st.sampled_from(
    ['{"tool_call_id":"a"}', '{"content":"","tool_call_id":"a"}', "[" * 200, "\x00", '"\\', "\u2028", "{}"]
)
ids = st.sampled_from(["a", "b", "c", "é", ""])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
calls = st.fixed_dictionaries(
    {"id": ids, "name": texts, "arguments": hostile_texts},
    optional={"extra_content": json_values.filter(lambda value: value is not None)},
)
metadata = {"extra_metadata": json_values, "z": json_values}
call_rows: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "role": st.just("assistant"),
        "content": st.none() | hostile_texts,
        "tool_calls": st.lists(calls, min_size=1, max_size=3),
    },
    optional={"reasoning_content": texts, **metadata},
)
result_rows = st.fixed_dictionaries(
    {"role": st.just("tool"), "content": hostile_texts, "tool_call_id": ids},
    optional={"name": texts, **metadata},
)
plain_rows = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": texts}, optional=metadata
)
calls_entries: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"kind": st.just("calls"), "tool_calls": st.lists(calls, max_size=3)},
    optional={"text": st.none() | hostile_texts, "reasoning_content": texts, "extra_metadata": json_values},
)
results_entries = st.fixed_dictionaries(
    {
        "kind": st.just("results"),
        "results": st.lists(
            st.fixed_dictionaries(
                {"tool_call_id": ids, "content": hostile_texts},
                optional={"trusted_verbatim": st.booleans(), "name": texts},
            ),
            max_size=3,
        ),
    }
)
histories = st.lists(call_rows | result_rows | plain_rows | calls_entries | results_entries, max_size=6)
orders = st.sampled_from(["sorted", "insertion"])


def encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@st.composite
def cycles(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A history in which some cycles are complete, in every form and split."""
    history: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, 3))):
        turn: dict[str, Any] = draw(calls_entries | call_rows)
        for at, call in enumerate(turn["tool_calls"]):
            call["id"] = f"{number}-{at}"
        results = [{"tool_call_id": call["id"], "content": draw(texts)} for call in turn["tool_calls"]]
        cut = draw(st.integers(0, len(results)))
        records = [{"kind": "results", "results": part} for part in (results[:cut], results[cut:])]
        history += [turn, *draw(st.permutations(records)), draw(plain_rows)]
    cut_short: bool = draw(st.booleans())
    if history and cut_short:
        del history[draw(st.integers(0, len(history) - 1))]
    return history


@every_implementation
@given(rows=st.lists(call_rows | result_rows, max_size=4), order=orders)
def test_unpacking_gives_back_what_was_packed(module: Any, rows: list[dict[str, Any]], order: str) -> None:
    packed = json.loads(module.pack(encoded(rows), order=order))
    # Extra content comes back in the order packed; as objects it is the same. A null member is absent.
    wanted = [
        {key: value for key, value in row.items() if key != "extra_metadata" or value is not None}
        for row in rows
    ]
    unpacked = json.loads(module.unpack(encoded(packed), accept="exact", order=order))
    assert unpacked == wanted
    assert all("tool_calls" not in row and "tool_call_id" not in row for row in packed)


@every_implementation
@given(rows=st.lists(call_rows | result_rows, max_size=4), order=orders)
def test_lifting_and_rebuilding_gives_the_same_bytes(
    module: Any, rows: list[dict[str, Any]], order: str
) -> None:
    packed = module.pack(encoded(rows), order=order)
    lifted = module.unpack(packed, accept="exact", order=order)
    assert module.pack(lifted, order=order) == packed


@every_implementation
@given(history=histories | cycles(), order=orders)
def test_packing_the_typed_rows_gives_the_packed_rows(
    module: Any, history: list[dict[str, Any]], order: str
) -> None:
    packed = module.to_provider_messages(encoded(history), order=order)
    typed = module.to_typed_messages(encoded(history))
    assert module.pack(typed.messages, order=order) == packed.messages
    assert typed.unpaired == packed.unpaired
    assert len(json.loads(typed.messages)) == len(json.loads(packed.messages))


@every_implementation
@given(history=cycles())
def test_every_entry_is_kept_or_reported(module: Any, history: list[dict[str, Any]]) -> None:
    replay = module.to_typed_messages(encoded(history))
    reported = [entry for report in replay.dropped for entry in report.entries]
    assert len(set(reported)) == len(reported)
    kept = [entry for index, entry in enumerate(history) if index not in reported]
    assert json.loads(module.to_typed_messages(encoded(kept)).messages) == json.loads(replay.messages)
    assert module.to_typed_messages(encoded(kept)).unpaired == ()


@every_implementation
@given(history=cycles())
def test_what_replay_sends_a_strict_server_takes(module: Any, history: list[dict[str, Any]]) -> None:
    wire = json.loads(module.to_wire(module.to_typed_messages(encoded(history)).messages))
    waiting: set[str] = set()
    for message in wire:
        if message["role"] == "tool" and "tool_call_id" in message:
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting
            waiting = {call["id"] for call in message.get("tool_calls", [])}
    assert not waiting


@every_implementation
@given(rows=st.lists(call_rows | result_rows | plain_rows, max_size=4))
def test_the_way_to_the_wire_and_back(module: Any, rows: list[dict[str, Any]]) -> None:
    back = json.loads(module.from_wire(module.to_wire(encoded(rows), content="keep", reasoning=True)))
    wanted = [{key: row[key] for key in row if key not in ("extra_metadata", "z", "name")} for row in rows]
    for row, want in zip(back, wanted, strict=True):
        row.pop("name", None)
        assert row == want


@every_implementation
@given(
    content=hostile_texts | json_values.map(json.dumps) | call_rows.map(json.dumps),
    role=st.sampled_from(["assistant", "tool"]),
)
@settings(max_examples=200)
def test_reading_any_row_raises_nothing_and_loses_nothing(module: Any, content: str, role: str) -> None:
    row = encoded({"role": role, "content": content})
    unpacked = json.loads(module.unpack(row))
    if unpacked != json.loads(row):
        # It was taken apart, so every string of the envelope must be in the typed row.
        assert strings(json.loads(content)) <= strings(unpacked)
    decode = module.decode_assistant if role == "assistant" else module.decode_tool
    value = decode(content)
    assert (value is None) == (module.refusal(content, role=role, accept="lenient") is not None)


def strings(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {*value, *(text for member in value.values() for text in strings(member))} - {
            "content",
            "reasoning_content",
        }
    if isinstance(value, list):
        return {text for item in value for text in strings(item)}
    return {value} if isinstance(value, str) else set()


@every_implementation
@given(history=histories)
def test_objects_are_treated_as_their_text(module: Any, history: list[dict[str, Any]]) -> None:
    assert module.pack(history) == json.loads(module.pack(encoded(history)))
    typed = module.to_typed_messages(history)
    assert typed.messages == json.loads(module.to_typed_messages(encoded(history)).messages)


@every_implementation
@pytest.mark.parametrize("value", ["[]", 1, None, {1, 2}])
def test_other_kinds_are_refused(module: Any, value: Any) -> None:
    for call in (module.pack, module.unpack, module.to_typed_messages, module.to_wire, module.from_wire):
        with pytest.raises(TypeError):
            call(value)


@every_implementation
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_every_kind_of_bytes_is_taken(module: Any, kind: Any) -> None:
    output = module.pack(kind(b'{"role":"user"}'))
    assert type(output) is bytes
    assert output == b'{"role":"user"}'


@every_implementation
def test_unknown_option_values_are_refused(module: Any) -> None:
    for call, options in (
        (module.pack, {"order": "random"}),
        (module.unpack, {"accept": "all"}),
        (module.refused_envelopes, {"accept": "all"}),
        (module.to_typed_messages, {"unpaired": "ignore"}),
        (module.to_typed_messages, {"split_results": "keep"}),
        (module.to_provider_messages, {"duplicate_ids": "merge"}),
        (module.to_wire, {"content": "none"}),
    ):
        with pytest.raises(ValueError, match=next(iter(options))):
            call(b"[]", **options)


@every_implementation
def test_objects_that_json_cannot_say_are_refused(module: Any) -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    for value, code in (
        (float("nan"), "invalid_json"),
        (10**5000, "invalid_json"),
        (deep, "nesting_too_deep"),
    ):
        with pytest.raises(ValueError) as caught:
            module.pack([{"role": "user", "content": "x", "extra_metadata": value}])
        assert getattr(caught.value, "code", None) == code
