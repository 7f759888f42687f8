"""The formats: one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from transcodec.reference.formats.openai_chat import body as chat_body
from transcodec.reference.formats.openai_chat.decode import ChatDecoder
from transcodec.reference.formats.openai_chat.encode import ChatEncoder
from transcodec.reference.formats.openai_responses import body as responses_body
from transcodec.reference.formats.openai_responses.decode import ResponsesDecoder
from transcodec.reference.formats.openai_responses.encode import ResponsesEncoder

if TYPE_CHECKING:
    from collections.abc import Callable

    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.stream.delta import Delta, Fault
    from transcodec.reference.stream.encoder import Encoder, EncoderOptions
    from transcodec.reference.stream.options import Options
    from transcodec.reference.stream.snapshot import Snapshot

__all__ = ["BODIES", "DECODERS", "ENCODERS", "ERROR_BODIES", "PAIRS", "Decoder"]


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


DECODERS: dict[str, Callable[[Options], Decoder]] = {
    "openai_chat": lambda options: ChatDecoder(think_tags=options.think_tags),
    "openai_responses": lambda _options: ResponsesDecoder(),
}
ENCODERS: dict[str, Callable[[EncoderOptions, Snapshot], Encoder]] = {
    "openai_chat": ChatEncoder,
    "openai_responses": ResponsesEncoder,
}
#: Writers of whole bodies.
BODIES: dict[str, Callable[[Snapshot, EncoderOptions], str]] = {
    "openai_chat": chat_body.write_body,
    "openai_responses": responses_body.write_body,
}
#: Writers of what stands in the place of a body.
ERROR_BODIES: dict[str, Callable[[Fault], str]] = {
    "openai_chat": chat_body.write_error_body,
    "openai_responses": responses_body.write_error_body,
}
#: Source and target.
PAIRS = (("openai_responses", "openai_chat"), ("openai_chat", "openai_responses"))
