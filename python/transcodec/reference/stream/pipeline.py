"""From frames to what the writers are told: one answer, with all its faults."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transcodec.errors import DecodeError, TranscodecError, TruncatedError, UnsupportedError
from transcodec.reference.formats import (
    BODIES,
    CLEANERS,
    DECODERS,
    ENCODERS,
    ERROR_BODIES,
    PASSED_ON,
    RIDERS,
    TURNS,
    WHOLE,
)
from transcodec.reference.frame import sse
from transcodec.reference.json_reader import InvalidJson, JsonObject, read_json
from transcodec.reference.members import MemberFault
from transcodec.reference.stream.clean.source import Source
from transcodec.reference.stream.clean.whole import is_error_body, put_in_place, with_riders
from transcodec.reference.stream.delta import Alive, Fault
from transcodec.reference.stream.encoder import EncoderOptions
from transcodec.reference.stream.limits import LimitReached
from transcodec.reference.stream.losses import LossLog, LossRefused
from transcodec.reference.stream.ordered import AnnotationsOut, Head
from transcodec.reference.stream.snapshot import Snapshot
from transcodec.reference.stream.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from transcodec.reference.formats.openai_chat.riders import ChatRiders
    from transcodec.reference.stream.clean.source import Cleaner
    from transcodec.reference.stream.delta import Delta
    from transcodec.reference.stream.encoder import Encoder
    from transcodec.reference.stream.options import Options
    from transcodec.reference.stream.turn import Outcome

__all__ = ["UPSTREAM_ERROR", "Pipeline"]

UPSTREAM_ERROR = "upstream_error"
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
    "held_too_large": "more call text waits than max_held_bytes, or a name is longer than 4 KiB",
    "answer_too_large": "the text of the answer is longer than max_answer_bytes",
}


class Pipeline:
    """Feeds frames through a decoder and the referee to the target.

    Attributes:
        fault: What was wrong with the input, or refused; nothing is read after it.
    """

    def __init__(self, source: str, target: str, options: Options, *, is_stream: bool = True) -> None:
        self._source, self._target = source, target
        is_same_format = source == target
        self.is_verbatim = is_same_format and options.same_format == "verbatim"
        self._options = _encoder_options(options, same_format=is_same_format)
        snapshot = Snapshot()
        self.losses = LossLog(
            options.limits.max_losses,
            refuse_content=options.on_loss == "error" and not self.is_verbatim,
            silent=PASSED_ON[target] if is_same_format else frozenset(),
        )
        self._cleaner: Cleaner | None = None
        if is_same_format and (target in TURNS or not self.is_verbatim):
            self._cleaner = CLEANERS[target](self._options, snapshot, self.losses)
        self._encoder: Encoder = self._cleaner or ENCODERS[target](self._options, snapshot)
        self._decoder = DECODERS[source](options, is_same_format, self._encoder.traits)
        keeps_answer = self._encoder.traits.keeps_answer or options.collect
        self._snapshot = snapshot if keeps_answer else None
        self.content_type = self._encoder.content_type
        self.fault: TranscodecError | None = None
        self._max_body_bytes = options.limits.max_event_bytes
        self._reader = sse.SseReader(options.limits.max_event_bytes)
        self._output = bytearray()
        self._next_event = 0
        self._unreadable = self._is_body = False
        self._body = b""
        self._riders: ChatRiders | None = None
        if is_same_format and is_stream and options.collect and target in RIDERS:
            self._riders = RIDERS[target]()
        self._whole = WHOLE[target] if is_same_format and not is_stream else None
        has_id = options.response_id is not None
        turn = TURNS.get(target, Turn) if is_same_format else Turn
        self.turn = turn(
            self._encoder,
            self.losses,
            options.limits,
            head=Head(options.response_id, options.model, options.created, has_id),
            tools=options.tools,
            id_seed=options.id_seed or "",
            growing_names=self._decoder.growing_names,
            keeps_answer=keeps_answer,
        )

    def feed(self, piece: bytes) -> TranscodecError | None:
        """The next bytes of the input; what is wrong with them."""
        if not self._unreadable:
            self._take_all(self._reader.feed(piece))
        return self.fault

    def take_body(self, body: bytes) -> None:
        """The whole input, which has to be one JSON object; ends the answer."""
        self._body = body
        if len(body) > self._max_body_bytes:
            self.fault = _decode_error("event_too_large", self._max_body_bytes, "")
        else:
            self._take_payload(sse.Payload(body, ((0, 0),), len(body)), "", None, is_body=True)
        if self.fault is None and not self.turn.is_ended:
            self.fault = _truncated(len(body))
        if self.fault is not None:
            self.fail(*_error_event(self.fault, "body"))

    def finish(self) -> None:
        """The input has ended: end the answer, with an error event if it must be."""
        if self.fault is None and not self._unreadable:
            self._take_all(self._reader.finish())
        if self.fault is None:
            self._end()
        if self.is_verbatim:
            self._output.clear()
        if self.fault is not None:
            self.fail(*_error_event(self.fault, "stream"))

    def fail(self, fault: Fault, outcome: Outcome = "failed") -> None:
        """End the answer with an error event, unless it has ended."""
        self.turn.fail(fault, outcome)
        self._write()

    def body(self, target: str | None = None) -> bytes:
        """The answer as a body, or the error that ended it; needs an answer that is kept and has ended."""
        if self._snapshot is None:
            raise LookupError("the answer is not kept")
        if self._whole is not None and self.is_verbatim:
            return self._body
        if self._snapshot.fault is not None:
            error = ERROR_BODIES[target or self._target](self._snapshot.fault).encode()
            return (
                self._in_place(error)
                if self._whole is not None and self.fault is None and is_error_body(self._body)
                else error
            )
        return self._answer(target)

    def _answer(self, target: str | None) -> bytes:
        if self._snapshot is None:
            raise LookupError("the answer is not kept")
        if target in (None, self._target) and self._cleaner is not None:
            body = self._cleaner.body()
            if body is not None:
                return body.encode() if self._whole is None else self._in_place(body.encode())
        target_format = target or self._target
        options = replace(self._options, same_format=target_format == self._source)
        written = BODIES[target_format](self._snapshot, options).encode()
        if self._whole is not None:
            return self._in_place(written)
        if self._riders is not None and target in (None, self._target):
            return with_riders(written, self._riders.body(), WHOLE[self._target])
        return written

    def take_output(self) -> bytes:
        """What was written since the last time."""
        output = bytes(self._output)
        self._output.clear()
        return output

    def _in_place(self, written: bytes) -> bytes:
        return written if self._whole is None else put_in_place(self._body, written, self._whole)

    def _write(self, source: Source | None = None) -> None:
        written = len(self._output)
        for ordered in self.turn.commit():
            if self._snapshot is not None:
                self._snapshot.hear(ordered)
            if self.is_verbatim and isinstance(ordered, AnnotationsOut):
                # The client has them from the source.
                continue
            self._output += self._encoder.encode(ordered)
        if self._cleaner is not None:
            self._output += self._cleaner.settle(source, holds=self.turn.holds_calls, is_body=self._is_body)
        if self._riders is None:
            return
        if self.is_verbatim and source is not None and self._is_body:
            self._riders.take_body(source.root)
        elif self.is_verbatim and source is not None:
            self._riders.take(source.text)
        else:
            self._riders.take_events(bytes(self._output[written:]))

    def _end(self) -> None:
        """The input has ended well as far as bytes go; has the answer?"""
        self._attempt(lambda: self._apply(self._decoder.end_of_input(), ends=True), "", self._reader.total)
        if not self.turn.is_ended and self.fault is None:
            self.fault = _truncated(self._reader.total)

    def _take_all(self, frames: Iterator[sse.Frame]) -> None:
        """Work off frames until one of them is at fault."""
        try:
            for frame in frames:
                self._take(frame)
                if self.fault is not None:
                    break
        except sse.FrameFault as fault:
            # What follows the answer's end is nobody's concern.
            self._unreadable = self.turn.is_ended
            if not self._unreadable:
                self.fault = _decode_error(fault.code, fault.offset, "")

    def _take(self, frame: sse.Frame) -> None:
        match frame:
            case sse.Event(payload, name):
                path = f"/{self._next_event}"
                self._next_event += 1
                if self.turn.is_ended:
                    if not self._decoder.completes_end(payload.text, name):
                        self.losses.tell_once("event.after_end", path)
                else:
                    self._take_payload(payload, path, name, is_body=False)
            case sse.Body(payload):
                self._take_payload(payload, "", None, is_body=True)
            case sse.DoneMark(payload):
                self._attempt(lambda: self._apply(self._decoder.done_mark()), "", payload.offset(0))
            case sse.KeepAlive():
                self._attempt(lambda: self._apply([Alive()]), "", 0)
            case sse.IgnoredLine() if not self.turn.is_ended:
                self.losses.tell_once("line.ignored", "")

    def _take_payload(self, payload: sse.Payload, path: str, name: str | None, *, is_body: bool) -> None:
        if is_body:
            # It is written anew, also where a stream would be copied.
            self._is_body = True
        try:
            root = read_json(payload.text)
            deltas = self._decoder.body(root) if is_body else self._decoder.event(root, name, path)
        except InvalidJson as fault:
            self.fault = _decode_error(fault.code, payload.offset(fault.at), path)
        except MemberFault as fault:
            self.fault = _decode_error(fault.code, payload.offset(fault.at), fault.path)
        except LimitReached as fault:
            self.fault = _decode_error(fault.code, payload.offset(0), path)
        else:
            source = None
            if isinstance(root, JsonObject):
                source = Source(payload.text, root, name, path)
            self._attempt(lambda: self._apply(deltas), path, payload.offset(0), source)

    def _apply(self, deltas: Iterable[Delta], *, ends: bool = False) -> None:
        for delta in deltas:
            self.turn.apply(delta)
        if ends:
            self.turn.end()

    def _attempt(
        self, step: Callable[[], None], path: str, offset: int, source: Source | None = None
    ) -> None:
        """Do something, all of it or nothing."""
        losses = self.losses.mark()
        self.turn.at(path)
        try:
            step()
        except LimitReached as fault:
            self.losses.take_back(losses)
            self.fault = _decode_error(fault.code, offset, path)
        except LossRefused as refused:
            message = f"the target cannot say this: {refused.loss.code}"
            self.fault = UnsupportedError(refused.loss.code, message, None, refused.loss.path)
        if self.fault is None:
            written = len(self._output)
            self._write(source)
            if self._riders is not None and not self._riders.fits(self.turn.answer_bytes_left):
                del self._output[written:]
                self.losses.take_back(losses)
                self.fault = _decode_error("answer_too_large", offset, path)
        else:
            self.turn.take_back()


def _encoder_options(options: Options, *, same_format: bool) -> EncoderOptions:
    """What a target must know of the caller's options."""
    return EncoderOptions(
        tools=options.tools,
        id_seed=options.id_seed or "",
        include_usage=options.wants_usage,
        reasoning_field=options.reasoning_field,
        same_format=same_format,
    )


def _decode_error(code: str, offset: int, path: str) -> DecodeError:
    return DecodeError(code, _MESSAGES[code], offset, path)


def _truncated(total: int) -> TruncatedError:
    message = "the upstream stream ended before the answer was complete"
    return TruncatedError("stream_truncated", message, total, "")


def _error_event(fault: TranscodecError, what: str) -> tuple[Fault, Outcome]:
    """What the client is told, and the outcome; the input was a `stream` or a `body`."""
    if isinstance(fault, TruncatedError) and what == "stream":
        return Fault(fault.message, UPSTREAM_ERROR, fault.code), "truncated"
    if isinstance(fault, UnsupportedError):
        return Fault(f"refused: {fault.code}", "translation_error", fault.code), "failed"
    message = f"invalid upstream {what}: {fault.code} at byte {fault.offset}"
    return Fault(message, UPSTREAM_ERROR, fault.code), "failed"
