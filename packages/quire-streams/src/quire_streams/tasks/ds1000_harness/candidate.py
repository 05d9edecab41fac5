"""The candidate's side: runs a solution on a test's input, and packs up what it made.

`serve` is the first process of the cell. It never runs the solution itself: each time it forks a child that
does, hands the child's answer on, and ends all that the child left running.
"""

from __future__ import annotations

import os
import pickle
import random
import signal
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from . import cells, kernel, packing, pictures

_LONGEST = 512 << 20


def serve(wire: Connection, seconds: float, closed: bool) -> None:
    """Answer requests on a wire until it is closed."""
    if closed:
        cells.cell()
        kernel.unreadable(True)
    else:
        cells.scratch_folder(closed)
    while wire.poll(10 * seconds):
        try:
            given = wire.recv_bytes(_LONGEST)
        except EOFError:
            return
        wire.send_bytes(_answer(given, wire, seconds, closed))


def _answer(given: bytes, wire: Connection, seconds: float, closed: bool) -> bytes:
    read, write = Pipe(duplex=False)
    child = os.fork()
    if not child:
        wire.close()
        read.close()
        _child(given, write, seconds, closed)
    write.close()
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return read.recv_bytes(_LONGEST)
    except (EOFError, OSError) as error:
        return packing.dumps({"error": f"the solution gave nothing back: {error}"})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        read.close()
        if closed:
            cells.end_others()
        else:
            os.kill(child, 9)
            os.waitpid(child, 0)


def _late(*_: object) -> None:
    raise TimeoutError("no answer in time")


def _child(given: bytes, write: Connection, seconds: float, closed: bool) -> None:
    try:
        kernel.unreadable(False)
        os.setsid()
        cells.limit(seconds)
        kernel.close_calls()
        if not closed:
            cells.refuse("socket")
        reseed()
        write.send_bytes(packing.dumps(_run(pickle.loads(given))))
    finally:
        os._exit(0)


def reseed() -> None:
    """Random numbers as in a new process: a fork has those of its parent."""
    random.seed()
    if "numpy" in sys.modules:
        import numpy as np

        np.random.seed()


def _run(request: dict[str, Any]) -> dict[str, Any]:
    for name, data in request["files"].items():
        Path(name).write_bytes(data)
    before = {path.name for path in Path().iterdir()}
    space = pickle.loads(request["space"])
    reply: dict[str, Any] = {"result": b"", "figures": [], "files": {}, "error": ""}
    try:
        exec(compile(request["code"], "<solution>", "exec"), space)
        reply["result"] = packing.dumps(space["result"])
    except BaseException as error:
        reply["error"] = f"{type(error).__name__}: {str(error)[:300]}"
    reply["files"] = {name: data for name, data in pictures.made().items() if name not in before}
    reply["figures"] = _figures()
    return reply


def _figures() -> list[bytes]:
    if "matplotlib.pyplot" not in sys.modules:
        return []
    plot = sys.modules["matplotlib.pyplot"]
    return [packing.dumps(plot.figure(number)) for number in plot.get_fignums()]
