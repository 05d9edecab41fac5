"""For all tests: a busy machine may be slow, which is no failure of a property."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("quire", deadline=None)
settings.load_profile("quire")
