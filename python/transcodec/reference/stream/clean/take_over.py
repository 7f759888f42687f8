"""What is unknown in an event of the source goes along with what is written in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray, JsonObject
from transcodec.reference.json_writer import compact

if TYPE_CHECKING:
    from transcodec.reference.stream.clean.levels import Level
    from transcodec.reference.stream.clean.tree import Members

__all__ = ["are_related", "copied", "take_over"]


def copied(text: bytes, root: JsonObject) -> str:
    """The payload of an event that is copied: as it came, unless it stood on several lines."""
    return compact(root) if b"\n" in text or b"\r" in text else text.decode()


def are_related(written: Members, source: JsonObject, level: Level) -> bool:
    """Whether both have a member that the format knows."""
    return any(each.key in level.known and each.key in written for each in source)


def take_over(written: Members, source: JsonObject, level: Level) -> None:
    """Put the unknown members of the source behind those that are written, at each level that both have."""
    for key, inner in level.objects.items():
        value, found = written.get(key), source.get(key)
        if isinstance(value, dict) and isinstance(found, JsonObject):
            take_over(value, found, inner)
    for key, (inner, pairing) in level.lists.items():
        values, found = written.get(key), source.get(key)
        if isinstance(values, list) and isinstance(found, JsonArray):
            objects = [each for each in values if isinstance(each, dict)]
            of_source = [each for each in found.items if isinstance(each, JsonObject)]
            for value, other in zip(objects, pairing(objects, of_source), strict=True):
                if other is not None:
                    take_over(value, other, inner)
    unknown = {each.key: each.value for each in source if each.key not in level.known}
    for name, node in unknown.items():
        # Of several chunks that are put together the first counts.
        written.setdefault(name, compact(node))
