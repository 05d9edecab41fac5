"""Streams of tasks with feedback: run, resume, sweep, report.

    spec = RunSpec("ddxplus", "self_stream_icl", ("offline:a",), data="data/ddxplus", seed=1)
    (outcome,) = sweep([spec], Path("runs"))       # in a process of its own, behind a wall
    done = outcome.run

    setup = open_setup(spec)                       # or here: judge in its own process, solvers, encoder
    seal([Path(spec.data)], own=[folder])          # optional, for good: no way from here to the gold
    done = run(spec, setup, folder, progress=print)

    quire_streams.report.report([done]).write(Path("report"))

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
    from quire_streams.runs.feedback import read_feedback
    from quire_streams.runs.opening import open_setup
    from quire_streams.runs.runner import Setup, run
    from quire_streams.runs.sweep import read_sweep, sweep
    from quire_streams.wall import seal

# Loaded on first use: reading a run needs neither models nor encoders.
_PLACES = {
    "RunProgress": "quire.eval.run",
    "Run": "quire.eval.run",
    "RunSpec": "quire.eval.run",
    "Setup": "quire_streams.runs.runner",
    "load_run": "quire.eval.run",
    "open_setup": "quire_streams.runs.opening",
    "read_feedback": "quire_streams.runs.feedback",
    "read_sweep": "quire_streams.runs.sweep",
    "run": "quire_streams.runs.runner",
    "seal": "quire_streams.wall",
    "sweep": "quire_streams.runs.sweep",
}

__all__ = [
    "RunProgress",
    "Run",
    "RunSpec",
    "Setup",
    "load_run",
    "open_setup",
    "read_feedback",
    "read_sweep",
    "run",
    "seal",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
