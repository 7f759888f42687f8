"""The tree keeps its promises: one name a format, small files, nothing of one machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_LINES = 600

RUST_FORMATS = ROOT / "rust/core/src/formats"
REFERENCE_FORMATS = ROOT / "python/transcodec/reference/formats"
FORMAT_PAGES = ROOT / "docs/formats"
VECTORS = ROOT / "tests/vectors"

#: Registry hosts, folders of one machine, and an option that names a registry.
FOREIGN = re.compile(
    r"pypi\.org|pythonhosted\.org|(?<![\w.])crates\.io|registry\.npmjs|proxy\.golang"
    r"|(?<![\w.])/(?:work|root|home/\w+|Users/\w+)/|index-url|find-links"
)
#: Cargo writes the name of its registry into the lock file itself.
GENERATED = {"Cargo.lock"}


def tracked() -> list[Path]:
    """Files under version control; in an unpacked sdist, all files."""
    if not (ROOT / ".git").exists():
        return [path for path in ROOT.rglob("*") if path.is_file() and ".venv" not in path.parts]
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [path for name in listing.decode().split("\0") if name and (path := ROOT / name).is_file()]


def names(folder: Path) -> set[str]:
    """Names of what a folder holds, be it folders or files."""
    return {path.stem for path in folder.iterdir() if path.stem not in {"mod", "__init__", "__pycache__"}}


@pytest.mark.parametrize("folder", [RUST_FORMATS, REFERENCE_FORMATS], ids=["rust", "reference"])
def test_every_format_has_its_page_under_the_same_name(folder: Path) -> None:
    assert names(folder) == names(FORMAT_PAGES)


def test_vectors_are_named_after_pages() -> None:
    assert names(VECTORS) <= names(FORMAT_PAGES) | names(ROOT / "docs")


def test_the_core_forbids_unsafe_code() -> None:
    assert "#![forbid(unsafe_code)]" in (ROOT / "rust/core/src/lib.rs").read_text()


def test_source_files_stay_small() -> None:
    sources = [path for path in tracked() if path.suffix in {".rs", ".py"}]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in sources}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def test_nothing_names_a_registry_or_a_machine() -> None:
    found = []
    for path in tracked():
        if path.name in GENERATED or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if FOREIGN.search(line.decode(errors="replace")):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line[:80]!r}")
    assert found == []


@pytest.mark.parametrize(
    "line", ["see https://pypi.org/simple", "--extra-index-url x", "in /root/x", "/work/a", "cd /home/me/b"]
)
def test_the_search_finds_what_it_should(line: str) -> None:
    assert FOREIGN.search(line)


@pytest.mark.parametrize("line", ["docs/homework/x", "framework/", "src/root/mod.rs"])
def test_the_search_leaves_ordinary_words_alone(line: str) -> None:
    assert not FOREIGN.search(line)
