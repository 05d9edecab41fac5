"""A child process that does dangerous work and can be killed: hostile SQL, hostile PDFs.

    child = Child("quire.store.sandbox_child", ["/path/library.duckdb"])
    child.send(b"...")
    child.receive(timeout=10.0)      # bytes, or ChildLate, or ChildDied
    child.close()

The child runs `python -P -m MODULE FD ARGUMENTS` and speaks over one pipe, so the caller's own `__main__` is
never imported again and no module of the working directory can slip in. It ends when the pipe closes, which
also happens when the parent is killed. What comes back is bytes: the caller decides how far to trust them.
"""

from __future__ import annotations

import contextlib
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


class ChildLate(Exception):
    """The child did not answer in time."""


class ChildDied(Exception):
    """The child ended without answering; the message says how."""


class Child:
    """One running child."""

    def __init__(self, module: str, arguments: Sequence[str] = ()) -> None:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", module, str(theirs.fileno()), *arguments]
        try:
            process = subprocess.Popen(
                command,
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self.connection = Connection(ours.detach())
        self.process = process
        self._finalizer = weakref.finalize(self, _end, process, self.connection)

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


def _end(process: subprocess.Popen[bytes], connection: Connection) -> None:
    connection.close()
    if process.poll() is None:
        process.kill()
    process.wait()


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
