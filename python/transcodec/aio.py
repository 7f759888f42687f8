"""Streams from async iterators.

    stream = transcodec.aio.translate(response.aiter_bytes(), source="openai_responses", target="openai_chat")
    async with contextlib.aclosing(stream):
        async for piece in stream:
            await send(piece)
    log(stream.outcome, stream.losses, stream.usage)

Nothing here belongs to one event loop; only what is given is awaited. `docs/integrating.md` has adapters.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterable
from typing import Literal, Self, Unpack

from transcodec._native import StreamTranslator
from transcodec.errors import DecodeError, StateError, UnsupportedError
from transcodec.losses import Loss
from transcodec.options import StreamOptions
from transcodec.usage import Usage

__all__ = ["AsyncTranslation", "translate"]


def translate(
    upstream: AsyncIterable[bytes | bytearray | memoryview],
    /,
    *,
    source: str,
    target: str,
    reraise: bool = False,
    **options: Unpack[StreamOptions],
) -> AsyncTranslation:
    """Translate the pieces of an async iterator, one by one as they come.

    Args:
        upstream: The source's bytes, cut anywhere: `aiter_bytes()` of an httpx response,
            `content.iter_any()` of an aiohttp one. It is read by one task, and closed if it has an `aclose`.
        source: Format of the upstream.
        target: Format of the client.
        reraise: Raise what went wrong upstream after the client's error event was given out; else it is
            only kept in `.exception`. What comes behind the answer's end is never raised.
        options: As for `StreamTranslator`.

    Returns:
        An async iterator of bytes for the client. None of them is empty.

    Raises:
        ValueError: Unknown format, pair or option value.
    """
    return AsyncTranslation(upstream, StreamTranslator(source, target, **options), reraise=reraise)


class AsyncTranslation:
    """An async iterator of a client's bytes, and what there is to know of the stream.

    The client always gets a proper end: what the upstream raises, what its bytes do wrong and where it breaks
    off all come out as the target's error event, after which the iteration ends. Cancellation passes through
    and writes nothing, for nobody is there to read it; the upstream is closed first.

    Use it from one task. `contextlib.aclosing` closes the upstream also when the loop's body is left early.

    Args:
        upstream: The source's bytes, cut anywhere.
        translator: A fresh translator.
        reraise: See `translate`.
    """

    def __init__(
        self,
        upstream: AsyncIterable[bytes | bytearray | memoryview],
        translator: StreamTranslator,
        *,
        reraise: bool = False,
    ) -> None:
        self._upstream = aiter(upstream)
        self._translator = translator
        self._reraise = reraise
        self._exception: Exception | None = None
        self._pending: Exception | None = None
        self._ended = False
        self._busy = False

    @property
    def outcome(self) -> Literal["completed", "incomplete", "failed", "truncated"] | None:
        """How the answer ended; None while it is open, and for good if it was abandoned."""
        return self._translator.outcome

    @property
    def losses(self) -> list[Loss]:
        """The losses so far, at most `max_losses`."""
        return self._translator.losses

    @property
    def loss_count(self) -> int:
        """How many losses there were, also those beyond `max_losses`."""
        return self._translator.loss_count

    @property
    def usage(self) -> Usage | None:
        """The token counts so far; None if the source gave none."""
        return self._translator.usage

    @property
    def content_type(self) -> str:
        """The media type of the target's stream."""
        return self._translator.content_type

    @property
    def exception(self) -> Exception | None:
        """What went wrong upstream.

        What the iterator raised; a `DecodeError` for wrong bytes, a `TruncatedError` for a cut, an
        `UnsupportedError` for a refused loss. None if all went well, and for an error that the provider
        itself sent as part of its stream.
        """
        return self._exception

    def response(self, format: str | None = None) -> bytes:
        """The whole answer as a response body, of the target's format or another one.

        Raises:
            StateError: `not_collected` without `collect=True`, `not_ended` before the end.
            ValueError: The format is unknown.
        """
        return self._translator.response(format)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        self._enter()
        try:
            while not self._ended:
                output = await self._step()
                if output:
                    return output
            fault, self._pending = self._pending, None
            if fault is not None:
                raise fault
            raise StopAsyncIteration
        finally:
            self._busy = False

    async def aclose(self) -> None:
        """Give up: close the upstream, write nothing more. Harmless at any time, also twice.

        Raises:
            StateError: `concurrent_use`: another task waits for the next piece.
        """
        self._enter()
        try:
            self._ended = True
            self._pending = None
            await self._close_upstream()
        finally:
            self._busy = False

    def _enter(self) -> None:
        if self._busy:
            raise StateError("concurrent_use", "the translation is in use by another task")
        self._busy = True

    async def _step(self) -> bytes:
        """Take one piece, or the end, of the upstream; an end sets `_ended`."""
        try:
            piece = await anext(self._upstream)
        except StopAsyncIteration:
            return self._finish()
        except Exception as fault:  # noqa: BLE001 - whatever it is, the client must be told
            # The name only: messages of network errors tell hosts and addresses.
            output = self._translator.fail(f"the upstream failed: {type(fault).__name__}")
            return output + await self._end(fault)
        except BaseException:
            await self._abandon()
            raise
        try:
            return self._translator.feed(piece)
        except (DecodeError, UnsupportedError) as fault:
            return fault.output + await self._end(fault)
        except BaseException:
            await self._abandon()
            raise

    def _finish(self) -> bytes:
        """The upstream has ended, maybe too early."""
        self._ended = True
        output, fault = self._translator._finish_whole()  # noqa: SLF001 - the extension's own back door
        self._keep(fault)
        return output

    async def _end(self, fault: Exception) -> bytes:
        """The upstream is at fault: close it, and return what closes the client's stream."""
        self._ended = True
        self._keep(fault)
        output = self._translator.finish()
        await self._abandon()
        return output

    def _keep(self, fault: Exception | None) -> None:
        self._exception = fault
        # A connection that is reset behind the answer's end does not undo the answer.
        if self._reraise and self.outcome not in {"completed", "incomplete"}:
            self._pending = fault

    async def _abandon(self) -> None:
        """Close the upstream when something more important is under way than what that may raise."""
        self._ended = True
        with contextlib.suppress(Exception):
            await self._close_upstream()

    async def _close_upstream(self) -> None:
        # Async generators have it, plain async iterators need not.
        aclose = getattr(self._upstream, "aclose", None)
        if aclose is not None:
            await aclose()
