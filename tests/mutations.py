"""Seeded mutations of wires: what a broken upstream or proxy might send."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

#: Bytes that mean something to the readers.
_TELLING = b'{}[]:,"\\\n\r \t0123456789-+.eEutfnd\x00\x1f\x7f\xc3\xe2\xed\xf0\xff'


def mutant(wire: bytes, other: bytes, dice: random.Random) -> bytes:
    """A wire with one to three changes; `other` is where spliced bytes come from."""
    text = bytearray(wire)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(text)) if text else 0
        kind = dice.randrange(7)
        if kind == 0 and text:
            text[at] ^= 1 << dice.randrange(8)
        elif kind == 1 and text:
            text[at] = dice.choice(_TELLING)
        elif kind == 2:
            text[at:at] = bytes([dice.choice(_TELLING)])
        elif kind == 3:
            del text[at : at + dice.randint(1, 40)]
        elif kind == 4:
            start = dice.randrange(len(other)) if other else 0
            text[at:at] = other[start : start + dice.randint(1, 300)]
        elif kind == 5:
            del text[at:]
        else:
            text[:] = _with_events_moved(bytes(text), other, dice)
    return bytes(text)


def _with_events_moved(wire: bytes, other: bytes, dice: random.Random) -> bytes:
    """Whole events dropped, doubled, exchanged or taken from elsewhere: what no syntax check sees."""
    blocks = wire.split(b"\n\n")
    at, to = dice.randrange(len(blocks)), dice.randrange(len(blocks))
    kind = dice.randrange(4)
    if kind == 0:
        del blocks[at]
    elif kind == 1:
        blocks.insert(to, blocks[at])
    elif kind == 2:
        blocks[at], blocks[to] = blocks[to], blocks[at]
    else:
        blocks.insert(at, dice.choice(other.split(b"\n\n")))
    return b"\n\n".join(blocks)
