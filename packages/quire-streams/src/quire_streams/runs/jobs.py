"""How a run of a sweep is done: in a sealed process of its own.

walls = InChild(Path("runs"))(spec, print)      # Walls(landlock=7, ...)
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, Literal

from pydantic import TypeAdapter

from quire.errors import QuireError, RunError, of_row
from quire.eval.run import RunProgress, RunSpec, Tell, load_run
from quire.llm import Gateway, Role
from quire.worker import Child, receive_json, send_json
from quire_streams.channel import ChannelServer, Handler
from quire_streams.methods.methods import METHODS
from quire_streams.remote import served
from quire_streams.runs import session
from quire_streams.runs.encoders import prepare
from quire_streams.runs.opening import RunRequest, SolverSource
from quire_streams.tasks.offline import is_offline
from quire_streams.wall import Walls

_AGAIN = "Run it again to go on from there."
_PATIENCE = 10.0  # seconds that a process has to end by itself
_DEEPEST = 20
_SHOWN = 4000  # characters of an error
_SECRET = re.compile("(^|_)(API)?(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_|$)", re.IGNORECASE)


class InChild:
    """In a process of its own, behind the wall (`quire_streams.runs.run_child`).

    It takes a specification and a listener for its progress, gives the walls that stood around the process,
    and raises a QuireError where the run fails. Models are asked here, through `gateway`, and a person by
    `ask`, on one of whose threads. `stop` ends all that runs, from another thread; what was done is on disk.
    """

    def __init__(
        self,
        root: Path,
        source: SolverSource | None = None,
        gateway: Gateway | None = None,
        ask: Person | None = None,
    ) -> None:
        self._root, self._source = root.absolute(), source
        self._gateway, self._ask = gateway, ask
        self._live: set[Child] = set()
        self._lock, self._stopped = threading.Lock(), False

    def __reduce__(self) -> tuple[Any, ...]:
        # To another machine goes what to do, not who does it.
        return (InChild, (self._root, self._source, self._gateway))

    def __call__(self, spec: RunSpec, tell: Tell) -> Walls | None:
        """Start the process and follow it to its end."""
        if METHODS[spec.method].compares:
            prepare(spec.encoder)
        with (
            tempfile.TemporaryDirectory(prefix="quire-run-", ignore_cleanup_errors=True) as scratch,
            tempfile.TemporaryFile() as errors,
            Sockets(spec, self._gateway, self._ask) as sockets,
            session.open_judged(self._root, spec.name) as tally,
        ):
            number = tally.fileno()
            request = RunRequest(
                spec, str(self._root), scratch, self._source, sockets.models, sockets.judge, number
            )
            child = self._started(scratch, errors, (*sockets.given, number), sockets)
            try:
                walls, ended = _followed(child, request, tell)
                code = 0 if ended else child.process.wait()
            finally:
                child.close(0.0 if self._stopped else _PATIENCE)
                with self._lock:
                    self._live.discard(child)
                sockets.account(self._root / spec.name)
            if ended:
                session.check_judged(self._root, spec, load_run(self._root / spec.name))
                return walls
            raise RunError(self._obituary(code, errors), hint=_AGAIN)

    def stop(self) -> None:
        """Kill every process; each run stands where its last record stands."""
        with self._lock:
            self._stopped = True
            for child in self._live:
                child.kill()

    def _started(self, scratch: str, errors: IO[bytes], given: tuple[int, ...], sockets: Sockets) -> Child:
        with self._lock:
            if self._stopped:
                raise RunError("The run was stopped.", hint=_AGAIN)
            # A group of its own: Ctrl-C is for the parent, which ends its children in order.
            child = Child(
                "quire_streams.runs.run_child",
                give=given,
                environment=surroundings(scratch),
                errors=errors,
                group=True,
            )
            self._live.add(child)
            sockets.hand_over()
            return child

    def _obituary(self, code: int, errors: IO[bytes]) -> str:
        if self._stopped:
            return "The run was stopped."
        if code == -signal.SIGKILL:
            return "The run's process was killed (signal 9); perhaps the machine was out of memory."
        if code < 0:
            return f"The run's process died of signal {-code}."
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - 2000))
        last = errors.read().decode("utf-8", "replace").strip().splitlines()[-1:]
        return f"The run's process ended with code {code}{': ' if last else ''}{''.join(last)}."


def surroundings(scratch: str) -> dict[str, str]:
    """The environment of a run's process, whose temporary files go into `scratch`."""
    # Threads of linear algebra would be there before the wall, and runs share the cores already. Keys stay
    # here: models are asked through this process.
    kept = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    return {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **kept, "TMPDIR": scratch}


