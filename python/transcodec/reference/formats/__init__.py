"""The formats: one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from transcodec.reference.formats.openai_chat.encode import ChatEncoder
from transcodec.reference.formats.openai_responses.decode import ResponsesDecoder

if TYPE_CHECKING:
    from collections.abc import Callable

    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.stream.delta import Delta
    from transcodec.reference.stream.encoder import Encoder, EncoderOptions

__all__ = ["DECODERS", "ENCODERS", "PAIRS", "Decoder"]


class Decoder(Protocol):
    """Reads a format's events."""

    #: Whether the name of a call may come in pieces.
    growing_names: bool

    def event(self, root: JsonNode, name: str | None, path: str) -> list[Delta]:
        """The deltas of one event, all of them or a `MemberFault`."""
        ...

    def body(self, root: JsonNode) -> list[Delta]:
        """The deltas of an input that is one JSON object."""
        ...

    def done_mark(self) -> list[Delta]:
        """The deltas of the done mark."""
        ...

    def end_of_input(self) -> list[Delta]:
        """The deltas of the end of the input."""
        ...


DECODERS: dict[str, Callable[[], Decoder]] = {"openai_responses": ResponsesDecoder}
ENCODERS: dict[str, Callable[[EncoderOptions], Encoder]] = {"openai_chat": ChatEncoder}
PAIRS = (("openai_responses", "openai_chat"),)
