"""Draws of mutants are the same again, and do not care about wires that they do not take."""

from __future__ import annotations

from collections import Counter

from mutant_pool import MutantPool

WIRES = {f"wire {number}": b"%d" % number for number in range(50)}


def drawn(wires: dict[str, bytes], count: int = 2000) -> list[tuple[bytes, bytes, float]]:
    return [(wire, other, dice.random()) for wire, other, dice in MutantPool(wires).draws("seed", count)]


def test_draws_are_the_same_in_any_order_of_the_wires() -> None:
    assert drawn(WIRES) == drawn(dict(reversed(WIRES.items())))
    assert len({chance for *_, chance in drawn(WIRES)}) == 2000


def test_every_wire_has_its_share() -> None:
    counts = Counter(wire for wire, *_ in drawn(WIRES))
    assert counts.keys() == set(WIRES.values())
    assert max(counts.values()) < 3 * 2000 / len(WIRES)
    assert sum(wire != other for wire, other, _ in drawn(WIRES)) > 1800


def test_a_further_wire_changes_no_draw_but_those_it_is_in() -> None:
    more = drawn(WIRES | {"another": b"new"})
    changed = [now for before, now in zip(drawn(WIRES), more, strict=True) if now != before]
    assert all(b"new" in draw[:2] for draw in changed)
    assert 0 < len(changed) < 300
