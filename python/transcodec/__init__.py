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
from transcodec.errors import DecodeError, StateError, TranscodecError, TruncatedError, UnsupportedError
from transcodec.losses import Loss
from transcodec.streams import StreamResult, translate_stream
from transcodec.usage import Usage

__all__ = [
    "Context",
    "DecodeError",
    "Loss",
    "StateError",
    "StreamResult",
    "StreamTranslator",
    "TranscodecError",
    "Translated",
    "TruncatedError",
    "UnsupportedError",
    "Usage",
    "aio",
    "translate_response",
    "translate_stream",
]
