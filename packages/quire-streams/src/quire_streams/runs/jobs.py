"""How a run of a sweep is done: in a sealed process of its own.

walls = InChild(Path("runs"))(spec, print)      # Walls(landlock=7, ...)
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
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
from quire_streams.methods import METHODS
from quire_streams.remote import ChannelServer, Handler, served
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
        folder = self._root / spec.name
        try:
            return self._done(spec, folder, tell)
        except QuireError as error:
            session.fail(folder, error)
            raise

    def _done(self, spec: RunSpec, folder: Path, tell: Tell) -> Walls | None:
        if METHODS[spec.method].compares:
            prepare(spec.encoder)
        part = self._gateway.part() if self._gateway else None
        with ExitStack() as stack:
            scratch = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="quire-run-", ignore_cleanup_errors=True)
            )
            errors = stack.enter_context(tempfile.TemporaryFile())
            tally = stack.enter_context(session.open_judged(self._root, spec.name))
            solving, judging = _handlers(spec, part, self._ask)
            ends = [_open_line(stack, solving), _open_line(stack, judging)]
            models, judge = (end.fileno() if end else None for end in ends)
            given = [number for number in (models, judge, tally.fileno()) if number is not None]
            request = RunRequest(spec, str(self._root), scratch, self._source, models, judge, tally.fileno())
            child = self._started(scratch, errors, given)
            for end in filter(None, ends):
                end.close()
            try:
                walls, ended = _followed(child, request, tell)
                code = 0 if ended else child.process.wait()
            finally:
                child.close(0.0 if self._stopped else _PATIENCE)
                with self._lock:
                    self._live.discard(child)
                if part:
                    session.spend(folder, part.meter)
            if not ended:
                raise self._obituary(code, errors, asked=session.steps(folder) > 0)
        session.check_judged(self._root, spec, load_run(folder))
        return walls

    def stop(self) -> None:
        """Kill every process; each run stands where its last record stands."""
        with self._lock:
            self._stopped = True
            for child in self._live:
                child.kill()

    def _started(self, scratch: str, errors: IO[bytes], given: Sequence[int]) -> Child:
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
            return child

    def _obituary(self, code: int, errors: IO[bytes], *, asked: bool) -> RunError:
        """What a process died of that told no error; where it has `asked` nothing, going on does not help."""
        if self._stopped:
            return RunError("The run was stopped.", hint=_AGAIN)
        if code == -signal.SIGKILL:
            said = "was killed (signal 9); perhaps the machine was out of memory"
        elif code < 0:
            said = f"died of signal {-code}"
        else:
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - 2000))
            last = errors.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            when = "" if asked else " before its first question"
            said = f"ended with code {code}{when}{': ' if last else ''}{''.join(last)}"
        hint = _AGAIN if asked or code < 0 else "Mend what it says, then run it again."
        return RunError(f"The run's process {said}.", hint=hint)


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


def asked_models(spec: RunSpec) -> list[tuple[Role, str]]:
    """The language models that a run may ask, each with its role."""
    names = [name for name in spec.models if not is_offline(name)]
    asked: list[tuple[Role, str]] = [("answer", name) for name in names]
    asked += [("lesson", name) for name in names[:1]]
    return [*asked, ("judge", spec.judge_model)] if spec.judge_model else asked


def _handlers(
    spec: RunSpec, gateway: Gateway | None, ask: Person | None
) -> tuple[dict[str, Handler], dict[str, Handler]]:
    """What the process that solves may ask here, and its judge: what is asked there holds gold."""
    models = asked_models(spec) if gateway else []
    own, judges = ([one for one in models if (one[0] == "judge") is judge] for judge in (False, True))
    solving = served(gateway, own) if gateway and own else {}
    if ask:
        solving["verdict"] = lambda given: ask(str(given["input"]), str(given["output"]))
    return solving, served(gateway, judges) if gateway and judges else {}


def _open_line(stack: ExitStack, handlers: Mapping[str, Handler]) -> Connection | None:
    """The child's end of a wire on which these are answered; None where nobody need be asked."""
    if not handlers:
        return None
    here, there = Pipe()
    stack.callback(ChannelServer(here, handlers).close)
    return stack.enter_context(there)
