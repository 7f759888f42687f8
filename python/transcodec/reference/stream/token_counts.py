"""Token counts as providers write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonLiteral, JsonNumber, JsonObject
from transcodec.reference.members import Members
from transcodec.reference.stream import delta as d
from transcodec.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["CountNames", "usage_deltas"]


@dataclass(frozen=True, slots=True)
class CountNames:
    """How a format spells counts.

    Attributes:
        counts: Member: field of `Usage`.
        details: Member that is an object: its members and their fields of `Usage`.
        repeats: Usage comes in many chunks: a zero says nothing.
    """

    counts: Mapping[str, str]
    details: Mapping[str, Mapping[str, str]]
    repeats: bool = False


def usage_deltas(usage: Members, names: CountNames) -> Iterator[d.Delta]:
    """Losses in the order of the members, then the counts, if there are any."""
    found: dict[str, int] = {}
    yield from _read(usage, names.counts, names, found, within="")
    if found:
        yield d.UsageCounts(Usage(**found))


def _read(
    holder: Members, counts: Mapping[str, str], names: CountNames, found: dict[str, int], *, within: str
) -> Iterator[d.Delta]:
    for member in holder.node:
        path = holder.at(member.key)
        value = member.value
        details = names.details.get(member.key) if not within else None
        if member.key in counts or details is not None:
            # Refuses the member if it stands twice.
            holder.get(member.key)
        if isinstance(value, JsonLiteral) and value.value is None:
            continue
        if details is not None and isinstance(value, JsonObject):
            yield from _read(Members(value, path), details, names, found, within=f"{member.key}.")
            continue
        if member.key in counts:
            count = value.unsigned() if isinstance(value, JsonNumber) else None
            if count is not None:
                found[counts[member.key]] = count
                continue
        elif details is None and names.repeats and isinstance(value, JsonNumber) and float(value.raw) == 0:
            continue
        is_known = member.key in counts or details is not None
        code = "usage.invalid" if is_known else "usage.member_dropped"
        yield d.Lost(code, path, member.key, once=f"{within}{member.key}")
