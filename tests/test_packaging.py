"""Wheel and sdist as a stranger meets them: built, installed into an empty environment, and used."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import transcodec
from transcodec.demo import SOURCE, TARGET, stream

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parent.parent

PROBE = f"""
import sys, transcodec
from transcodec.demo import stream
result = transcodec.translate_stream(stream(), source={SOURCE!r}, target={TARGET!r})
assert result.outcome == "completed", result.outcome
assert "click" not in sys.modules, "the library must not need the command line's dependency"
sys.stdout.buffer.write(result.output)
"""


def run(*command: str | Path, cwd: Path) -> bytes:
    """Runs a command apart from this environment's packages and returns what it printed."""
    outside = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    # The build backend looks for maturin on PATH; one target folder saves building the dependencies twice.
    outside["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    outside.setdefault("CARGO_TARGET_DIR", str(ROOT / "target"))
    done = subprocess.run(command, cwd=cwd, env=outside, capture_output=True, check=False)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, as released, and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "maturin", "build", "--locked", "--out", folder, cwd=ROOT)
    run(sys.executable, "-m", "maturin", "sdist", "--out", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    [path] = dist.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist(dist: Path) -> Path:
    [path] = dist.glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def rebuilt_wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that pip makes of the sdist, with the pinned maturin and the profile that builds fast."""
    folder = tmp_path_factory.mktemp("rebuilt")
    build = [
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--config-settings",
        "build-args=--profile checked",
    ]
    run(sys.executable, "-m", "pip", *build, "--wheel-dir", folder, sdist, cwd=folder)
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_fits_every_python_from_3_11(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name


def test_the_wheel_holds_what_runs_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        "transcodec/__init__.py",
        "transcodec/_native.pyi",
        "transcodec/py.typed",
        "transcodec/cli.py",
        "transcodec/demo/responses_tool_call.sse",
        "transcodec/reference/__init__.py",
    }
    assert wanted <= names
    assert sum(name.endswith(("LICENSE-APACHE", "LICENSE-MIT")) for name in names) == 2
    assert all(name.startswith(("transcodec/", "transcodec-")) for name in names)
    assert not any("__pycache__" in name for name in names)


def test_the_sdist_holds_what_builds_and_what_tests(sdist: Path) -> None:
    root, *_ = sdist.name.split(".tar")
    with tarfile.open(sdist) as archive:
        names = {name.removeprefix(f"{root}/") for name in archive.getnames()}
    wanted = {
        "Cargo.lock",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "Makefile",
        "README.md",
        "requirements-dev.txt",
        "rust/core/src/lib.rs",
        "rust/python/src/lib.rs",
        "tests/test_packaging.py",
    }
    assert wanted <= names
    assert any(name.startswith("tests/vectors/") for name in names)
    assert not any(name.endswith((".so", ".pyd", ".pyc")) or name.startswith("target/") for name in names)


@pytest.mark.parametrize("built", ["wheel", "rebuilt_wheel"])
def test_it_translates_in_an_empty_environment(
    built: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    package: Path = request.getfixturevalue(built)
    venv.create(tmp_path / "env", with_pip=True)
    scripts = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    pinned = ROOT / "requirements-dev.txt"
    pip: list[str | Path] = [scripts / "python", "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", "--constraint", pinned, package, cwd=tmp_path)
    run(*pip, "check", cwd=tmp_path)

    expected = transcodec.translate_stream(stream(), source=SOURCE, target=TARGET).output
    assert run(scripts / "python", "-c", PROBE, cwd=tmp_path) == expected

    (tmp_path / "in.sse").write_bytes(stream())
    command = ["translate", "--from", SOURCE, "--to", TARGET, "in.sse"]
    assert run(scripts / "transcodec", *command, cwd=tmp_path) == expected
    assert b"the same bytes" in run(scripts / "transcodec", "demo", cwd=tmp_path)
