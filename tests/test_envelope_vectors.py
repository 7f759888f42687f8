"""Every vector of tests/vectors/envelopes, against every implementation, as text and as objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from implementations import IMPLEMENTATIONS, offering
from transcodec.errors import TranscodecError

VECTORS = Path(__file__).parent / "vectors" / "envelopes"
TEXT_CALLS = {
    "pack", "unpack", "refused_envelopes", "to_provider_messages", "to_typed_messages", "to_text_messages",
    "to_wire", "from_wire",
}  # fmt: skip
REPLAYS = {"to_provider_messages", "to_typed_messages", "to_text_messages"}


def vectors() -> list[dict[str, Any]]:
    found = []
    for path in sorted(VECTORS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                vector = json.loads(line)
                found.append({**vector, "id": f"{path.stem}/{vector['id']}"})
    return found


def parametrised(chosen: list[dict[str, Any]]) -> list[Any]:
    return [
        pytest.param(implementation.values[0], vector, id=f"{implementation.id}-{vector['id']}")
        for vector in chosen
        for implementation in offering(vector["call"])
    ]


ALL = vectors()


def test_there_are_vectors() -> None:
    assert len({vector["id"] for vector in ALL}) == len(ALL) > 350
    calls = {vector["call"] for vector in ALL}
    assert calls >= TEXT_CALLS
    assert all(hasattr(IMPLEMENTATIONS["reference"], call) for call in calls)


@pytest.mark.parametrize(("module", "vector"), parametrised(ALL))
def test_vector(module: Any, vector: dict[str, Any]) -> None:
    given = vector["input"].encode() if vector["call"] in TEXT_CALLS else vector["input"]
    call = getattr(module, vector["call"])
    options = vector.get("options", {})
    if "error" in vector:
        with pytest.raises(TranscodecError) as caught:
            call(given, **options)
        error = caught.value
        assert {"code": error.code, "offset": error.offset, "path": error.path} == vector["error"]
        return
    result = call(given, **options)
    if vector["call"] in REPLAYS:
        assert_reports(vector, result)
        result = result.messages
    if vector["call"] in TEXT_CALLS - {"refused_envelopes"}:
        assert result.decode() == vector["expected"]
    else:
        assert result == vector["expected"]


def assert_reports(vector: dict[str, Any], replay: Any) -> None:
    assert [report.to_dict() for report in replay.unpaired] == vector.get("unpaired", [])
    assert [report.to_dict() for report in replay.dropped] == vector.get("dropped", [])
    losses = [{"code": loss.code, "severity": loss.severity, "path": loss.path} for loss in replay.losses]
    assert losses == vector.get("losses", [])


def as_objects(vector: dict[str, Any]) -> bool:
    """Whether the vector says the same of parsed objects: no repeated keys, no spelling of numbers."""
    if vector["call"] not in TEXT_CALLS:
        return False
    try:
        value = json.loads(vector["input"])
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return False
    # Objects cannot say white space, escapes, spelling of numbers, repeated keys: those are vectors of text.
    return text == vector["input"] and isinstance(value, dict | list)


@pytest.mark.parametrize(("module", "vector"), parametrised([v for v in ALL if as_objects(v)]))
def test_vector_as_objects(module: Any, vector: dict[str, Any]) -> None:
    given = json.loads(vector["input"])
    call = getattr(module, vector["call"])
    options = vector.get("options", {})
    if "error" in vector:
        with pytest.raises(TranscodecError) as caught:
            call(given, **options)
        assert (caught.value.code, caught.value.path) == (vector["error"]["code"], vector["error"]["path"])
        assert caught.value.offset is None
        return
    result = call(given, **options)
    if vector["call"] in REPLAYS:
        assert_reports(vector, result)
        result = result.messages
    wanted = vector["expected"]
    if vector["call"] != "refused_envelopes":
        wanted = json.loads(wanted)
    assert result == wanted
    assert given == json.loads(vector["input"]), "the input is left as it was"
