"""The command line: `transcodec translate`, `transcodec inspect`, `transcodec demo`.

Exit codes: 0 done; 1 the upstream failed, was cut, or sent what its format does not allow (the output is
complete all the same: it ends with the target's error event); 2 the command was called wrongly; 3 a loss was
refused by `--on-loss error`.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from io import BufferedReader
from typing import IO, Final, Literal

import click

import transcodec
from transcodec.cli_envelopes import pack, unpack
from transcodec.demo import SOURCE, TARGET, screen
from transcodec.demo import stream as demo_stream
from transcodec.errors import TranscodecError, UnsupportedError
from transcodec.inspection import FORMATS, UnknownFormat, inspect_stream
from transcodec.inspection import screen as inspection_screen

__all__ = ["main"]

UPSTREAM_FAULT: Final = 1
REFUSED: Final = 3

#: A piece is what one read returns: a pipe gives what is there, so output appears as input does.
MAX_PIECE_BYTES: Final = 1 << 16


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="transcodec", prog_name="transcodec")
def main() -> None:
    """Translate LLM transcripts between provider wire formats."""


main.add_command(pack)
main.add_command(unpack)


@main.command()
@click.option("--from", "source", required=True, metavar="FORMAT", help="Format of the input.")
@click.option("--to", "target", required=True, metavar="FORMAT", help="Format of the output.")
@click.argument("file", type=click.File("rb"), default="-")
@click.option("-o", "--output", "out", type=click.File("wb"), default="-", help="Write here, not to stdout.")
@click.option("--model", help="Model name to write instead of the source's.")
@click.option(
    "--on-loss",
    type=click.Choice(["report", "error"]),
    default="report",
    show_default=True,
    help="With 'error', stop before the first event whose content the target cannot say.",
)
@click.option("--no-usage", is_flag=True, help="Leave out token counts.")
@click.option(
    "--reasoning-field",
    type=click.Choice(["reasoning_content", "reasoning", "none"]),
    default="reasoning_content",
    show_default=True,
    help="Member that takes reasoning text in Chat; 'none' leaves it out.",
)
def translate(
    *,
    source: str,
    target: str,
    file: BufferedReader,
    out: IO[bytes],
    model: str | None,
    on_loss: Literal["report", "error"],
    no_usage: bool,
    reasoning_field: Literal["reasoning_content", "reasoning", "none"],
) -> None:
    """Translate the stream in FILE (default: stdin) while it is read.

    Losses go to stderr, one a line: loss CODE SEVERITY PATH DETAIL.
    """
    try:
        translator = transcodec.StreamTranslator(
            source,
            target,
            model=model,
            on_loss=on_loss,
            include_usage=not no_usage,
            reasoning_field=None if reasoning_field == "none" else reasoning_field,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    refused = _pump(translator, file, out)
    for loss in translator.losses:
        click.echo(f"loss {loss.code} {loss.severity} {loss.path or '-'} {loss.detail}".rstrip(), err=True)
    if translator.loss_count > len(translator.losses):
        click.echo(f"{translator.loss_count - len(translator.losses)} further losses", err=True)
    if refused:
        sys.exit(REFUSED)
    if translator.outcome in {"failed", "truncated"}:
        click.echo(f"upstream {translator.outcome}", err=True)
        sys.exit(UPSTREAM_FAULT)


def _pump(translator: transcodec.StreamTranslator, file: BufferedReader, out: IO[bytes]) -> bool:
    """Moves the whole stream through the translator and tells whether a loss was refused."""
    refused = False
    try:
        while piece := file.read1(MAX_PIECE_BYTES):
            _write(out, translator.feed(piece))
    except TranscodecError as error:
        click.echo(f"error {error.code}: {error}", err=True)
        _write(out, error.output)
        refused = isinstance(error, UnsupportedError)
    _write(out, translator.finish())
    return refused


def _write(out: IO[bytes], data: bytes) -> None:
    out.write(data)
    out.flush()


@main.command()
@click.option("--format", type=click.Choice(FORMATS), help="Format of the input; without it, it is guessed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.argument("file", type=click.File("rb"), default="-")
def inspect(*, format: str | None, as_json: bool, file: BufferedReader) -> None:
    """Show what is in the stream in FILE (default: stdin), and what is odd about it.

    The exit code is 1 if the answer failed or was cut; oddities alone are no failure.
    """
    try:
        report = inspect_stream(file.read(), format=format)
    except UnknownFormat as error:
        raise click.UsageError(f"{error}: give --format") from error
    if as_json:
        click.echo(json.dumps(report.to_dict()))
    else:
        for line in inspection_screen.render(report):
            click.echo(line)
    if report.outcome in {"failed", "truncated"}:
        sys.exit(UPSTREAM_FAULT)


@main.command()
def demo() -> None:
    """Translate a bundled stream and show each step."""
    new_translator = partial(transcodec.StreamTranslator, SOURCE, TARGET)
    for line in screen.render(demo_stream(), new_translator):
        click.echo(line)
