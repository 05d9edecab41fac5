"""Linux Landlock: rules about files that the kernel keeps for this process and all that it starts.

    limit([PathRule(Path("/usr"), READ), PathRule(folder, WRITE)], network=False)  # 7: the ABI of this kernel

Nothing but the paths of the rules can be opened afterwards, whoever asks: Python, DuckDB, a C library, a
child process. The kernel also refuses to look into the memory of processes outside (ptrace, /proc/PID/mem),
and, where its ABI knows how, TCP (4), abstract sockets and signals to processes outside (6). No privilege is
needed and nothing can be taken back. See the kernel's Documentation/userspace-api/landlock.rst.

Limits: metadata (stat) stays visible, and to root (CAP_PERFMON) the environment and the memory map of other
processes where a rule opens /proc, though not their memory. Before ABI 8 the rules hold for the calling
thread and those that it starts, so call this before there are others; `others()` counts them.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same number on every architecture
_VERSION, _PATH_BENEATH, _ALL_THREADS = 1, 1, 1 << 3
_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL

READ = _READ_FILE | _READ_DIR
RUN = READ | _EXECUTE
WRITE = READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _TRUNCATE


@dataclass(frozen=True, slots=True)
class PathRule:
    """What may be done with a file, or with everything below a folder: READ, RUN or WRITE."""

    path: Path
    rights: int


def abi() -> int:
    """The version of Landlock that this kernel has switched on; 0: none."""
    if sys.platform != "linux":
        return 0
    found: int = _libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    return max(found, 0)


def others() -> int:
    """Threads of this process that `limit` will not reach."""
    return 0 if abi() >= 8 else len(os.listdir("/proc/self/task")) - 1  # noqa: PTH208 - names alone


def limit(rules: Iterable[PathRule], *, network: bool = True) -> int:
    """Keep to these rules, for good. Gives the ABI: 0 where the kernel has no Landlock and nothing was done.

    Raises:
        OSError: the kernel refuses the rules.
    """
    version = abi()
    if not version:
        return 0
    handled = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    wires = 0 if network or version < 4 else 3  # TCP: to bind, to connect
    scopes = 3 if version >= 6 else 0  # abstract sockets, signals
    # An older kernel refuses fields that it does not know unless they are left out.
    size = 8 if version < 4 else 16 if version < 6 else 24
    attribute = struct.pack("QQQ", handled, wires, scopes)[:size]
    ruleset = _call(_CREATE, ctypes.create_string_buffer(attribute, size), size, 0)
    try:
        for rule in rules:
            _add(ruleset, rule, handled)
        _check(_libc().prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
        _call(_RESTRICT, ruleset, _ALL_THREADS if version >= 8 else 0)
    finally:
        os.close(ruleset)
    return version


def _add(ruleset: int, rule: PathRule, handled: int) -> None:
    try:
        # O_PATH opens nothing: a rule may name what this user cannot read.
        place = os.open(rule.path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    try:
        rights = rule.rights & handled
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        beneath = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
        _call(_ADD, ruleset, _PATH_BENEATH, beneath, 0)
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    wide = [ctypes.c_size_t(one) if isinstance(one, int) else one for one in arguments]
    return _check(_libc().syscall(number, *wide))


def _check(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
