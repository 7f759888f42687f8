"""H1: a coding agent's history of 200 messages as typed rows, with the sizes of real ones, made up."""

from __future__ import annotations

import random
from typing import Any, Final

from made_up import NOUNS, Json, compact, identifier, prose, source_code

MESSAGES: Final = 200
#: Rounds of one user question; the tool results of a round follow its calls.
ROUNDS_PER_QUESTION: Final = 10


def two_hundred_messages() -> list[Json]:
    """The rows: system, then questions, each followed by rounds of calls and results."""
    dice = random.Random("H1")  # noqa: S311 -- no secret, the same on every run
    rows: list[Json] = [{"role": "system", "content": prose("H1 system", 4200)}]
    round_number = 0
    while len(rows) < MESSAGES:
        if round_number % ROUNDS_PER_QUESTION == 0:
            rows.append({"role": "user", "content": prose(f"H1 {round_number}", dice.randint(200, 1300))})
        rows += _round(round_number, dice)
        round_number += 1
    # The last round is cut so that its calls keep their results.
    while len(rows) > MESSAGES or rows[-1]["role"] != "tool":
        rows.pop()
    return rows + [{"role": "assistant", "content": "Done."}] * (MESSAGES - len(rows))


def _round(number: int, dice: random.Random) -> list[Json]:
    calls = [_call(f"H1 {number} {place}", dice) for place in range(dice.randint(1, 3))]
    text = prose(f"H1 text {number}", dice.randint(50, 900)) if dice.random() < 0.5 else None
    results = [
        {"role": "tool", "content": _result(call["id"], dice), "tool_call_id": call["id"]} for call in calls
    ]
    return [{"role": "assistant", "content": text, "tool_calls": calls}, *results]


def _call(seed: str, dice: random.Random) -> Json:
    arguments: Json = {"path": f"src/{dice.choice(NOUNS)}.py"}
    if dice.random() < 0.25:
        arguments["content"] = source_code(seed, dice.randint(800, 4500))
    else:
        arguments["pattern"] = prose(seed, 40)
    return {"id": identifier("call", seed, 24), "name": "write_file", "arguments": compact(arguments)}


def _result(seed: str, dice: random.Random) -> str:
    length = int(dice.paretovariate(1.1) * 450)
    if dice.random() < 0.25:
        found = {"path": f"src/{seed}.py", "text": prose(seed, min(length, 7000))}
        return compact({"ok": True, "rows": [found]})
    return source_code(seed, min(length, 7500))


def rows_of_chat(messages: list[Json]) -> list[Json]:
    """A Chat history as typed rows."""
    return [_row(message) for message in messages]


def _row(message: Json) -> Json:
    row: Json = {"role": message["role"], "content": message["content"]}
    calls: list[Any] = message.get("tool_calls", [])
    if calls:
        row["tool_calls"] = [{"id": call["id"], **call["function"]} for call in calls]
    if "tool_call_id" in message:
        row["tool_call_id"] = message["tool_call_id"]
    return row
