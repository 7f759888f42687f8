"""The codes in the docs, in the design and in the sources are the same."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `([a-z0-9_.]+)` \|([^|]*)", re.MULTILINE)


def rows(page: str, heading: str | None = None) -> dict[str, str]:
    """First two columns of the tables of a page, or of one of its sections."""
    text = (ROOT / page).read_text()
    if heading is not None:
        text = text.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    return {code: second.strip() for code, second in ROW.findall(text)}


def core_codes() -> set[str]:
    """Public spellings in the core's catalogue."""
    return set(re.findall(r'=> "([a-z0-9_]+)"', (ROOT / "rust/core/src/error.rs").read_text()))


def stream_codes() -> set[str]:
    """Codes of faults that streams and bodies can have."""
    page = "docs/errors.md"
    decode = rows(page, "## DecodeError: the bytes are wrong")
    return {*decode, *rows(page, "## TruncatedError: the input ended early")}


def test_every_code_of_the_core_is_documented() -> None:
    assert core_codes()
    assert core_codes() <= rows("docs/errors.md").keys()


def test_every_documented_fault_of_the_input_is_in_the_core() -> None:
    histories = rows("docs/errors.md", "## Rows and envelopes")
    assert stream_codes() | histories.keys() == core_codes()


def test_losses_are_documented_as_they_are_designed() -> None:
    designed = rows("DESIGN.md", "## 6. Losses")
    assert designed
    assert rows("docs/losses.md") == designed
    assert set(designed.values()) == {"content", "state", "metadata"}


def test_documented_misuse_is_known_to_the_sources() -> None:
    documented = rows("docs/errors.md", "## StateError: the API was misused").keys()
    sources = "".join(path.read_text() for path in (ROOT / "rust").rglob("src/**/*.rs"))
    assert documented
    assert {code for code in documented if f'"{code}"' not in sources} == set()
