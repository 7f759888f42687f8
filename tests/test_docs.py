"""Code and examples of docs/ are true; `test_integrating.py` also uses what its page's blocks define."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from implementations import offering

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = {
    str(path.relative_to(DOCS)): blocks
    for path in sorted(DOCS.rglob("*.md"))
    if (blocks := BLOCK.findall(path.read_text(encoding="utf-8")))
}


def test_no_block_of_code_is_left_out() -> None:
    assert {"bodies.md", "integrating.md", "same_format.md"} <= PAGES.keys()
    # A block that the pattern does not find would not be run.
    opened = sum(path.read_text(encoding="utf-8").count("```python") for path in DOCS.rglob("*.md"))
    assert sum(map(len, PAGES.values())) == opened
    assert not [path for path in DOCS.rglob("*.md") if "```py\n" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_one_after_the_other(page: str) -> None:
    space: dict[str, Any] = {}
    for block in PAGES[page]:
        exec(compile(block, f"docs/{page}", "exec"), space)  # noqa: S102 - our own page


def worked_round() -> dict[str, bytes]:
    """The examples of section 10 of the page on envelopes: the words in front of each, and its text."""
    page = (DOCS / "envelopes.md").read_text(encoding="utf-8")
    section = page.partition("\n## 10. A worked round\n")[2].partition("\n## ")[0]
    pairs = re.findall(r"^(\S.*):\n\n {4}(\[.*\])$", section, re.MULTILINE)
    return {words: text.encode() for words, text in pairs}


@pytest.mark.parametrize("module", offering("pack"))
def test_the_worked_round_is_what_the_functions_give(module: Any) -> None:
    examples = worked_round()
    assert [words.rpartition("`")[0].rpartition("`")[2] or "history" for words in examples] == [
        "history",
        "to_provider_messages",
        "unpack",
        "to_wire",
    ]
    history, packed, typed, wire = examples.values()
    assert module.to_provider_messages(history).messages == packed
    assert module.to_typed_messages(history).messages == typed
    assert module.unpack(packed) == typed
    assert module.pack(typed) == packed
    assert module.to_wire(typed) == wire
    # `from_wire` keeps the tool's name, which the typed rows of this history lack.
    back = json.loads(module.from_wire(wire))
    assert back[-1].pop("name") == "find"
    assert back == json.loads(typed)
