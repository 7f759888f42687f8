"""What was written, as a tree that can be put together: objects, lists, and spelt-out JSON for the rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonArray, JsonObject, JsonString, read_json
from transcodec.reference.json_writer import compact, compact_well_formed, quote_passed

if TYPE_CHECKING:
    from transcodec.reference.json_reader import JsonNode

__all__ = ["Members", "Tree", "grown", "is_same", "members_of", "passed", "read_tree", "write_tree"]

Members = dict[str, "Tree"]
#: A `str` is a JSON text: a token, or a value that nobody looks into.
Tree = Members | list["Tree"] | str


def read_tree(text: str) -> Members:
    """The tree of an object that an encoder wrote."""
    return members_of(grown(read_json(text.encode())))


def members_of(tree: Tree) -> Members:
    """A tree that is an object: encoders write them where they are looked for."""
    if not isinstance(tree, dict):
        raise TypeError("an object was to be written here")
    return tree


def grown(node: JsonNode) -> Tree:
    """The tree of a value."""
    if isinstance(node, JsonObject):
        return {each.key: grown(each.value) for each in node}
    if isinstance(node, JsonArray):
        return [grown(item) for item in node.items]
    return compact_well_formed(node)


def passed(node: JsonNode) -> Tree:
    """The tree of a value that is passed on: half a surrogate pair stays the escape that it is."""
    if isinstance(node, JsonObject):
        return {each.key: passed(each.value) for each in node}
    if isinstance(node, JsonArray):
        return [passed(item) for item in node.items]
    return compact(node)


def write_tree(tree: Tree) -> str:
    """The JSON text of a tree."""
    if isinstance(tree, dict):
        return f"{{{','.join(f'{quote_passed(key)}:{write_tree(value)}' for key, value in tree.items())}}}"
    if isinstance(tree, list):
        return f"[{','.join(map(write_tree, tree))}]"
    return tree


def is_same(node: JsonNode, token: str) -> bool:
    """Whether a value is the one token: strings by their text, all else by its spelling."""
    if isinstance(node, JsonString):
        return token.startswith('"') and json.loads(token) == node.value
    return node.raw.decode() == token
