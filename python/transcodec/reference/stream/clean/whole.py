"""Whole bodies of one format: one that needs no change stays as it is (DESIGN.md, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonObject, read_json
from transcodec.reference.json_writer import keep_on_one_line
from transcodec.reference.stream.clean.cover import covers, is_empty
from transcodec.reference.stream.clean.take_over import take_over
from transcodec.reference.stream.clean.tree import read_tree, write_tree

if TYPE_CHECKING:
    from transcodec.reference.stream.clean.levels import Level

__all__ = ["is_error_body", "put_in_place", "with_riders"]


def put_in_place(source: bytes, written: bytes, level: Level) -> bytes:
    """The source's body if that says what was written, else that with what is unknown in the source's."""
    root, tree = read_json(source), read_tree(written.decode())
    if not isinstance(root, JsonObject):
        return written
    if covers(root, tree, level):
        return source
    take_over(tree, root, level)
    return keep_on_one_line(write_tree(tree)).encode()


def with_riders(written: bytes, riders: str, level: Level) -> bytes:
    """A body with what is unknown in another one."""
    root, tree = read_json(riders.encode()), read_tree(written.decode())
    if isinstance(root, JsonObject):
        take_over(tree, root, level)
    return keep_on_one_line(write_tree(tree)).encode()


def is_error_body(body: bytes) -> bool:
    """Whether a body has the form of an error, and not that of an answer that failed."""
    root = read_json(body)
    if not isinstance(root, JsonObject) or not isinstance(root.get("error"), JsonObject):
        return False
    return all(root.get(name) is None or is_null(root, name) for name in ("choices", "output"))


def is_null(root: JsonObject, name: str) -> bool:
    """Whether a member is null."""
    node = root.get(name)
    return node is not None and node.raw == b"null" and is_empty(node)
