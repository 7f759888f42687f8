"""Which members a format knows, object by object: what is not known there is nobody's to judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from transcodec.reference.json_reader import JsonObject
    from transcodec.reference.stream.clean.tree import Members

    #: For each element that was written, the one of the source that says the same, if any.
    Pairing = Callable[[Sequence[Members], Sequence[JsonObject]], list[JsonObject | None]]

__all__ = ["Level"]


@dataclass(frozen=True, slots=True)
class Level:
    """One kind of object.

    Attributes:
        known: The members that the format knows.
        objects: Known members that are objects of a known kind.
        lists: Known members that are lists of such objects, and how their elements are paired.
        strict: Members that may not even be empty where none is written.
        optional: Members that are written, and that the source need not have.
        spellings: Names of one and the same member, in the order in which they count.
        in_pieces: Unknown members come in pieces, which clients put together; else the last one counts.
        whole: It is a level of whole bodies: there is no next event that could bring what is missing.
        counts: Its members are counts, of which none is as good as 0 in a whole body.
    """

    known: frozenset[str]
    objects: Mapping[str, Level] = field(default_factory=dict)
    lists: Mapping[str, tuple[Level, Pairing]] = field(default_factory=dict)
    strict: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    spellings: tuple[str, ...] = ()
    in_pieces: bool = False
    whole: bool = False
    counts: bool = False
