"""The bundled stream of `transcodec demo` and what shows it to a person.

`responses_tool_call.sse` is no recording: `tests/make_demo_stream.py` wrote it, and a test holds the two
equal. It is an OpenAI Responses stream as a gateway meets it: a reasoning summary, a sentence of text, and
two parallel calls whose arguments arrive interleaved.
"""

from __future__ import annotations

from importlib.resources import files

__all__ = ["SOURCE", "TARGET", "stream"]

#: Formats that the demo translates between.
SOURCE = "openai_responses"
TARGET = "openai_chat"


def stream() -> bytes:
    """Returns the bundled Responses stream, as it would come from the network."""
    return files(__name__).joinpath("responses_tool_call.sse").read_bytes()
