"""Processes of our own that do what is dangerous or long, and the wire to them.

    child = Child("quire.store.sandbox_child", ["/path/library.duckdb"])
    child.send(b"...")
    child.receive(timeout=10.0)      # bytes, or ChildLate, or ChildDied
    child.close()
    with Pool(start, most=2).child() as child: ...     # one that is kept from caller to caller

The child runs `MODULE.main()` in an isolated Python (`-I`: no PYTHONPATH, no user's packages, no module of
the working directory) with `sys.argv[1:] == [FD, *ARGUMENTS]`. What else it imports must be added to its path
by name, after it has sealed itself.

The wire is one socket of messages, each behind its length (`multiprocessing.connection`): bytes, or JSON with
`send_json` and `receive_json`. What comes back is bytes: the caller decides how far to trust them.

A child ends when the wire closes and, whatever it is doing, when its parent dies: it holds the reading end of
a second pipe, whose writing end only the parent has, and the kernel signals its closing.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from quire import jsontext

ROOT = str(Path(__file__).parents[1])  # the folder that holds the package
_LARGEST = 1 << 30  # bytes of one message
_LARGEST_JSON = 64 << 20
_BUSY = 10  # times that a message may take where others have the processors
_DEEPEST = 64
# The folders of packages come last, so that they shadow nothing.
# Not the parent-death signal: that one also comes when the thread ends that started the child. SIGIO,
# which ends a process, comes when the last writing end of the pipe is closed; it may be closed already.
_START = """
import fcntl, importlib, os, select, sys
roots, module, ends = sys.argv.pop(1), sys.argv.pop(1), int(sys.argv.pop(1))
if sys.platform == "linux":
    fcntl.fcntl(ends, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(ends, fcntl.F_SETFL, os.O_ASYNC)
    if select.select([ends], [], [], 0)[0]:
        sys.exit(1)
sys.path.extend(roots.split(os.pathsep))
sys.exit(importlib.import_module(module).main())
"""


class ChildLate(Exception):
    """The child did not answer in time."""


class ChildDied(Exception):
    """The child ended without answering; the message says how."""


class Child:
    """One running child."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        give: Sequence[int] = (),
        environment: Mapping[str, str] | None = None,
        errors: int | IO[bytes] = subprocess.DEVNULL,
        group: bool = False,
        python: Sequence[str] = (sys.executable,),
        path: str = "",
    ) -> None:
        """Start it. `give` are descriptors that it inherits, `errors` is where it writes what it prints.

        With `group` it leads a process group, which is killed whole, and Ctrl-C does not reach it. Another
        `python`, with what stands before it on the command line, finds the module in the folder `path` alone.
        """
        ours, theirs = socket.socketpair()
        ends, life = os.pipe()
        roots = [path] if path else dict.fromkeys([ROOT, _root_of(module.partition(".")[0])])
        command = [*python, "-I", "-c", _START, os.pathsep.join(roots), module, str(ends)]
        try:
            process = subprocess.Popen(
                [*command, str(theirs.fileno()), *arguments],
                pass_fds=(theirs.fileno(), ends, *give),
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                env=environment,
                start_new_session=group,
            )
        except BaseException:
            ours.close()
            os.close(life)
            raise
        finally:
            theirs.close()
            os.close(ends)
        self.connection = Connection(ours.detach())
        self.process, self._group = process, group
        self.uses = 0  # counted by whoever keeps it
        self._finalizer = weakref.finalize(self, _end, process, self.connection, life, group)

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

        Seconds in which others had the processors and the child waited for one do not count, where the
        kernel tells them: on a busy machine it takes longer, at most ten times, and does not fail.

        Raises:
            ChildLate: none within `timeout` seconds; the child still runs.
            ChildDied: the child ended.
        """
        left, begun, queued = timeout, time.monotonic(), _queued(self.process.pid)
        try:
            while not self.connection.poll(left):
                waited = min(_queued(self.process.pid) - queued, (_BUSY - 1) * timeout)
                left = begun + timeout + waited - time.monotonic()
                if left <= 0:
                    raise ChildLate
            return self.connection.recv_bytes(_LARGEST)
        except (EOFError, OSError) as error:
            raise ChildDied(self.obituary()) from error

    def kill(self) -> None:
        """End it at once; whoever waits for a message hears that it died. May be called from any thread."""
        _kill(self.process, self._group)

    def obituary(self) -> str:
        """How a child that closed its pipe ended, in words."""
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            return "it stopped answering"
        if code < 0:
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it ended with code {code}"

    @property
    def open(self) -> bool:
        """Whether nobody has closed it."""
        return self._finalizer.alive

    def close(self, patience: float = 0.0) -> None:
        """End the child, whatever it does; with `patience` it has so many seconds to end by itself."""
        if patience and self._finalizer.alive:
            hang_up(self.connection)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
        self._finalizer()


class Pool:
    """Children of one kind, started when they are needed and kept for the next who asks. Thread-safe."""

    def __init__(self, start: Callable[[], Child], most: int = 1, uses: int = 0) -> None:
        """At most so many at once, each replaced after so many `uses` (0: never)."""
        self._start, self._most, self._uses = start, most, uses
        self._slots = threading.BoundedSemaphore(most)
        self._guard = threading.RLock()  # a library that is let go meanwhile closes its pool in any thread
        self._free: list[Child] = []
        self._busy: set[Child] = set()

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """A child of the caller's own; it is kept unless the block raises or closes it."""
        with self._slots:
            child = self._take()
            try:
                child.uses += 1
                yield child
            except BaseException:
                child.close()
                raise
            finally:
                self._give_back(child)

    def warm(self) -> None:
        """Start all children, so that no caller waits for one."""
        for child in [self._take() for _ in range(self._most)]:
            self._give_back(child)

    def close(self) -> None:
        """End the children that do nothing. The pool may be used again afterwards."""
        with self._guard:
            while self._free:
                self._free.pop().close()

    def stop(self) -> None:
        """End the children at work, too; whoever waits for one hears that it died."""
        with self._guard:
            for child in self._busy:
                child.kill()
        self.close()

    def _take(self) -> Child:
        with self._guard:
            while self._free and self._free[-1].process.poll() is not None:  # it ended meanwhile
                self._free.pop().close()
            child = self._free.pop() if self._free else self._start()
            self._busy.add(child)
        return child

    def _give_back(self, child: Child) -> None:
        if self._uses and child.uses >= self._uses:
            child.close()
        with self._guard:
            self._busy.discard(child)
            if child.open:
                self._free.append(child)


