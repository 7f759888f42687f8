"""Running a translator over a stream, and what one can see of it."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transcodec.errors import DecodeError, TranscodecError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SOURCE = "openai_responses"
TARGET = "openai_chat"


@dataclass(frozen=True)
class Seen:
    """What a translation shows: all that must not depend on how the input was cut.

    Attributes:
        output: All bytes for the client.
        losses: Code, severity, path and detail.
        error: What `feed` raised: class, code, offset, path.
    """

    output: bytes
    losses: tuple[tuple[str, str, str, str], ...]
    loss_count: int
    outcome: str | None
    usage: Any
    error: tuple[str, str, int | None, str | None] | None


def described(error: TranscodecError) -> tuple[str, str, int | None, str | None]:
    return type(error).__name__, error.code, error.offset, error.path


def run(module: Any, pieces: Iterable[bytes], **options: Any) -> Seen:
    """Feed the pieces, stop at an error as a gateway would, and finish."""
    translator = module.StreamTranslator(SOURCE, TARGET, **options)
    output, error = bytearray(), None
    try:
        for piece in pieces:
            output += translator.feed(piece)
    except (DecodeError, UnsupportedError) as caught:
        output += caught.output
        error = described(caught)
    output += translator.finish()
    losses = tuple((each.code, each.severity, each.path, each.detail) for each in translator.losses)
    return Seen(bytes(output), losses, translator.loss_count, translator.outcome, translator.usage, error)


def batch_error(module: Any, wire: bytes, **options: Any) -> tuple[Any, bytes]:
    """What the batch call raises (None if it does not), and the client's output."""
    try:
        result = module.translate_stream(wire, source=SOURCE, target=TARGET, **options)
    except TranscodecError as caught:
        return described(caught), caught.output
    return None, result.output


def cut_at(wire: bytes, *offsets: int) -> list[bytes]:
    return [wire[start:end] for start, end in itertools.pairwise([0, *offsets, len(wire)])]


def bytewise(wire: bytes) -> list[bytes]:
    return [wire[at : at + 1] for at in range(len(wire))]


def random_cuts(wire: bytes, seed: str, rounds: int = 12) -> Iterator[list[bytes]]:
    """The wire in three to many pieces, empty ones among them; the same for the same seed."""
    dice = random.Random(seed)
    for _ in range(rounds):
        count = dice.choice([2, 3, 5, 12, max(2, len(wire) // 20)])
        yield cut_at(wire, *sorted(dice.randint(0, len(wire)) for _ in range(count)))


def read_events(output: bytes) -> list[Any]:
    """The client's events: parsed chunks, `[DONE]`, comments. Anything but one line an event is refused."""
    assert not output or output.endswith(b"\n\n")
    return [_read_event(block) for block in output.decode("utf-8").split("\n\n")[:-1]]


def _read_event(block: str) -> Any:
    # `splitlines` takes U+2028 and its kin for line ends, as some clients do.
    assert len(block.splitlines()) == 1, block
    if block.startswith(": "):
        return {"comment": block[2:]}
    assert block.startswith("data: "), block
    data = block.removeprefix("data: ")
    return data if data == "[DONE]" else json.loads(data)
