"""The formats: one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from transcodec.reference.formats.openai_chat import body as chat_body
from transcodec.reference.formats.openai_chat import chunks
from transcodec.reference.formats.openai_chat import request as chat_request
from transcodec.reference.formats.openai_chat.clean import CleanChat
from transcodec.reference.formats.openai_chat.decode import ChatDecoder
from transcodec.reference.formats.openai_chat.encode import ChatEncoder
from transcodec.reference.formats.openai_chat.riders import ChatRiders
from transcodec.reference.formats.openai_responses import body as responses_body
from transcodec.reference.formats.openai_responses import known
from transcodec.reference.formats.openai_responses import request as responses_request
from transcodec.reference.formats.openai_responses.clean import CleanResponses
from transcodec.reference.formats.openai_responses.decode import ResponsesDecoder
from transcodec.reference.formats.openai_responses.encode import ResponsesEncoder
from transcodec.reference.formats.openai_responses.mirror_turn import MirrorTurn

if TYPE_CHECKING:
    from collections.abc import Callable

    from transcodec.reference.declared import ToolKind
    from transcodec.reference.json_reader import JsonNode
    from transcodec.reference.members import Members
    from transcodec.reference.stream.clean.levels import Level
    from transcodec.reference.stream.clean.source import Cleaner
    from transcodec.reference.stream.delta import Delta, Fault
    from transcodec.reference.stream.encoder import Encoder, EncoderOptions, Traits
    from transcodec.reference.stream.losses import LossLog
    from transcodec.reference.stream.options import Options
    from transcodec.reference.stream.snapshot import Snapshot
    from transcodec.reference.stream.turn import Turn

__all__ = [
    "BODIES",
    "CLEANERS",
    "DECODERS",
    "ENCODERS",
    "ERROR_BODIES",
    "PAIRS",
    "PASSED_ON",
    "REQUESTS",
    "RIDERS",
    "TURNS",
    "WHOLE",
    "Decoder",
]


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

    def completes_end(self, event: bytes, name: str | None) -> bool:
        """Whether an event behind the end belongs to it: it only says once more how the answer ended."""
        ...

    def end_of_input(self) -> list[Delta]:
        """The deltas of the end of the input."""
        ...


#: Each is told whether the target is one that the source is passed on to, and what it can say.
DECODERS: dict[str, Callable[[Options, bool, Traits], Decoder]] = {
    "openai_chat": lambda options, same_format, target: ChatDecoder(
        think_tags=options.think_tags, same_format=same_format, has_choices=target.choices
    ),
    "openai_responses": lambda _options, same_format, _target: ResponsesDecoder(mirrored=same_format),
}
ENCODERS: dict[str, Callable[[EncoderOptions, Snapshot], Encoder]] = {
    "openai_chat": ChatEncoder,
    "openai_responses": ResponsesEncoder,
}
#: Targets whose source has the same format.
CLEANERS: dict[str, Callable[[EncoderOptions, Snapshot, LossLog], Cleaner]] = {
    "openai_chat": CleanChat,
    "openai_responses": CleanResponses,
}
#: Referees of targets that mirror their source; of all others it is `Turn`.
TURNS: dict[str, type[Turn]] = {"openai_responses": MirrorTurn}
#: What a cleaner passes on, and so is no loss.
PASSED_ON: dict[str, frozenset[str]] = {
    "openai_chat": frozenset({"delta.member_dropped", "opaque_state.dropped", "usage.member_dropped"}),
    "openai_responses": frozenset({"usage.member_dropped"}),
}
#: What keeps of a stream what its format does not know; others keep that themselves.
RIDERS: dict[str, Callable[[], ChatRiders]] = {"openai_chat": ChatRiders}
#: Which members of whole bodies are known.
WHOLE: dict[str, Level] = {"openai_chat": chunks.WHOLE, "openai_responses": known.WHOLE}
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
#: Readers of requests: the declared tools, and whether the client asked for usage.
REQUESTS: dict[str, Callable[[Members], tuple[dict[str, ToolKind], bool | None]]] = {
    "openai_chat": chat_request.read_request,
    "openai_responses": responses_request.read_request,
}
#: Source and target.
PAIRS = (
    ("openai_responses", "openai_chat"),
    ("openai_chat", "openai_responses"),
    ("openai_chat", "openai_chat"),
    ("openai_responses", "openai_responses"),
)
