"""The candidate's side: runs a solution on a test's input, and packs up what it made.

`serve` is the first process of the cell. It never runs the solution itself: each time it forks a child that
does, hands the child's answer on, and ends all that the child left running.
"""

from __future__ import annotations

import importlib.util
import io
import os
import pickle
import random
import signal
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from . import builders, cells, figures, values

_LONGEST = 512 << 20


def serve(wire: Connection, seconds: float, closed: bool) -> None:
    """Answer requests on a wire until it is closed."""
    if closed:
        cells.cell()
        cells.unreadable(True)
    else:
        cells.scratch_folder(closed)
    while wire.poll(10 * seconds):
        try:
            given = wire.recv_bytes(_LONGEST)
        except EOFError:
            return
        wire.send_bytes(_answer_request(given, wire, seconds, closed))


def _answer_request(given: bytes, wire: Connection, seconds: float, closed: bool) -> bytes:
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
        return values.dumps({"error": f"the solution gave nothing back: {error}"}).encode()
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
        cells.die_with_parent()
        cells.unreadable(False)
        os.setsid()
        cells.limit(seconds)
        cells.close_calls()
        if not closed:
            cells.refuse("socket")
        reseed()
        write.send_bytes(values.dumps(_run(pickle.loads(given))).encode())
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
    reply: dict[str, Any] = {"result": "", "figures": [], "files": {}, "error": ""}
    try:
        exec(compile(request["code"], "<solution>", "exec"), space)
        reply["result"] = values.dumps(space["result"])
    except BaseException as error:
        reply["error"] = f"{type(error).__name__}: {str(error)[:300]}"
    reply["files"] = {name: data for name, data in figures.pictures().items() if name not in before}
    if plot := sys.modules.get("matplotlib.pyplot"):
        reply["figures"] = [values.dumps(plot.figure(number)) for number in plot.get_fignums()]
    return reply


def given_to_solution(space: dict[str, Any]) -> bytes:
    """A pickle of the variables of a test, which a solution may build whatever they are."""
    try:
        return _pickled(space, pickle.Pickler)
    except Exception:  # functions and classes of the test itself
        # joblib carries a copy, for environments that have it and not cloudpickle itself.
        own = importlib.util.find_spec("cloudpickle") is not None
        cloud = importlib.import_module("cloudpickle" if own else "joblib.externals.cloudpickle")
        return _pickled(space, cloud.CloudPickler)


def _pickled(space: dict[str, Any], base: Any) -> bytes:
    class Pickler(base):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            # Objects from a pickle have a dtype of their own, which pandas 1.5 takes for another one: its
            # `astype(str)` then changes the frame that it is called on.
            kind = type(value)
            if (kind.__module__, kind.__name__) == ("numpy", "ndarray") and value.dtype.kind == "O":
                return builders.objects, (value.shape, list(value.ravel()))
            return super().reducer_override(value) if hasattr(base, "reducer_override") else NotImplemented

    into = io.BytesIO()
    Pickler(into, protocol=5).dump(space)
    return into.getvalue()
