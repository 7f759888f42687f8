from typing import Any, Literal, Self, final

from transcodec.errors import DecodeError, UnsupportedError
from transcodec.losses import Loss
from transcodec.replay import UnpairedCode
from transcodec.usage import Usage

__all__ = [
    "Context",
    "StreamTranslator",
    "decode_assistant",
    "decode_tool",
    "encode_assistant",
    "encode_tool",
    "from_wire",
    "pack",
    "refusal",
    "refused_envelopes",
    "to_provider_messages",
    "to_text_messages",
    "to_typed_messages",
    "to_wire",
    "translate_response_bytes",
    "unpack",
]

@final
class Context:
    """What a stream must know of its request: declared tools and the usage flag."""

    @staticmethod
    def from_request(body: bytes | bytearray | memoryview | str | dict[str, Any], *, format: str) -> Context:
        """Reads a request body: JSON as bytes or text, or the parsed object.

        Members that are not understood are passed over.

        Args:
            body: The client's own request, in the stream's target format.
            format: Its format.

        Raises:
            DecodeError: `invalid_json`, `invalid_utf8`, `nesting_too_deep`, or `invalid_type` for a body
                that is no object.
            ValueError: The format is unknown.
        """
    @property
    def tools(self) -> dict[str, Literal["function", "custom"]]:
        """Declared tools: name to `"function"` or `"custom"`."""
    @property
    def include_usage(self) -> bool | None:
        """Whether the client asked for token counts; None if its format has no such flag."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class StreamTranslator:
    """Translates one streamed answer from one provider format to another.

    Feed it the source's bytes as they come, split anywhere; send on what it returns. `finish` always gives
    the client a proper end. One object serves one answer and one thread at a time.

    Args:
        source: Format of what is fed.
        target: Format of what is returned.
        context: What the client's request declares (custom tools, usage flag).
        model: Model name for the client instead of the source's.
        response_id: Response id for the client instead of the source's.
        created: Seconds since 1970 for the client instead of the source's.
        id_seed: What ids are derived from where the source has no response id.
        include_usage: Write token counts; default: what the context says, else yes.
        reasoning_field: Member of a Chat delta that carries reasoning; None leaves reasoning out.
        on_loss: `"error"` stops before the first event that would lose content.
        same_format: What is done if source and target are one format. `"clean"`: what is right is copied byte
            for byte, the rest put right. `"verbatim"`: every byte is passed on and only observed; `feed` does
            not raise for the source's faults, `finish` adds the error event if it was wrong or cut.
        collect: Keep the answer, so that `response` can give it as a body.
        think_tags: Treat `<think>…</think>` at the start of a Chat text as reasoning.
        max_event_bytes: Limit of one event, all its lines included.
        max_held_bytes: Limit of all that waits for its turn.
        max_open_calls: Limit of calls that are not closed.
        max_blocks: Limit of items and parts.
        max_answer_bytes: Limit of the text of an answer that must be kept as a whole.
        max_losses: Losses that are kept; `loss_count` counts all.

    Raises:
        ValueError: Unknown format, pair or option value.
    """

    def __new__(
        cls,
        source: str,
        target: str,
        *,
        context: Context | None = None,
        model: str | None = None,
        response_id: str | None = None,
        created: int | None = None,
        id_seed: str | None = None,
        include_usage: bool | None = None,
        reasoning_field: Literal["reasoning_content", "reasoning"] | None = "reasoning_content",
        on_loss: Literal["report", "error"] = "report",
        same_format: Literal["clean", "verbatim"] = "clean",
        collect: bool = False,
        think_tags: bool = False,
        max_event_bytes: int = 33_554_432,
        max_held_bytes: int = 8_388_608,
        max_open_calls: int = 1_024,
        max_blocks: int = 65_536,
        max_answer_bytes: int = 67_108_864,
        max_losses: int = 256,
    ) -> Self: ...
    def feed(self, data: bytes | bytearray | memoryview, /) -> bytes:
        """Takes the next bytes of the source, split anywhere; returns what follows from them.

        Raises:
            DecodeError: Once, when the source is wrong; `.output` is what this call produced before.
                `finish` then returns the target's error event.
            UnsupportedError: Once, with `on_loss="error"`; likewise.
            StateError: `feed_after_error`, `feed_after_finish`, `concurrent_use`.
        """
    def finish(self) -> bytes:
        """Takes the end of the source; returns what closes the client's stream.

        Never raises for the source's faults: they come out as the target's error event. A second call returns
        nothing.

        Raises:
            StateError: `concurrent_use`.
        """
    def _finish_whole(self) -> tuple[bytes, DecodeError | UnsupportedError | None]: ...
    def fail(self, message: str, /, *, code: str | None = None) -> bytes:
        """Ends the client's stream with a fault that the caller saw, such as a time-out.

        Args:
            message: For a person; the client reads it.
            code: For programs; default `upstream_failed`.

        Raises:
            StateError: `feed_after_finish`, `concurrent_use`.
        """
    def response(self, format: str | None = None) -> bytes:
        """The whole answer as a response body, of the target's format or another one.

        It says what the stream said; if the answer failed it is the error body.

        Raises:
            StateError: `not_collected` without `collect=True`, `not_ended` before the end, `concurrent_use`.
            ValueError: The format is unknown.
        """
    @property
    def outcome(self) -> Literal["completed", "incomplete", "failed", "truncated"] | None:
        """How the answer ended; None while it is open."""
    @property
    def losses(self) -> list[Loss]:
        """The losses so far, at most `max_losses`."""
    @property
    def loss_count(self) -> int:
        """How many losses there were, also those beyond `max_losses`."""
    @property
    def usage(self) -> Usage | None:
        """The token counts so far; None if the source gave none."""
    @property
    def content_type(self) -> str:
        """The media type of the target's stream."""

