"""Execution accuracy: does a query give the rows of the gold query on the database?

Queries run in a child process (see `sql_child`), read-only, with limits of time, rows and memory; one that
blocks even the child is ended with it. Two figures per answer: `loose`, the paper's comparison of sets of
rows, and `strict`, rows with their multiplicity and, where the gold query orders them, their order.

    with SqlRunner() as runner:
        runner.compare(Path("concert.sqlite"), "select count(*) from singer", "SELECT count(*) FROM singer")
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_CHILD = Path(__file__).with_name("sql_child.py")
_GRACE = 10.0  # seconds beyond both limits before the child is ended

Status = Literal["ok", "error", "timeout", "limit", "missing"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two queries compare; `said` and `gold` tell whether each ran, `rows` how many the answer gave."""

    said: Status
    gold: Status
    strict: bool
    loose: bool
    message: str = ""
    rows: int = 0


class SqlRunner:
    """A child that is started at the first query and again after it had to be ended. Thread-safe."""

    def __init__(self, seconds: float = 30.0) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        self._finish: weakref.finalize[..., SqlRunner] | None = None

    def __enter__(self) -> SqlRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def compare(self, database: Path, said: str, gold: str) -> Comparison:
        """Run both queries on the database."""
        request = {"db": str(database), "said": said, "gold": gold, "seconds": self._seconds}
        with self._lock:
            child = self._started()
            try:
                assert child.stdin is not None
                assert child.stdout is not None
                child.stdin.write(json.dumps(request) + "\n")
                child.stdin.flush()
                ready, _, _ = select.select([child.stdout], [], [], 2 * self._seconds + _GRACE)
                line = child.stdout.readline() if ready else ""
            except BrokenPipeError:
                line = ""
            if not line:
                self._end()
                return Comparison("timeout", "ok", False, False, "the query had to be ended")
        return Comparison(**json.loads(line))

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[str]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._child = child = subprocess.Popen(
                [sys.executable, "-I", str(_CHILD)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="surrogateescape",
                env={},
            )
            # A task has no end of its own: the child goes when the runner is forgotten.
            self._finish = weakref.finalize(self, _ended, child)
        return self._child

    def _end(self) -> None:
        self._child = None
        if self._finish:
            self._finish()


def _ended(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            pipe.close()
