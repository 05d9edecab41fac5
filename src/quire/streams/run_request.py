"""What a run's own process is told (one line of JSON on its standard input), and what it tells back.

Lines of the child: `{"walls": {...}}` once it is sealed, `{"progress": {...}}` now and then, and at last
`{"done": 300}` or `{"error": ["TaskError", message, hint]}`. The records are in the run's folder. The input
stays open as long as whoever sent the request lives.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from quire.errors import QuireError, as_row
from quire.models import OpenModel
from quire.streams.opening import OpenSolver
from quire.streams.progress import Progress
from quire.streams.spec import RunSpec
from quire.types import Usage


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

    def line(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> RunRequest:
        """From its line."""
        row = json.loads(line)
        source = row["source"]
        if source:
            lists = {name: tuple(source[name]) for name in ("reads", "hides", "path")}
            source = SolverSource(**{**source, **lists})
        return cls(**{**row, "spec": RunSpec.of(row["spec"]), "source": source})


def progress_row(now: Progress) -> dict[str, Any]:
    """Where a run stands, for JSON."""
    return {"progress": asdict(now)}


def progress_of(row: Any) -> Progress | None:
    """Where a run stands; None where the line is not what a child sends."""
    try:
        cost = float(row["usage"].pop("cost"))
        usage = Usage(**{name: int(value) for name, value in row["usage"].items()}, cost=cost)
        return Progress(int(row["done"]), int(row["total"]), float(row["metric"]), usage)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def error_row(error: QuireError) -> dict[str, Any]:
    """An error, for JSON."""
    return {"error": as_row(error)}
