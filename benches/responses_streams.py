"""W1 and W2: made-up streams of the Responses API with the lifecycle, key order and sizes of the live one."""

from __future__ import annotations

from typing import Final

from made_up import Json, compact, cut, identifier, opaque_state, padding, prose, source_code, tokens, tools

ARGUMENT_DELTAS: Final = 857
TEXT_DELTAS: Final = 2_000
SUMMARY_PARTS: Final = 3
SUMMARY_DELTAS: Final = 71


class _Stream:
    """Collects the events of one response and numbers them."""

    def __init__(self, seed: str, tool_count: int, usage: Json) -> None:
        self._seed = seed
        self._tools = tools(tool_count)
        self._usage = usage
        self._events: list[Json] = []
        self._items: list[Json] = []
        for name in ("created", "in_progress"):
            self.add(f"response.{name}", response=self._response("in_progress", None))

    def add(self, kind: str, **members: object) -> None:
        """Appends an event of this type."""
        self._events.append({"type": kind, "sequence_number": len(self._events), **members})

    def open(self, item: Json) -> Json:
        """Announces an output item; returns the members that its events begin with."""
        place = {"output_index": len(self._items)}
        self.add("response.output_item.added", **place, item=item)
        return {"item_id": item["id"], **place}

    def deltas(self, kind: str, place: Json, pieces: list[str], **members: object) -> None:
        """One event a piece."""
        for number, piece in enumerate(pieces):
            self.add(kind, **place, delta=piece, **members, obfuscation=padding(number))

    def close(self, item: Json) -> None:
        """Repeats the output item as a whole."""
        self.add("response.output_item.done", output_index=len(self._items), item=item)
        self._items.append(item)

    def finish(self) -> bytes:
        """Completes the response; returns the stream."""
        self.add("response.completed", response=self._response("completed", self._usage))
        blocks = [f"event: {event['type']}\ndata: {compact(event)}\n\n" for event in self._events]
        return "".join(blocks).encode()

    def _response(self, status: str, usage: Json | None) -> Json:
        return {
            "id": identifier("resp", self._seed),
            "object": "response",
            "created_at": 1760000000,
            "status": status,
            "background": False,
            "completed_at": 1760000041 if usage else None,
            "error": None,
            "incomplete_details": None,
            "instructions": prose(f"{self._seed} instructions", 1200),
            "max_output_tokens": None,
            "max_tool_calls": None,
            "model": "made-up-2026-01-01",
            "output": list(self._items),
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "prompt_cache_key": "session-1",
            "prompt_cache_retention": None,
            "reasoning": {"effort": "medium", "summary": "detailed"},
            "safety_identifier": None,
            "service_tier": "auto",
            "store": False,
            "temperature": 1.0,
            "text": {"format": {"type": "text"}, "verbosity": "medium"},
            "tool_choice": "auto",
            "tools": self._tools,
            "top_logprobs": 0,
            "top_p": 1.0,
            "truncation": "disabled",
            "usage": usage,
            "user": None,
            "metadata": {},
        }


def _usage(given: int, cached: int, made: int, reasoning: int) -> Json:
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": given + made,
    }


def one_long_call() -> tuple[bytes, Json]:
    """W1: reasoning without a summary, then one call whose arguments come in 857 pieces."""
    stream = _Stream("W1", 6, _usage(18342, 17280, 9021, 448))
    reasoning = {"id": identifier("rs", "W1"), "type": "reasoning", "summary": []}
    stream.open(reasoning | {"encrypted_content": opaque_state("W1", 350)})
    stream.close(reasoning | {"encrypted_content": opaque_state("W1", 1400)})

    content = source_code("W1", 25_000)
    whole = compact({"path": "src/made/up.py", "mode": "overwrite", "content": content})
    pieces = list(cut(whole, "W1", 20, 40))[:ARGUMENT_DELTAS]
    arguments = "".join(pieces[:-1]) + '"}'
    pieces[-1] = '"}'
    call = {"id": identifier("fc", "W1"), "type": "function_call", "status": "in_progress", "arguments": ""}
    names = {"call_id": identifier("call", "W1", 24), "name": "write_file"}
    place = stream.open(call | names)
    stream.deltas("response.function_call_arguments.delta", place, pieces)
    stream.add("response.function_call_arguments.done", **place, arguments=arguments)
    stream.close(call | {"status": "completed", "arguments": arguments} | names)
    tool = {"id": names["call_id"], "name": names["name"], "args": arguments}
    truth = {"text": "", "reasoning": [], "finish": "tool_calls", "usage": [18342, 9021, 17280, 448]}
    return stream.finish(), truth | {"tools": [tool]}


def reasoning_and_text() -> tuple[bytes, Json]:
    """W2: a reasoning summary in three parts, then a message in 2,000 pieces."""
    stream = _Stream("W2", 0, _usage(912, 0, 2412, 320))
    summary = _summary(stream)
    message = {"id": identifier("msg", "W2"), "type": "message", "status": "in_progress", "content": []}
    place = stream.open(message | {"role": "assistant"}) | {"content_index": 0}
    part = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
    stream.add("response.content_part.added", **place, part=part)
    pieces = list(tokens(prose("W2", 10_000), "W2"))[:TEXT_DELTAS]
    text = "".join(pieces)
    stream.deltas("response.output_text.delta", place, pieces, logprobs=[])
    stream.add("response.output_text.done", **place, text=text, logprobs=[])
    part = part | {"text": text}
    stream.add("response.content_part.done", **place, part=part)
    stream.close(message | {"status": "completed", "content": [part], "role": "assistant"})
    truth = {"text": text, "reasoning": summary, "finish": "stop", "usage": [912, 2412, 0, 320]}
    return stream.finish(), truth | {"tools": []}


def _summary(stream: _Stream) -> list[str]:
    reasoning = {"id": identifier("rs", "W2"), "type": "reasoning"}
    item_place = stream.open(reasoning | {"encrypted_content": opaque_state("W2", 350), "summary": []})
    texts = []
    for number in range(SUMMARY_PARTS):
        place = item_place | {"summary_index": number}
        head = f"**Weighing option {number}**\n\n"
        pieces = [head, *tokens(prose(f"W2 summary {number}", 600), f"W2 {number}")][:SUMMARY_DELTAS]
        texts.append("".join(pieces))
        part = {"type": "summary_text", "text": ""}
        stream.add("response.reasoning_summary_part.added", **place, part=part)
        stream.deltas("response.reasoning_summary_text.delta", place, pieces)
        stream.add("response.reasoning_summary_text.done", **place, text=texts[-1])
        stream.add("response.reasoning_summary_part.done", **place, part=part | {"text": texts[-1]})
    summary = [{"type": "summary_text", "text": text} for text in texts]
    stream.close(reasoning | {"encrypted_content": opaque_state("W2", 2200), "summary": summary})
    return texts
