"""The Python that DS-1000 runs in: an environment of its own, and a process of it that judges, closed off.

    for step in create(packages()): print(step.number, step.of, step.package, step.megabytes, step.error)
    with WarmPython(python(), ["numpy", "pandas"], seconds=60) as warm:
        warm.judge(test_program, solution)      # ProgramOutcome(passed=True, error="")

The environment is `$QUIRE_HOME/environments/ds1000`, or whatever Python QUIRE_DS1000_PYTHON names. Where
neither is there, the Python of quire itself runs what it can. `environments/ds1000.txt` lists what is always
installed, `ds1000-large.txt` what takes most of the disk (torch, TensorFlow, xgboost, gensim),
`ds1000-lock.txt` the version of everything these bring along: one library that is installed alone must not
move numpy under the others.

Each problem runs in two forks of a process that has its libraries imported, with limits and without network.
Threads may share one; it starts with the first problem and ends with `close`, or with this process. On Linux
with user namespaces (`unshare` and a kernel of 5.12 or newer) programs see only Python's own folders,
read-only, and a small folder in memory; `ds1000_harness/cells.py` says how. Elsewhere limits hold and sockets
are refused inside Python, but a hostile program can read and write what the user can: `find_isolation()` says
which it is. Windows has neither, and cannot judge DS-1000.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import Literal

from quire import atomic, syscalls
from quire.errors import ScoringError, TaskError
from quire.settings import home
from quire.worker import Child, ChildDied, ChildLate, Pool, receive_json, send_json

_FILES = Path(__file__).parent / "environments"
_SECONDS = 3600
_IMPORTS = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)
_MODULES = {"Pytorch": "torch", "Python": "json"}
# Imported once for all problems of a library. Only what each such problem imports by itself, or what comes
# along anyway: a solution must not pass because somebody else imported what it forgot to.
_WARM = {
    "Matplotlib": ("matplotlib.pyplot", "matplotlib.backends.backend_agg", "seaborn", "PIL.Image"),
    "Scipy": ("scipy.sparse", "scipy.stats", "scipy.optimize", "scipy.interpolate"),
    "Sklearn": ("scipy.sparse", "scipy.stats", "sklearn"),
    "Pytorch": ("torch",),
    "Tensorflow": ("tensorflow",),
}


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One package that was installed or not; `megabytes` is what it added on disk with what it needs."""

    number: int
    of: int
    package: str
    megabytes: int
    error: str = ""


def python() -> str:
    """The interpreter to use."""
    if named := os.environ.get("QUIRE_DS1000_PYTHON"):
        return named
    own = _own_python()
    return str(own) if own.exists() else sys.executable


