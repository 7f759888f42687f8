"""The tree keeps its promises: one name a format, small files, nothing of one machine."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_LINES = 600

RUST_FORMATS = ROOT / "rust/core/src/formats"
REFERENCE_FORMATS = ROOT / "python/transcodec/reference/formats"
FORMAT_PAGES = ROOT / "docs/formats"
VECTORS = ROOT / "tests/vectors"
CORE = ROOT / "rust/core"

#: Words that say nothing about what a thing is.
EMPTY_WORDS = {
    "common", "handle", "handler", "handlers", "helper", "helpers", "misc", "process", "processor",
    "util", "utils",
}  # fmt: skip
DEFINED = re.compile(
    r"^[^\S\n]*(?:[\w()]+[^\S\n]+)*(?:def|class|fn|struct|enum|trait|mod)[^\S\n]+(\w+)", re.MULTILINE
)

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


def test_the_core_knows_nothing_of_python() -> None:
    files = [path for path in tracked() if path.is_relative_to(CORE)]
    assert CORE / "Cargo.toml" in files
    assert sum(path.suffix == ".rs" for path in files) > 50
    assert [path for path in files if re.search("pyo3|maturin", path.read_text(), re.IGNORECASE)] == []
    manifest = tomllib.loads((CORE / "Cargo.toml").read_text())
    # What the core needs is what its manifest says: none of it stands on the bindings.
    assert set(manifest["dependencies"]) == {"memchr", "serde", "serde_json"}
    assert not {"build-dependencies", "target", "features"} & manifest.keys()


def test_the_gate_is_one_command() -> None:
    makefile = (ROOT / "Makefile").read_text()
    [gate] = re.findall(r"^test:([^#\n]*)", makefile, re.MULTILINE)
    assert gate.split() == ["lint", "rust-test", "python-test"]
    script = ROOT / ".ci/run"
    if not script.exists() and not (ROOT / ".git").exists():
        pytest.skip("an sdist does not bring the script of the build server")
    commands = [line for line in script.read_text().splitlines() if line and not line.startswith("#")]
    assert commands[-1] == "exec make test"
    # Nothing is left out of it on the way.
    assert "PYTEST_ARGS" not in script.read_text()
    assert os.access(script, os.X_OK)


def test_files_stay_small() -> None:
    files = [path for path in tracked() if path.suffix in {".rs", ".py", ".pyi", ".md", ".toml"}]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files}
    assert {path.suffix for path in files} == {".rs", ".py", ".pyi", ".md", ".toml"}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def words(name: str) -> set[str]:
    """The words of a name in any of the usual spellings."""
    return set(
        re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("-", "_").replace(".", "_").split("_")
    )


def test_names_say_what_things_are() -> None:
    found = []
    for path in tracked():
        place = path.relative_to(ROOT)
        found += [str(place) for part in place.parts if words(part) & EMPTY_WORDS]
        if path.suffix in {".rs", ".py", ".pyi"}:
            found += [
                f"{place}: {name}" for name in DEFINED.findall(path.read_text()) if words(name) & EMPTY_WORDS
            ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    ["def process_event(", "class ChunkHandler:", "pub(crate) fn handle(", "mod utils;", "    def _helper("],
)
def test_empty_words_are_found_in_definitions(line: str) -> None:
    [name] = DEFINED.findall(line)
    assert words(name) & EMPTY_WORDS


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
