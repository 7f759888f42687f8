"""The rows of the stream benchmark: which workloads, cut how, translated by whom.

A new pair of formats is a line in `ROUTES`, an accumulator in `answers.py`, and a competitor here if there
is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import orjson
from pytest_benchmark.fixture import BenchmarkFixture

import transcodec
from peers.orjson_translator import OrjsonTranslator
from transcodec import reference
from workloads import Workload

PIECE_BYTES: Final = 1024


class Translator(Protocol):
    """What all translators here have in common."""

    def feed(self, data: bytes, /) -> bytes:
        """Takes the next bytes."""

    def finish(self) -> bytes:
        """Takes the end."""


@dataclass(frozen=True, slots=True)
class Route:
    """A workload and the pair of formats it goes through."""

    workload: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.workload}-{self.source}-{self.target}"


@dataclass(frozen=True, slots=True)
class Competitor:
    """Someone who translates; `make` gives what starts a stream, or None for a pair it does not know."""

    name: str
    make: Callable[[Route], Callable[[], Translator] | None]
    passes: int
    rounds: int


def _native(route: Route) -> Callable[[], Translator]:
    return lambda: transcodec.StreamTranslator(route.source, route.target)


def _reference(route: Route) -> Callable[[], Translator]:
    return lambda: reference.StreamTranslator(route.source, route.target)


def _orjson_translator(route: Route) -> Callable[[], Translator] | None:
    known = {("openai_responses", "openai_chat"): OrjsonTranslator}
    return known.get((route.source, route.target))


ROUTES: Final = [
    Route("W1", "openai_responses", "openai_chat"),
    Route("W2", "openai_responses", "openai_chat"),
]

#: The matrix is run this many times over, so that a slow stretch of the machine hits everyone alike.
PASSES: Final = 12
COMPETITORS: Final = [
    Competitor("native", _native, PASSES, 8),
    Competitor("orjson translator", _orjson_translator, PASSES, 4),
    Competitor("reference", _reference, 2, 1),
]

#: The floor of any translator in Python that parses what it translates.
FLOOR: Final = "orjson.loads"
FLOOR_ROUNDS: Final = 8

FEEDINGS: Final[dict[str, Callable[[Workload], list[bytes]]]] = {
    "one event a call": lambda workload: workload.events,
    "1 KB pieces": lambda workload: [
        workload.stream[at : at + PIECE_BYTES] for at in range(0, len(workload.stream), PIECE_BYTES)
    ],
    "whole": lambda workload: [workload.stream],
}


def run(make: Callable[[], Translator], pieces: Sequence[bytes]) -> None:
    """Translates one stream and drops the output, as a gateway that has sent it."""
    translator = make()
    feed = translator.feed
    for piece in pieces:
        feed(piece)
    translator.finish()


def output_of(make: Callable[[], Translator], pieces: Sequence[bytes]) -> bytes:
    """The same, keeping the output."""
    translator = make()
    return b"".join([*map(translator.feed, pieces), translator.finish()])


def parse(payloads: Sequence[bytes]) -> None:
    """Parses every event of a stream and does nothing with it."""
    loads = orjson.loads
    for payload in payloads:
        loads(payload)


def measure(
    benchmark: BenchmarkFixture, rounds: int, run_once: Callable[..., None], *arguments: object
) -> None:
    """Times some rounds; a round that is only timed once or twice is slow enough to need no warm-up."""
    warm_up_rounds = int(rounds > 1)
    benchmark.pedantic(run_once, arguments, rounds=rounds, warmup_rounds=warm_up_rounds)  # type: ignore[no-untyped-call]
