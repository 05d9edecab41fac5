"""Streams of tasks with feedback: run, resume, sweep, report.

    spec = RunSpec("ddxplus", "self_stream_icl", ("offline:a",), data="data/ddxplus", seed=1)
    (outcome,) = sweep([spec], Path("runs"))       # in a process of its own, behind a wall
    done = outcome.run

    setup = open_setup(spec)                       # or here: judge in its own process, solvers, encoder
    seal([Path(spec.data)], own=[folder])          # optional, for good: no way from here to the gold
    done = run(spec, setup, folder, progress=print)

    quire_streams.report([done]).write(Path("report"))

`tasks/` are what can be streamed, with the judge that keeps their gold; `methods/` how an instance is
answered, `memories/` what is kept of it; `runs/` goes through a stream, alone or in sweeps, behind the
`wall/`; `report/` shows what came of it. `cli/` and `server/` are what quire shows of it where this package
is installed. What a run writes down is in `quire.eval`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.eval.run import Run, RunProgress, RunSpec, load_run
    from quire_streams.runs.opening import open_setup
    from quire_streams.runs.runner import Setup, read_feedback, run
    from quire_streams.runs.sweep import read_sweep, sweep
    from quire_streams.wall import seal

# Loaded on first use: reading a run needs neither models nor encoders.
_PLACES = {
    "quire.eval.run": "Run RunProgress RunSpec load_run",
    "quire_streams.runs.opening": "open_setup",
    "quire_streams.runs.runner": "Setup read_feedback run",
    "quire_streams.runs.sweep": "read_sweep sweep",
    "quire_streams.wall": "seal",
}

__all__ = [
    "Run", "RunProgress", "RunSpec", "Setup", "load_run", "open_setup", "read_feedback", "read_sweep", "run",
    "seal", "sweep",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for place, names in _PLACES.items():
        if name in names.split():
            return getattr(import_module(place), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