def _followed(child: Child, request: RunRequest, tell: Tell) -> tuple[Walls | None, bool]:
    """The walls that the process told of, and whether it reached the end. Raises the error that it told."""
    walls = None
    with suppress(OSError):  # its death is told below
        send_json(child.connection, asdict(request))
    while True:
        try:
            row = receive_json(child.connection, deepest=_DEEPEST)
        except ValueError:
            continue  # solvers can write into this wire too
        except (EOFError, OSError):
            return walls, False
        if not isinstance(row, dict):
            continue
        walls = walls or session.walls_from(row.get("walls"))
        if (now := progress_of(row.get("progress"))) is not None:
            tell(now)
        if "error" in row:
            raise _read_error(row["error"])
        if "done" in row:
            return walls, True


def progress_of(row: Any) -> RunProgress | None:
    """Where a run stands; None where the line is not what a child sends."""
    with suppress(ValueError):
        return TypeAdapter(RunProgress).validate_python(row)
    return None


def _read_error(row: Any) -> QuireError:
    """The error that a child told, if it is one."""
    try:
        return of_row([part[:_SHOWN] if isinstance(part, str) else part for part in row])
    except (TypeError, ValueError):
        return RunError("The run's process told an error that is none.", hint=_AGAIN)


Person = Callable[[str, str], Literal["right", "wrong", "unknown"]]  # what was asked, what was answered


class Sockets:
    """The sockets by which a run's own process asks what it must not have; none where nobody need be asked.

    One is for the process that solves (the models of the specification, a person's verdict), one for its
    judge's process (the judge's model alone: what is asked there holds gold).
    """

    def __init__(self, spec: RunSpec, gateway: Gateway | None, ask: Person | None = None) -> None:
        self._part = gateway.part() if gateway else None
        self._ends: list[Connection] = []
        self._serving: list[ChannelServer] = []
        solving: dict[str, Handler] = {"verdict": _verdict(ask)} if ask else {}
        if self._part and not all(map(is_offline, spec.models)):
            allowed: list[tuple[Role, str]] = [("answer", name) for name in spec.models]
            solving |= served(self._part, [*allowed, ("lesson", spec.models[0])])
        self.models = self._open(solving) if solving else None
        judging = served(self._part, [("judge", spec.judge_model)]) if self._part else {}
        self.judge = self._open(judging) if judging and spec.judge_model else None

    def __enter__(self) -> Sockets:
        return self

    def __exit__(self, *_: object) -> None:
        self.hand_over()
        for serving in self._serving:
            serving.close()

    @property
    def given(self) -> tuple[int, ...]:
        """The numbers that the child inherits."""
        return tuple(end.fileno() for end in self._ends)

    def hand_over(self) -> None:
        """Close the child's ends here."""
        for end in self._ends:
            end.close()

    def account(self, folder: Path) -> None:
        """Write down what the run took."""
        if self._part:
            session.spend(folder, self._part.meter)

    def _open(self, handlers: Mapping[str, Handler]) -> int:
        here, there = Pipe()
        self._serving.append(ChannelServer(here, handlers))
        self._ends.append(there)
        return there.fileno()


def _verdict(ask: Person) -> Handler:
    def answer(given: Mapping[str, Any]) -> str:
        return ask(str(given["input"]), str(given["output"]))

    return answer
