"""A child process that does dangerous work and can be killed: hostile SQL, hostile PDFs.

    child = Child("quire.store.sandbox_child", ["/path/library.duckdb"])
    child.send(b"...")
    child.receive(timeout=10.0)      # bytes, or ChildLate, or ChildDied
    child.close()

The child runs `MODULE.main()` in an isolated Python (`-I`: no PYTHONPATH, no user's packages, no module of
the working directory) with `sys.argv[1:] == [FD, *ARGUMENTS]`, and speaks over one pipe. What comes back is
bytes: the caller decides how far to trust them.

It ends when the pipe closes and, whatever it is doing, when its parent dies: it holds the reading end of a
second pipe, whose writing end only the parent has, and the kernel signals its closing.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

_LARGEST = 1 << 30  # bytes of one message
_ROOT = Path(__file__).parents[2]  # the folder that holds the package; last, so that it shadows nothing
# Not the parent-death signal: that one also comes when the thread ends that started the child. SIGIO,
# which ends a process, comes when the last writing end of the pipe is closed; it may be closed already.
_START = """
import fcntl, importlib, os, select, sys
root, module, ends = sys.argv.pop(1), sys.argv.pop(1), int(sys.argv.pop(1))
if sys.platform == "linux":
    fcntl.fcntl(ends, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(ends, fcntl.F_SETFL, os.O_ASYNC)
    if select.select([ends], [], [], 0)[0]:
        sys.exit(1)
sys.path.append(root)
importlib.import_module(module).main()
"""


class ChildLate(Exception):
    """The child did not answer in time."""


class ChildDied(Exception):
    """The child ended without answering; the message says how."""


class Child:
    """One running child."""

    def __init__(self, module: str, arguments: Sequence[str] = ()) -> None:
        ours, theirs = socket.socketpair()
        ends, life = os.pipe()
        command = [sys.executable, "-I", "-c", _START, str(_ROOT), module, str(ends)]
        try:
            process = subprocess.Popen(
                [*command, str(theirs.fileno()), *arguments],
                pass_fds=(theirs.fileno(), ends),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except BaseException:
            ours.close()
            os.close(life)
            raise
        finally:
            theirs.close()
            os.close(ends)
        self.connection = Connection(ours.detach())
        self.process = process
        self._finalizer = weakref.finalize(self, _end, process, self.connection, life)

    def send(self, message: bytes) -> None:
        """Send a message.

        Raises:
            ChildDied: there is nobody to read it.
        """
        try:
            self.connection.send_bytes(message)
        except OSError as error:
            raise ChildDied(self.obituary()) from error

    def receive(self, timeout: float) -> bytes:
        """The next message.

        Raises:
            ChildLate: none within `timeout` seconds; the child still runs.
            ChildDied: the child ended.
        """
        try:
            if not self.connection.poll(timeout):
                raise ChildLate
            return self.connection.recv_bytes(_LARGEST)
        except (EOFError, OSError) as error:
            raise ChildDied(self.obituary()) from error

    def obituary(self) -> str:
        """How a child that closed its pipe ended, in words."""
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            return "it stopped answering"
        if code < 0:
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it ended with code {code}"

    def close(self) -> None:
        """End the child, whatever it does."""
        self._finalizer()


def _end(process: subprocess.Popen[bytes], connection: Connection, life: int) -> None:
    connection.close()
    if process.poll() is None:
        process.kill()
    process.wait()
    os.close(life)


def limit_memory(megabytes: int) -> None:
    """Let this process map at most so many megabytes more than it has mapped now."""
    mapped = 0
    with contextlib.suppress(OSError):
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = mapped + megabytes * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):  # a stricter limit is already set
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def limit_cpu(seconds: float) -> None:
    """Let this process use at most so many seconds of processor time from now on.

    The clock on the wall is the parent's business; this holds when the parent is gone.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + 1
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
