"""What is unknown in an event of the source and stands in nothing that was written for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray, JsonObject, read_json
from transcodec.reference.members import below
from transcodec.reference.stream.clean.cover import is_empty
from transcodec.reference.stream.clean.tree import grown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transcodec.reference.stream.clean.levels import Level
    from transcodec.reference.stream.clean.tree import Members, Tree

__all__ = ["missing"]


def missing(
    source: JsonObject, written: Sequence[Members], level: Level, path: str
) -> Iterator[tuple[str, str]]:
    """Path and name of each unknown member that says something and that none of `written` has there."""
    for each in source:
        at = below(path, each.key)
        if each.key not in level.known:
            if not is_empty(each.value) and not any(each.key in one for one in written):
                yield at, each.key
        elif each.key in level.objects and isinstance(each.value, JsonObject):
            objects = [_object(one[each.key]) for one in written if each.key in one]
            yield from missing(each.value, objects, level.objects[each.key], at)
        elif each.key in level.lists and isinstance(each.value, JsonArray):
            inner, pairing = level.lists[each.key]
            of_source = [item for item in each.value.items if isinstance(item, JsonObject)]
            pairs: list[tuple[Members, JsonObject | None]] = []
            for one in written:
                objects = _objects(one.get(each.key))
                pairs += zip(objects, pairing(objects, of_source), strict=True)
            for number, item in enumerate(of_source):
                same = [value for value, other in pairs if other is item]
                yield from missing(item, same, inner, below(at, number))


def _object(tree: Tree) -> Members:
    """The members of a tree that is an object; what was taken over as a whole is spelt-out JSON."""
    grown_tree = grown(read_json(tree.encode())) if isinstance(tree, str) else tree
    return grown_tree if isinstance(grown_tree, dict) else {}


def _objects(tree: Tree | None) -> list[Members]:
    return [each for each in tree if isinstance(each, dict)] if isinstance(tree, list) else []
