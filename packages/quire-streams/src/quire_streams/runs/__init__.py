"""Going through a stream, and through many.

A run: `opening` makes what its specification needs (`loop.Setup`), `runner` and `loop` go through it,
`session` writes down what its processes did. Its own process: `jobs` starts `run_child` with a `run_request`,
`sockets` are its only way out of the wall; what its judge said is in `judged`. A sweep is `sweep_file`,
`sweep` and `engines`.
"""

from __future__ import annotations

from pathlib import Path

from quire import settings


def streams() -> Path:
    """The folder of the user's streams, where none was named."""
    return settings.home() / "streams"
