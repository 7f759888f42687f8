"""LLM transcript codecs: bytes of one provider's wire format in, bytes of another's out.

    stream = transcodec.StreamTranslator("openai_responses", "openai_chat")
    try:
        for piece in upstream:
            send(stream.feed(piece))
    except transcodec.DecodeError as error:
        send(error.output)
    send(stream.finish())

`README.md` shows more; `transcodec.reference` is the same in plain Python, the executable specification.
"""

from transcodec import aio
from transcodec._native import Context, StreamTranslator
from transcodec.bodies import Translated, translate_response
from transcodec.dialects import NativeDialect, TextDialect
from transcodec.envelopes import (
    decode_assistant,
    decode_tool,
    encode_assistant,
    encode_tool,
    from_wire,
    pack,
    refusal,
    refused_envelopes,
    to_provider_messages,
    to_text_messages,
    to_typed_messages,
    to_wire,
    unpack,
)
from transcodec.errors import DecodeError, StateError, TranscodecError, TruncatedError, UnsupportedError
from transcodec.losses import Loss
from transcodec.replay import Replay, Unpaired
from transcodec.rows import (
    CallsEntry,
    ChatEntry,
    Message,
    ResultsEntry,
    ToolCall,
    ToolResult,
    entry_from_dict,
)
from transcodec.streams import StreamResult, translate_stream
from transcodec.usage import Usage

__all__ = [
    "CallsEntry",
    "ChatEntry",
    "Context",
    "DecodeError",
    "Loss",
    "Message",
    "NativeDialect",
    "Replay",
    "ResultsEntry",
    "StateError",
    "StreamResult",
    "StreamTranslator",
    "TextDialect",
    "ToolCall",
    "ToolResult",
    "TranscodecError",
    "Translated",
    "TruncatedError",
    "Unpaired",
    "UnsupportedError",
    "Usage",
    "aio",
    "decode_assistant",
    "decode_tool",
    "encode_assistant",
    "encode_tool",
    "entry_from_dict",
    "from_wire",
    "pack",
    "refusal",
    "refused_envelopes",
    "to_provider_messages",
    "to_text_messages",
    "to_typed_messages",
    "to_wire",
    "translate_response",
    "translate_stream",
    "unpack",
]
