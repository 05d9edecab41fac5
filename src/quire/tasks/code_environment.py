"""The Python environment that DS-1000 runs in: its own, with the libraries of `environments/ds1000.txt`.

`$QUIRE_HOME/environments/ds1000`, or whatever Python QUIRE_DS1000_PYTHON names. Where neither is there, the
Python of quire itself runs what it can; results record the versions either way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from quire.errors import TaskError
from quire.settings import home

HARNESS = Path(__file__).with_name("ds1000_harness.py")
_REQUIREMENTS = Path(__file__).parent / "environments" / "ds1000.txt"
_NEEDS = {
    "Pandas": "pandas",
    "Numpy": "numpy",
    "Scipy": "scipy",
    "Matplotlib": "matplotlib",
    "Sklearn": "scikit-learn",
    "Pytorch": "torch",
    "Tensorflow": "tensorflow",
}


def python() -> str:
    """The interpreter to use."""
    if named := os.environ.get("QUIRE_DS1000_PYTHON"):
        return named
    own = home() / "environments" / "ds1000" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def create() -> Path:
    """Make the environment; needs a package index.

    Raises:
        TaskError: pip could not install something (its last words are in the message).
    """
    folder = home() / "environments" / "ds1000"
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "-r", str(_REQUIREMENTS)]
    for command in ([sys.executable, "-m", "venv", str(folder)], pip):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise TaskError(f"Cannot make {folder}: {done.stderr.strip()[-400:]}")
    return folder


@cache
def versions(interpreter: str) -> dict[str, str]:
    """Versions of the libraries in an environment."""
    done = subprocess.run(
        [interpreter, "-I", str(HARNESS), "versions"], capture_output=True, text=True, check=False, timeout=60
    )
    found: dict[str, str] = json.loads(done.stdout) if done.returncode == 0 else {}
    return found


def missing(library: str, interpreter: str) -> str:
    """The package that a problem of this library needs and the environment lacks, or ""."""
    needed = [_NEEDS.get(library, library.lower()), "numpy", "pandas"]
    return next((package for package in needed if package not in versions(interpreter)), "")
