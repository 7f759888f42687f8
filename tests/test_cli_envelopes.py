"""`transcodec pack` and `transcodec unpack`: what goes where, and the exit codes."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from transcodec import pack
from transcodec.cli import main

TYPED = (
    b'[{"role":"assistant","content":"look","tool_calls":[{"id":"a","name":"f","arguments":"{}"}]},'
    b'{"role":"tool","content":"1","tool_call_id":"a"}]'
)
UNANSWERED = (
    b'[{"role":"assistant","content":"{\\"tool_calls\\":[{\\"arguments\\":\\"\\",\\"id\\":\\"a\\",'
    b'\\"name\\":\\"f\\"}]}"}]'
)


def run(*arguments: str, data: bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=data)


def test_rows_go_through_pipes_and_come_back() -> None:
    packed = run("pack", data=TYPED)
    assert (packed.exit_code, packed.stderr, packed.stdout_bytes) == (0, "", pack(TYPED))
    assert run("unpack", data=packed.stdout_bytes).stdout_bytes == TYPED


def test_a_file_goes_to_a_file(tmp_path: Path) -> None:
    source, target = tmp_path / "typed.json", tmp_path / "packed.json"
    source.write_bytes(TYPED)
    result = run("pack", "--order", "insertion", str(source), "-o", str(target))
    assert (result.exit_code, result.stdout_bytes) == (0, b"")
    assert target.read_bytes() == pack(TYPED, order="insertion")


def test_options_of_unpack_reach_it() -> None:
    assert run("unpack", data=UNANSWERED).stdout_bytes != UNANSWERED
    assert run("unpack", "--paired-only", data=UNANSWERED).stdout_bytes == UNANSWERED
    assert run("unpack", "--accept", "canonical", data=UNANSWERED).stdout_bytes == UNANSWERED
    packed = pack(TYPED, order="insertion")
    assert run("unpack", "--accept", "exact", data=packed).stdout_bytes == packed
    assert run("unpack", "--accept", "exact", "--order", "insertion", data=packed).stdout_bytes == TYPED


def test_a_wrong_input_is_told_and_leaves_the_output_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "packed.json"
    target.write_bytes(b"before")
    result = run("pack", "-o", str(target), data=b'[{"role":"tool","content":1,"tool_call_id":"a"}]')
    assert (result.exit_code, result.stdout_bytes) == (1, b"")
    assert result.stderr.startswith("error invalid_type: ")
    assert "byte 26" in result.stderr
    assert "'/0/content'" in result.stderr
    assert target.read_bytes() == b"before"


def test_a_wrong_call_is_a_usage_error() -> None:
    assert run("pack", "--order", "random", data=b"[]").exit_code == 2
    assert run("unpack", "no-such-file.json").exit_code == 2
