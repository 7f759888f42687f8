"""The table of DESIGN.md 4.2 is the reference's; `rust/core/tests/call_table.rs` holds the core to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from transcodec.reference.stream.call import CALL_TRANSITIONS, Action, Phase, Signal

DESIGN = (Path(__file__).parent.parent / "DESIGN.md").read_text()
#: Which signals a column speaks of.
COLUMNS = {
    "`Open` / `Whole` brings name and call id": (Signal.READY,),
    "text arrives": (Signal.PLACEHOLDER, Signal.TEXT),
    "`Close`, `Finish`": (Signal.CLOSE, Signal.CLOSE_NAMELESS),
}
PHASES = {
    "waiting (name or call id unknown)": Phase.WAITING,
    "open, no text sent": Phase.OPEN,
    "streaming": Phase.STREAMING,
    "closed": Phase.CLOSED,
}
#: What the words of a cell ask for, by signal; what is not named is nothing.
ACTIONS: dict[str, dict[Signal, tuple[Action, ...]]] = {
    "nothing": {},
    "nothing (metadata once)": {},
    "→ open: opening chunk, then the held text": {Signal.READY: (Action.SEND_OPENING, Action.RELEASE)},
    "held": {Signal.PLACEHOLDER: (Action.HOLD,), Signal.TEXT: (Action.HOLD,)},
    "sent": {Signal.TEXT: (Action.SEND,)},
    "held while the text so far is `{` or `{}`, else sent → streaming": {
        Signal.PLACEHOLDER: (Action.HOLD,),
        Signal.TEXT: (Action.SEND,),
    },
    "dropped, loss `delta.after_close`": {Signal.TEXT: (Action.REPORT_LATE,)},
    (
        "id: item id, else derived; without a name: dropped, loss `tool_call.nameless` if it has text "
        "(a stub with neither is noise); → closed"
    ): {
        Signal.CLOSE: (Action.DERIVE_ID, Action.SEND_OPENING, Action.SEND_LAST, Action.SEND_CLOSING),
        Signal.CLOSE_NAMELESS: (Action.DROP_NAMELESS,),
    },
    "held text is sent; no text at all: `{}` is sent; → closed": {
        Signal.CLOSE: (Action.SEND_LAST, Action.SEND_CLOSING)
    },
    "→ closed": {Signal.CLOSE: (Action.SEND_CLOSING,)},
}


def table() -> list[list[str]]:
    """The cells, heads first."""
    section = DESIGN.partition("\n### 4.2 Calls\n")[2].partition("\n\n")[0]
    lines = [line.strip("|") for line in section.splitlines() if line.startswith("|")]
    heads, _rule, *rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [heads, *rows]


def test_the_heads_are_phases_and_signals() -> None:
    heads, *rows = table()
    assert heads == ["phase", *COLUMNS]
    assert [row[0] for row in rows] == list(PHASES)


@pytest.mark.parametrize("row", table()[1:], ids=lambda row: row[0])
def test_the_reference_does_what_the_design_says(row: list[str]) -> None:
    phase = PHASES[row[0]]
    for signals, cell in zip(COLUMNS.values(), row[1:], strict=True):
        word = cell.partition("→ ")[2].partition(":")[0]
        goal = next(each for name, each in PHASES.items() if name.startswith(word)) if word else phase
        for signal in signals:
            found = CALL_TRANSITIONS.get((phase, signal))
            wanted = ACTIONS[cell].get(signal)
            assert (found and found.actions) == wanted, (phase, signal)
            if found is not None:
                # What is held leaves the call as it is.
                assert found.phase is (phase if Action.HOLD in found.actions else goal), (phase, signal)


def test_what_is_not_in_the_table_is_rule_1_about_closing_before_its_turn() -> None:
    in_table = {
        (phase, signal) for phase in PHASES.values() for column in COLUMNS.values() for signal in column
    }
    assert CALL_TRANSITIONS.keys() - in_table == {
        (Phase.WAITING, Signal.CLOSE_EARLY),
        (Phase.CLOSING, Signal.READY),
        (Phase.CLOSING, Signal.TEXT),
    }
