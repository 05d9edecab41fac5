"""Long work: kept, shown while it runs, cancelled, and taken up again after a restart.

    jobs = Jobs(store, {"add": adding}, lanes={"add": "library"})
    jobs.start()
    job = jobs.submit("add", {"upload": "..."})
    jobs.job(job.id).progress, jobs.cancel(job.id)

One job of a lane runs at a time. A job is stored before it is accepted. One that a dying server left behind
begins again, up to `_ATTEMPTS` times; its work must therefore be such that what was done is not done twice.
On a full disk a lane waits until it can write down what became of its job: it never ends.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import sys
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from quire import jsontext
from quire.app.server.responses import Bell
from quire.app.server.store import Store, now
from quire.errors import LibraryError, LibraryLocked, QuireError, as_document
from quire.jsontext import plain

State = Literal["waiting", "running", "done", "failed", "cancelled"]
ENDED = ("done", "failed", "cancelled")
_ATTEMPTS = 3
_PAUSE = 2.0  # seconds between two tries at a library that another process is changing
_NICENESS = 10  # people who ask come first
_KEPT = 1000  # ended jobs
_UNWRITTEN = (LibraryError, sqlite3.Error)  # what a store raises whose disk is full
_log = logging.getLogger(__name__)


class Stopped(Exception):
    """The work shall end: it was cancelled, or the server stops."""


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of long work. Times are ISO 8601, UTC, empty where not yet; `progress` is the work's own."""

    id: str
    kind: str
    state: State
    created: str
    started: str
    ended: str
    attempts: int
    spec: Mapping[str, Any]
    progress: Mapping[str, Any]
    result: Any
    error: Mapping[str, str] | None


class Running:
    """What a running job's work sees of it."""

    def __init__(self, jobs: Jobs, job: Job) -> None:
        self.job, self.spec, self.ids = job, job.spec, jobs.ids
        self._jobs = jobs

    def report(self, progress: Any) -> None:
        """Tell how far the work is.

        Raises:
            Stopped: it shall end.
        """
        self._jobs.progress(self.job.id, plain(progress))
        if self._jobs.unwanted(self.job.id):
            raise Stopped


Work = Callable[[Running], Any]


