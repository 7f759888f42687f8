"""The pure-Python reference: the executable specification."""

from __future__ import annotations

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
    "unpack",
]
