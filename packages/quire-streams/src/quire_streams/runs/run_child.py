"""A run in an isolated process of its own, behind the wall; it is told what to do by its sender.

First the judge's process is started and what is public is read; then the wall goes up (`quire_streams.wall`):
of the files the run's own folder stays, of the data, other runs, other processes and the network nothing.
Language models, and a person who judges, are asked through the sender, over a socket that was there before
the wall: no keys, cache or meter are in here. Solvers of a `SolverSource` are opened behind the wall. Where
the sender has gone, so does this process; the run can be resumed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from quire.errors import QuireError, as_row
from quire.eval.run import RunProgress
from quire.types import Attempt, Instance, Verdict
from quire.worker import receive_json, send_json
from quire_streams.remote import Channel, Remote
from quire_streams.runs import session
from quire_streams.runs.encoders import models_folder, open_encoder
from quire_streams.runs.opening import OpenSolver, RunRequest, no_model, open_setup, slots
from quire_streams.runs.runner import Setup, read_feedback, run
from quire_streams.tasks.judging import JudgeProcess
from quire_streams.wall import Walls, seal

_PAUSE = 0.2  # seconds between two lines of progress

Send = Callable[[dict[str, Any]], None]


def main() -> int:
    """Run the request on the wire."""
    wire = Connection(int(sys.argv[1]))

    def tell(row: dict[str, Any]) -> None:
        send_json(wire, row)

    try:
        tell({"done": _work(RunRequest.of_row(receive_json(wire)), tell)})
    except QuireError as error:
        tell({"error": as_row(error)})
        return 1
    except (BrokenPipeError, EOFError):  # nobody listens any more
        return 1
    return 0


def _work(request: RunRequest, tell: Send) -> int:
    spec, folder = request.spec, Path(request.root) / request.spec.name
    folder.mkdir(parents=True, exist_ok=True)
    setup, walls = _opened(request, folder)
    last = 0.0

    def progress(now: RunProgress) -> None:
        nonlocal last
        clock = time.monotonic()
        if clock - last >= _PAUSE or now.done == now.total:
            last = clock
            tell({"progress": asdict(now)})

    try:
        session.begin(folder, walls)
        tell({"walls": asdict(walls)})
        done = run(spec, setup, folder, progress)
        session.finish(folder, len(done.records))
        return len(done.records)
    finally:
        with suppress(PermissionError):  # a judge that hangs cannot be killed from here; the sender does it
            setup.judge.close()


def _opened(request: RunRequest, folder: Path) -> tuple[Setup, Walls]:
    spec, source = request.spec, request.source
    channel = None if request.models is None else Channel(Connection(request.models))
    models = Remote(channel).model if channel else no_model
    ask = partial(_person, channel) if channel and read_feedback(spec.feedback).human else None
    judge = JudgeProcess(
        spec.task,
        Path(spec.data),
        spec.judge_model,
        slots(spec),
        spec.protocol,
        models=request.judge,
        tally=request.tally,
    )
    encoder = open_encoder(spec.encoder)  # it is found here and loaded behind the wall

    def opened(solvers: OpenSolver | None = None) -> Setup:
        return open_setup(spec, judge=judge, encoder=encoder, solvers=solvers, models=models, ask=ask)

    own, hidden = [folder, Path(request.scratch)], [Path(spec.data), Path(request.root)]
    reads = [path for path in [models_folder()] if path]
    if source is None:  # solvers of the task's own, which read what is public of its data
        return opened(), seal(hidden, own=own, reads=reads, network=False)
    hidden += map(Path, source.hides)
    reads += map(Path, (*source.reads, *source.path))
    walls = seal(hidden, own=own, reads=reads, network=source.network, processes=True)
    return opened(source.open(models)), walls


def _person(channel: Channel, instance: Instance, attempt: Attempt) -> Verdict:
    label = channel.call("verdict", input=instance.input, output=attempt.output)
    return Verdict(label, source="human")
