"""The program: a process with the libraries imported that forks a judge and a candidate for each problem.

It is a child of `quire.worker`, in another Python. For each problem one end of a wire comes over its own, and
goes unread to a child: the server's memory, which every candidate inherits, never holds a problem. On that
wire the child gets one request (JSON) and writes one answer (JSON). The server ends when its wire is closed,
and all its children with it.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
import os
import pickle
import random
import signal
import sys
from importlib import metadata
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from pathlib import Path
from typing import Any

from . import builders, cells, figures, values

_LONGEST = 64 << 20
_LONGEST_REPLY = 512 << 20
_PATIENCE = 60  # seconds for a problem to arrive


def main() -> None:
    """`FD installed`; `FD probe` (whether namespaces work); or `FD serve ISOLATION SECONDS MODULE...`.

    The modules are imported beforehand; a solution may run for so many seconds, a problem for twice that.
    """
    sys.path.remove(str(Path(__file__).parents[1]))  # the modules beside have the names of other things
    wire, what, arguments = Connection(int(sys.argv[1])), sys.argv[2], sys.argv[3:]
    if what == "installed":
        versions = {
            one.metadata["Name"].lower().replace("_", "-"): one.version for one in metadata.distributions()
        }
        versions = {"python": sys.version.split()[0], **versions}
        modules = [*sys.stdlib_module_names, *metadata.packages_distributions()]
        wire.send_bytes(json.dumps({"versions": versions, "modules": modules}).encode())
    elif what == "probe":
        _probe(wire)
    else:
        _serve(wire, arguments[0] == "namespaces", float(arguments[1]), arguments[2:])


def _probe(wire: Connection) -> None:
    cells.room()
    cells.close_room()
    cells.apart()
    child = os.fork()
    if not child:
        cells.cell()
        os._exit(0)
    if not os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        wire.send_bytes(b"!")


def _serve(wire: Connection, closed: bool, seconds: float, modules: list[str]) -> None:
    os.chdir(os.environ["HOME"])
    if closed:
        cells.room()
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception:  # the problem will say what is wrong with it
            continue
    if closed:
        cells.close_room()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for judges
    wire.send_bytes(b"!")
    while True:
        try:
            line = recv_handle(wire)
        except EOFError:
            return
        if not os.fork():
            wire.close()
            _problem(line, closed, seconds)
        os.close(line)


def _problem(line: int, closed: bool, seconds: float) -> None:
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        cells.die_with_parent()
        own, other = Pipe()
        started = _start_candidate(other, (own.fileno(), line), closed, seconds)
        other.close()
        signal.alarm(_PATIENCE)
        wire = Connection(line)
        request = json.loads(wire.recv_bytes(_LONGEST))
        signal.alarm(int(2 * seconds) + 1)
        cells.scratch_folder(closed)
        cells.limit(2 * seconds)
        answer = judge(request, own, seconds)
        os.kill(started, signal.SIGKILL)
        wire.send_bytes(json.dumps(answer).encode())
    finally:
        os._exit(0)


def _start_candidate(wire: Connection, close: tuple[int, ...], closed: bool, seconds: float) -> int:
    """Fork the candidate before the problem is read: its memory is a copy of this one's."""
    child = os.fork()
    if child:
        return child
    try:
        cells.die_with_parent()
        for descriptor in close:
            os.close(descriptor)
        if closed:
            cells.apart()
            if inner := os.fork():
                wire.close()
                os.waitpid(inner, 0)
                os._exit(0)
            cells.die_with_parent()
        candidate(wire, seconds, closed)
    finally:
        os._exit(0)


def judge(request: dict[str, Any], wire: Connection, seconds: float) -> dict[str, Any]:
    """Run the test `context` on the code `solution`; the candidate listens on `wire`, and has
    so many `seconds` for each run.

    Returns `passed` and, where it did not, an `error`. `passed` is None where the test fails before it has
    run the solution at all: then nothing is known of the solution.
    """
    space: dict[str, Any] = {}
    remote = _CandidateProcess(wire, seconds)
    _reseed()
    try:
        exec(compile(request["context"], "<test>", "exec"), space)
        # A picture or a pickle may otherwise start a program that converts it.
        cells.refuse("subprocess", "os.system", "os.exec", "os.posix_spawn", "pty", "socket")
        space["exec"] = remote.execute
        space["test_execution"](request["solution"])
        if "test_string" in space:
            space["test_string"](request["solution"])
    except BaseException as error:
        passed = False if remote.asked else None
        return {"passed": passed, "error": f"{type(error).__name__}: {str(error)[:300]}"}
    return {"passed": True, "error": ""}


class _CandidateProcess:
    def __init__(self, wire: Connection, seconds: float) -> None:
        self._wire, self._seconds = wire, seconds
        self.asked = False

    def execute(self, code: str, space: dict[str, Any]) -> None:
        """What `exec(code, space)` does, elsewhere; of the variables only `result` comes back."""
        self.asked = True
        # What the test made for the solution; `ans*` is the picture of the reference.
        inputs = {
            path.name: path.read_bytes()
            for path in Path().iterdir()
            if path.is_file() and path.stat().st_size < figures.LARGEST and not path.name.startswith("ans")
        }
        given = {"code": code, "space": _given_to_solution(space), "files": inputs}
        self._wire.send_bytes(pickle.dumps(given))
        if not self._wire.poll(self._seconds + 5):
            raise TimeoutError("no answer in time")
        reply = values.loads(self._wire.recv_bytes(_LONGEST_REPLY))
        if reply["error"]:
            raise RuntimeError(str(reply["error"]))
        figures.write_pictures(reply["files"])
        for drawn in reply["figures"]:
            values.loads(drawn, parts_of_figures=True)
        space["result"] = values.loads(reply["result"])


def candidate(wire: Connection, seconds: float, closed: bool) -> None:
    """The first process of a cell: answer requests on a wire until it is closed.

    It never runs the solution itself: each time it forks a child that does, hands the child's answer on, and
    ends all that the child left running.
    """
    if closed:
        cells.cell()
        cells.unreadable(True)
    else:
        cells.scratch_folder(closed)
    while wire.poll(10 * seconds):
        try:
            given = wire.recv_bytes(_LONGEST_REPLY)
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
        return read.recv_bytes(_LONGEST_REPLY)
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
        _reseed()
        write.send_bytes(values.dumps(_run(pickle.loads(given))).encode())
    finally:
        os._exit(0)


def _reseed() -> None:
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


def _given_to_solution(space: dict[str, Any]) -> bytes:
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
