"""From upstream bytes to client bytes."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from transcodec.errors import DecodeError, StateError, TranscodecError, TruncatedError, UnsupportedError
from transcodec.reference.formats import DECODERS, ENCODERS
from transcodec.reference.frame import sse
from transcodec.reference.json_reader import InvalidJson, read_json
from transcodec.reference.json_writer import well_formed
from transcodec.reference.members import MemberFault
from transcodec.reference.stream.delta import Alive, Fault, Head
from transcodec.reference.stream.limits import LimitReached, Limits
from transcodec.reference.stream.losses import LossLog, LossRefused
from transcodec.reference.stream.options import DEFAULT_LIMITS, Options, check_text
from transcodec.reference.stream.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transcodec.losses import Loss
    from transcodec.reference.context import Context
    from transcodec.reference.stream.turn import Outcome
    from transcodec.usage import Usage

__all__ = ["StreamOptions", "StreamResult", "StreamTranslator", "translate_stream"]

_UPSTREAM_ERROR = "upstream_error"
_MESSAGES = {
    "invalid_json": "the event is no JSON text",
    "invalid_utf8": "the event is no UTF-8",
    "nesting_too_deep": "the event nests deeper than 128 brackets",
    "duplicate_key": "a member that is needed stands twice",
    "invalid_type": "a member that is needed has another type",
    "not_a_stream": "the input is neither an event stream nor a JSON object",
    "event_too_large": "an event is larger than max_event_bytes",
    "too_many_open_calls": "more calls are open than max_open_calls",
    "too_many_blocks": "the stream has more items and parts than max_blocks",
    "held_too_large": "more call text waits than max_held_bytes",
}
_STATES = {
    "feed_after_error": "the translator has raised; only finish or fail may follow",
    "feed_after_finish": "the translator is finished",
    "concurrent_use": "the translator is in use by another thread",
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
    on_loss: Literal["report", "error"]
    max_event_bytes: int
    max_held_bytes: int
    max_open_calls: int
    max_blocks: int
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
        on_loss: `error` stops the stream before the first event that would lose content.
        max_event_bytes: Bytes of one event with all its lines.
        max_held_bytes: Bytes of call text that may wait.
        max_open_calls: Calls that may be open at once.
        max_blocks: Items and parts of the stream.
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
        on_loss: Literal["report", "error"] = "report",
        max_event_bytes: int = DEFAULT_LIMITS.max_event_bytes,
        max_held_bytes: int = DEFAULT_LIMITS.max_held_bytes,
        max_open_calls: int = DEFAULT_LIMITS.max_open_calls,
        max_blocks: int = DEFAULT_LIMITS.max_blocks,
        max_losses: int = DEFAULT_LIMITS.max_losses,
    ) -> None:
        if source not in DECODERS:
            raise ValueError(f"source must be one of {', '.join(DECODERS)}, not {source!r}")
        if target not in ENCODERS:
            raise ValueError(f"target must be one of {', '.join(ENCODERS)}, not {target!r}")
        limits = Limits(max_event_bytes, max_held_bytes, max_open_calls, max_blocks, max_losses)
        options = Options(
            context=context,
            model=model,
            response_id=response_id,
            created=created,
            id_seed=id_seed,
            include_usage=include_usage,
            reasoning_field=reasoning_field,
            on_loss=on_loss,
            limits=limits,
        )
        encoder = ENCODERS[target](
            tools={} if context is None else context.tools,
            id_seed=id_seed or "",
            include_usage=options.wants_usage,
            reasoning_field=reasoning_field,
        )
        self._losses = LossLog(max_losses, refuse_content=on_loss == "error")
        head = Head(response_id, model, created)
        self._turn = Turn(encoder, self._losses, limits, head=head, id_seed=id_seed or "")
        self._decoder = DECODERS[source]()
        self._reader = sse.SseReader(max_event_bytes)
        self._content_type = encoder.content_type
        self._next_event = 0
        self._fault: TranscodecError | None = None
        self._finished = False
        self._lock = threading.Lock()

    @property
    def outcome(self) -> Outcome | None:
        """How the answer ended; None while it is open."""
        return self._turn.outcome

    @property
    def losses(self) -> list[Loss]:
        """What the target could not say, the first `max_losses` of it."""
        return list(self._losses.stored)

    @property
    def loss_count(self) -> int:
        """How many losses there were, stored or not."""
        return self._losses.count

    @property
    def usage(self) -> Usage | None:
        """Token counts, if the provider gave any yet."""
        return self._turn.usage

    @property
    def content_type(self) -> str:
        """MIME type of the output."""
        return self._content_type

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
            if self._fault is not None:
                raise _state_error("feed_after_error")
            fault = self._take(self._reader.feed(piece))
            if fault is not None:
                fault.output = self._take_output()
                raise fault
            return self._take_output()

    def finish(self) -> bytes:
        """The upstream has ended: return what closes the client's stream, an error event if it must be.

        A second call returns nothing.
        """
        with self._alone():
            if self._finished:
                return b""
            if self._fault is None:
                self._take(self._reader.finish())
            self._finished = True
            if self._fault is None:
                self._end()
            if self._fault is not None:
                self._turn.fail(*_error_event(self._fault))
            return self._take_output()

    def fail(self, message: str, /, *, code: str | None = None) -> bytes:
        """End the client's stream with a fault that the caller saw, such as a timeout.

        Returns:
            The error event; nothing if the stream has ended already.
        """
        check_text("message", message)
        check_text("code", "" if code is None else code)
        fault = Fault(well_formed(message), _UPSTREAM_ERROR, well_formed(code or "upstream_failed"))
        with self._alone():
            if self._finished:
                raise _state_error("feed_after_finish")
            self._turn.fail(fault)
            return self._take_output()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise _state_error("concurrent_use")
        try:
            yield
        finally:
            self._lock.release()

    def _take_output(self) -> bytes:
        output = bytes(self._turn.output)
        self._turn.output.clear()
        return output

    def _end(self) -> None:
        """The input has ended well as far as bytes go; has the answer?"""
        self._turn.end()
        if not self._turn.is_ended:
            message = "the upstream stream ended before the answer was complete"
            self._fault = TruncatedError("stream_truncated", message, self._reader.total, "")

    def _take(self, frames: Iterator[sse.Frame]) -> TranscodecError | None:
        """Work off frames until one of them is at fault, which is kept and returned."""
        try:
            for frame in frames:
                self._take_frame(frame)
                if self._fault is not None:
                    break
        except sse.FrameFault as fault:
            self._fault = _decode_error(fault.code, fault.offset, "")
        return self._fault

    def _take_frame(self, frame: sse.Frame) -> None:
        match frame:
            case sse.Event(payload, name):
                path = f"/{self._next_event}"
                self._next_event += 1
                self._take_event(payload, path, name)
            case sse.Body(payload):
                self._take_payload(payload, "", None, is_body=True)
            case sse.DoneMark():
                pass
            case sse.KeepAlive():
                self._turn.apply(Alive())
            case sse.IgnoredLine():
                self._losses.tell_once("line.ignored", "")

    def _take_event(self, payload: sse.Payload, path: str, name: str | None) -> None:
        if self._turn.is_ended:
            self._losses.tell_once("event.after_end", path)
        else:
            self._take_payload(payload, path, name, is_body=False)

    def _take_payload(self, payload: sse.Payload, path: str, name: str | None, *, is_body: bool) -> None:
        """Read, decode and apply one event, all of it or nothing."""
        said, losses = self._turn.mark(), self._losses.mark()
        try:
            root = read_json(payload.text)
            deltas = self._decoder.body(root) if is_body else self._decoder.event(root, name, path)
            for delta in deltas:
                self._turn.apply(delta)
        except InvalidJson as fault:
            self._fault = _decode_error(fault.code, payload.offset(fault.at), path)
        except MemberFault as fault:
            self._fault = _decode_error(fault.code, payload.offset(fault.at), fault.path)
        except LimitReached as fault:
            self._losses.take_back(losses)
            self._fault = _decode_error(fault.code, payload.offset(0), path)
        except LossRefused as refused:
            message = f"the target cannot say this: {refused.loss.code}"
            self._fault = UnsupportedError(refused.loss.code, message, None, refused.loss.path)
        if self._fault is not None:
            self._turn.take_back(said)


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
    fault = translator._fault  # noqa: SLF001 - finish never raises, a batch call does
    if fault is not None:
        fault.output = output
        raise fault
    outcome = translator.outcome or "failed"
    return StreamResult(output, translator.losses, outcome, translator.usage)


def _decode_error(code: str, offset: int, path: str) -> DecodeError:
    return DecodeError(code, _MESSAGES[code], offset, path)


def _state_error(code: str) -> StateError:
    return StateError(code, _STATES[code])


def _error_event(fault: TranscodecError) -> tuple[Fault, Outcome]:
    """What the client is told, and the outcome."""
    if isinstance(fault, TruncatedError):
        return Fault(fault.message, _UPSTREAM_ERROR, fault.code), "truncated"
    if isinstance(fault, UnsupportedError):
        return Fault(f"refused: {fault.code}", "translation_error", fault.code), "failed"
    message = f"invalid upstream stream: {fault.code} at byte {fault.offset}"
    return Fault(message, _UPSTREAM_ERROR, fault.code), "failed"
