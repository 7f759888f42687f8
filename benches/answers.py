"""Puts an output stream together again, strictly, so that a benchmark row can say whether it is right."""

from __future__ import annotations

import json
from typing import Any, Final, cast

Json = dict[str, Any]

CHUNK_HEAD: Final = ("id", "object", "created", "model")


class WrongOutputError(Exception):
    """The stream breaks a rule of its format, or means something else than the source."""


def check(output: bytes, target: str, truth: Json) -> None:
    """Compares an output with what the source means.

    Raises:
        WrongOutputError: It differs; the message says in what.
    """
    answer = ACCUMULATORS[target](output)
    for name, expected in expectation(truth).items():
        if answer[name] != expected:
            raise WrongOutputError(f"{name}: {str(answer[name])[:80]!r}, not {str(expected)[:80]!r}")


def expectation(truth: Json) -> Json:
    """The parts of a truth that every target can say; a truth's reasoning may be given in parts."""
    reasoning = truth["reasoning"]
    joined = reasoning if isinstance(reasoning, str) else "\n\n".join(reasoning)
    compared = ("text", "finish", "usage", "tools")
    return {"reasoning": joined, **{name: truth[name] for name in compared}}


def openai_chat(output: bytes) -> Json:
    """What a Chat client has at the end.

    Raises:
        WrongOutputError: The head changes, a role, call id or name comes twice, an index is new without id
            and name, or the stream does not end with one finish, usage and `[DONE]`.
    """
    if not output.endswith(b"\n\n"):
        raise WrongOutputError("the last event is not closed")
    *blocks, last = output.removesuffix(b"\n\n").split(b"\n\n")
    if last != b"data: [DONE]":
        raise WrongOutputError("no done mark at the end")
    chunks = [cast("Json", json.loads(block.removeprefix(b"data: "))) for block in blocks]
    if len({tuple(chunk[name] for name in CHUNK_HEAD) for chunk in chunks}) != 1:
        raise WrongOutputError("the chunks differ in id, object, created or model")
    usages = [chunk["usage"] for chunk in chunks if chunk.get("usage")]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    deltas = [choice["delta"] for choice in choices]
    finishes = [choice["finish_reason"] for choice in choices if choice["finish_reason"]]
    roles = [delta["role"] for delta in deltas if "role" in delta]
    if len(usages) != 1 or len(finishes) != 1 or roles != ["assistant"]:
        raise WrongOutputError("role, finish and usage come once each")
    return {
        "text": "".join(delta.get("content") or "" for delta in deltas),
        "reasoning": "".join(delta.get("reasoning_content") or "" for delta in deltas),
        "finish": finishes[0],
        "usage": _chat_usage(usages[0]),
        "tools": _chat_calls([call for delta in deltas for call in delta.get("tool_calls", ())]),
    }


def _chat_usage(usage: Json) -> list[int]:
    cached = usage["prompt_tokens_details"]["cached_tokens"]
    reasoning = usage["completion_tokens_details"]["reasoning_tokens"]
    return [usage["prompt_tokens"], usage["completion_tokens"], cached, reasoning]


def _chat_calls(parts: list[Json]) -> list[Json]:
    calls: list[Json] = []
    for part in parts:
        function = part["function"]
        if part["index"] == len(calls):
            if part["type"] != "function":
                raise WrongOutputError("a call opens without its type")
            calls.append({"id": part["id"], "name": function["name"], "args": ""})
        elif part["index"] > len(calls) or {"id", "type"} & part.keys() or "name" in function:
            raise WrongOutputError("a continuation says more than its index and arguments")
        calls[part["index"]]["args"] += function["arguments"]
    return calls


ACCUMULATORS: Final = {"openai_chat": openai_chat}
