"""The implementations that the shared vectors run against."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from transcodec import reference


def _native() -> Any:
    """The package with the compiled module, or None where it is not built."""
    try:
        importlib.import_module("transcodec._native")
    except ImportError:
        return None
    return importlib.import_module("transcodec")


IMPLEMENTATIONS: dict[str, Any] = {"reference": reference, "native": _native()}


def offering(name: str) -> list[Any]:
    """Test parameters: each implementation that has a public function of that name."""
    return [
        pytest.param(module, id=which) for which, module in IMPLEMENTATIONS.items() if hasattr(module, name)
    ]
