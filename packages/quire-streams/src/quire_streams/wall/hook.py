"""The wall that Python itself keeps: an audit hook (PEP 578), which cannot be taken out again.

It refuses files that are not open (`Ground`), new processes, signals, libraries by `ctypes`, and sockets
where a run needs no network. It works on every system and says what was refused.

Limits: native code that opens files by itself (DuckDB, `ATTACH` in SQLite) raises no event, and code that
rewrites this module's objects in memory can disarm it. It holds back the careless; the hostile need the
kernel's walls (`quire_streams.wall.landlock`, `quire.syscalls`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from quire_streams.wall import Ground

_PROCESSES = frozenset(
    "os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile os.system pty.spawn subprocess.Popen "
    "os.kill os.killpg signal.pthread_kill ctypes.dlopen ctypes.dlsym ctypes.dlsym/handle "
    "sqlite3.enable_load_extension sqlite3.load_extension".split()
)
_SOCKETS = frozenset(
    "socket.connect socket.bind socket.sendto socket.sendmsg socket.getaddrinfo socket.gethostbyname".split()
)
_READS = frozenset("os.listdir os.scandir os.chdir shutil.copyfile shutil.copytree".split())
_CHANGES = frozenset(
    "os.remove os.rename os.rmdir os.mkdir os.truncate os.chmod os.chown os.utime os.setxattr "
    "os.removexattr shutil.rmtree shutil.move tempfile.mkstemp tempfile.mkdtemp".split()
)
_LINKS = frozenset(("os.link", "os.symlink"))
# Modules with file readers or process starters of their own; kept out where the kernel keeps no files.
_NATIVE = frozenset(
    "duckdb _duckdb pyarrow polars _posixsubprocess _cffi_backend ctypes _ctypes _multiprocessing".split()
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def put_up(ground: Ground, *, network: bool, processes: bool, alone: bool) -> None:
    """Refuse, for good, what leads off the ground. `alone`: there is no kernel's wall behind this one."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if (reason := _refusal(event, arguments, ground)) or (
            (event in _PROCESSES and not processes)
            or (event.startswith("socket.") and _calls_out(event, arguments, network))
            or (event == "resource.prlimit" and arguments[0] not in (0, os.getpid()))
            or (alone and event == "import" and str(arguments[0]).partition(".")[0] in _NATIVE)
        ):
            raise PermissionError(reason or f"{event} is refused while a stream runs")

    if alone and not processes:
        _forget_starters()
    sys.addaudithook(hook)


def _refusal(event: str, arguments: tuple[Any, ...], ground: Ground) -> str:
    """Why a file is closed; empty: it is open, or the event is not about files."""
    if event == "open":
        write = bool(arguments[2] & _WRITING)
        return _closed(arguments[0], ground, write)
    if event in _LINKS:
        return "Links are refused while a stream runs"
    if event in _READS or event in _CHANGES:
        places = [one for one in arguments[:2] if isinstance(one, str | bytes | os.PathLike)]
        return next((told for one in places if (told := _closed(one, ground, event in _CHANGES))), "")
    if event == "sqlite3.connect":
        name = os.fsdecode(arguments[0])
        if name not in ("", ":memory:", "file::memory:"):
            path = name.removeprefix("file:").partition("?")[0] if name.startswith("file:") else name
            return _closed(path, ground, True) or _closed(unquote(path), ground, True)
    return ""


def _closed(path: Any, ground: Ground, write: bool) -> str:
    if not isinstance(path, str | bytes | os.PathLike):
        return ""  # a file that is open already, by its number
    text = os.fsdecode(path)
    if not Path(text).is_absolute():
        # The event does not say in which folder (dir_fd) a relative path begins.
        return f"{text!r} is relative: while a stream runs, paths are absolute"
    return "" if ground.allows(text, write) else f"{text!r} is behind the wall"


def _calls_out(event: str, arguments: tuple[Any, ...], network: bool) -> bool:
    if event not in _SOCKETS:
        return False
    local = event == "socket.connect" and isinstance(arguments[1], str | bytes)
    return local or not network


def _forget_starters() -> None:
    # These start processes without raising an event.
    import subprocess

    def refuse(*_: Any) -> Any:
        raise PermissionError("Processes are refused while a stream runs")

    refused: Callable[..., Any] = refuse
    for module in (sys.modules.get("_posixsubprocess"), subprocess):
        for name in ("fork_exec", "_fork_exec"):
            if module is not None and hasattr(module, name):
                setattr(module, name, refused)
