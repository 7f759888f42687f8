"""The commands `transcodec pack` and `transcodec unpack`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import BufferedReader
from typing import IO, Final, Literal

import click

from transcodec import envelopes
from transcodec.errors import DecodeError

__all__ = ["pack", "unpack"]

WRONG_INPUT: Final = 1

_file = click.argument("file", type=click.File("rb"), default="-")
# Opened when it is written to: a wrong input leaves what is there.
_out = click.option(
    "-o", "--output", "out", type=click.File("wb", lazy=True), default="-", help="Write here, not to stdout."
)
_order = click.option(
    "--order",
    type=click.Choice(["sorted", "insertion"]),
    default="sorted",
    show_default=True,
    help="Order of keys in the envelopes.",
)


def _run(convert: Callable[[bytes], bytes], file: BufferedReader, out: IO[bytes]) -> None:
    try:
        rows = convert(file.read())
    except DecodeError as error:
        click.echo(f"error {error.code}: {error}", err=True)
        sys.exit(WRONG_INPUT)
    out.write(rows)
    out.flush()


@click.command()
@_file
@_out
@_order
def pack(*, file: BufferedReader, out: IO[bytes], order: Literal["sorted", "insertion"]) -> None:
    """Pack the typed rows or entries in FILE (default: stdin) into rows with envelopes."""
    _run(lambda data: envelopes.pack(data, order=order), file, out)


@click.command()
@_file
@_out
@_order
@click.option(
    "--accept",
    type=click.Choice(["lenient", "lossless", "exact", "canonical"]),
    default="lossless",
    show_default=True,
    help="How much of what looks like an envelope is read as one.",
)
@click.option("--paired-only", is_flag=True, help="Lift a call turn only together with all its results.")
def unpack(
    *,
    file: BufferedReader,
    out: IO[bytes],
    order: Literal["sorted", "insertion"],
    accept: Literal["lenient", "lossless", "exact", "canonical"],
    paired_only: bool,
) -> None:
    """Lift the envelopes in FILE (default: stdin) into fields; what is no envelope stays as it is."""
    _run(lambda data: envelopes.unpack(data, order=order, accept=accept, paired_only=paired_only), file, out)
