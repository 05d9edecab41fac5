"""A Python that has its libraries imported and judges one DS-1000 problem after the other, closed off.

    with WarmPython("/envs/ds1000/bin/python", ["numpy", "pandas"], seconds=60) as python:
        python.judge(test_program, solution)      # ProgramOutcome(passed=True, error="")

Each problem runs in two forks of that process, with limits and without network. Threads may share one; it
starts with the first problem and ends with `close`, or with this process.

On Linux with user namespaces (`unshare` and a kernel of 5.12 or newer) programs see only Python's
own folders, read-only, and a small folder in memory; `ds1000_harness/cells.py` says how. Elsewhere
limits hold and sockets are refused inside Python, but a hostile program can read and write what the user can:
`find_isolation()` says which it is, and results record it. Windows has neither, and cannot judge DS-1000.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pipe
from pathlib import Path
from typing import Literal

from quire import syscalls
from quire.errors import ScoringError
from quire.worker import receive_json, send_json

Isolation = Literal["namespaces", "limits"]

# The package is found without the folder around it, whose modules have the names of other things.
_LOAD = "import sys; sys.path.append(sys.argv[1]); from ds1000_harness import server; sys.path.pop(); "
_RUN = "server.main(sys.argv[2:])"
_THREADS = (
    "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS TF_NUM_INTRAOP_THREADS TF_NUM_INTEROP_THREADS"
)
_NAMESPACES = "--user --map-root-user --net --ipc --mount --pid --fork --kill-child --mount-proc"


def harness(python: str, *arguments: str) -> list[str]:
    """The command that runs the harness in another Python."""
    return [python, "-I", "-c", _LOAD + _RUN, str(Path(__file__).parent), *arguments]


@cache
def find_isolation() -> Isolation:
    """What this machine can do, found out by doing it."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "limits"
    probe = confined(harness(sys.executable, "probe"), "namespaces")
    with tempfile.TemporaryDirectory(prefix="quire-") as folder:
        given = bare_environment(Path(folder))
        done = subprocess.run(
            probe, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, env=given, check=False
        )
    return "namespaces" if done.returncode == 0 else "limits"


def confined(command: Sequence[str], kind: Isolation) -> list[str]:
    """The command with namespaces around it, if it is to have them."""
    around = [shutil.which("unshare") or "unshare", *_NAMESPACES.split()] if kind == "namespaces" else []
    return [*around, *command]


def bare_environment(folder: Path) -> dict[str, str]:
    """No keys, no user settings; one thread, so that a memory limit means what it says."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "QUIRE_SYSCALLS": str(syscalls.__file__),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": str(folder),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        **dict.fromkeys(_THREADS.split(), "1"),
    }


_START = 120.0


@dataclass(frozen=True, slots=True)
class ProgramOutcome:
    """Whether a solution passed its test (None: the test itself cannot run), and what happened if not."""

    passed: bool | None
    error: str


class WarmPython:
    """The client of one server process (see `quire_streams.tasks.ds1000_harness.server`)."""

    def __init__(
        self,
        python: str,
        modules: Sequence[str] = (),
        *,
        seconds: float = 60.0,
        isolation: Isolation | None = None,
    ) -> None:
        """`modules` are imported beforehand; a solution may run for `seconds`, a problem for twice that.

        `isolation` None is the best that the machine can do.
        """
        self._isolation = isolation or find_isolation()
        self._python, self._modules, self._seconds = python, tuple(modules), seconds
        self._lock = threading.Lock()
        self._door: socket.socket | None = None
        self._end: Callable[[], object] | None = None

    def __enter__(self) -> WarmPython:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def judge(self, context: str, solution: str) -> ProgramOutcome:
        """Run the test program `context` on a solution.

        Raises:
            ScoringError: the server does not start.
        """
        ours, theirs = Pipe()
        with ours:
            with theirs, self._lock:
                door = self._door or self._start()
                try:
                    socket.send_fds(door, [b"!"], [theirs.fileno()])
                except OSError:  # it died with the problem before: start anew
                    self._stop()
                    socket.send_fds(self._start(), [b"!"], [theirs.fileno()])
            try:
                send_json(ours, {"context": context, "solution": solution})
                if not ours.poll(2 * self._seconds + 30):
                    return ProgramOutcome(False, "over the time limit")
                answer = receive_json(ours)
            except (EOFError, OSError, ValueError):
                return ProgramOutcome(False, "the test's process was ended, by a limit or over the time")
        return ProgramOutcome(answer["passed"], str(answer["error"]))

    def close(self) -> None:
        """End the server."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self._end:
            self._end()
        self._door = None

    def _start(self) -> socket.socket:
        folder = tempfile.TemporaryDirectory(prefix="quire-", ignore_cleanup_errors=True)
        door, theirs = socket.socketpair()
        serve = ["serve", self._isolation, str(self._seconds), *self._modules]
        with theirs:
            process = subprocess.Popen(
                confined(harness(self._python, *serve), self._isolation),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder.name,
                env=bare_environment(Path(folder.name)),
                start_new_session=True,
            )
        self._door, self._end = door, weakref.finalize(self, _finish, door, process, folder)
        door.settimeout(_START)
        try:
            started = door.recv(1)
        except OSError:
            started = b""
        if not started:
            self._stop()
            raise ScoringError(
                f"{self._python} does not start as a judge.",
                hint="Run `quire tasks environment`, or correct QUIRE_DS1000_PYTHON.",
            )
        door.settimeout(None)
        return door


def _finish(
    door: socket.socket, process: subprocess.Popen[bytes], folder: tempfile.TemporaryDirectory[str]
) -> None:
    door.close()
    process.kill()
    process.wait()
    folder.cleanup()
