"""Token counts of a response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transcodec.reference.json_reader import JsonLiteral, JsonNumber, JsonObject
from transcodec.reference.members import Members
from transcodec.reference.stream import delta as d
from transcodec.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["usage_deltas"]

#: Member: field of `Usage`.
_COUNTS = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "total_tokens": "total_tokens"}
#: Member that is an object: its members and their fields of `Usage`.
_DETAILS = {
    "input_tokens_details": {"cached_tokens": "cached_tokens", "cache_write_tokens": "cache_write_tokens"},
    "output_tokens_details": {"reasoning_tokens": "reasoning_tokens"},
}


def usage_deltas(usage: Members) -> Iterator[d.Delta]:
    """Losses in the order of the members, then the counts, if there are any."""
    counts: dict[str, int] = {}
    yield from _read(usage, _COUNTS, _DETAILS, counts)
    if counts:
        yield d.UsageCounts(Usage(**counts))


def _read(
    holder: Members, known: dict[str, str], objects: dict[str, dict[str, str]], counts: dict[str, int]
) -> Iterator[d.Delta]:
    for member in holder.node:
        path = holder.at(member.key)
        value = member.value
        if member.key in known or member.key in objects:
            # Refuses the member if it stands twice.
            holder.get(member.key)
        if isinstance(value, JsonLiteral) and value.value is None:
            continue
        if member.key in objects and isinstance(value, JsonObject):
            yield from _read(Members(value, path), objects[member.key], {}, counts)
        elif member.key in known:
            count = value.unsigned() if isinstance(value, JsonNumber) else None
            if count is None:
                yield d.Lost("usage.invalid", path, member.key)
            else:
                counts[known[member.key]] = count
        elif member.key in objects:
            yield d.Lost("usage.invalid", path, member.key)
        else:
            yield d.Lost("usage.member_dropped", path, member.key)
