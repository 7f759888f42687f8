"""What a stream must know of the request that it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from transcodec.errors import DecodeError
from transcodec.reference.formats import REQUESTS
from transcodec.reference.json_reader import InvalidJson, read_json
from transcodec.reference.members import MemberFault, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transcodec.reference.declared import ToolKind

__all__ = ["Context"]


@dataclass(frozen=True, slots=True)
class Context:
    """The client's own request, as far as its answer depends on it.

    Attributes:
        tools: Name of each declared tool: `function` or `custom`.
        include_usage: Whether the client asked for usage; None if its format has no such flag.
    """

    tools: Mapping[str, ToolKind]
    include_usage: bool | None = None

    @classmethod
    def from_request(cls, body: bytes | bytearray | memoryview, /, *, format: str) -> Context:
        """Read a request body.

        Args:
            body: The request as JSON.
            format: `openai_chat` or `openai_responses`.

        Raises:
            DecodeError: the body is no JSON, or a member that is needed has another type.
            ValueError: the format is unknown.
        """
        if format not in REQUESTS:
            raise ValueError(f"format must be one of {', '.join(REQUESTS)}, not {format!r}")
        try:
            request = as_object(read_json(bytes(memoryview(body))), "")
            return cls(*REQUESTS[format](request))
        except InvalidJson as fault:
            raise DecodeError(fault.code, "the request is no JSON text", fault.at, "") from None
        except MemberFault as fault:
            raise DecodeError(
                fault.code, "a member of the request is not usable", fault.at, fault.path
            ) from None
