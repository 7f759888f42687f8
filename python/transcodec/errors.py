"""Exceptions: few classes to catch, many stable codes to tell apart.

    TranscodecError(Exception)              .code .message .offset .path .output
    ├─ DecodeError(ValueError too)          the bytes are wrong: framing, JSON, a member, a limit
    │  └─ TruncatedError                    the input ended before its own end
    ├─ UnsupportedError(ValueError too)     what was asked for cannot be done, or a loss was refused
    └─ StateError(RuntimeError too)         the API was misused, for instance `feed` after `finish`

Every error the library raises on its own account is one of these. `docs/errors.md` lists the codes.
"""

from __future__ import annotations

__all__ = ["DecodeError", "StateError", "TranscodecError", "TruncatedError", "UnsupportedError"]


class TranscodecError(Exception):
    """Base class of all errors raised by transcodec.

    Attributes:
        code: Stable slug such as `"invalid_json"`; renaming one is a breaking change.
        message: What is wrong, in a sentence without position. It quotes at most 32 bytes of the input,
            because prompts are private.
        offset: Position of the first wrong byte, counted over all bytes fed since the start; the total after
            a cut. None where no byte is to blame.
        path: JSON Pointer (RFC 6901) to the member at fault, or None.
        output: Bytes for the client that were ready before the error. Send them: they are not returned again.
    """

    code: str
    message: str
    offset: int | None
    path: str | None
    output: bytes

    def __init__(
        self,
        code: str,
        message: str,
        offset: int | None = None,
        path: str | None = None,
        output: bytes = b"",
    ) -> None:
        # Only the message becomes `args`: `repr()` ends up in logs and must not spill the client's output.
        super().__init__(message)
        self.code = code
        self.message = message
        self.offset = offset
        self.path = path
        self.output = output

    def __str__(self) -> str:
        places = []
        if self.offset is not None:
            places.append(f"byte {self.offset}")
        if self.path is not None:
            places.append(f"path {self.path!r}")
        return f"{self.message} (at {', '.join(places)})" if places else self.message

    def __reduce__(self) -> tuple[object, ...]:
        # The default would call the class with `args` alone, which lacks the code.
        fields = (self.code, self.message, self.offset, self.path, self.output)
        return (type(self), fields, self.__dict__)


class DecodeError(TranscodecError, ValueError):
    """The bytes are not what the source format allows."""


class TruncatedError(DecodeError):
    """The input ended before its own end: no `[DONE]`, terminal event or closing bracket."""


class UnsupportedError(TranscodecError, ValueError):
    """The formats or options asked for cannot do this, or a loss was refused by `on_loss="error"`."""


class StateError(TranscodecError, RuntimeError):
    """The API was misused: `feed` after `finish`, or one translator used from two threads at once."""
