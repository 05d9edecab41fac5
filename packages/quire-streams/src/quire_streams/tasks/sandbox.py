"""Running code that nobody vouches for: processes with limits, no network, and no sight of the machine.

On Linux with user namespaces (`unshare` and a kernel of 5.12 or newer) DS-1000's programs see only Python's
own folders, read-only, and a small folder in memory; `ds1000_harness/cells.py` says how. Elsewhere
limits hold and sockets are refused inside Python, but a hostile program can read and write what the user can:
`isolation()` says which it is, and results record it. Windows has neither, and cannot judge DS-1000.

    subprocess.Popen(confined(harness(python, "serve", isolation(), "60", "numpy"), isolation()), ...)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from quire import syscalls

Isolation = Literal["namespaces", "limits"]

# The package is found without the folder around it, whose modules have the names of other things.
_LOAD = "import sys; sys.path.append(sys.argv[1]); from ds1000_harness import server; sys.path.pop(); "
_RUN = "server.main(sys.argv[2:])"
_NAMESPACES = "--user --map-root-user --net --ipc --mount --pid --fork --kill-child --mount-proc"


def harness(python: str, *arguments: str) -> list[str]:
    """The command that runs the harness in another Python."""
    return [python, "-I", "-c", _LOAD + _RUN, str(Path(__file__).parent), *arguments]


@cache
def isolation() -> Isolation:
    """What this machine can do, found out by doing it."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "limits"
    probe = _own(harness(sys.executable, "probe"))
    with tempfile.TemporaryDirectory(prefix="quire-") as folder:
        given = bare_environment(Path(folder))
        done = subprocess.run(
            probe, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, env=given, check=False
        )
    return "namespaces" if done.returncode == 0 else "limits"


def confined(command: Sequence[str], kind: Isolation) -> list[str]:
    """The command with namespaces around it, if it is to have them."""
    return _own(command) if kind == "namespaces" else list(command)


def bare_environment(folder: Path) -> dict[str, str]:
    """No keys, no user settings; one thread, so that a memory limit means what it says."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "QUIRE_SYSCALLS": str(syscalls.__file__),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": str(folder),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "TF_NUM_INTRAOP_THREADS": "1",
        "TF_NUM_INTEROP_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
    }


def _own(command: Sequence[str]) -> list[str]:
    return [shutil.which("unshare") or "unshare", *_NAMESPACES.split(), *command]
