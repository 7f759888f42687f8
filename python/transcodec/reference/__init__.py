"""The pure-Python reference: the executable specification.

The same names as the package itself, written to be read. Nothing here imports the compiled module, and the
compiled module never falls back to this one.
"""

from __future__ import annotations

from transcodec.reference.context import Context
from transcodec.reference.stream.bodies import Translated, translate_response
from transcodec.reference.stream.translator import StreamResult, StreamTranslator, translate_stream
from transcodec.reference.transcript.dialect import NativeDialect, TextDialect
from transcodec.reference.transcript.envelope import (
    decode_assistant,
    decode_tool,
    encode_assistant,
    encode_tool,
    refusal,
)
from transcodec.reference.transcript.packing import pack, refused_envelopes, unpack
from transcodec.reference.transcript.replay import (
    to_provider_messages,
    to_text_messages,
    to_typed_messages,
)
from transcodec.reference.transcript.wire import from_wire, to_wire

__all__ = [
    "Context",
    "NativeDialect",
    "StreamResult",
    "StreamTranslator",
    "TextDialect",
    "Translated",
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
    "translate_response",
    "translate_stream",
    "unpack",
]
