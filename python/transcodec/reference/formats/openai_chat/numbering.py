"""Lists of unknown name in deltas: without indexes clients cannot put them together (section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.formats.openai_chat.chunks import CHUNK, choices_of
from transcodec.reference.json_reader import JsonArray, JsonNumber, JsonObject, read_json

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode

__all__ = ["Numbering"]

#: Lists beyond these stay as they are.
_MOST_LISTS = 64
_DELTA = CHUNK.lists["choices"][0].objects["delta"]


class Numbering:
    """Gives elements without index their place in the list, except in the first chunk that brings some."""

    def __init__(self) -> None:
        #: The next place in each list, by the choice's index and the list's name.
        self._next: dict[tuple[str, str], int] = {}

    def complete(self, chunk: JsonObject) -> JsonObject | None:
        """The chunk with the indexes that it lacks; None if it lacks none."""
        missing: list[tuple[int, str]] = []
        for choice in choices_of(chunk):
            index, delta = choice.get("index"), choice.get("delta")
            number = "0" if index is None else index.raw.decode()
            for each in delta if isinstance(delta, JsonObject) else ():
                if each.key not in _DELTA.known and isinstance(each.value, JsonArray) and each.value.items:
                    missing += self._number((number, each.key), each.value.items)
        if not missing:
            return None
        text, done = b"", chunk.start
        for end, member in missing:
            text += chunk.document[done:end] + member.encode()
            done = end
        completed = read_json(text + chunk.document[done : chunk.end])
        return completed if isinstance(completed, JsonObject) else None

    def _number(self, place: tuple[str, str], elements: tuple[JsonNode, ...]) -> list[tuple[int, str]]:
        missing = []
        known = place in self._next
        place_in_list = self._next.get(place, 0)
        for element in elements:
            index = element.get("index") if isinstance(element, JsonObject) else None
            if index is not None and index.raw != b"null":
                given = index.unsigned() if isinstance(index, JsonNumber) else None
                place_in_list = max(place_in_list, (given or 0) + 1)
                continue
            if known and isinstance(element, JsonObject):
                comma = "," if element.members else ""
                missing.append((element.end - 1, f'{comma}"index":{place_in_list}'))
            place_in_list += 1
        if known or len(self._next) < _MOST_LISTS:
            self._next[place] = place_in_list
        return missing
