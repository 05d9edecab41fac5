"""A solver and a memory that want the gold: `python -m streams.climber DATA RUNS DLOG [kernel]`.

Runs a stream behind the wall, tries every way up it, and prints what came of each as JSON. The gold text that
it is told (backwards, so that the arguments are not themselves the find) lets it recognise a find. With
`kernel` the kernel's walls stand too, and the ways that only they close are tried as well.

`solvers` is the same climber as a `SolverSource`: in `run_child`, where processes may be started.
"""

from __future__ import annotations

import gc
import importlib
import json
import mmap
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from quire.eval.run import RunSpec
from quire.llm import OpenModel
from quire.memory import HashEncoder
from quire.types import Attempt, Instance, Shot, Verdict
from quire_streams.memories import Parts
from quire_streams.memories.experiences import RetrievedMemory
from quire_streams.runs.opening import OpenSolver, open_setup
from quire_streams.runs.runner import Setup, run
from quire_streams.tasks.judging import JudgeProcess, LocalJudge
from quire_streams.tasks.protocol import open_task
from quire_streams.wall import hook, seal

Way = Callable[[], Any]
FOUND: dict[str, str] = {}


class Climber:
    """The solver: looks everywhere, then says something."""

    name = "climber"

    def __init__(self, data: Path, runs: Path, dlog: str, judge: int = 0, kernel: bool = False) -> None:
        self._data, self._runs, self._dlog = data, runs, dlog
        self._judge, self._kernel = judge, kernel

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Try the ways that a step has."""
        if "arguments" not in FOUND:
            self.try_all(_in_memory(instance, shots))
            self.try_all(_to_files(self._data / "dev.json", self._runs))
            self.try_all(_through_others(self._data, self._judge))
            if self._kernel:
                self.try_all(_through_native(self._data, self._runs))
                self.try_all(_disarmed(self._data / "dev.json", self._judge, self._runs / "other"))
        if "memory's file" in FOUND:  # the last step: a run ends when somebody asked the judge before it
            self.try_all({"oracle": lambda: _ask_twice(instance)})
        return Attempt("SELECT 1", model=self.name, reply=json.dumps(FOUND))

    def try_all(self, ways: dict[str, Way]) -> None:
        """Note of each way whether it came upon the gold, was refused, or found nothing."""
        for name, way in ways.items():
            try:
                text = repr(way())
            except BaseException as error:
                FOUND[name] = type(error).__name__
            else:
                FOUND[name] = "GOLD" if self._dlog in text[::-1] else "nothing"


def _in_memory(instance: Instance, shots: tuple[Shot, ...]) -> dict[str, Way]:
    return {
        "arguments": lambda: (instance, shots, instance.fields),
        "globals": lambda: [vars(module) for module in list(sys.modules.values())],
        "frames": lambda: [frame.f_locals for frame in _frames(sys._getframe())],
        "objects": lambda: [one for one in gc.get_objects() if isinstance(one, dict | list | tuple)],
        "open files": _read_all_open,
        "environment": lambda: dict(os.environ),
    }


def _to_files(file: Path, runs: Path) -> dict[str, Way]:
    other = runs / "other"
    return {
        "open": file.read_text,
        "os.open": lambda: os.read(os.open(file, os.O_RDONLY), 1 << 20),
        "relative": lambda: Path(os.path.relpath(file)).read_text(),
        "dir_fd": lambda: _beside(file.parent.parent, f"{file.parent.name}/{file.name}"),
        "dir_fd of the root": lambda: _beside(Path("/"), str(file)[1:]),
        "proc root": lambda: Path(f"/proc/self/root{file}").read_text(),
        "chdir": lambda: os.chdir(file.parent),
        "list": lambda: list(file.parent.iterdir()),
        "symbolic link": lambda: (runs / "own" / "link").symlink_to(file),
        "hard link": lambda: (runs / "own" / "hard").hardlink_to(file),
        "rename": lambda: file.rename(runs / "own" / "moved"),
        "copy": lambda: shutil.copy(file, runs / "own" / "copy"),
        "remove": file.unlink,
        "mmap": lambda: mmap.mmap(os.open(file, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:],
        "numpy": lambda: importlib.import_module("numpy").fromfile(file, dtype="S1").tobytes(),
        "loader": lambda: importlib.import_module("linecache").getlines(str(file)) or file.open(),
        "sqlite": lambda: sqlite3.connect(file.parent / "database/zoo/zoo.sqlite").execute("SELECT 1"),
        "sqlite address": lambda: sqlite3.connect(f"file:{str(file).replace('dev', '%64ev')}", uri=True),
        "task": lambda: open_task("spider").load(file.parent),
        "judge here": lambda: LocalJudge(open_task("spider"), file.parent),
        "other run's records": (other / "records.jsonl").read_text,
        "other run's memory": lambda: sqlite3.connect(other / "memory.sqlite").execute("SELECT 1"),
        "other runs": lambda: list(runs.iterdir()),
    }


def _through_others(data: Path, judge: int) -> dict[str, Way]:
    cat = ["/bin/cat", str(data / "dev.json")]
    ways: dict[str, Way] = {
        "subprocess": lambda: subprocess.run(cat, capture_output=True, check=True),
        "system": lambda: os.system(" ".join(cat)) and _refused(),
        "fork": lambda: _fork(data / "dev.json"),
        "spawn": lambda: os.posix_spawn(cat[0], cat, {}),
        "starter": lambda: _start(cat),
        "another judge": lambda: JudgeProcess("spider", data),
        "socket": lambda: socket.create_connection(("127.0.0.1", 9)),
        "local socket": lambda: socket.socket(socket.AF_UNIX).connect("/run/docker.sock"),
        "signal": lambda: os.kill(os.getppid(), 0),
        "native": lambda: _ctypes().CDLL("libc.so.6"),
        "symbol": lambda: _ctypes().pythonapi.PyRun_SimpleString,
        "memory of the parent": Path(f"/proc/{os.getppid()}/mem").open,
    }
    if judge:
        ways["memory of the judge"] = partial(Path(f"/proc/{judge}/mem").open, "rb")
        ways["files of the judge"] = Path(f"/proc/{judge}/root{data}/dev.json").read_text
    return ways


def _through_native(data: Path, runs: Path) -> dict[str, Way]:
    file = data / "dev.json"

    def duck(text: str) -> Any:
        return importlib.import_module("duckdb").connect().execute(text).fetchall()

    attach = f"ATTACH '{data / 'database/zoo/zoo.sqlite'}' AS gold"
    return {
        "duckdb": lambda: duck(f"SELECT * FROM read_json('{file}')"),
        "duckdb text": lambda: duck(f"SELECT * FROM read_csv('{file}', sep='\\1')"),
        "duckdb copy": lambda: duck(f"COPY (SELECT 1) TO '{runs / 'other' / 'x.csv'}'"),
        "sqlite attach": lambda: sqlite3.connect(":memory:").execute(attach),
    }


def _disarmed(file: Path, judge: int, neighbour: Path) -> dict[str, Way]:
    """Ways after the audit hook has been rewritten: only the kernel stands then."""

    def disarm() -> None:
        hook._refusal = lambda *_: ""
        hook._calls_out = lambda *_: False
        hook._PROCESSES = frozenset()

    return {
        "disarm": disarm,
        "then open": file.read_text,
        "then list": lambda: list(file.parent.iterdir()),
        "then write": lambda: (file.parent / "new").write_text("x"),
        "then dir_fd": lambda: _beside(Path("/"), str(file)[1:]),
        "then link": lambda: (file.parents[1] / "link").symlink_to(file),
        "then subprocess": lambda: subprocess.run(["/bin/cat", str(file)], capture_output=True, check=True),
        "then judge": lambda: JudgeProcess("spider", file.parent),
        "then socket": lambda: socket.create_connection(("127.0.0.1", 9)),
        "then local socket": lambda: socket.socket(socket.AF_UNIX),
        "then signal": lambda: os.kill(judge, signal.SIGUSR1),
        "then judge's memory": lambda: Path(f"/proc/{judge}/mem").open("rb"),
        "then judge's files": lambda: list(Path(f"/proc/{judge}/fd").iterdir()),
        "then peek": lambda: _peek(judge),
        "then limits of the judge": lambda: resource.prlimit(judge, resource.RLIMIT_CPU, (1, 1)),
        "then priority of the judge": lambda: os.setpriority(os.PRIO_PROCESS, judge, 19),
        "then core of the judge": lambda: os.sched_setaffinity(judge, {0}),
        "then scheduling of the judge": lambda: os.sched_setscheduler(
            judge, os.SCHED_IDLE, os.sched_param(0)
        ),
        "then mode of the gold": lambda: file.chmod(0o777),
        "then owner of the gold": lambda: os.chown(file, 1, 1),
        "then time of the gold": lambda: os.utime(file, (1, 1)),
        "then attribute of the gold": lambda: os.setxattr(file, "user.x", b"x"),
        "then mode of a neighbour": lambda: (neighbour / "records.jsonl").chmod(0),
        "then time of a neighbour": lambda: os.utime(neighbour / "records.jsonl", (1, 1)),
        "then shared memory": lambda: _libc("shmget", 0, 4096, 0o1777),
        "then semaphores": lambda: _libc("semget", 0, 1, 0o1777),
        "then messages": lambda: _libc("msgget", 0, 0o1777),
        "then watching": lambda: _libc("inotify_init1", 0),
        "then passwords": Path("/etc/shadow").read_bytes,
        "then settings of the machine": lambda: list(Path("/etc").iterdir()),
    }


def _beside(folder: Path, name: str) -> bytes:
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    return os.read(os.open(name, os.O_RDONLY, dir_fd=place), 1 << 20)


def _read_all_open() -> list[bytes]:
    found = []
    for number in range(3, 64):
        try:
            found.append(os.pread(number, 1 << 20, 0))
        except OSError:
            continue  # not open, or a pipe
    return found


def _fork(file: Path) -> Any:
    """What a child reads; the child must not go on with the run."""
    out, into = os.pipe()
    if not (pid := os.fork()):
        try:
            os.write(into, file.read_bytes())
        finally:
            os._exit(0)
    os.close(into)
    os.waitpid(pid, 0)
    return os.read(out, 1 << 20) or _refused()


def _start(command: list[str]) -> Any:
    """Start a process as subprocess does, without the event that subprocess raises."""
    starter = importlib.import_module("_posixsubprocess").fork_exec
    out, into = os.pipe()
    told, tell = os.pipe()
    words = [os.fsencode(word) for word in command]
    pid = starter(
        words, words[:1], True, (tell,), None, None, -1, -1, out, into, -1, -1, told, tell,
        False, False, -1, None, None, None, -1, None, False,
    )  # fmt: skip
    os.close(into)
    os.waitpid(pid, 0)
    return os.read(out, 1 << 20) or _refused()


def _peek(judge: int) -> int:
    libc = _ctypes().CDLL(None, use_errno=True)
    if libc.ptrace(16, judge, 0, 0) < 0:  # PTRACE_ATTACH
        _refused()
    return 0


def _libc(name: str, *arguments: int) -> int:
    if (result := getattr(_ctypes().CDLL(None, use_errno=True), name)(*arguments)) < 0:
        _refused()
    return int(result)


def _refused() -> Any:
    raise PermissionError("it did nothing")


def _ctypes() -> Any:
    return importlib.import_module("ctypes")


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


def solvers(models: OpenModel, data: str, runs: str, dlog: str) -> OpenSolver:
    """The climber for a run's own process."""
    return lambda name, style: Climber(Path(data), Path(runs), dlog)


