"""What a run's own process is told, and what it tells back.

What the child tells: `{"walls": {...}}` once it is sealed, `{"progress": {...}}` now and then, and at last
`{"done": 300}` or `{"error": ["TaskError", message, hint]}`. The records are in the run's folder.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from quire.eval.run import RunProgress, RunSpec
from quire.llm import OpenModel
from quire.types import Usage
from quire_streams.runs.opening import OpenSolver


@dataclass(frozen=True, slots=True)
class SolverSource:
    """Where another process gets its solvers: a function by its name, since a function cannot be sent.

    `function` is "package.module:name"; called with an `OpenModel` and `arguments` it gives an `OpenSolver`,
    behind the wall. `reads` stay open to it, `hides` not, the network only with `network`; its solvers may
    start processes (which stand behind the wall too). `path` are the folders where its module is looked for,
    besides Python's own; they are open and come last, and only once the wall stands.
    """

    function: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    network: bool = False
    path: tuple[str, ...] = ()

    def open(self, models: OpenModel) -> OpenSolver:
        """Call the function."""
        sys.path += self.path
        module, _, name = self.function.partition(":")
        made: OpenSolver = getattr(importlib.import_module(module), name)(models, **self.arguments)
        return made


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run: what, below which folder, and an empty folder for temporary files. Paths are absolute.

    `models` and `judge` are numbers of sockets that the process has from its sender: by the first it asks
    models, the second is for the judge's process alone, and so is `tally`, a file.
    """

    spec: RunSpec
    root: str
    scratch: str
    source: SolverSource | None = None
    models: int | None = None
    judge: int | None = None
    tally: int | None = None

    def row(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> RunRequest:
        """From JSON."""
        source = row["source"]
        if source:
            lists = {name: tuple(source[name]) for name in ("reads", "hides", "path")}
            source = SolverSource(**{**source, **lists})
        return cls(**{**row, "spec": RunSpec.of(row["spec"]), "source": source})


def progress_of(row: Any) -> RunProgress | None:
    """Where a run stands; None where the line is not what a child sends."""
    try:
        cost = float(row["usage"].pop("cost"))
        usage = Usage(**{name: int(value) for name, value in row["usage"].items()}, cost=cost)
        return RunProgress(int(row["done"]), int(row["total"]), float(row["metric"]), usage)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None
