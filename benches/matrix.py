"""The stream benchmark: which workloads, cut how, translated by whom.

A new pair of formats is a line in `ROUTES`, an accumulator in `answers.py`, and a peer if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import orjson

import record
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


#: Starts a stream.
Start = Callable[[], Translator]


@dataclass(frozen=True, slots=True)
class Route:
    """A workload and the pair of formats it goes through."""

    workload: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} → {self.target}"


ROUTES: Final = [
    Route("W1", "openai_responses", "openai_chat"),
    Route("W2", "openai_responses", "openai_chat"),
    Route("W4", "openai_chat", "openai_responses"),
    Route("W4t", "openai_chat", "openai_responses"),
    Route("W1", "openai_responses", "openai_responses"),
    Route("W2", "openai_responses", "openai_responses"),
    Route("W4", "openai_chat", "openai_chat"),
    Route("W4t", "openai_chat", "openai_chat"),
]

PEERS: Final[dict[tuple[str, str], Start]] = {("openai_responses", "openai_chat"): OrjsonTranslator}

FEEDINGS: Final[dict[str, Callable[[Workload], list[bytes]]]] = {
    "one event a call": lambda workload: workload.events,
    "1 KB pieces": lambda workload: [
        workload.stream[at : at + PIECE_BYTES] for at in range(0, len(workload.stream), PIECE_BYTES)
    ],
    "whole": lambda workload: [workload.stream],
}


def competitors(route: Route) -> dict[str, Start]:
    """All who know the route's pair of formats."""
    pair = (route.source, route.target)
    known: dict[str, Start] = {record.NATIVE: lambda: transcodec.StreamTranslator(*pair)}
    if pair in PEERS:
        known[record.PEER] = PEERS[pair]
    known[record.REFERENCE] = lambda: reference.StreamTranslator(*pair)
    return known


def run(start: Start, pieces: Sequence[bytes]) -> None:
    """Translates one stream and drops the output, as a gateway that has sent it."""
    translator = start()
    feed = translator.feed
    for piece in pieces:
        feed(piece)
    translator.finish()


def output_of(start: Start, pieces: Sequence[bytes]) -> bytes:
    """The same, keeping the output."""
    translator = start()
    return b"".join([*map(translator.feed, pieces), translator.finish()])


def parse(texts: Sequence[bytes]) -> None:
    """Parses JSON texts and does nothing with them."""
    loads = orjson.loads
    for text in texts:
        loads(text)
