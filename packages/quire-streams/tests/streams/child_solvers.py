"""Solvers that a run's own process opens by name (`quire_streams.runs.opening.SolverSource`)."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quire.eval.result import Result
from quire.llm import OpenModel
from quire.types import Attempt, Instance, Shot, Usage
from quire_streams.runs.opening import OpenSolver
from quire_streams.tasks.judging import JudgeProcess


@dataclass(frozen=True)
class Echo:
    """Says the same always, after doing something."""

    name: str
    act: Callable[[Instance], object] = id

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Do it, then answer."""
        self.act(instance)
        return Attempt("1. Cold", model=self.name, usage=Usage(10, 2, cost=0.001))


def echo(models: OpenModel) -> OpenSolver:
    """The plain one."""
    return lambda name, style: Echo(name)


def deadly(models: OpenModel, folder: str) -> OpenSolver:
    """Model `dies` is killed at its fourth instance, once; it counts in the run's folder."""

    def act(_: Instance) -> None:
        steps = Path(folder) / "steps"
        with steps.open("a") as file:
            file.write(".")
        if steps.stat().st_size == 4:
            os.kill(os.getpid(), signal.SIGKILL)

    return lambda name, style: Echo(name, act) if name == "dies" else Echo(name)


def broken(models: OpenModel) -> OpenSolver:
    """Cannot be opened, by a mistake of its author."""
    raise ZeroDivisionError("a mistake")


def slow(models: OpenModel, folder: str) -> OpenSolver:
    """Writes its process id into the run's folder, prints nonsense, and takes its time."""

    def act(_: Instance) -> None:
        (Path(folder) / "pid").write_text(str(os.getpid()))
        print('{"done": 1000}')
        time.sleep(30)

    return lambda name, style: Echo(name, act)


def forging(models: OpenModel, folders: str) -> OpenSolver:
    """Tampers with its run, each model in a way of its own (its name)."""

    def wire(*texts: str) -> None:
        # Wherever the wires to the sender and to the judge are: they keep the parent's numbers.
        for number in sorted(int(each.name) for each in Path("/proc/self/fd").iterdir()):
            if number < 3:
                continue
            try:
                if "socket" in str(Path(f"/proc/self/fd/{number}").readlink()):
                    for text in texts:
                        os.write(number, len(text).to_bytes(4, "big") + text.encode())
            except OSError:
                continue

    def submit(self: object, instance_id: str, output: str, slot: str = "answer") -> Result:
        return Result(1.0, {})

    def ends(_: Path) -> None:
        wire('{"done": 6}')
        time.sleep(20)

    def rewrites(run: Path) -> None:
        records = run / "records.jsonl"
        if records.exists():
            records.write_text(records.read_text().replace('"value": 0.0', '"value": 1.0'))

    ways: dict[str, Callable[[Path], object]] = {
        "brackets": lambda _: wire("[" * 300_000),
        "no error": lambda _: wire('{"error": 5}'),
        "no walls": lambda _: wire('{"walls": {"landlock": [], "x": 1}}', '{"progress": {"done": 1e999}}'),
        "done": ends,
        "patched": lambda _: setattr(JudgeProcess, "submit", submit),
        "rewrites": rewrites,
        "deep run": lambda run: (run / "run.json").write_text("[" * 300_000),
        "odd run": lambda run: (run / "run.json").write_text('{"error": 5}'),
        "shorter run": lambda run: (run / "run.json").write_text(
            (run / "run.json").read_text().replace('"limit": 6', '"limit": 1')
        ),
        "odd record": lambda run: (run / "records.jsonl").write_text('{"step": "0"}\n'),
        "honest": lambda _: None,
    }
    places = {name: Path(place) for name, place in json.loads(folders).items()}
    return lambda name, style: Echo(name, lambda _: ways[name](places[name]))
