"""A wall in this process, for good: no file below the data folders, no new process, no foreign memory.

    setup = open_setup(spec)          # starts the judge's process, which alone holds the gold
    seal([Path(spec.data)])           # from here on nothing in this process can reach it
    run(spec, setup, folder)

Solvers and memories run as Python in this process, and gold is not in its memory. What is left are files and
other processes; an audit hook (PEP 578), which Python cannot take out again, refuses those. It cannot be
undone, so call it in a process that only runs streams (as `quire stream run` does). Native code that calls
the system by itself is not held back; loading a library by `ctypes` is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_PROCESSES = frozenset(
    "os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile os.system pty.spawn subprocess.Popen "
    "ctypes.dlopen ctypes.dlsym ctypes.dlsym/handle".split()
)
_PATHS = frozenset(
    "open os.listdir os.scandir os.link os.symlink os.rename os.chdir sqlite3.connect shutil.copyfile "
    "shutil.copytree glob.glob mmap.__new__".split()
)


def seal(folders: Iterable[Path]) -> None:
    """Refuse, for the rest of this process, what could lead to the gold.

    What is refused raises PermissionError in whoever tried it.
    """
    roots = tuple(str(folder.resolve()) for folder in folders)
    own = f"/proc/{os.getpid()}"

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _PROCESSES:
            raise PermissionError(f"{event} is refused while a stream runs")
        if event in _PATHS:
            for argument in arguments[:2]:
                if isinstance(argument, str | bytes | os.PathLike) and _inside(argument, roots, own):
                    raise PermissionError(f"{argument!r} is behind the wall")

    sys.addaudithook(hook)


def _inside(path: Any, roots: tuple[str, ...], own: str) -> bool:
    text = os.fsdecode(path).removeprefix("file:").partition("?")[0]
    real = os.path.realpath(text)
    if real.startswith("/proc/") and not real.startswith((own, "/proc/self", "/proc/thread-self")):
        return any(char.isdigit() for char in real.split("/")[2])
    return any(real == root or real.startswith(root + os.sep) for root in roots)
