"""The exception classes: what can be caught, what a log line shows, what survives a process boundary."""

from __future__ import annotations

import pickle

import pytest

from transcodec import errors
from transcodec.errors import DecodeError, StateError, TranscodecError, TruncatedError, UnsupportedError

CLASSES = [DecodeError, StateError, TranscodecError, TruncatedError, UnsupportedError]


@pytest.mark.parametrize(
    ("raised", "caught"),
    [
        (DecodeError, (TranscodecError, ValueError)),
        (TruncatedError, (DecodeError,)),
        (UnsupportedError, (TranscodecError, ValueError)),
        (StateError, (TranscodecError, RuntimeError)),
    ],
)
def test_classes_are_caught_by_their_bases(
    raised: type[TranscodecError], caught: tuple[type[Exception], ...]
) -> None:
    assert all(issubclass(raised, base) for base in caught)
    assert not issubclass(StateError, ValueError)


@pytest.mark.parametrize(
    ("offset", "path", "shown"),
    [
        (None, None, "no value"),
        (0, None, "no value (at byte 0)"),
        (None, "/item", "no value (at path '/item')"),
        (17, "", "no value (at byte 17, path '')"),
    ],
)
def test_str_gives_the_position_that_is_known(offset: int | None, path: str | None, shown: str) -> None:
    assert str(DecodeError("invalid_json", "no value", offset, path)) == shown


@pytest.mark.parametrize("cls", CLASSES)
def test_pickle_keeps_every_attribute(cls: type[TranscodecError]) -> None:
    error = cls("invalid_json", "no value", 17, "/item", b"data: {}\n\n")
    error.add_note("upstream a")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is cls
    assert (copy.code, copy.message, copy.offset, copy.path, copy.output) == (
        "invalid_json",
        "no value",
        17,
        "/item",
        b"data: {}\n\n",
    )
    assert (str(copy), copy.__notes__) == (str(error), ["upstream a"])


def test_repr_does_not_spill_the_output() -> None:
    error = DecodeError("invalid_json", "no value", output=b"data: a private prompt")
    assert "private" not in repr(error)
    assert "private" not in str(error)


def test_the_module_docstring_draws_every_class() -> None:
    assert set(errors.__all__) == {cls.__name__ for cls in CLASSES}
    assert errors.__doc__ is not None
    assert all(name in errors.__doc__ for name in errors.__all__)