def packages(*, large: bool = True) -> list[str]:
    """What the environment is to have, as `name==version`, in the order of installation."""
    names = ["ds1000.txt", "ds1000-large.txt"] if large else ["ds1000.txt"]
    lines = [line.strip() for name in names for line in (_FILES / name).read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def create(wanted: Sequence[str]) -> Iterator[SetupStep]:
    """Make the environment, or complete it: one step for each package; a failing one does not stop the rest.

    Needs a package index, and for all `packages` 3.1 GB of disk, without the large ones 0.6 GB.

    Raises:
        TaskError: not even an empty environment can be made.
    """
    folder = _own_python().parent.parent
    done = _run([sys.executable, "-m", "venv", str(folder)])
    if done:
        raise TaskError(f"Cannot make {folder}: {done}", hint="Install Python with its `venv` module.")
    pip = [str(_own_python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    before = disk(folder)
    for number, package in enumerate(wanted, start=1):
        error = _run([*pip, "--constraint", str(_FILES / "ds1000-lock.txt"), package])
        after = disk(folder)
        yield SetupStep(number, len(wanted), package, after - before, error)
        before = after
    installed.cache_clear()


def disk(folder: Path) -> int:
    """Megabytes that a folder takes."""
    return sum(path.lstat().st_size for path in folder.rglob("*")) >> 20


@dataclass(frozen=True, slots=True)
class Installed:
    """What an environment has: versions by package (lower case), and modules that can be imported."""

    versions: Mapping[str, str]
    modules: frozenset[str]


@functools.cache
def installed(interpreter: str) -> Installed:
    """Ask an environment; what does not start has nothing."""
    said = _said(interpreter, "limits", "installed")
    found = json.loads(said or '{"versions": {}, "modules": []}')
    return Installed(found["versions"], frozenset(found["modules"]))


def versions(interpreter: str) -> dict[str, str]:
    """Versions of Python and of the listed packages: what a result records."""
    names = {"python", *(each.partition("==")[0].lower() for each in packages()), "tensorflow"}
    return {name: one for name, one in sorted(installed(interpreter).versions.items()) if name in names}


def missing(library: str, context: str, interpreter: str) -> str:
    """What a problem of this library imports, by its test program, and the environment lacks; or ""."""
    needed = ["numpy", "pandas", *_IMPORTS.findall(context), _MODULES.get(library, library.lower())]
    return next((module for module in needed if module not in installed(interpreter).modules), "")


def modules(library: str, context: str) -> tuple[str, ...]:
    """What to import beforehand for a problem of this library with this test program."""
    slow = {"tensorflow": "Tensorflow", "torch": "Pytorch"}
    named = [slow[module] for module in _IMPORTS.findall(context) if module in slow]
    return ("numpy", "pandas", *_WARM.get(named[0] if named else library, ()))


def _own_python() -> Path:
    return home() / "environments" / "ds1000" / "bin" / "python"


def _run(command: Sequence[str]) -> str:
    """The last words of a command that failed, "" of one that did not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if not done.returncode:
        return ""
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return (lines or [done.stderr.strip()[-300:] or f"exit status {done.returncode}"])[-1]


Isolation = Literal["namespaces", "limits"]
_START = 120.0  # seconds that a Python may take to have its modules imported
_THREADS = (
    "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS TF_NUM_INTRAOP_THREADS TF_NUM_INTEROP_THREADS"
)
_NAMESPACES = "--user --map-root-user --net --ipc --mount --pid --fork --kill-child --mount-proc"


@functools.cache
def find_isolation() -> Isolation:
    """What this machine can do, found out by doing it."""
    found = sys.platform == "linux" and shutil.which("unshare") is not None
    return "namespaces" if found and _said(sys.executable, "namespaces", "probe") else "limits"


def _child(python: str, isolation: Isolation, folder: Path, *arguments: str) -> Child:
    """The harness in another Python; of the folders around it that Python sees none."""
    around = [shutil.which("unshare") or "unshare", *_NAMESPACES.split()] if isolation == "namespaces" else []
    return Child(
        "ds1000_harness.server",
        arguments,
        environment=bare_environment(folder),
        group=True,
        python=[*around, python],
        path=str(Path(__file__).parent),
    )


def _said(python: str, isolation: Isolation, what: str) -> bytes:
    """What the harness answers; b"" where it does not start or has nothing to say."""
    with tempfile.TemporaryDirectory(prefix="quire-") as folder:
        try:
            with closing(_child(python, isolation, Path(folder), what)) as child:
                return child.receive(_START)
        except (OSError, ChildLate, ChildDied):
            return b""


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
        self._isolation: Isolation = isolation or find_isolation()
        self._serve = ("serve", self._isolation, str(seconds), *modules)
        self._python, self._seconds = python, seconds
        self._folder = atomic.scratch(self)
        self._servers = Pool(self._start)

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
            with theirs:
                try:
                    self._hand_over(theirs)
                except OSError:  # it died with the problem before: start anew
                    self._hand_over(theirs)
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
        self._servers.close()

    def _hand_over(self, wire: Connection) -> None:
        with self._servers.child() as server:
            send_handle(server.connection, wire.fileno(), server.process.pid)

    def _start(self) -> Child:
        try:
            child = _child(self._python, self._isolation, self._folder, *self._serve)
            child.receive(_START)
        except (OSError, ChildLate, ChildDied) as error:
            raise ScoringError(
                f"{self._python} does not start as a judge.",
                hint="Run `quire tasks environment`, or correct QUIRE_DS1000_PYTHON.",
            ) from error
        return child
