"""From upstream bytes to client bytes."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from transcodec.errors import StateError, TranscodecError
from transcodec.reference.formats import BODIES, DECODERS, ENCODERS, PAIRS
from transcodec.reference.json_writer import well_formed
from transcodec.reference.stream.delta import Fault
from transcodec.reference.stream.limits import Limits
from transcodec.reference.stream.options import DEFAULT_LIMITS, Options, check_text
from transcodec.reference.stream.pipeline import UPSTREAM_ERROR, Pipeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.losses import Loss
    from transcodec.reference.context import Context
    from transcodec.reference.stream.turn import Outcome
    from transcodec.usage import Usage

__all__ = ["StreamOptions", "StreamResult", "StreamTranslator", "check_pair", "translate_stream"]

_STATES = {
    "feed_after_error": "the translator has raised; only finish or fail may follow",
    "feed_after_finish": "the translator is finished",
    "concurrent_use": "the translator is in use by another thread",
    "not_collected": "the answer is kept only with collect=True",
    "not_ended": "the answer has not ended",
}


class StreamOptions(TypedDict, total=False):
    """The keyword arguments of `StreamTranslator`."""

    context: Context | None
    model: str | None
    response_id: str | None
    created: int | None
    id_seed: str | None
    include_usage: bool | None
    reasoning_field: str | None
    think_tags: bool
    on_loss: Literal["report", "error"]
    same_format: Literal["clean", "verbatim"]
    collect: bool
    max_event_bytes: int
    max_held_bytes: int
    max_open_calls: int
    max_blocks: int
    max_answer_bytes: int
    max_losses: int


@dataclass(frozen=True, slots=True)
class StreamResult:
    """A translated stream.

    Attributes:
        output: All bytes for the client.
        losses: What the target could not say.
        outcome: `completed`, `incomplete`, or `failed` after a provider's own error.
        usage: Token counts, if the provider gave any.
    """

    output: bytes
    losses: list[Loss]
    outcome: Outcome
    usage: Usage | None


class StreamTranslator:
    """Translates one stream, fed in pieces of any size.

    Args:
        source: Format of the upstream.
        target: Format of the client.
        context: What to know of the client's request.
        model: Overrides the source's model name.
        response_id: Overrides the source's id.
        created: Overrides the source's time of creation, in seconds since 1970.
        id_seed: What ids are derived from if the source gives none.
        include_usage: Whether the client gets usage; None: as the context says, else yes.
        reasoning_field: The member of a Chat delta that takes reasoning; None drops it.
        think_tags: Text of a Chat source that begins with `<think>` is reasoning up to `</think>`.
        on_loss: `error` stops the stream before the first event that would lose content.
        same_format: What is done if source and target are one format. `clean` copies what is right and puts
            the rest right; `verbatim` passes every byte on and only observes.
        collect: Keep the answer, so that `response` can give it as a body.
        max_event_bytes: Bytes of one event with all its lines.
        max_held_bytes: Bytes of call text that may wait.
        max_open_calls: Calls that may be open at once.
        max_blocks: Items and parts of the stream.
        max_answer_bytes: Bytes of text of an answer that is kept as a whole.
        max_losses: Losses that are stored; all are counted.

    Raises:
        ValueError: a format or an option's value is unknown.
        TypeError: an argument has another type.
    """

    def __init__(
        self,
        source: str,
        target: str,
        *,
        context: Context | None = None,
        model: str | None = None,
        response_id: str | None = None,
        created: int | None = None,
        id_seed: str | None = None,
        include_usage: bool | None = None,
        reasoning_field: str | None = "reasoning_content",
        think_tags: bool = False,
        on_loss: Literal["report", "error"] = "report",
        same_format: Literal["clean", "verbatim"] = "clean",
        collect: bool = False,
        max_event_bytes: int = DEFAULT_LIMITS.max_event_bytes,
        max_held_bytes: int = DEFAULT_LIMITS.max_held_bytes,
        max_open_calls: int = DEFAULT_LIMITS.max_open_calls,
        max_blocks: int = DEFAULT_LIMITS.max_blocks,
        max_answer_bytes: int = DEFAULT_LIMITS.max_answer_bytes,
        max_losses: int = DEFAULT_LIMITS.max_losses,
    ) -> None:
        check_pair(source, target)
        options = Options(
            context=context,
            model=model,
            response_id=response_id,
            created=created,
            id_seed=id_seed,
            include_usage=include_usage,
            reasoning_field=reasoning_field,
            think_tags=think_tags,
            on_loss=on_loss,
            same_format=same_format,
            collect=collect,
            limits=Limits(
                max_event_bytes, max_held_bytes, max_open_calls, max_blocks, max_answer_bytes, max_losses
            ),
        )
        self._pipeline = Pipeline(source, target, options)
        self._collect = collect
        self._finished = False
        #: The last bytes that were passed on.
        self._passed = b""
        self._lock = threading.Lock()

    @property
    def outcome(self) -> Outcome | None:
        """How the answer ended; None while it is open."""
        return self._pipeline.turn.outcome

    @property
    def losses(self) -> list[Loss]:
        """What the target could not say, the first `max_losses` of it."""
        return list(self._pipeline.losses.stored)

    @property
    def loss_count(self) -> int:
        """How many losses there were, stored or not."""
        return self._pipeline.losses.count

    @property
    def usage(self) -> Usage | None:
        """Token counts, if the provider gave any yet."""
        return self._pipeline.turn.usage

    @property
    def content_type(self) -> str:
        """MIME type of the output."""
        return self._pipeline.content_type

    def feed(self, data: bytes | bytearray | memoryview, /) -> bytes:
        """Take the next bytes of the upstream, however cut; return bytes for the client, maybe none.

        Raises:
            DecodeError: once, if the input is broken; `.output` is what this call produced before.
            UnsupportedError: once, if a loss is refused; likewise.
            StateError: after an error, after `finish`, or while another thread is inside.
        """
        piece = bytes(memoryview(data))
        with self._alone():
            if self._finished:
                raise _state_error("feed_after_finish")
            if self._pipeline.is_verbatim:
                return self._observe(piece)
            if self._pipeline.fault is not None:
                raise _state_error("feed_after_error")
            fault = self._pipeline.feed(piece)
            if fault is not None:
                fault.output = self._pipeline.take_output()
                raise fault
            return self._pipeline.take_output()

    def finish(self) -> bytes:
        """The upstream has ended: return what closes the client's stream, an error event if it must be.

        A second call returns nothing.
        """
        with self._alone():
            if self._finished:
                return b""
            self._finished = True
            self._pipeline.finish()
            return self._closing(self._pipeline.take_output())

    def fail(self, message: str, /, *, code: str | None = None) -> bytes:
        """End the client's stream with a fault that the caller saw, such as a timeout.

        Returns:
            The error event; nothing if the stream has ended already.
        """
        check_text("message", message)
        check_text("code", "" if code is None else code)
        fault = Fault(well_formed(message), UPSTREAM_ERROR, well_formed(code or "upstream_failed"))
        with self._alone():
            if self._finished:
                raise _state_error("feed_after_finish")
            self._pipeline.fail(fault)
            return self._closing(self._pipeline.take_output())

    def response(self, format: str | None = None) -> bytes:
        """The whole answer as a body of the target's format or another one; of a failed answer, the error.

        Raises:
            StateError: `not_collected` without `collect`, `not_ended` before the answer's end.
            ValueError: the format is unknown.
        """
        if format is not None and format not in BODIES:
            raise ValueError(f"format must be one of {', '.join(BODIES)}, not {format!r}")
        with self._alone():
            if not self._collect:
                raise _state_error("not_collected")
            if not self._pipeline.turn.is_ended:
                raise _state_error("not_ended")
            return self._pipeline.body(format)

    def _observe(self, piece: bytes) -> bytes:
        """Pass bytes on as they are."""
        if self._pipeline.fault is None:
            self._pipeline.feed(piece)
        self._pipeline.take_output()
        self._passed = (self._passed + piece)[-4:]
        return piece

    def _closing(self, output: bytes) -> bytes:
        """What is written behind bytes that were passed on: an event of its own."""
        stands_open = bool(self._passed) and not self._passed.endswith((b"\n\n", b"\r\r", b"\n\r\n"))
        return b"\n\n" + output if output and stands_open else output

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise _state_error("concurrent_use")
        try:
            yield
        finally:
            self._lock.release()


def translate_stream(
    data: bytes | bytearray | memoryview, *, source: str, target: str, **options: Unpack[StreamOptions]
) -> StreamResult:
    """Translate a whole stream; the options are those of `StreamTranslator`.

    Raises:
        DecodeError: the input is broken. Like the next ones it has the client's whole stream in `.output`,
            with the error event at its end.
        TruncatedError: the input ended before the answer was complete.
        UnsupportedError: a loss is refused.
    """
    translator = StreamTranslator(source, target, **options)
    try:
        output = translator.feed(data) + translator.finish()
    except TranscodecError as error:
        error.output += translator.finish()
        raise
    fault = translator._pipeline.fault  # noqa: SLF001 - finish never raises, a batch call does
    if fault is not None:
        fault.output = output
        raise fault
    outcome = translator.outcome or "failed"
    return StreamResult(output, translator.losses, outcome, translator.usage)


def check_pair(source: str, target: str) -> None:
    """Refuse formats that are unknown, and pairs that are not offered."""
    if source not in DECODERS:
        raise ValueError(f"source must be one of {', '.join(DECODERS)}, not {source!r}")
    if target not in ENCODERS:
        raise ValueError(f"target must be one of {', '.join(ENCODERS)}, not {target!r}")
    if (source, target) not in PAIRS:
        raise ValueError(f"there is no translation from {source} to {target}")


def _state_error(code: str) -> StateError:
    return StateError(code, _STATES[code])
