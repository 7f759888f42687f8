"""Chat chunks and whole bodies to deltas: the first table of docs/formats/openai_chat.md."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.calls import dropped_members
from transcodec.reference.formats.openai_chat.delta import ChoiceReader
from transcodec.reference.formats.openai_chat.finish import finish_deltas
from transcodec.reference.json_reader import JsonNumber, JsonObject, JsonString
from transcodec.reference.members import Members, as_object
from transcodec.reference.stream import delta as d
from transcodec.reference.stream.error_object import fault_of
from transcodec.reference.stream.limits import check_name
from transcodec.reference.stream.token_counts import CountNames, usage_deltas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.reference.json_reader import JsonNode

__all__ = ["ChatDecoder"]

_INTEGER_PART = re.compile(rb"(0|[1-9][0-9]{0,19})(\.[0-9]+)?")
_MAX_UNSIGNED = 2**64 - 1
_CHOICE_MEMBERS = {"index", "delta", "message", "finish_reason", "logprobs", "error"}
#: Members of a chunk that are read, or say nothing of the answer.
_READ = {
    *("id", "model", "created", "choices", "usage", "error", "data"),
    *("object", "system_fingerprint", "service_tier", "provider"),
}
_COUNTS = CountNames(
    {
        "prompt_tokens": "input_tokens",
        "completion_tokens": "output_tokens",
        "total_tokens": "total_tokens",
    },
    {
        "prompt_tokens_details": {
            "cached_tokens": "cached_tokens",
            "cache_write_tokens": "cache_write_tokens",
        },
        "completion_tokens_details": {"reasoning_tokens": "reasoning_tokens"},
    },
    repeats=True,
)


class ChatDecoder:
    """Reads chunks one at a time. Remembers the head until it is told, and a state for each choice."""

    growing_names = True

    def __init__(self, *, think_tags: bool, same_format: bool, has_choices: bool) -> None:
        self._think_tags = think_tags
        self._same_format = same_format
        #: The target has a place for choices other than the first.
        self._has_choices = has_choices
        self._response_id: str | None = None
        self._model: str | None = None
        self._created: int | None = None
        self._is_started = False
        self._with_reason: set[int] = set()
        self._choices: dict[int, ChoiceReader] = {}

    def event(self, root: JsonNode, name: str | None, path: str) -> list[d.Delta]:
        """The deltas of one chunk; `name` is that of its `event:` line."""
        return list(self._chunk(_unwrapped(as_object(root, path)), "delta", is_error=name == "error"))

    def body(self, root: JsonNode) -> list[d.Delta]:
        """The deltas of an input that is one JSON object, `End` included."""
        deltas = list(self._chunk(_unwrapped(as_object(root, "")), "message", is_error=False))
        return [*deltas, *self.end_of_input(), d.End()]

    def done_mark(self) -> list[d.Delta]:
        """The end; `stop` for choices that have no reason."""
        stops = [d.Finish("stop", number) for number in self._choices if number not in self._with_reason]
        return [*self.end_of_input(), *stops, d.End()]

    def completes_end(self, _event: bytes, _name: str | None) -> bool:
        """No event does."""
        return False

    def end_of_input(self) -> list[d.Delta]:
        """Text that was held because it could have been a tag."""
        return [said for choice in self._choices.values() for said in choice.flush()]

    def _chunk(self, chunk: Members, member: str, *, is_error: bool) -> Iterator[d.Delta]:
        choices = chunk.array("choices")
        yield from self._head(chunk, starts=bool(choices))
        usage = chunk.get("usage")
        if isinstance(usage, JsonObject):
            yield from usage_deltas(Members(usage, chunk.at("usage")), _COUNTS)
        elif usage is not None:
            yield d.Lost("usage.invalid", chunk.at("usage"), "usage", once="usage")
        fault = _fault_in(chunk)
        is_fault = is_error and chunk.get("choices") is None
        if fault is None and is_fault:
            fault = fault_of(chunk)
        for choice, path in choices:
            for said in self._choice(as_object(choice, path), member, may_end=fault is None):
                yield said
                if isinstance(said, d.Fault):
                    return
        if not is_fault:
            unread = (each.key for each in chunk.node if each.key not in _READ)
            yield from dropped_members(chunk, unread, None)
        if fault is not None:
            yield fault

    def _head(self, chunk: Members, *, starts: bool) -> Iterator[d.Delta]:
        response_id, model = chunk.word("id"), chunk.word("model")
        self._response_id = self._response_id or response_id
        self._model = self._model or model
        check_name(self._response_id)
        check_name(self._model)
        created = _integer_part(chunk.get("created")) or None
        self._created = self._created or created
        if starts and not self._is_started:
            self._is_started = True
            yield d.Start(self._response_id, self._model, self._created, chunk.path, choice=None)

    def _choice(self, choice: Members, member: str, *, may_end: bool) -> Iterator[d.Delta]:
        number = choice.unsigned("index") or 0
        yield d.ChoiceSeen(number, choice.path)
        if number and not self._has_choices:
            return
        reader = self._choices.get(number)
        if reader is None:
            reader = self._choices[number] = ChoiceReader(
                number, think_tags=self._think_tags, same_format=self._same_format
            )
        delta = choice.object(member)
        if delta is not None:
            logprobs = choice.get("logprobs")
            at = choice.at("logprobs")
            yield from reader.delta(
                delta, Members(logprobs, at) if isinstance(logprobs, JsonObject) else None
            )
        others = (each.key for each in choice.node if each.key not in _CHOICE_MEMBERS)
        yield from dropped_members(choice, others, number)
        fault = _fault_in(choice, number)
        if not may_end:
            return
        if fault is not None:
            yield fault
            return
        word = choice.word("finish_reason")
        if word is not None:
            self._with_reason.add(number)
            yield from reader.flush()
            yield from finish_deltas(word, number, choice.at("finish_reason"))


def _unwrapped(chunk: Members) -> Members:
    """Some gateways put the chunk into an envelope."""
    inner = chunk.get("data")
    is_bare = chunk.get("choices") is None and chunk.get("error") is None
    return Members(inner, chunk.at("data")) if is_bare and isinstance(inner, JsonObject) else chunk


def _fault_in(holder: Members, choice: int | None = None) -> d.Fault | None:
    error = holder.get("error")
    if isinstance(error, JsonObject) and error.members:
        return replace(fault_of(Members(error, holder.at("error"))), choice=choice)
    if isinstance(error, JsonString) and error.value:
        return d.Fault(error.value, path=holder.at("error"), choice=choice)
    return None


def _integer_part(value: JsonNode | None) -> int | None:
    """What stands before the point of a number without sign and exponent; anything else says nothing."""
    spelt = _INTEGER_PART.fullmatch(value.raw) if isinstance(value, JsonNumber) else None
    return int(spelt[1]) if spelt is not None and int(spelt[1]) <= _MAX_UNSIGNED else None
