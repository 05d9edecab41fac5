"""Streams of tasks with feedback: run, resume, sweep, report.

    spec = RunSpec("ddxplus", "self_stream_icl", ("offline:a",), data="data/ddxplus", seed=1)
    (outcome,) = sweep([spec], Path("runs"))       # in a process of its own, behind a wall
    done = outcome.run

    setup = open_setup(spec)                       # or here: judge in its own process, solvers, encoder
    seal([Path(spec.data)], own=[folder])          # optional, for good: no way from here to the gold
    done = run(spec, setup, folder, progress=print)

    quire.streams.report.report([done]).write(Path("report"))

A run: `spec` names it, `opening` makes what it needs (`setup`), `runner` and `loop` go through it, `record`
and `session` write it down, `stored` finds it again. Its own process: `jobs` starts `run_child` with a
`run_request`, `sockets` are its only way out of the `wall/`; what its judge said is in `judged`. A sweep is
`sweep_file`, `sweep` and `engines`. `zero_shot` is `quire eval`: questions over PDFs, asked one by one and
scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.registry import lazily

if TYPE_CHECKING:
    from quire.streams.feedback import read_feedback
    from quire.streams.opening import open_setup
    from quire.streams.progress import Progress
    from quire.streams.runner import Run, load_run, run
    from quire.streams.setup import Setup
    from quire.streams.spec import RunSpec
    from quire.streams.sweep import read_sweep, sweep
    from quire.streams.wall import seal

# Loaded on first use: reading a run needs neither models nor encoders.
_PLACES = {
    "Progress": "progress",
    "Run": "runner",
    "RunSpec": "spec",
    "Setup": "setup",
    "load_run": "runner",
    "open_setup": "opening",
    "read_feedback": "feedback",
    "read_sweep": "sweep",
    "run": "runner",
    "seal": "wall",
    "sweep": "sweep",
}

__all__ = [
    "Progress",
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

__getattr__ = lazily(__name__, _PLACES)
