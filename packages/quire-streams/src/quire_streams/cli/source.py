"""Who solves the stream `papers`: the agents of a library, opened by its folder in the run's own process."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quire.app.cli.options import open_library

if TYPE_CHECKING:
    from quire.llm import OpenModel
    from quire_streams.runs.opening import OpenSolver, SolverSource


def source_of(task: str, folder: Path | None) -> SolverSource | None:
    """Where a run's process gets its solvers; None: from the task itself.

    Raises:
        LibraryError: there is no library in that folder.
    """
    if task != "papers":
        return None
    from quire_streams.runs.opening import SolverSource

    library = open_library(folder)
    top = library.folder.resolve()
    index = library.settings.index
    library.close()
    weights = [index.models] if index.models else []
    return SolverSource(
        "quire_streams.cli.source:solvers",
        {"folder": str(top)},
        reads=(str(top), *(str(path.resolve()) for path in weights)),
        hides=(str(top / "runs"), str(top / "memory.sqlite")),  # they may hold answers of the same questions
        network=index.vectors.startswith("milvus+"),
    )


def solvers(models: OpenModel, folder: str) -> OpenSolver:
    """The solvers of a library, by the names of a model and a style."""
    from quire_streams.methods.agent_styles import library_solver

    library = open_library(Path(folder))
    library.open_model = models
    return partial(library_solver, library)
