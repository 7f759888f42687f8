"""What is in a stream, and what is odd about it: `transcodec inspect`.

Plain Python over the reference's frame reader, for looking at one stream and not for a gateway's traffic.
What becomes of the stream, its outcome and losses, is told by the native translator.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from transcodec._native import StreamTranslator
from transcodec.errors import DecodeError, UnsupportedError
from transcodec.inspection.chat import ChatObserver
from transcodec.inspection.frames import Frames
from transcodec.inspection.guess import guess_format
from transcodec.inspection.report import Fault, Notes, Report
from transcodec.inspection.responses import ResponsesObserver

__all__ = ["FORMATS", "Report", "UnknownFormat", "inspect_stream"]

#: Format: what looks at it, and the format that it is translated to.
_FORMATS: Final[dict[str, tuple[type[ChatObserver | ResponsesObserver], str]]] = {
    "openai_chat": (ChatObserver, "openai_responses"),
    "openai_responses": (ResponsesObserver, "openai_chat"),
}
FORMATS: Final = tuple(_FORMATS)


class UnknownFormat(ValueError):  # noqa: N818 - it says what is missing: a format
    """No event of the stream tells its format; name it."""


def inspect_stream(data: bytes, /, *, format: str | None = None) -> Report:
    """Look at a stream, or at one JSON body, that is there as a whole.

    Args:
        data: Its bytes.
        format: Its format; None: guessed by its first event that tells.

    Raises:
        UnknownFormat: No format was given and none could be guessed.
        ValueError: The format is not known.
    """
    if format is not None and format not in _FORMATS:
        raise ValueError(f"format must be one of {', '.join(_FORMATS)}, not {format!r}")
    notes = Notes()
    frames = Frames(data, notes)
    events = iter(frames)
    seen = []
    guessed = format
    while guessed is None:
        event = next(events, None)
        if event is None:
            raise UnknownFormat("no event tells the format")
        seen.append(event)
        guessed = None if event.value is None else guess_format(event.value, event.name)
    observe, target = _FORMATS[guessed]
    observer = observe(notes, is_body=frames.is_body)
    for event in chain(seen, events):
        notes.event = event.ordinal
        if event.value is None:
            observer.done()
        else:
            observer.event(event.value, event.name)
    notes.event = None
    observer.finish()

    translator = StreamTranslator(guessed, target)
    fault = _translate(translator, data)
    return Report(
        format=guessed,
        is_guessed=format is None,
        is_body=frames.is_body,
        byte_count=len(data),
        event_count=frames.event_count,
        keep_alive_count=frames.keep_alive_count,
        id=observer.id,
        model=observer.model,
        answers=observer.answers,
        usage=observer.usage,
        provider_error=observer.provider_error,
        target=target,
        outcome=translator.outcome or "failed",
        fault=fault,
        losses=translator.losses,
        loss_count=translator.loss_count,
        oddities=notes.listed(),
    )


def _translate(translator: StreamTranslator, data: bytes) -> Fault | None:
    """What stops the translation, if anything does."""
    error: DecodeError | UnsupportedError | None
    try:
        translator.feed(data)
    except DecodeError as caught:
        translator.finish()
        error = caught
    else:
        _, error = translator._finish_whole()  # noqa: SLF001 - the extension's own back door
    return None if error is None else Fault(error.code, error.offset, error.path)
