"""The delta of a choice, or its message in a whole body: the second table of docs/formats/openai_chat.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.calls import (
    CallReader,
    dropped_members,
    signature_of,
    text_of,
)
from transcodec.reference.formats.openai_chat.think import ThinkSplitter
from transcodec.reference.json_reader import JsonArray, JsonObject, JsonString
from transcodec.reference.json_writer import compact
from transcodec.reference.members import Members, as_object, below
from transcodec.reference.stream import delta as d
from transcodec.reference.stream.delta import PartKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.reference.json_reader import JsonNode

__all__ = ["ChoiceReader"]

#: The first of them that says something is the reasoning.
_REASONING = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
_SEALS = ("reasoning_opaque", "reasoning_signature")
_READ = {
    *_SEALS,
    "annotations",
    "content",
    "extra_content",
    "function_call",
    "images",
    "reasoning_details",
    "refusal",
    "role",
    "tool_calls",
}


class ChoiceReader:
    """Reads one choice. Remembers the indexes of its calls, and where in `<think>` tags its text is."""

    def __init__(self, choice: int, *, think_tags: bool, same_format: bool = False) -> None:
        self._choice = choice
        self._same_format = same_format
        self._calls = CallReader(choice)
        self._splitter = ThinkSplitter() if think_tags else None
        self._path = ""

    def delta(self, delta: Members, logprobs: Members | None) -> Iterator[d.Delta]:
        """The deltas of a delta, in the order of the table."""
        self._path = delta.path
        yield from self._reasoning(delta)
        yield from self._seals_of_details(delta)
        yield from self._content(delta, _logprobs(logprobs, "content"))
        # Before anything that closes the text they belong to.
        for annotation, path in delta.array("annotations"):
            yield d.Note(self._key(), 0, annotation, path)
        refusal = delta.string("refusal")
        if refusal:
            yield from self.flush()
            yield self._text(PartKind.REFUSAL, refusal, delta.at("refusal"), _logprobs(logprobs, "refusal"))
        yield from self._tool_calls(delta)
        # Within one format the member is passed on as it is; an image in a list of content is not.
        images = () if self._same_format else delta.array("images")
        for _, path in images:
            yield d.Lost("image.dropped", path, "images", choice=self._choice)
        signature = signature_of(delta)
        if signature is not None:
            yield self._seal("extra_content", "thought_signature", signature)
        for member in _SEALS:
            if delta.string(member):
                yield self._seal(member, member, delta.at(member))
        yield from dropped_members(delta, self._unread(delta), self._choice)

    def flush(self) -> Iterator[d.Delta]:
        """Text that was held because it could have been a tag."""
        if self._splitter is not None:
            for is_reasoning, text in self._splitter.flush():
                kind = PartKind.SUMMARY if is_reasoning else PartKind.TEXT
                yield self._text(kind, text, below(self._path, "content"))

    def _key(self) -> d.Key:
        return d.Key(None, None, self._path, self._choice)

    def _text(self, kind: PartKind, text: str, path: str, logprobs: JsonNode | None = None) -> d.Delta:
        return d.Append(self._key(), kind, 0, text, path, logprobs)

    def _seal(self, name: str, member: str, path: str) -> d.Delta:
        once = f"{self._choice} {name}"
        return d.Lost("opaque_state.dropped", path, member, once=once, choice=self._choice)

    def _reasoning(self, delta: Members) -> Iterator[d.Delta]:
        for member in _REASONING:
            value = delta.get(member)
            if isinstance(value, JsonString) and value.value:
                yield self._text(PartKind.SUMMARY, value.value, delta.at(member))
                return
        details = [as_object(each, path).node for each, path in delta.array("reasoning_details")]
        texts = [_string(each, "text") or _string(each, "summary") for each in details]
        if any(texts):
            yield self._text(PartKind.SUMMARY, "".join(texts), delta.at("reasoning_details"))

    def _seals_of_details(self, delta: Members) -> Iterator[d.Delta]:
        for detail, path in delta.array("reasoning_details"):
            for member in ("data", "signature"):
                if _string(detail, member):
                    yield self._seal("reasoning_details", member, below(path, member))

    def _content(self, delta: Members, logprobs: JsonNode | None) -> Iterator[d.Delta]:
        content = delta.get("content")
        path = delta.at("content")
        if content is None:
            return
        if isinstance(content, JsonString):
            yield from self._tagged(content.value, path, logprobs)
        elif isinstance(content, JsonArray):
            for number, element in enumerate(content.items):
                for said in self._element(element, below(path, number), logprobs):
                    yield said
                    if isinstance(said, d.Append) and said.logprobs is not None:
                        logprobs = None
        elif isinstance(content, JsonObject):
            yield from self._tagged(compact(content), path, logprobs)
        else:
            yield self._unknown_part("", path)

    def _tagged(self, text: str, path: str, logprobs: JsonNode | None) -> Iterator[d.Delta]:
        is_text = self._splitter is None or self._splitter.is_text
        pieces = [(False, text)] if self._splitter is None or is_text else self._splitter.feed(text)
        for is_reasoning, piece in pieces:
            if is_reasoning:
                yield self._text(PartKind.SUMMARY, piece, path)
            elif piece or logprobs is not None:
                yield self._text(PartKind.TEXT, piece, path, logprobs)

    def _element(self, element: JsonNode, path: str, logprobs: JsonNode | None) -> Iterator[d.Delta]:
        if isinstance(element, JsonString):
            yield from self._tagged(element.value, path, logprobs)
            return
        part = as_object(element, path)
        kind = part.string("type") or ""
        if kind == "thinking":
            yield from self._thinking(part)
        elif kind == "image_url":
            yield d.Lost("image.dropped", path, kind, choice=self._choice)
        else:
            text = part.get("text")
            if isinstance(text, JsonString):
                yield from self._tagged(text.value, part.at("text"), logprobs)
            else:
                yield self._unknown_part(kind, path)

    def _thinking(self, part: Members) -> Iterator[d.Delta]:
        thinking = part.get("thinking")
        path = part.at("thinking")
        if isinstance(thinking, JsonString):
            yield self._text(PartKind.SUMMARY, thinking.value, path)
        for number, each in enumerate(thinking.items if isinstance(thinking, JsonArray) else ()):
            text = each.value if isinstance(each, JsonString) else _string(each, "text")
            yield self._text(PartKind.SUMMARY, text, below(path, number))

    def _unknown_part(self, kind: str, path: str) -> d.Delta:
        return d.Lost("part.unknown", path, kind, once=f"type {kind}", choice=self._choice)

    def _tool_calls(self, delta: Members) -> Iterator[d.Delta]:
        elements = delta.array("tool_calls")
        legacy = delta.object("function_call")
        says_more = legacy is not None and bool(
            legacy.word("name") or (not elements and text_of(legacy, "arguments"))
        )
        if elements or says_more:
            yield from self.flush()
        for element, path in elements:
            yield from self._calls.element(as_object(element, path))
        if legacy is not None:
            yield from self._calls.legacy(legacy, says_more=says_more)

    def _unread(self, delta: Members) -> Iterator[str]:
        """Members that were not understood; reasoning that is no text is among them."""
        for member in delta.node:
            is_read = member.key in _READ
            if member.key in _REASONING:
                is_read = isinstance(member.value, JsonString)
            elif member.key == "extra_content":
                is_read = signature_of(delta) is not None
            if not is_read:
                yield member.key


def _logprobs(logprobs: Members | None, member: str) -> JsonNode | None:
    return None if logprobs is None or not logprobs.array(member) else logprobs.get(member)


def _string(node: JsonNode, member: str) -> str:
    value = node.get(member) if isinstance(node, JsonObject) else None
    return value.value if isinstance(value, JsonString) else ""
