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

import ctypes
import importlib.util
import os
import resource
import signal
import site
import sys
import tempfile
from pathlib import Path
from typing import Any

_SYSTEM = "/usr /lib /lib32 /lib64 /bin /sbin /etc/fonts /etc/ld.so.cache /etc/localtime /etc/alternatives"
_DEVICES = "/dev/null /dev/zero /dev/random /dev/urandom"
_SCRATCH = "/desk"
_WORDS = {"socket": "no network", "subprocess": "no processes", "os": "no processes"}
_MEGABYTES = 512
_FILE = 256 << 20
_MEMORY = 6 << 30

# What Python 3.11 has no names for: mounts, namespaces, dropping privileges. Each call raises OSError as the
# kernel says.
_NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_PIDS = 0x00020000, 0x08000000, 0x10000000, 0x20000000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _BIND = 1, 2, 4, 4096
_RECURSIVE, _PRIVATE = 16384, 1 << 18
_DETACH = 2
_PARENT_DEATH, _DUMPABLE, _DROP_BOUND, _NO_NEW = 1, 4, 24, 38
_CAPABILITIES = 0x20080522

_PIVOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41}

_libc = ctypes.CDLL(None, use_errno=True)
_spec = importlib.util.spec_from_file_location("_calls", os.environ["QUIRE_SYSCALLS"])
assert _spec  # loaded as a file that the parent names: quire is not in the Python that runs here
assert _spec.loader
_calls = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_calls)


def room() -> None:
    """Leave nothing of the machine but what Python needs. Call `close_room` after the imports."""
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)  # what is mounted from now on is not seen elsewhere
    top = tempfile.mkdtemp()
    _memory_folder(top)
    for path in [*_SYSTEM.split(), *_DEVICES.split(), *_python()]:
        _let_in(path, top)
    for path in (_SCRATCH, "/proc", "/dev/shm", "/config"):
        Path(top + path).mkdir(parents=True, exist_ok=True)
    _processes(f"{top}/proc")
    os.chdir(top)
    _checked(_libc.syscall(_PIVOT[os.uname().machine], b".", b"."), "pivot_root")
    _checked(_libc.umount2(b".", _DETACH), "umount")  # the rest is gone for good
    os.chdir("/")
    os.environ.update(
        HOME="/config", USER="nobody", LOGNAME="nobody", MPLCONFIGDIR="/config", TMPDIR=_SCRATCH
    )
    tempfile.tempdir = None


def close_room() -> None:
    """Nothing can be written in it any more (Linux 5.12); home is the scratch folder."""
    os.environ["HOME"] = _SCRATCH
    attributes = (ctypes.c_uint64 * 4)(_READ_ONLY, 0, 0, 0)
    set_attributes, whole = 442, 0x8000
    size = ctypes.sizeof(attributes)
    _checked(_libc.syscall(set_attributes, -100, b"/", whole, attributes, size), "mount_setattr")


def scratch_folder(closed: bool) -> None:
    """An empty folder to work in, of which no other process knows."""
    if closed:
        _unshare(_NEW_MOUNTS)
        _empty_folders()
    else:
        os.chdir(tempfile.mkdtemp())


def apart() -> None:
    """Children from now on are in a process namespace of their own."""
    _unshare(_NEW_PIDS | _NEW_MOUNTS)


def cell() -> None:
    """The first process of a new process namespace locks itself in."""
    _processes("/proc")
    _empty_folders()
    # A new user namespace, in which the same user is root; mounts from before are locked in it.
    user, group = os.geteuid(), os.getegid()
    _unshare(_NEW_USER | _NEW_MOUNTS | _NEW_IPC)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    # No further namespaces, no capability, and none to be won back.
    for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
        Path(f"/proc/sys/user/max_{name}_namespaces").write_text("0")
    for one in range(64):
        _libc.prctl(_DROP_BOUND, one, 0, 0, 0)
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    _checked(_libc.capset(header, none), "capset")
    _checked(_libc.prctl(_NO_NEW, 1, 0, 0, 0), "prctl")


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
        _memory_folder(path)
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
        _mount(path, str(target), None, _BIND | _RECURSIVE)
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
        _mount(path, str(target), None, _BIND | _RECURSIVE)


def die_with_parent() -> None:
    """Be ended when the parent is."""
    if sys.platform == "linux":
        _libc.prctl(_PARENT_DEATH, 9, 0, 0, 0)


def unreadable(yes: bool) -> None:
    """Whether other processes of the same user may look into this one."""
    if sys.platform == "linux":
        _libc.prctl(_DUMPABLE, 0 if yes else 1, 0, 0, 0)


def close_calls() -> None:
    """No system calls but those that honest programs make, processes and modes of files among them."""
    _calls.close(processes=True, own_files=True)


def _unshare(flags: int) -> None:
    """Leave the namespaces of the parent."""
    _checked(_libc.unshare(flags), "unshare")


def _memory_folder(target: str) -> None:
    """An empty folder in memory."""
    options = f"size={_MEGABYTES}m,nr_inodes=20k,mode=755"
    _mount("none", target, "tmpfs", _NO_SUID | _NO_DEVICES, options)


def _processes(target: str) -> None:
    """The processes of this namespace."""
    _mount("proc", target, "proc", _NO_SUID | _NO_DEVICES)


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    given = (source and source.encode(), target.encode(), kind and kind.encode(), flags, options.encode())
    _checked(_libc.mount(given[0], given[1], given[2], ctypes.c_ulong(flags), given[4]), f"mount {target}")


def _checked(result: int, what: str) -> None:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
