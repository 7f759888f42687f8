"""Whole streams in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from transcodec._native import StreamTranslator
from transcodec.errors import DecodeError, UnsupportedError
from transcodec.losses import Loss
from transcodec.usage import Usage

__all__ = ["StreamResult", "translate_stream"]


@dataclass(frozen=True, slots=True)
class StreamResult:
    """A translated stream.

    Attributes:
        output: Everything the client is to receive.
        losses: What the target could not say.
        outcome: `completed`, `incomplete` or `failed`; the latter when the provider itself sent an error.
        usage: Token counts, or None.
    """

    output: bytes
    losses: list[Loss]
    outcome: str
    usage: Usage | None


def translate_stream(
    data: bytes | bytearray | memoryview, /, *, source: str, target: str, **options: Any
) -> StreamResult:
    """Translate a stream that is there as a whole.

    Args:
        data: The source's bytes: an event stream, or one JSON body.
        source: Format of `data`.
        target: Format of the output.
        options: As for `StreamTranslator`.

    Returns:
        The client's stream, also when the provider itself sent an error (outcome `failed`).

    Raises:
        DecodeError: The source is wrong; `.output` is the client's whole stream, its error event included.
        TruncatedError: The source is cut; likewise.
        UnsupportedError: `on_loss="error"` and content would get lost; likewise.
    """
    translator = StreamTranslator(source, target, **options)
    try:
        output = translator.feed(data)
    except (DecodeError, UnsupportedError) as error:
        error.output += translator.finish()
        raise
    rest, fault = translator._finish_whole()  # noqa: SLF001 -- the extension's own back door
    output += rest
    if fault is not None:
        fault.output = output
        raise fault
    return StreamResult(output, translator.losses, translator.outcome or "failed", translator.usage)
