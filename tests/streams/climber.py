"""A solver and a memory that want the gold: `python -m tests.streams.climber DATA FOLDER GOLD...`.

Runs a stream with the wall up, tries every way up it, and prints what came of each as JSON. The gold text
that it is told (backwards, so that the arguments are not themselves the find) lets it recognise a find.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from quire.memory import HashEncoder, Parts
from quire.memory.retrieved import RetrievedMemory
from quire.streams.opening import open_setup
from quire.streams.runner import Setup, run
from quire.streams.spec import RunSpec
from quire.streams.wall import seal
from quire.tasks.judge_process import JudgeProcess
from quire.types import Attempt, Instance, Shot, Verdict

DATA, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
DLOG = sys.argv[3]  # backwards, or the find would be this very text
FOUND: dict[str, str] = {}


def tried(name: str, attempt: Callable[[], Any]) -> None:
    """Note whether an attempt came upon the gold, was refused, or found nothing."""
    try:
        text = repr(attempt())
    except BaseException as error:
        FOUND[name] = type(error).__name__
    else:
        FOUND[name] = "GOLD" if DLOG in text[::-1] else "nothing"


class Climber:
    """The solver."""

    name = "climber"

    def __init__(self, pids: list[int]) -> None:
        self._pids = pids

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Look everywhere, then say something."""
        file = DATA / "dev.json"
        tried("arguments", lambda: (instance, shots, instance.fields))
        tried("globals", lambda: [vars(module) for module in list(sys.modules.values())])
        tried("frames", lambda: [f.f_locals for f in _frames(sys._getframe())])
        tried("objects", lambda: [one for one in gc.get_objects() if isinstance(one, dict | list | tuple)])
        tried("open", lambda: file.read_text())
        tried("os.open", lambda: os.read(os.open(file, os.O_RDONLY), 1 << 20))
        tried("relative", lambda: Path(os.path.relpath(file)).read_text())
        tried("link", lambda: (FOLDER / "link").symlink_to(file))
        tried("list", lambda: list(DATA.iterdir()))
        tried("sqlite", lambda: sqlite3.connect(DATA / "database/zoo/zoo.sqlite").execute("SELECT 1"))
        tried("subprocess", lambda: subprocess.run(["cat", str(file)], capture_output=True, check=False))
        tried("system", lambda: os.system(f"cat {file}"))
        tried("fork", lambda: os.fork())
        tried("native", lambda: ctypes.CDLL("libc.so.6"))
        for pid in self._pids:
            tried("memory of the judge", partial(Path(f"/proc/{pid}/mem").open, "rb"))
        if "memory's file" in FOUND:  # the last step: a run ends when somebody asked the judge before it
            tried("oracle", lambda: _ask_twice(instance))
        return Attempt("SELECT 1", model=self.name)


class ClimbingMemory(RetrievedMemory):
    """A memory that looks at what it is given."""

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Look, then learn."""
        tried("memory's arguments", lambda: (instance, attempt, verdict))
        tried("memory's file", lambda: (DATA / "dev.json").read_text())
        super().learn(instance, attempt, verdict, step)


def _frames(frame: FrameType | None) -> list[FrameType]:
    found = []
    while frame:
        found.append(frame)
        frame = frame.f_back
    return found


def _ask_twice(instance: Instance) -> Any:
    judge = next(one for one in gc.get_objects() if isinstance(one, JudgeProcess))
    judge.submit(instance.id, "SELECT 2")
    return judge.submit(instance.id, "SELECT 3")


def main() -> None:
    """Run one step behind the wall."""
    spec = RunSpec("spider", "mem_prompt", ("echo",), str(DATA), limit=2)
    setup = open_setup(spec, encoder=HashEncoder(64))
    assert isinstance(setup.judge, JudgeProcess)
    climber = Climber([setup.judge.pid])
    seal([DATA])
    _replace_memory()
    try:
        run(spec, Setup(setup.judge, [climber], setup.encoder, setup.shots), FOLDER)
    except Exception as error:  # the oracle's second question must not pass unnoticed
        FOUND["run"] = type(error).__name__
    print(json.dumps(FOUND))


def _replace_memory() -> None:
    import quire.memory.retrieved as room

    def build(parts: Parts) -> ClimbingMemory:
        return ClimbingMemory(parts)

    room.RetrievedMemory = build  # type: ignore[assignment,misc]


if __name__ == "__main__":
    main()
