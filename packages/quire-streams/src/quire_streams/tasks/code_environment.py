"""The Python environment that DS-1000 runs in: its own, with the libraries that its problems import.

`$QUIRE_HOME/environments/ds1000`, or whatever Python QUIRE_DS1000_PYTHON names. Where neither is there, the
Python of quire itself runs what it can; results record the versions either way.

`environments/ds1000.txt` lists what is always installed, `ds1000-large.txt` what takes most of the disk
(torch, TensorFlow, xgboost, gensim), `ds1000-lock.txt` the version of everything these bring along: one
library that is installed alone must not move numpy under the others.

    for step in create(packages()): print(step.number, step.of, step.package, step.megabytes, step.error)
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.errors import TaskError
from quire.settings import home
from quire_streams.tasks.warm_python import bare_environment, harness

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
    try:
        command = harness(interpreter, "installed")
        given = bare_environment(Path(tempfile.gettempdir()))
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=given)
        found = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return Installed({}, frozenset())
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
