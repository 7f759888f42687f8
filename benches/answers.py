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


def openai_responses(output: bytes) -> Json:
    """What a Responses client has at the end.

    Raises:
        WrongOutputError: Sequence numbers or output indexes are not dense, deltas do not make up what the
            terminal response says, or the stream does not end with it.
    """
    blocks = output.removesuffix(b"\n\n").split(b"\n\n")
    events = [cast("Json", json.loads(block.partition(b"data: ")[2])) for block in blocks]
    if [event["sequence_number"] for event in events] != list(range(len(events))):
        raise WrongOutputError("sequence numbers are not dense")
    streamed: dict[tuple[str, int], str] = {}
    opened = 0
    for event in events:
        if event["type"] == "response.output_item.added":
            if event["output_index"] != opened:
                raise WrongOutputError("output indexes are not dense")
            opened += 1
        elif event["type"].endswith(".delta"):
            number = event["summary_index"] if "summary_index" in event else event.get("content_index", 0)
            at = (event["item_id"], number)
            streamed[at] = streamed.get(at, "") + event["delta"]
    if events[-1]["type"] not in ("response.completed", "response.incomplete"):
        raise WrongOutputError("no terminal event at the end")
    response = events[-1]["response"]
    told = {at: text for item in response["output"] for at, text in _texts(item) if text}
    if told != streamed:
        raise WrongOutputError("the terminal response says something else than the deltas")
    return _responses_answer(response)


def _texts(item: Json) -> list[tuple[tuple[str, int], str]]:
    """The texts of an item, each with its place."""
    if item["type"] == "function_call":
        return [((item["id"], 0), item["arguments"])]
    parts = item["summary"] if item["type"] == "reasoning" else item["content"]
    return [((item["id"], number), part["text"]) for number, part in enumerate(parts)]


def _responses_answer(response: Json) -> Json:
    usage = response["usage"]
    items = response["output"]
    calls = [item for item in items if item["type"] == "function_call"]
    texts = {
        kind: [text for item in items if item["type"] == kind for _, text in _texts(item)] for kind in KINDS
    }
    details = (
        usage["input_tokens_details"]["cached_tokens"],
        usage["output_tokens_details"]["reasoning_tokens"],
    )
    return {
        "text": "".join(texts["message"]),
        "reasoning": "\n\n".join(texts["reasoning"]),
        "finish": "tool_calls" if calls else "stop",
        "usage": [usage["input_tokens"], usage["output_tokens"], *details],
        "tools": [{"id": call["call_id"], "name": call["name"], "args": call["arguments"]} for call in calls],
    }


KINDS: Final = ("message", "reasoning")
ACCUMULATORS: Final = {"openai_chat": openai_chat, "openai_responses": openai_responses}
