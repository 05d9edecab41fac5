"""The system calls of Linux that Python 3.11 has no names for: mounts, namespaces, dropping privileges.

Each raises OSError as the kernel says. Nothing here decides anything; `cells` does.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS = 0x00020000, 0x08000000, 0x10000000, 0x20000000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _BIND = 1, 2, 4, 4096
_RECURSIVE, _PRIVATE = 16384, 1 << 18
_DETACH = 2
_PARENT_DEATH, _DUMPABLE, _DROP_BOUND, _NO_NEW = 1, 4, 24, 38
_CAPABILITIES = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)
_spec = importlib.util.spec_from_file_location("_calls", os.environ["QUIRE_SYSCALLS"])
assert _spec  # loaded as a file that the parent names: quire is not in the Python that runs here
assert _spec.loader
_calls = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_calls)


def unshare(flags: int) -> None:
    """Leave the namespaces of the parent."""
    _checked(_libc.unshare(flags), "unshare")


def new_user(flags: int = 0) -> None:
    """A new user namespace, in which the same user is root; mounts from before are locked in it."""
    user, group = os.geteuid(), os.getegid()
    unshare(NEW_USER | flags)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")


def private_mounts() -> None:
    """What is mounted from now on is not seen elsewhere."""
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)


def memory_folder(target: str, megabytes: int) -> None:
    """An empty folder in memory that holds so much and no more."""
    _mount("none", target, "tmpfs", _NO_SUID | _NO_DEVICES, f"size={megabytes}m,nr_inodes=20k,mode=755")


def processes(target: str) -> None:
    """The processes of this namespace."""
    _mount("proc", target, "proc", _NO_SUID | _NO_DEVICES)


def show(source: str, target: str) -> None:
    """A folder or file at a second place."""
    _mount(source, target, None, _BIND | _RECURSIVE)


def freeze(target: str) -> None:
    """Nothing below can be written from here on (Linux 5.12)."""
    attributes = (ctypes.c_uint64 * 4)(_READ_ONLY, 0, 0, 0)
    set_attributes, whole = 442, 0x8000
    size = ctypes.sizeof(attributes)
    _checked(_libc.syscall(set_attributes, -100, target.encode(), whole, attributes, size), "mount_setattr")


def change_root(target: str) -> None:
    """Let `target` be all there is; the rest is gone for good."""
    os.chdir(target)
    _checked(_libc.syscall(_PIVOT[os.uname().machine], b".", b"."), "pivot_root")
    _checked(_libc.umount2(b".", _DETACH), "umount")
    os.chdir("/")


def die_with_parent() -> None:
    """Be ended when the parent is."""
    if sys.platform == "linux":
        _libc.prctl(_PARENT_DEATH, 9, 0, 0, 0)


def unreadable(yes: bool) -> None:
    """Whether other processes of the same user may look into this one."""
    if sys.platform == "linux":
        _libc.prctl(_DUMPABLE, 0 if yes else 1, 0, 0, 0)


def drop_privileges() -> None:
    """No capability, none to be won back, and no further namespaces."""
    for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
        Path(f"/proc/sys/user/max_{name}_namespaces").write_text("0")
    for one in range(64):
        _libc.prctl(_DROP_BOUND, one, 0, 0, 0)
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    _checked(_libc.capset(header, none), "capset")
    _checked(_libc.prctl(_NO_NEW, 1, 0, 0, 0), "prctl")


def close_calls() -> None:
    """No system calls but those that honest programs make, processes and modes of files among them."""
    _calls.close(processes=True, own_files=True)


_PIVOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41}


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    given = (source and source.encode(), target.encode(), kind and kind.encode(), flags, options.encode())
    _checked(_libc.mount(given[0], given[1], given[2], ctypes.c_ulong(flags), given[4]), f"mount {target}")


def _checked(result: int, what: str) -> None:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
