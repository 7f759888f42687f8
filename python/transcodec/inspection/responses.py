"""Reads Responses events as they are, not as they should be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from transcodec.inspection.members import as_index, as_list, as_object, as_text
from transcodec.inspection.report import Answer, Call, Notes

__all__ = ["ResponsesObserver"]

_HEADS: Final = {"response.created", "response.in_progress", "response.queued"}
_TERMINALS: Final = {
    "response.completed", "response.done", "response.incomplete", "response.failed", "response.cancelled",
}  # fmt: skip
#: Event: type of the item, kind of the part, member with the text.
_DELTAS: Final = {
    "response.output_text.delta": ("message", "text", "delta"),
    "response.refusal.delta": ("message", "refusal", "delta"),
    "response.reasoning_summary_text.delta": ("reasoning", "summary", "delta"),
    "response.reasoning_text.delta": ("reasoning", "reasoning", "delta"),
    "response.function_call_arguments.delta": ("function_call", "arguments", "delta"),
    "response.custom_tool_call_input.delta": ("custom_tool_call", "arguments", "delta"),
}
_DONES: Final = {
    "response.output_text.done": ("message", "text", "text"),
    "response.refusal.done": ("message", "refusal", "refusal"),
    "response.reasoning_summary_text.done": ("reasoning", "summary", "text"),
    "response.reasoning_text.done": ("reasoning", "reasoning", "text"),
    "response.function_call_arguments.done": ("function_call", "arguments", "arguments"),
    "response.custom_tool_call_input.done": ("custom_tool_call", "arguments", "input"),
}
#: Type of a part inside an item: its kind, member with the text.
_PARTS: Final = {
    "output_text": ("text", "text"),
    "refusal": ("refusal", "refusal"),
    "summary_text": ("summary", "text"),
    "reasoning_text": ("reasoning", "text"),
}
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}

#: Kind and number of a part.
Place = tuple[str, int]


@dataclass(slots=True)
class _Item:
    kind: str
    id: str = ""
    call: Call = field(default_factory=Call)
    parts: dict[Place, list[str]] = field(default_factory=dict)
    is_done: bool = False

    def text_of(self, kind: str) -> list[str]:
        return ["".join(pieces) for (part, _), pieces in sorted(self.parts.items()) if part == kind]


class ResponsesObserver:
    """Looks at one stream."""

    def __init__(self, notes: Notes, *, is_body: bool) -> None:
        self.id: str | None = None
        self.model: str | None = None
        self.usage: dict[str, Any] | None = None
        self.provider_error: Any = None
        self._notes = notes
        self._is_body = is_body
        self._finish: str | None = None
        self._created_seen = False
        self._last_number: int | None = None
        self._items: list[_Item] = []
        self._by_index: dict[int, _Item] = {}

    @property
    def answers(self) -> list[Answer]:
        """The one answer."""
        answer = Answer(finish=self._finish)
        for item in self._items:
            answer.texts += item.text_of("text")
            answer.refusals += item.text_of("refusal")
            answer.reasonings += item.text_of("summary") + item.text_of("reasoning")
            if item.kind in _CALLS:
                item.call.arguments = item.text_of("arguments")
                answer.calls.append(item.call)
        return [answer]

    def event(self, event: dict[str, Any], name: str | None) -> None:
        """One event, or the whole body."""
        if self._is_body and event.get("object") == "response":
            self._terminal(event, as_text(event.get("status")))
            return
        if self._finish is not None:
            self._notes.tell("event.after_end")
            return
        kind = self._type(event, name)
        self._number(event)
        if kind in _HEADS:
            self._created_seen = self._created_seen or kind == "response.created"
            self._head(as_object(event.get("response")))
        elif kind in _TERMINALS:
            response = as_object(event.get("response"))
            self._terminal(response, as_text(response.get("status")) or kind.removeprefix("response."))
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._item(event, is_done=kind.endswith(".done"))
        elif kind in _DELTAS:
            item_type, part, member = _DELTAS[kind]
            self._find(event, item_type).parts.setdefault(_place(event, part), []).append(
                as_text(event.get(member))
            )
        elif kind in _DONES:
            item_type, part, member = _DONES[kind]
            self._reconcile(self._find(event, item_type), _place(event, part), as_text(event.get(member)))
        elif kind == "error" or (not kind and event.get("error")):
            self.provider_error = event.get("error") or event

    def done(self) -> None:
        """`[DONE]`."""
        self._notes.tell("done.unexpected")

    def finish(self) -> None:
        """The input has ended."""
        if not self._is_body:
            if not self._created_seen:
                self._notes.tell("created.missing")
            if self._finish is None and self.provider_error is None:
                self._notes.tell("terminal.missing")
            for item in self._items:
                if not item.is_done:
                    self._notes.tell("item.not_done", item.kind)
        [answer] = self.answers
        for call in answer.calls:
            call.tell_what_is_odd(self._notes)
        answer.tell_shared_ids(self._notes)

    def _type(self, event: dict[str, Any], name: str | None) -> str:
        kind = as_text(event.get("type"))
        if not kind:
            self._notes.tell("event.type_missing")
        elif name is None and not self._is_body:
            self._notes.tell("event.name_missing")
        elif name not in (None, kind):
            self._notes.tell("event.name_differs", name)
        return kind or name or ""

    def _number(self, event: dict[str, Any]) -> None:
        number = as_index(event.get("sequence_number"))
        if number is None:
            if not self._is_body:
                self._notes.tell("sequence.missing")
            return
        if self._last_number is not None and number != self._last_number + 1:
            self._notes.tell("sequence.gap", f"{number} after {self._last_number}")
        self._last_number = number

    def _head(self, response: dict[str, Any]) -> None:
        self.id = self.id or as_text(response.get("id")) or None
        self.model = self.model or as_text(response.get("model")) or None

    def _item(self, event: dict[str, Any], *, is_done: bool) -> None:
        shown = as_object(event.get("item"))
        kind, index = as_text(shown.get("type")), as_index(event.get("output_index"))
        if index is None:
            self._notes.tell("item.index_missing")
        known = None if index is None else self._by_index.get(index)
        if not is_done:
            if known is not None and not known.is_done:
                self._notes.tell("item.added_twice")
            known = self._new(kind, index)
        elif known is None:
            known = self._by_id(as_text(shown.get("id")))
            if known is None:
                self._notes.tell("item.not_added")
                known = self._new(kind, index)
        self._show(known, shown)
        known.is_done = known.is_done or is_done

    def _new(self, kind: str, index: int | None) -> _Item:
        item = _Item(kind, call=Call(is_custom=kind == "custom_tool_call"))
        self._items.append(item)
        if index is not None:
            self._by_index[index] = item
        return item

    def _by_id(self, item_id: str) -> _Item | None:
        return next((item for item in reversed(self._items) if item_id and item.id == item_id), None)

    def _find(self, event: dict[str, Any], kind: str) -> _Item:
        """The item that an event about a part means."""
        index, item_id = as_index(event.get("output_index")), as_text(event.get("item_id"))
        if index is None:
            self._notes.tell("item.index_missing")
        found = self._by_id(item_id) if index is None else self._by_index.get(index)
        if found is None:
            self._notes.tell("item.not_added", kind)
            found = self._new(kind, index)
        self._identify(found, item_id)
        return found

    def _identify(self, item: _Item, item_id: str) -> None:
        if item_id and item.id and item_id != item.id:
            self._notes.tell("item.id_changed")
        item.id = item.id or item_id

    def _show(self, item: _Item, shown: dict[str, Any]) -> None:
        """An item as `added`, `done` or the terminal object show it."""
        self._identify(item, as_text(shown.get("id")))
        item.call.id = item.call.id or as_text(shown.get("call_id")) or None
        item.call.name = item.call.name or as_text(shown.get("name")) or None
        for place, text in _parts(item.kind, shown):
            self._reconcile(item, place, text)

    def _reconcile(self, item: _Item, place: Place, text: str) -> None:
        """Compare a snapshot with what the deltas add up to; an empty one says nothing."""
        if not text:
            return
        pieces = item.parts.setdefault(place, [])
        streamed = "".join(pieces)
        if not streamed:
            if not self._is_body:
                self._notes.tell("snapshot.without_deltas", item.kind)
            pieces.append(text)
        elif streamed != text:
            self._notes.tell("snapshot.mismatch", item.kind)

    def _terminal(self, response: dict[str, Any], word: str) -> None:
        self._head(response)
        reason = as_text(as_object(response.get("incomplete_details")).get("reason"))
        self._finish = f"{word}: {reason}" if reason else word
        if isinstance(response.get("usage"), dict):
            self.usage = response["usage"]
        if response.get("error"):
            self.provider_error = response["error"]
        output = [as_object(item) for item in as_list(response.get("output"))]
        if self._items:
            if not output and word not in {"failed", "cancelled"}:
                self._notes.tell("terminal.output_empty")
            return
        for shown in output:
            item = self._new(as_text(shown.get("type")), None)
            item.is_done = True
            self._show(item, shown)


def _place(event: dict[str, Any], part: str) -> Place:
    """Kind and number of the part that an event is about."""
    member = "summary_index" if part == "summary" else "content_index"
    return part, as_index(event.get(member)) or 0


def _parts(kind: str, shown: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """The texts of an item as it is shown whole."""
    if kind in _CALLS:
        yield ("arguments", 0), as_text(shown.get(_CALLS[kind]))
    for container in ("summary", "content"):
        for number, part in enumerate(map(as_object, as_list(shown.get(container)))):
            part_kind, member = _PARTS.get(as_text(part.get("type")), ("", ""))
            if part_kind:
                yield (part_kind, number), as_text(part.get(member))
