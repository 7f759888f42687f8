"""Which wires are mutated: drawn so that each draw depends on the wires it takes, and on no others.

A wire that is added to a pool takes over its share of the draws; all other draws stay as they were. So a
failing draw comes again when vectors or recorded streams are added elsewhere.
"""

from __future__ import annotations

import bisect
import os
import random
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Final

#: How many mutants a test tries; `make fuzz` sets more.
MUTANTS: Final = int(os.environ.get("TRANSCODEC_PARITY_MUTANTS", "400"))
#: How many of a thousand mutants the implementations may take differently, by source and target. What is not
#: named is none. Chat: choices and keys that stand twice, and the path of a `unicode.replaced` of held text.
TOLERATED_PER_MILLE: Final = {
    ("openai_chat", "openai_responses"): 3,
    ("openai_chat", "openai_chat"): 3,
}
#: Places of a name on the ring: the more, the more alike are the shares.
_PLACES: Final = 64


def _point(key: str) -> int:
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest())


class MutantPool:
    """Named wires on a ring of hashes; a draw takes the next one behind its own hash."""

    def __init__(self, wires: Mapping[str, bytes]) -> None:
        assert wires
        self._wires = dict(wires)
        self._ring = sorted((_point(f"{name}/{place}"), name) for name in wires for place in range(_PLACES))

    def name_of(self, draw: str) -> str:
        at = bisect.bisect(self._ring, (_point(draw), ""))
        return self._ring[at % len(self._ring)][1]

    def draws(self, seed: str, count: int) -> Iterator[tuple[bytes, bytes, random.Random]]:
        """A wire to change, one to take bytes from, and the dice to do it with, by the seed."""
        for number in range(count):
            draw = f"{seed}/{number}"
            name, other = self.name_of(draw), self.name_of(f"{draw}/other")
            yield self._wires[name], self._wires[other], random.Random(f"{draw}/{name}/{other}")


def assert_few(different: list[bytes], source: str, target: str) -> None:
    """No more wires came out differently than `TOLERATED_PER_MILLE` of all mutants."""
    tolerated = TOLERATED_PER_MILLE.get((source, target), 0) * MUTANTS / 1000
    assert len(different) <= tolerated, different