class Jobs:
    """All jobs of one server. An id that names none raises NotFound."""

    def __init__(self, store: Store, works: Mapping[str, Work], lanes: Mapping[str, str]) -> None:
        """`works` does each kind of job, in the lane that `lanes` names for it."""
        self.bell = Bell()
        self._store, self._works, self._lanes = store, works, lanes
        self._turn = threading.Condition()
        self._stopping = False
        self._cancelled: set[str] = set()
        self._progress: dict[str, Mapping[str, Any]] = {}  # of running jobs
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Take up what waits or was interrupted, and go on with what comes."""
        self._take_up()
        for lane in sorted(set(self._lanes.values())):
            thread = threading.Thread(target=self._run_lane, args=(lane,), name=f"jobs-{lane}")
            thread.start()
            self._threads.append(thread)

    def stop(self, patience: float = 5.0) -> bool:
        """End; what runs is taken up at the next start. False if some work has not ended in time."""
        with self._turn:
            self._stopping = True
            self._turn.notify_all()
        for thread in self._threads:
            thread.join(patience)
        return not any(thread.is_alive() for thread in self._threads)

    def submit(self, kind: str, spec: Mapping[str, Any], id: str = "") -> Job:
        """Store a job and queue it.

        Raises:
            KeyError: no work is known for that kind.
        """
        self._lanes[kind]
        id = id or new_id()
        sql = "INSERT INTO jobs (id, kind, state, created, spec) VALUES (?, ?, 'waiting', ?, ?)"
        self._store.change(sql, id, kind, now(), jsontext.dumps(plain(spec)))
        with self._turn:
            self._turn.notify_all()
        self.bell.ring()
        return self.job(id)

    def job(self, id: str) -> Job:
        """The job of that id."""
        return self._job(self._store.row("jobs", id, "job"))

    def listed(self, limit: int = 50, *, running: bool = False) -> list[Job]:
        """The newest jobs, or those that have not ended."""
        where = "WHERE state IN ('waiting', 'running')" if running else ""
        sql = f"SELECT * FROM jobs {where} ORDER BY created DESC, rowid DESC LIMIT ?"
        return [self._job(row) for row in self._store.read(sql, (limit,))]

    def ids(self, kind: str, *states: State) -> list[str]:
        """The jobs of a kind that are in one of these states, the oldest first."""
        marks = ", ".join("?" * len(states))
        sql = f"SELECT id FROM jobs WHERE kind = ? AND state IN ({marks}) ORDER BY created, rowid"
        return [row["id"] for row in self._store.read(sql, (kind, *states))]

    def cancel(self, id: str) -> Job:
        """End a job: at once if it waits, else at the next thing that its work does. Ended ones stay."""
        with self._turn:
            job = self.job(id)
            if job.state == "waiting":
                self._set(id, "cancelled")
            elif job.state == "running":
                self._cancelled.add(id)
            self._turn.notify_all()
        return self.job(id)

    def progress(self, id: str, progress: Mapping[str, Any]) -> None:
        """Keep how far a running job is."""
        self._progress[id] = progress
        self.bell.ring()

    def unwanted(self, id: str) -> bool:
        """Whether a running job shall end."""
        return self._stopping or id in self._cancelled

    def _job(self, row: Any) -> Job:
        values = dict(row)
        for name in ("spec", "progress", "result", "error"):
            values[name] = json.loads(values[name])
        values["progress"] = self._progress.get(values["id"], values["progress"])
        return Job(**values)

    def _take_up(self) -> None:
        told = LibraryError(
            f"The server ended {_ATTEMPTS} times while it did this.",
            hint="Files that were sent for it are kept: retry what failed.",
        )
        with self._store.transaction() as db:
            db.execute(
                """UPDATE jobs SET state = 'failed', ended = ?, error = ?
                   WHERE state = 'running' AND attempts >= ?""",
                (now(), json.dumps(as_document(told)), _ATTEMPTS),
            )
            db.execute("UPDATE jobs SET state = 'waiting' WHERE state = 'running'")
            db.execute(
                """DELETE FROM jobs WHERE state IN ('done', 'failed', 'cancelled') AND id NOT IN
                   (SELECT id FROM jobs ORDER BY created DESC LIMIT ?)""",
                (_KEPT,),
            )

    def _run_lane(self, lane: str) -> None:
        if sys.platform == "linux":  # elsewhere it would be the whole process
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        kinds = [kind for kind, its in self._lanes.items() if its == lane]
        while job := self._next(kinds):
            ended = self._done(job)
            while not self._stopping:  # else it is taken up at the next start
                with contextlib.suppress(*_UNWRITTEN):
                    self._set(job.id, **ended)
                    break
                with self._turn:  # a pause that ends with the server
                    self._turn.wait_for(lambda: self._stopping, _PAUSE)

    def _next(self, kinds: list[str]) -> Job | None:
        marks = ", ".join("?" * len(kinds))
        sql = f"""SELECT * FROM jobs WHERE state = 'waiting' AND kind IN ({marks})
                  ORDER BY created, rowid LIMIT 1"""
        with self._turn:
            while not self._stopping:
                try:
                    if found := self._store.read(sql, kinds):
                        self._set(found[0]["id"], "running", attempt=1)
                        return self.job(found[0]["id"])
                except _UNWRITTEN:
                    _log.exception("The jobs cannot be read or written.")
                    self._turn.wait(_PAUSE)
                else:
                    self._turn.wait()
        return None

    def _done(self, job: Job) -> dict[str, Any]:
        """Do it; what is to be written down of it."""
        try:
            return {"state": "done", "result": self._worked(job)}
        except Stopped:
            if job.id in self._cancelled:
                return {"state": "cancelled"}
            return {"state": "waiting", "attempt": -1}  # the server ends as it should: no failed attempt
        except QuireError as error:
            return {"state": "failed", "error": as_document(error)}
        except Exception as error:  # the border of a job: whatever it raises must not end the lane
            _log.exception("Job %s (%s) failed.", job.id, job.kind)
            told = {"type": type(error).__name__, "message": f"It failed: {error}", "hint": ""}
            return {"state": "failed", "error": told}

    def _worked(self, job: Job) -> Any:
        """Do it, as soon as no other process is changing the library."""
        while True:
            try:
                return self._works[job.kind](Running(self, job))
            except LibraryLocked as error:
                self.progress(job.id, {"stage": "waiting", "label": str(error)})
                with self._turn:
                    self._turn.wait_for(lambda: self.unwanted(job.id), _PAUSE)
                if self.unwanted(job.id):
                    raise Stopped from error

    def _set(self, id: str, state: State, *, attempt: int = 0, result: Any = None, error: Any = None) -> None:
        ended = now() if state in ENDED else ""
        progress = jsontext.dumps(self._progress.get(id, {}))
        self._store.change(
            """UPDATE jobs SET state = ?, ended = ?, result = ?, error = ?, progress = ?,
               started = CASE WHEN ? THEN ? ELSE started END,
               attempts = attempts + ? WHERE id = ?""",
            *(state, ended, jsontext.dumps(plain(result)), jsontext.dumps(error), progress),
            *(attempt > 0, now(), attempt, id),
        )
        if state != "running":
            self._progress.pop(id, None)
            self._cancelled.discard(id)
        self.bell.ring()


def new_id() -> str:
    """An id that cannot be guessed and can be a file name."""
    return uuid.uuid4().hex
