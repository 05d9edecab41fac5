"""Who solves the stream `papers`: the agents of a library, opened by its folder in the run's own process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from quire.interfaces.cli.options import open_library

if TYPE_CHECKING:
    from quire.streams.errand import Source
    from quire.streams.opening import OpenSolver


def source_of(task: str, folder: Path | None, models: Iterable[str] = ()) -> Source | None:
    """Where a run's process gets its solvers; None: from the task itself.

    Raises:
        LibraryError: there is no library in that folder.
    """
    if task != "papers":
        return None
    from quire.streams.errand import Source

    library = open_library(folder)
    top = library.folder.resolve()
    weights = library.settings.index.models
    library.close()
    scripts = [
        Path(name.partition(":")[2]) for name in models if ":" in name
    ]  # what a model reads, if a file
    more = [*([weights] if weights else []), *(path for path in scripts if path.is_file())]
    return Source(
        "quire.interfaces.cli.stream_source:solvers",
        {"folder": str(top)},
        reads=(str(top), *(str(path.resolve()) for path in more)),
        hides=(str(top / "runs"), str(top / "memory.sqlite")),  # they may hold answers of the same questions
    )


def solvers(folder: str) -> OpenSolver:
    """The solvers of a library, by the names of a model and a style."""
    return open_library(Path(folder)).solver
