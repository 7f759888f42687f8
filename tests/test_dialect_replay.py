"""What a dialect replays unless it says otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from implementations import offering

if TYPE_CHECKING:
    from transcodec.replay import Replay

HISTORY = [
    {"role": "user", "content": "q"},
    {"kind": "calls", "text": "look", "tool_calls": [{"id": "a", "name": "f", "arguments": "{}"}]},
    {"kind": "results", "results": [{"tool_call_id": "a", "content": "1"}]},
    {"kind": "results", "results": [{"tool_call_id": "b", "content": "2"}]},
]


@pytest.mark.parametrize("module", offering("TextDialect"))
def test_a_text_dialect_replays_plain_rows_in_both_forms(module: Any) -> None:
    class Tiny(module.TextDialect):  # type: ignore[misc]  # the module is known at run time only
        """Nothing of its own."""

    dialect = Tiny()
    rows = dialect.to_typed_messages(HISTORY)
    assert rows == dialect.to_provider_messages(HISTORY) == module.to_text_messages(HISTORY)
    assert [row["role"] for row in rows.messages] == ["user", "assistant", "user", "user"]
    assert all(row.keys() == {"role", "content"} for row in rows.messages)


@pytest.mark.parametrize("module", offering("TextDialect"))
def test_a_dialect_that_writes_rows_of_its_own_has_them_in_both_forms(module: Any) -> None:
    class Loud(module.TextDialect):  # type: ignore[misc]  # the module is known at run time only
        """Shouts."""

        def to_provider_messages(self, history: Any) -> Replay[Any]:
            rows = super().to_provider_messages(history).messages
            replay: Replay[Any] = module.to_text_messages(
                [{**row, "content": row["content"].upper()} for row in rows]
            )
            return replay

    assert Loud().to_typed_messages(HISTORY).messages[1] == {"role": "assistant", "content": "LOOK"}


@pytest.mark.parametrize("module", offering("NativeDialect"))
def test_the_native_dialect_pairs_and_has_two_forms(module: Any) -> None:
    data = json.dumps(HISTORY).encode()
    dialect = module.NativeDialect()
    assert dialect.to_typed_messages(data) == module.to_typed_messages(data)
    assert dialect.to_provider_messages(data) == module.to_provider_messages(data)
    assert [report.code for report in dialect.to_typed_messages(data).dropped] == ["orphan_results"]
