"""Peak memory of a process of its own, measured so that a job's share can be seen.

`ru_maxrss` will not do: a child starts with its parent's. Linux lets a process set its peak back instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

#: Set back by writing to it, read from the status beside it.
_RESET: Final = Path("/proc/self/clear_refs")
_STATUS: Final = Path("/proc/self/status")

measured = pytest.mark.skipif(
    not os.access(_RESET, os.W_OK), reason="only Linux lets a process set its peak memory back"
)


def reset() -> int:
    """Sets the peak of this process back to what is resident now, and returns that in bytes."""
    _RESET.write_text("5")
    return peak_bytes()


def peak_bytes() -> int:
    """The most that was resident since the last reset."""
    [line] = [line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def numbers_of(program: str, *arguments: str) -> list[int]:
    """Runs a program that may import this module in a new interpreter; the numbers that it prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, check=False, env=environment, text=True)
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]
