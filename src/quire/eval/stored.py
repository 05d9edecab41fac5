"""Runs that were kept: where they lie, and which there are.

folders(evaluations(library.folder))      # the latest first
named(root, "questions-offline-...")      # a Run; the name is looked for among those there, it is no path
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from quire.errors import RunError
from quire.eval.run import Run, load_run


def evaluations(library: Path) -> Path:
    """The folder of a library's evaluations."""
    return library / "runs" / "evaluations"


def folders(root: Path) -> list[Path]:
    """The folders of runs below `root`, the latest first."""
    found = [file.parent for file in root.glob("*/run.json")]
    return sorted(found, key=lambda folder: (folder.stat().st_mtime, folder.name), reverse=True)


def named(root: Path, name: str) -> Run:
    """The run of that name.

    Raises:
        RunError: there is none.
    """
    for folder in folders(root):
        if folder.name == name:
            return load_run(folder)
    raise RunError(f"There is no run `{name[:80]}`.")


def readable(found: Iterable[Path]) -> list[Run]:
    """The runs of these folders that can be read and have records."""
    runs = []
    for folder in found:
        try:
            runs.append(load_run(folder))
        except RunError:
            continue
    return [run for run in runs if run.records]
