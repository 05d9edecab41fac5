"""Going through a stream, and through many.

A run: `opening` makes what its specification needs, `runner` goes through it, `session` is what its processes
and its judge write beside it. In a process of its own: `jobs` starts `run_child` with a `RunRequest` and
opens the sockets that are its only way out of the wall. A sweep is `sweep` and `engines`.
"""

from __future__ import annotations

from pathlib import Path

from quire import settings


def streams() -> Path:
    """The folder of the user's streams, where none was named."""
    return settings.home() / "streams"