def send_json(wire: Connection, value: Any) -> None:
    """Send a value. Raises OSError when nobody listens, ValueError when it is too long."""
    data = json.dumps(value).encode("ascii")
    if len(data) > _LARGEST_JSON:
        raise ValueError(f"a message of {len(data)} bytes")
    wire.send_bytes(data)


def receive_json(wire: Connection, deepest: int = _DEEPEST) -> Any:
    """The next value. Raises EOFError at the end, ValueError for what is no JSON, OSError."""
    return jsontext.loads(wire.recv_bytes(_LARGEST_JSON).decode("utf-8"), deepest=deepest)


def hang_up(wire: Connection) -> None:
    """End a wire, also one on which another thread waits; whoever reads it closes it.

    Closed by two threads, or under one that reads, its number may already be that of another open file.
    """
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(wire.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)


def _queued(pid: int) -> float:
    """Seconds that a process has waited for a processor; 0 where that is not told (other than on Linux)."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _end(process: subprocess.Popen[bytes], connection: Connection, life: int, group: bool) -> None:
    connection.close()
    _kill(process, group)
    process.wait()
    os.close(life)


def _kill(process: subprocess.Popen[bytes], group: bool) -> None:
    # Who has sealed itself may send no signals: its child ends with the wire.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if group:  # also what it left running when it ended
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()


def _root_of(package: str) -> str:
    found = find_spec(package)
    places = found.submodule_search_locations if found else None
    return str(Path(next(iter(places))).parent) if places else ROOT


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
