"""The command line: what goes to stdout and stderr, and the exit codes."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from transcodec.cli import main
from transcodec.demo import SOURCE, TARGET, stream
from transcodec.demo.client import assemble, blocks

FORMATS = ["--from", SOURCE, "--to", TARGET]
CREATED = b'data: {"type":"response.created","response":{"id":"resp_1","model":"m","created_at":1}}\n\n'
IMAGE = (
    b'data: {"type":"response.output_item.added","output_index":0,'
    b'"item":{"type":"image_generation_call","id":"ig_1"}}\n\n'
)
FAILED = (
    b'data: {"type":"response.failed","response":{"status":"failed",'
    b'"error":{"code":"server_error","message":"out of luck"}}}\n\n'
)


def run(*arguments: str, data: bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=data)


def translate(data: bytes, *options: str) -> Result:
    return run("translate", *FORMATS, *options, data=data)


def test_stdin_comes_out_translated() -> None:
    result = translate(stream())
    answer = assemble(result.stdout_bytes)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [call.name for call in answer.calls.values()] == ["get_weather", "find_table"]
    assert answer.done


def test_a_file_goes_to_a_file(tmp_path: Path) -> None:
    source, target = tmp_path / "in.sse", tmp_path / "out.sse"
    source.write_bytes(stream())
    result = run("translate", *FORMATS, str(source), "-o", str(target))
    assert (result.exit_code, result.stdout_bytes) == (0, b"")
    assert target.read_bytes() == translate(stream()).stdout_bytes


def test_options_reach_the_translator() -> None:
    output = translate(stream(), "--model", "mine", "--no-usage", "--reasoning-field", "none").stdout_bytes
    assert b'"model":"mine"' in output
    assert b"usage" not in output
    assert b"reasoning" not in output
    assert b'"reasoning":"' in translate(stream(), "--reasoning-field", "reasoning").stdout_bytes


def test_losses_go_to_stderr_one_a_line() -> None:
    result = translate(CREATED + IMAGE)
    losses = [line.split() for line in result.stderr.splitlines() if line.startswith("loss ")]
    assert [line[:4] for line in losses] == [["loss", "image.dropped", "content", "/1/item"]]


def test_a_refused_loss_exits_with_3_and_ends_the_output_with_an_error() -> None:
    result = translate(CREATED + IMAGE, "--on-loss", "error")
    assert result.exit_code == 3
    assert result.stderr.startswith("error image.dropped: ")
    assert assemble(result.stdout_bytes).error is not None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (CREATED, "upstream truncated"),
        (CREATED + FAILED, "upstream failed"),
        (CREATED + b"data: {]\n\n", "error invalid_json: "),
        (b"<html>", "error not_a_stream: "),
    ],
    ids=["cut", "failed", "invalid", "no stream"],
)
def test_upstream_faults_exit_with_1_and_end_the_output_with_an_error(data: bytes, message: str) -> None:
    result = translate(data)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert assemble(result.stdout_bytes).error is not None


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", "--from", SOURCE],
        ["translate", "--from", "carrier_pigeon", "--to", TARGET],
        ["translate", *FORMATS, "--on-loss", "maybe"],
        ["translate", *FORMATS, "no-such-file.sse"],
        ["no-such-command"],
    ],
)
def test_wrong_calls_exit_with_2_and_write_nothing(arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: " in result.stderr


def test_output_appears_while_the_input_is_still_open() -> None:
    first, *rest = blocks(stream())
    command = [sys.executable, "-m", "transcodec", "translate", *FORMATS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stuck = threading.Timer(60, process.kill)
        stuck.start()
        process.stdin.write(first)
        early = process.stdout.read(4096)
        for block in rest:
            process.stdin.write(block)
        process.stdin.close()
        late = process.stdout.read()
        stuck.cancel()
    assert b'"role":"assistant"' in early
    assert early + late == translate(stream()).stdout_bytes


def test_demo_shows_the_calls_put_together() -> None:
    result = run("demo")
    assert result.exit_code == 0
    assert "get_weather  id call_" in click.unstyle(result.stdout)


def test_version_is_the_one_of_the_package() -> None:
    assert run("--version").stdout == f"transcodec, version {version('transcodec')}\n"
