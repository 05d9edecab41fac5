"""Running code that nobody vouches for: a child with limits, no network, and no sight of what is hidden.

On Linux with user namespaces (`unshare` works) the child has its own processes, network and mounts: an empty
file system is put over every hidden folder and locked by a second namespace, so that the code cannot take it
off again. Elsewhere the limits hold and sockets are refused inside Python, but files of the same user can be
read: `isolation()` says which it is, and results record it.

    command = confined([sys.executable, "-I", "program.py"], hidden=[gold_folder])
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

_HIDE = 'for one in "$@"; do shift; [ "$one" = "--" ] && break; mount -t tmpfs -o ro none "$one"; done; '
_SCRIPT = _HIDE + 'exec unshare --user --map-root-user --mount "$@"'


@cache
def isolation() -> Literal["namespaces", "limits"]:
    """What this machine can do."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return "limits"
    probe = subprocess.run(_own([unshare]) + ["true"], capture_output=True, timeout=20, check=False)
    return "namespaces" if probe.returncode == 0 else "limits"


def confined(command: Sequence[str], hidden: Sequence[Path] = ()) -> list[str]:
    """The command with namespaces around it, as far as the machine has them."""
    unshare = shutil.which("unshare")
    if unshare is None or isolation() == "limits":
        return list(command)
    folders = [str(folder.resolve()) for folder in hidden if folder.is_dir()]
    return [*_own([unshare]), "sh", "-ec", _SCRIPT, "sh", *folders, "--", *command]


def run(
    command: Sequence[str],
    given: bytes,
    seconds: float,
    folder: Path,
    environment: dict[str, str] | None = None,
) -> bytes | None:
    """Standard output of a command that gets `given` on standard input; None if it ran out of time.

    Whatever it started is ended with it. Standard error is thrown away.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment if environment is not None else bare_environment(folder),
        start_new_session=True,
    )
    try:
        return process.communicate(given, timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()


def bare_environment(folder: Path) -> dict[str, str]:
    """No keys, no user settings; one thread, so that a memory limit means what it says."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": str(folder),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
    }


def _own(unshare: Sequence[str]) -> list[str]:
    return [
        *unshare, "--user", "--map-root-user", "--net", "--ipc", "--mount", "--pid", "--fork", "--kill-child",
        "--mount-proc",
    ]  # fmt: skip
