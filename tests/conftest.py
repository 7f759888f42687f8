"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes says more about the machine's other work than about the code.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
