"""Closing processes off: from the machine, from its files, and from each other.

With namespaces (Linux, see `quire_streams.tasks.warm_python.find_isolation`):

- `room()`, once, in the server: a new root in which only Python's own folders and the system's libraries are
  there, to be read. No home, no data, no other folder has a name in it; there is no network.
- `scratch_folder()`, in each judge: a folder of its own in memory, which no other process sees.
- `cell()`, in each candidate: the same, its own processes alone in /proc, no privileges and no way to new
  namespaces. It is the first process of its namespace: when it ends, so does all that was started in it.

Without namespaces both are folders of the file system, and only the limits of `limit` and a hook
inside Python, which the careless do not get by and the hostile do, hold.

Open: memory is limited for each process (6 GB), their number by a count (4096), so a candidate can make the
machine slow until its time is over. What stands in the folder of the Python that runs here is readable.
"""

from __future__ import annotations

import os
import resource
import signal
import site
import sys
import tempfile
from pathlib import Path
from typing import Any

from . import kernel

_SYSTEM = "/usr /lib /lib32 /lib64 /bin /sbin /etc/fonts /etc/ld.so.cache /etc/localtime /etc/alternatives"
_DEVICES = "/dev/null /dev/zero /dev/random /dev/urandom"
_SCRATCH = "/desk"
_WORDS = {"socket": "no network", "subprocess": "no processes", "os": "no processes"}
_MEGABYTES = 512
_FILE = 256 << 20
_MEMORY = 6 << 30


def room() -> None:
    """Leave nothing of the machine but what Python needs. Call `close_room` after the imports."""
    kernel.private_mounts()
    top = tempfile.mkdtemp()
    kernel.memory_folder(top, _MEGABYTES)
    for path in [*_SYSTEM.split(), *_DEVICES.split(), *_python()]:
        _let_in(path, top)
    for path in (_SCRATCH, "/proc", "/dev/shm", "/config"):
        Path(top + path).mkdir(parents=True, exist_ok=True)
    kernel.processes(f"{top}/proc")
    kernel.change_root(top)
    os.environ.update(
        HOME="/config", USER="nobody", LOGNAME="nobody", MPLCONFIGDIR="/config", TMPDIR=_SCRATCH
    )
    tempfile.tempdir = None


def close_room() -> None:
    """Nothing can be written in it any more; home is the scratch folder."""
    os.environ["HOME"] = _SCRATCH
    kernel.freeze("/")


def scratch_folder(closed: bool) -> None:
    """An empty folder to work in, of which no other process knows."""
    if closed:
        kernel.unshare(kernel.NEW_MOUNTS)
        _empty_folders()
    else:
        os.chdir(tempfile.mkdtemp())


def apart() -> None:
    """Children from now on are in a process namespace of their own."""
    kernel.unshare(kernel.NEW_PIDS | kernel.NEW_MOUNTS)


def cell() -> None:
    """The first process of a new process namespace locks itself in."""
    kernel.processes("/proc")
    _empty_folders()
    kernel.new_user(kernel.NEW_MOUNTS | kernel.NEW_IPC)
    kernel.drop_privileges()


def limit(seconds: float) -> None:
    """Memory, file size, time on the processor, number of processes."""
    for what, most in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_FSIZE, _FILE),
        (resource.RLIMIT_CPU, int(seconds) + 5),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 4096),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(what, (most, most))
        except (OSError, ValueError):  # macOS knows of some limits and sets none
            continue


def end_others() -> None:
    """End every other process of this namespace, and wait for them."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def refuse(*kinds: str) -> None:
    """From now on Python refuses these kinds of events, for example `socket` or `subprocess`."""

    def hook(event: str, _: Any) -> None:
        if (event in kinds or event.partition(".")[0] in kinds) and event != "socket.gethostname":
            raise PermissionError(f"{_WORDS.get(event.partition('.')[0], 'nothing of that')} here: {event}")

    sys.addaudithook(hook)


def _empty_folders() -> None:
    for path in (_SCRATCH, "/dev/shm"):
        kernel.memory_folder(path, _MEGABYTES)
    os.chdir(_SCRATCH)


def _python() -> list[str]:
    """The folders that Python imports from, without those that may hold anything else."""
    packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    homes = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    wanted = {str(Path(path).absolute()) for path in (*homes, *packages, *site.getsitepackages())}
    return sorted(path for path in wanted if not path.startswith("/usr") and Path(path).is_dir())


def _let_in(path: str, top: str) -> None:
    source, target = Path(path), Path(top + path)
    if source.is_symlink() and str(source) in _SYSTEM.split():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source.readlink())
    elif source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        kernel.show(path, str(target))
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
        kernel.show(path, str(target))