def main() -> None:
    """Run two steps behind the wall."""
    data, runs, dlog, kernel = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], len(sys.argv) > 4
    spec = RunSpec("spider", "mem_prompt", ("echo",), str(data), limit=2)
    setup = open_setup(spec, solvers=lambda *_: Climber(data, runs, dlog), encoder=HashEncoder(64))
    assert isinstance(setup.judge, JudgeProcess)
    climber = Climber(data, runs, dlog, setup.judge.pid, kernel)
    own = runs / "own"
    own.mkdir()
    seal([data, runs], own=[own], network=False, kernel=kernel)
    _replace_memory(climber, data)
    try:
        run(spec, Setup(setup.judge, [climber], setup.encoder, setup.shots), own)
    except Exception as error:  # the oracle's second question must not pass unnoticed
        FOUND["run"] = type(error).__name__
    print(json.dumps(FOUND))


def _replace_memory(climber: Climber, data: Path) -> None:
    import quire_streams.memories.experiences as room

    class ClimbingMemory(RetrievedMemory):
        """A memory that looks at what it is given."""

        def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
            """Look, then learn."""
            climber.try_all({"memory's arguments": lambda: (instance, attempt, verdict)})
            climber.try_all({"memory's file": (data / "dev.json").read_text})
            super().learn(instance, attempt, verdict, step)

    def build(parts: Parts) -> ClimbingMemory:
        return ClimbingMemory(parts)

    room.RetrievedMemory = build  # type: ignore[assignment,misc]


if __name__ == "__main__":
    main()
