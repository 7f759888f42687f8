"""FNV-1a: ids that a target needs and the source did not give are derived, not random."""

from __future__ import annotations

from transcodec.reference.json_writer import well_formed

__all__ = ["fnv1a_64_hex"]

_OFFSET_BASIS = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_MASK = 2**64 - 1


def fnv1a_64_hex(text: str) -> str:
    """The FNV-1a 64 hash of a text in 16 hex digits: of its UTF-8 as sent, so U+FFFD for a lone surrogate."""
    value = _OFFSET_BASIS
    for byte in well_formed(text).encode():
        value = ((value ^ byte) * _PRIME) & _MASK
    return f"{value:016x}"
