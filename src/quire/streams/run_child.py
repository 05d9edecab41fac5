"""A run in an isolated process of its own, behind the wall, with a request on its standard input.

First the judge's process is started and what is public is read; then the wall goes up (`quire.streams.wall`):
of the files the run's own folder stays, of the data, other runs, other processes and the network nothing.
Language models, and a person who judges, are asked through the sender, over a socket that was there before
the wall: no keys, cache or meter are in here. Solvers that come from a `Source` are opened behind the wall.
Where the sender has gone (standard input ends), so does this process; the run can be resumed.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from quire.errors import QuireError
from quire.models.channel import Channel
from quire.models.remote import Remote
from quire.streams import session
from quire.streams.encoders import models_folder, open_encoder
from quire.streams.feedback import read_feedback
from quire.streams.opening import no_model, open_setup, slots
from quire.streams.progress import Progress
from quire.streams.run_request import RunRequest, error_row, progress_row
from quire.streams.runner import run
from quire.streams.setup import Setup
from quire.streams.wall import Walls, seal
from quire.tasks.judge_process import JudgeProcess
from quire.types import Attempt, Instance, Verdict

_PAUSE = 0.2  # seconds between two lines of progress

Tell = Callable[[dict[str, Any]], None]


def main() -> int:
    """Run the request of standard input."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what solvers print is no message

    def tell(row: dict[str, Any]) -> None:
        pipe.write(json.dumps(row) + "\n")
        pipe.flush()

    request = RunRequest.read(sys.stdin.readline())
    try:
        tell({"done": _work(request, tell)})
    except QuireError as error:
        tell(error_row(error))
        return 1
    except BrokenPipeError:  # nobody listens any more
        return 1
    return 0


def _work(request: RunRequest, tell: Tell) -> int:
    spec, folder = request.spec, Path(request.root) / request.spec.name
    folder.mkdir(parents=True, exist_ok=True)
    setup, walls = _opened(request, folder)
    try:
        threading.Thread(target=_end_with_sender, daemon=True).start()
        session.begin(folder, walls)
        tell({"walls": session.row_of(walls)})
        done = run(spec, setup, folder, _now_and_then(tell))
        session.finish(folder, len(done.records))
        return len(done.records)
    finally:
        with suppress(PermissionError):  # a judge that hangs cannot be killed from here; the sender does it
            setup.judge.close()


def _opened(request: RunRequest, folder: Path) -> tuple[Setup, Walls]:
    spec, source = request.spec, request.source
    channel = None if request.models is None else Channel(socket.socket(fileno=request.models))
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
    own = [folder, Path(request.scratch)]
    encoder = open_encoder(spec.encoder)  # it is found here and loaded behind the wall
    weights = [path for path in [models_folder()] if path]
    hidden = [Path(spec.data), Path(request.root)]
    if source is None:  # solvers of the task's own, which read what is public of its data
        setup = open_setup(spec, judge=judge, encoder=encoder, models=models, ask=ask)
        return setup, seal(hidden, own=own, reads=weights, network=False)
    hidden += [Path(path) for path in source.hides]
    reads = [*weights, *(Path(path) for path in (*source.reads, *source.path))]
    walls = seal(hidden, own=own, reads=reads, network=source.network, processes=True)
    solvers = source.open(models)
    setup = open_setup(spec, judge=judge, encoder=encoder, solvers=solvers, models=models, ask=ask)
    return setup, walls


def _person(channel: Channel, instance: Instance, attempt: Attempt) -> Verdict:
    label = channel.call("verdict", input=instance.input, output=attempt.output)
    return Verdict(label, source="human")


def _now_and_then(tell: Tell) -> Callable[[Progress], None]:
    last = 0.0

    def progress(now: Progress) -> None:
        nonlocal last
        clock = time.monotonic()
        if clock - last >= _PAUSE or now.done == now.total:
            last = clock
            tell(progress_row(now))

    return progress


def _end_with_sender() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)
