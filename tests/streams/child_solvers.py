"""Solvers that a run's own process opens by name (`quire.streams.errand.Source`)."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quire.models import OpenModel
from quire.streams.opening import OpenSolver
from quire.types import Attempt, Instance, Shot, Usage


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
