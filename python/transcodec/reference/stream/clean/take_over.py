"""What is unknown in an event of the source goes along with what is written in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray, JsonObject, JsonString
from transcodec.reference.json_writer import compact
from transcodec.reference.stream.clean.cover import says_nothing

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode
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
    if level.whole:
        _name(written, source, level)
    unknown = {each.key: each.value for each in source if _is_unknown(each.key, each.value, level)}
    for name, node in unknown.items():
        # Of several chunks that are put together the first counts.
        written.setdefault(name, compact(node))


def _name(written: Members, source: JsonObject, level: Level) -> None:
    """A text of several names goes by all those under which the source has one."""
    texts = {each.key for each in source if isinstance(each.value, JsonString) and each.value.value}
    names = [name for name in level.spellings if name in texts]
    if names:
        named = [(key, [*names] if key in level.spellings else [key]) for key in written]
        renamed = {name: written[key] for key, its_names in named for name in its_names}
        written.clear()
        written.update(renamed)


def _is_unknown(key: str, value: JsonNode, level: Level) -> bool:
    if key not in level.known:
        return True
    # An object without anything that is known is no less unknown than its members.
    inner = level.objects.get(key) if level.whole else None
    return (
        inner is not None
        and isinstance(value, JsonObject)
        and bool(value.members)
        and says_nothing(value, inner)
    )
