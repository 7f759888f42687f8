"""Does an event of the source say what would be written in its place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray, JsonLiteral, JsonObject, JsonString
from transcodec.reference.stream.clean.tree import is_same

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.stream.clean.levels import Level
    from transcodec.reference.stream.clean.tree import Members, Tree

__all__ = ["covers", "is_empty", "is_null", "says_nothing"]


def covers(source: JsonObject, written: Members, level: Level | None) -> bool:
    """Whether all that is written stands in the source, and nothing known besides."""
    spellings = () if level is None else level.spellings
    for key, value in written.items():
        if key in spellings:
            spelt = [each.value for each in source if each.key in spellings and not is_empty(each.value)]
            if not spelt or not all(_value_covers(each, value, key, level) for each in spelt):
                return False
            continue
        found = source.get(key)
        may_miss = level is not None and (key in level.optional or _may_miss(value, level))
        if found is None and may_miss:
            continue
        if found is None or not _value_covers(found, value, key, level):
            return False
    is_spelt = any(key in spellings for key in written)
    return all(
        _may_stand(each.key, each.value, level)
        for each in source
        if each.key not in written and not (is_spelt and each.key in spellings)
    )


def _may_miss(value: Tree, level: Level) -> bool:
    """Whether what is written may be absent from the source: in a whole body null may."""
    if not level.whole:
        return False
    return value == "null" or (level.counts and _counts_nothing(value))


def _counts_nothing(value: Tree) -> bool:
    return all(map(_counts_nothing, value.values())) if isinstance(value, dict) else value in ("null", "0")


def is_null(node: JsonNode | None) -> bool:
    """Absent or null."""
    return node is None or (isinstance(node, JsonLiteral) and node.value is None)


def is_empty(node: JsonNode | None) -> bool:
    """Absent, null, or an empty string, list or object."""
    match node:
        case None:
            return True
        case JsonLiteral(value=value):
            return value is None
        case JsonString(value=text):
            return not text
        case JsonArray(items=items):
            return not items
        case JsonObject(members=members):
            return not members
    return False


def says_nothing(node: JsonNode, level: Level) -> bool:
    """Whether an object holds nothing but unknown and empty members."""
    return isinstance(node, JsonObject) and all(
        each.key not in level.known
        or is_empty(each.value)
        or (each.key in level.objects and says_nothing(each.value, level.objects[each.key]))
        for each in node
    )


def _may_stand(key: str, value: JsonNode, level: Level | None) -> bool:
    """Whether a member of the source may stand where none was written."""
    if level is None:
        return is_empty(value)
    if key not in level.known:
        return True
    if key in level.strict:
        return False
    return is_empty(value) or (key in level.objects and says_nothing(value, level.objects[key]))


def _value_covers(node: JsonNode, tree: Tree, key: str, level: Level | None) -> bool:
    if isinstance(tree, dict):
        inner = None if level is None else level.objects.get(key)
        return isinstance(node, JsonObject) and covers(node, tree, inner)
    if isinstance(tree, list):
        inner = None if level is None or key not in level.lists else level.lists[key][0]
        return (
            isinstance(node, JsonArray)
            and len(node.items) == len(tree)
            and all(_element_covers(*pair, inner) for pair in zip(node.items, tree, strict=True))
        )
    return is_same(node, tree)


def _element_covers(node: JsonNode, tree: Tree, level: Level | None) -> bool:
    if isinstance(tree, dict):
        return isinstance(node, JsonObject) and covers(node, tree, level)
    return _value_covers(node, tree, "", None)
