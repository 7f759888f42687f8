"""W4 and W4t: made-up streams of Chat Completions with the key order and sizes of live ones."""

from __future__ import annotations

import itertools
import random
from typing import Final

from made_up import Json, compact, cut, identifier, padding, prose, source_code, tokens

CALLS: Final = 4
CALL_CHARACTERS: Final = 3_500
TEXT_DELTAS: Final = 2_000
REASONING_DELTAS: Final = 200


class _Stream:
    """Collects the chunks of one answer."""

    def __init__(self, seed: str, **first: object) -> None:
        self._seed = seed
        self._chunks: list[Json] = []
        self.add({"role": "assistant", **first})

    def add(self, delta: Json, finish: str | None = None) -> None:
        """Appends a chunk with this delta."""
        self._append([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}], None)

    def finish(self, reason: str, given: int, cached: int, made: int, reasoning: int) -> bytes:
        """Ends the answer with its reason and its counts; returns the stream."""
        self.add({}, reason)
        usage = {
            "prompt_tokens": given,
            "completion_tokens": made,
            "total_tokens": given + made,
            "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": reasoning, "audio_tokens": 0},
        }
        self._append([], usage)
        return b"".join(f"data: {text}\n\n".encode() for text in [*map(compact, self._chunks), "[DONE]"])

    def _append(self, choices: list[Json], usage: Json | None) -> None:
        chunk = {
            "id": identifier("chatcmpl", self._seed, 29),
            "object": "chat.completion.chunk",
            "created": 1760000000,
            "model": "made-up-2026-01-01",
            "service_tier": "default",
            "system_fingerprint": "fp_0123456789",
            "choices": choices,
            "usage": usage,
            "obfuscation": padding(len(self._chunks)),
        }
        self._chunks.append(chunk)


def interleaved_calls() -> tuple[bytes, Json]:
    """W4: a little text, then four parallel calls whose arguments come mixed."""
    stream = _Stream("W4", content="", refusal=None)
    text = prose("W4", 160)
    for piece in tokens(text, "W4"):
        stream.add({"content": piece})
    tools = []
    for number in range(CALLS):
        arguments = compact(
            {"path": f"src/{number}.py", "content": source_code(f"W4 {number}", CALL_CHARACTERS)}
        )
        tool = {"id": identifier("call", f"W4 {number}", 24), "name": "write_file", "args": arguments}
        tools.append(tool)
        function = {"name": tool["name"], "arguments": ""}
        head = {"index": number, "id": tool["id"], "type": "function", "function": function}
        stream.add({"tool_calls": [head]})
    dice = random.Random("W4")  # noqa: S311 -- no secret, the same on every run
    waiting = [list(cut(tool["args"], tool["id"], 10, 40))[::-1] for tool in tools]
    while any(waiting):
        number = dice.choice([number for number, pieces in enumerate(waiting) if pieces])
        stream.add({"tool_calls": [{"index": number, "function": {"arguments": waiting[number].pop()}}]})
    truth = {"text": text, "reasoning": "", "finish": "tool_calls", "usage": [5120, 3311, 4096, 0]}
    return stream.finish("tool_calls", 5120, 4096, 3311, 0), truth | {"tools": tools}


def reasoning_and_text() -> tuple[bytes, Json]:
    """W4t: reasoning in 200 pieces, then a message in 2,000."""
    stream = _Stream("W4t", content=None, reasoning_content="")
    reasoning = list(itertools.islice(tokens(prose("W4t reasoning", 1_000), "W4t 1"), REASONING_DELTAS))
    text = list(itertools.islice(tokens(prose("W4t", 10_000), "W4t 2"), TEXT_DELTAS))
    for piece in reasoning:
        stream.add({"content": None, "reasoning_content": piece})
    for piece in text:
        stream.add({"content": piece, "reasoning_content": None})
    truth = {"text": "".join(text), "reasoning": "".join(reasoning), "finish": "stop"}
    return stream.finish("stop", 640, 512, 2290, 203), truth | {"usage": [640, 2290, 512, 203], "tools": []}
