"""README.md is true: snippets and commands run, tables say what the package does, links lead somewhere."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import transcodec
from transcodec.demo import stream
from transcodec.demo.client import assemble

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
FORMATS = ["openai_chat", "openai_responses"]


def section(heading: str) -> str:
    """The text under a heading."""
    _, found, rest = README.partition(f"\n## {heading}\n")
    assert found, f"README.md has no section {heading!r}"
    return rest.partition("\n## ")[0]


def snippets(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def commands(text: str) -> list[str]:
    return [line.strip() for line in re.findall(r"^ {4}(\w.*)$", text, re.MULTILINE)]


def table(text: str) -> list[list[str]]:
    """The cells of all rows below a head."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def names(cells: list[str]) -> list[str]:
    return re.findall(r"`([^`]+)`", " ".join(cells))


def test_snippets_run() -> None:
    found = snippets(README)
    assert len(found) == 5
    space: dict[str, Any] = {}
    for snippet in found:
        exec(compile(snippet, "README.md", "exec"), space)  # noqa: S102 - our own page


def relay() -> Any:
    space: dict[str, Any] = {}
    exec(snippets(section("In a gateway"))[0], space)  # noqa: S102 - our own page
    return space["relay"]


def too_slow() -> Any:
    yield stream()[:4000]
    raise TimeoutError


@pytest.mark.parametrize(
    ("upstream", "outcome"),
    [
        ([stream()[:999], stream()[999:]], "completed"),
        ([stream()[:-100]], "truncated"),
        ([stream()[:4000], b"\n\ndata: {]\n\n"], "failed"),
        (too_slow(), "failed"),
    ],
    ids=["whole", "cut", "invalid", "timeout"],
)
def test_the_gateway_loop_always_ends_properly(upstream: Any, outcome: str) -> None:
    sent: list[bytes] = []
    assert relay()(b'{"stream":true}', upstream, sent.append)[0] == outcome
    answer = assemble(b"".join(sent))
    assert answer.done is (outcome == "completed")
    assert (answer.error is None) is (outcome == "completed")


def test_the_async_loop_gives_the_same() -> None:
    space: dict[str, Any] = {"transcodec": transcodec}
    exec(snippets(section("In a gateway"))[2], space)  # noqa: S102 - our own page

    async def pieces() -> AsyncIterator[bytes]:
        yield stream()[:999]
        yield stream()[999:]

    sent: list[bytes] = []

    async def send(piece: bytes) -> None:
        sent.append(piece)

    assert asyncio.run(space["relay_async"](pieces(), send)) == ("completed", [], None)
    assert assemble(b"".join(sent)).done


@pytest.mark.skipif(os.name == "nt", reason="the lines are written for a POSIX shell")
def test_command_lines_run(tmp_path: Path) -> None:
    (tmp_path / "answer.sse").write_bytes(stream())
    command = tmp_path / "transcodec"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m transcodec "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    lines = commands(section("On the command line"))
    assert lines
    for line in lines:
        subprocess.run(["sh", "-ec", line], cwd=tmp_path, env=os.environ | {"PATH": path}, check=True)
        assert assemble((tmp_path / "chat.sse").read_bytes()).done


def test_make_verbs_exist() -> None:
    verbs = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    mentioned = set(re.findall(r"(?:^ {4}|`)make ([a-z-]+)", README, re.MULTILINE))
    assert {"demo", "test", "bench"} <= mentioned <= verbs


def test_the_table_of_pairs_is_what_the_translator_offers() -> None:
    head = README.partition("| from ↓ to → |")[2].splitlines()[0]
    assert names([head]) == FORMATS
    for head_cell, *cells in table(section("What works today")):
        [source] = names([head_cell])
        for target, cell in zip(FORMATS, cells, strict=True):
            try:
                transcodec.StreamTranslator(source, target)
            except ValueError:
                offered = False
            else:
                offered = True
            assert (source, target, cell) == (source, target, "yes" if offered else "not yet")


def test_every_guarantee_names_a_test_that_exists() -> None:
    rows = table(section("What it guarantees"))
    tests = (ROOT / "tests/test_guarantees.py").read_text()
    assert len(rows) > 10
    for _, proof in rows:
        for name in names([proof]):
            exists = (ROOT / name).is_file() if "/" in name else f"\ndef {name}(" in tests
            assert exists, name


def test_the_table_of_limits_is_what_the_translator_has() -> None:
    parameters = inspect.signature(transcodec.StreamTranslator).parameters
    defaults = {name: value.default for name, value in parameters.items() if name.startswith("max_")}
    rows = table(section("Limits"))
    assert {names([row[0]])[0]: int(row[1].replace(",", "")) for row in rows} == defaults
    errors = (ROOT / "docs/errors.md").read_text()
    codes = [code for row in rows for code in names([row[2]])]
    assert len(codes) == len(rows) - 1
    assert all(f"| `{code}` |" in errors for code in codes)


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
