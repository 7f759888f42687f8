"""Reads Chat chunks as they are, not as they should be."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from transcodec.inspection.members import as_index, as_list, as_object, as_text
from transcodec.inspection.report import Answer, Call, Notes

__all__ = ["ChatObserver"]

_FINISHES: Final = {"stop", "length", "tool_calls", "content_filter", "function_call"}
_REASONING: Final = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
_OBJECTS: Final = {False: "chat.completion.chunk", True: "chat.completion"}


@dataclass(slots=True)
class _Choice:
    answer: Answer
    role_seen: bool = False
    by_index: dict[int, Call] = field(default_factory=dict)
    typed: set[int] = field(default_factory=set)


class ChatObserver:
    """Looks at one stream."""

    def __init__(self, notes: Notes, *, is_body: bool) -> None:
        self.id: str | None = None
        self.model: str | None = None
        self.usage: dict[str, Any] | None = None
        self.provider_error: Any = None
        self._notes = notes
        self._is_body = is_body
        self._is_done = False
        self._choices: dict[int, _Choice] = {}

    @property
    def answers(self) -> list[Answer]:
        """The choices by their index."""
        return [choice.answer for _, choice in sorted(self._choices.items())]

    def event(self, chunk: dict[str, Any], _name: str | None) -> None:
        """One chunk, or the whole body."""
        if self._is_done:
            self._notes.tell("event.after_end")
            return
        if chunk.get("error"):
            self.provider_error = chunk["error"]
            return
        self._head(chunk)
        choices = as_list(chunk.get("choices"))
        if "choices" not in chunk:
            self._notes.tell("choices.missing")
        elif not choices and not chunk.get("usage"):
            self._notes.tell("choices.empty")
        if isinstance(chunk.get("usage"), dict):
            self._usage(chunk["usage"], beside_choices=bool(choices))
        for choice in choices:
            self._choice(as_object(choice))

    def done(self) -> None:
        """`[DONE]`."""
        self._is_done = True

    def finish(self) -> None:
        """The input has ended."""
        if not self._is_done and not self._is_body and self.provider_error is None:
            self._notes.tell("done.missing")
        for choice in self._choices.values():
            answer = choice.answer
            if not choice.role_seen:
                self._notes.tell("role.missing")
            if answer.finish is None and self.provider_error is None:
                self._notes.tell("finish.missing")
            if answer.finish == "stop" and answer.calls:
                self._notes.tell("finish.denies_calls")
            if answer.text.lstrip().startswith("<think>"):
                self._notes.tell("content.think_tag")
            for call in answer.calls:
                call.tell_what_is_odd(self._notes)
            answer.tell_shared_ids(self._notes)

    def _head(self, chunk: dict[str, Any]) -> None:
        answer_id, model = as_text(chunk.get("id")), as_text(chunk.get("model"))
        if not answer_id:
            self._notes.tell("chunk.id_missing")
        elif self.id not in (None, answer_id):
            self._notes.tell("chunk.id_changed")
        if model and self.model not in (None, model):
            self._notes.tell("chunk.model_changed", model)
        self.id, self.model = self.id or answer_id or None, self.model or model or None
        kind = chunk.get("object")
        if kind != _OBJECTS[self._is_body]:
            self._notes.tell("chunk.object_unknown", kind or ("absent" if kind is None else "empty"))

    def _usage(self, usage: dict[str, Any], *, beside_choices: bool) -> None:
        if beside_choices and not self._is_body:
            self._notes.tell("usage.beside_choices")
        if self.usage is not None:
            self._notes.tell("usage.repeated")
        self.usage = usage

    def _choice(self, element: dict[str, Any]) -> None:
        index = as_index(element.get("index")) or 0
        choice = self._choices.setdefault(index, _Choice(Answer(index)))
        if element.get("error"):
            self.provider_error = element["error"]
        if isinstance(element.get("message"), dict) and not self._is_body:
            self._notes.tell("choice.message")
        delta = element.get("message" if self._is_body else "delta")
        if not isinstance(delta, dict):
            self._notes.tell("choice.delta_missing")
        self._delta(choice, as_object(delta))
        finish = as_text(element.get("finish_reason"))
        if finish:
            if choice.answer.finish is not None:
                self._notes.tell("finish.repeated", finish)
            if finish not in _FINISHES:
                self._notes.tell("finish.unknown", finish)
            choice.answer.finish = finish

    def _delta(self, choice: _Choice, delta: dict[str, Any]) -> None:
        answer = choice.answer
        if delta.get("role"):
            if choice.role_seen:
                self._notes.tell("role.repeated")
            choice.role_seen = True
        content = delta.get("content")
        calls = as_list(delta.get("tool_calls"))
        if answer.finish is not None and (content or calls):
            self._notes.tell("content.after_finish")
        if isinstance(content, list):
            self._notes.tell("content.list")
            for part in content:
                answer.texts.append(as_text(part) or as_text(as_object(part).get("text")))
        answer.texts.append(as_text(content))
        answer.refusals.append(as_text(delta.get("refusal")))
        answer.reasonings.append(
            next((text for name in _REASONING if (text := as_text(delta.get(name)))), "")
        )
        for element in calls:
            self._call(choice, as_object(element))
        legacy = delta.get("function_call")
        if isinstance(legacy, dict):
            self._notes.tell("function_call.legacy")
            self._legacy_call(choice, legacy)

    def _legacy_call(self, choice: _Choice, function: dict[str, Any]) -> None:
        call = self._call_at(choice, 0)
        call.name = call.name or as_text(function.get("name")) or None
        self._arguments(call, function, "arguments")

    def _call_at(self, choice: _Choice, index: int) -> Call:
        """The call of an index; a new one if there is none."""
        if index not in choice.by_index:
            choice.by_index[index] = Call()
            choice.answer.calls.append(choice.by_index[index])
        return choice.by_index[index]

    def _call(self, choice: _Choice, element: dict[str, Any]) -> None:
        is_custom = isinstance(element.get("custom"), dict)
        function = as_object(element.get("custom" if is_custom else "function"))
        index = self._index(choice, element, function)
        known = choice.by_index.get(index)
        call_id, name = as_text(element.get("id")), as_text(function.get("name"))
        if known is not None and known.id and call_id not in ("", known.id) and name:
            self._notes.tell("call.index_shared")
            del choice.by_index[index]
            choice.typed.discard(index)
        call = self._call_at(choice, index)
        call.is_custom = call.is_custom or is_custom
        self._type(choice, element, index)
        if element.get("id") == "":
            self._notes.tell("call.id_empty")
        if call_id and call.id:
            self._notes.tell("call.id_repeated" if call_id == call.id else "call.id_changed")
        call.id = call.id or call_id or None
        if function.get("name") == "":
            self._notes.tell("call.name_empty")
        if name and call.name:
            self._notes.tell("call.name_repeated" if name == call.name else "call.name_changed")
        call.name = call.name or name or None
        self._arguments(call, function, "input" if is_custom else "arguments")

    def _index(self, choice: _Choice, element: dict[str, Any], function: dict[str, Any]) -> int:
        index = as_index(element.get("index"))
        if index is not None:
            return index
        if not self._is_body:
            self._notes.tell("call.index_missing")
        call_id = as_text(element.get("id"))
        same = [at for at, call in choice.by_index.items() if call_id and call.id == call_id]
        if same:
            return same[0]
        if choice.by_index and not call_id and not function.get("name"):
            return next(reversed(choice.by_index))
        return max(choice.by_index, default=-1) + 1

    def _type(self, choice: _Choice, element: dict[str, Any], index: int) -> None:
        if "type" not in element:
            return
        if element["type"] is None:
            self._notes.tell("call.type_null")
        elif index in choice.typed:
            self._notes.tell("call.type_repeated")
        else:
            choice.typed.add(index)

    def _arguments(self, call: Call, function: dict[str, Any], member: str) -> None:
        text = function.get(member, "")
        if text is None:
            self._notes.tell("call.arguments_null")
        elif isinstance(text, str):
            call.arguments.append(text)
        else:
            self._notes.tell("call.arguments_not_text")
            call.arguments.append(json.dumps(text))