def translate_response_bytes(
    body: bytes | bytearray | memoryview,
    source: str,
    target: str,
    *,
    context: Context | None = None,
    model: str | None = None,
    response_id: str | None = None,
    created: int | None = None,
    id_seed: str | None = None,
    include_usage: bool | None = None,
    reasoning_field: Literal["reasoning_content", "reasoning"] | None = "reasoning_content",
    on_loss: Literal["report", "error"] = "report",
    same_format: Literal["clean", "verbatim"] = "clean",
    think_tags: bool = False,
    max_body_bytes: int = 67_108_864,
) -> tuple[bytes, list[Loss], str, Usage | None]:
    """Translates a whole response body; `transcodec.translate_response` is the public face."""

# JSON text to JSON text; `transcodec.envelopes` puts options' defaults and objects around these.

def pack(data: bytes | bytearray | memoryview, order: str) -> bytes: ...
def unpack(data: bytes | bytearray | memoryview, accept: str, order: str, paired_only: bool) -> bytes: ...
def refused_envelopes(
    data: bytes | bytearray | memoryview, accept: str, order: str
) -> list[tuple[int, str]]: ...
def encode_assistant(data: bytes | bytearray | memoryview, order: str) -> str: ...
def encode_tool(data: bytes | bytearray | memoryview, order: str) -> str: ...
def decode_assistant(content: str, accept: str, order: str) -> bytes | None: ...
def decode_tool(content: str, accept: str, order: str) -> bytes | None: ...
def refusal(content: str, role: str, accept: str, order: str) -> str | None: ...
def to_provider_messages(
    data: bytes | bytearray | memoryview, order: str, unpaired: str, split_results: str, duplicate_ids: str
) -> tuple[bytes, list[tuple[UnpairedCode, tuple[int, ...], tuple[str, ...]]]]: ...
def to_typed_messages(
    data: bytes | bytearray | memoryview, unpaired: str, split_results: str, duplicate_ids: str
) -> tuple[bytes, list[tuple[UnpairedCode, tuple[int, ...], tuple[str, ...]]]]: ...
def to_text_messages(data: bytes | bytearray | memoryview) -> tuple[bytes, list[int]]: ...
def to_wire(
    data: bytes | bytearray | memoryview, content: str, reasoning: bool, extra_content: bool
) -> bytes: ...
def from_wire(data: bytes | bytearray | memoryview) -> bytes: ...
