"""From a specification to the live things of a run: judge, solvers, encoder, writer of lessons.

A process of its own is told by a `RunRequest` which run, and gets its solvers from a `SolverSource`.

Models are named as everywhere in quire; `offline` (or `offline:a`, `offline:b`, `offline:c`) is a solver
without a language model, a simulation that DDXPlus and ToolBench have. For `papers` it is the offline policy.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from quire.errors import SettingsError
from quire.eval.run import RunSpec
from quire.llm import Model, OpenModel, Role
from quire.memory import TextEncoder
from quire.memory.rendering import LessonWriter, ModelLessons
from quire.types import Attempt, Instance, Verdict
from quire_streams.methods import METHODS, STYLES
from quire_streams.methods.styles import PromptSolver, Solver
from quire_streams.runs.encoders import open_encoder
from quire_streams.runs.runner import Ask, Setup
from quire_streams.tasks.judging import GoldKeeper, JudgeProcess
from quire_streams.tasks.offline import OFFLINE, VARIANTS, is_offline, need_offline
from quire_streams.tasks.protocol import Task, open_task

OpenSolver = Callable[[str, str], Solver]  # a model's name, a style's name


@dataclass(frozen=True, slots=True)
class SolverSource:
    """Where another process gets its solvers: a function by its name, since a function cannot be sent.

    `function` is "package.module:name"; called with an `OpenModel` and `arguments` it gives an `OpenSolver`,
    behind the wall. `reads` stay open to it, `hides` not, the network only with `network`; its solvers may
    start processes (which stand behind the wall too). `path` are the folders where its module is looked for,
    besides Python's own; they are open and come last, and only once the wall stands.
    """

    function: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    network: bool = False
    path: tuple[str, ...] = ()

    def open(self, models: OpenModel) -> OpenSolver:
        """Call the function."""
        sys.path += self.path
        module, _, name = self.function.partition(":")
        made: OpenSolver = getattr(importlib.import_module(module), name)(models, **self.arguments)
        return made


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run: what, below which folder, and an empty folder for temporary files. Paths are absolute.

    `models` and `judge` are numbers of sockets that the process has from its sender: by the first it asks
    models, the second is for the judge's process alone, and so is `tally`, a file.
    """

    spec: RunSpec
    root: str
    scratch: str
    source: SolverSource | None = None
    models: int | None = None
    judge: int | None = None
    tally: int | None = None

    @classmethod
    def of_row(cls, row: Any) -> RunRequest:
        """From the values of its fields, as JSON has them."""
        return TypeAdapter(cls).validate_python(row)


def open_setup(
    spec: RunSpec,
    *,
    judge: GoldKeeper | None = None,
    encoder: TextEncoder | None = None,
    models: OpenModel | None = None,
    solvers: OpenSolver | None = None,
    ask: Ask | None = None,
) -> Setup:
    """Everything a run needs. What is not given is opened: a judge in its own process, an encoder.

    `models` opens the language models that solve and write lessons; without it there are none.

    `solvers` makes a solver from the names of a model and a style, for tasks whose solver needs more than a
    prompt: `papers` gets `quire_streams.methods.agent_styles.library_solver` from its caller.

    Raises:
        SettingsError: a task has no offline solver, or a model's name is unknown.
        TaskError: the data cannot be read.
    """
    task, row, first = open_task(spec.task), METHODS[spec.method], spec.models[0]
    opened = models or no_model
    made = [
        solvers(name, row.style) if solvers else _solver(spec, task, name, opened) for name in spec.models
    ]
    writer: LessonWriter | None = None
    if row.memory == "playbook":
        writer = PlainLessons() if is_offline(first) else ModelLessons(opened("lesson", first))
    return Setup(
        judge=judge or JudgeProcess(spec.task, Path(spec.data), spec.judge_model, slots(spec), spec.protocol),
        solvers=made,
        encoder=encoder or open_encoder(spec.encoder),
        shots=task.shots,
        writer=writer,
        ask=ask,
    )


def slots(spec: RunSpec) -> tuple[str, ...]:
    """What a run submits of each instance: two attempts where one model answers and another one teaches."""
    return ("answer", "learner") if METHODS[spec.method].router == "round_robin_one_author" else ("answer",)


def no_model(role: Role, name: str) -> Model:
    """Where no gateway was given."""
    raise SettingsError(f"This run was given no models, so it cannot ask `{name}`.")


def _solver(spec: RunSpec, task: Task, name: str, models: OpenModel) -> Solver:
    if not is_offline(name):
        style = STYLES.load(METHODS[spec.method].style)()
        return PromptSolver(name, models("answer", name), style, task.parse)
    need_offline(spec.task)
    variant = name.partition(":")[2] or VARIANTS[0]
    if variant not in VARIANTS:
        raise SettingsError(f"There is no offline variant `{variant}`.", hint="Choose a, b or c.")
    solver: Solver = OFFLINE.load(spec.task)(name, variant, Path(spec.data))
    return solver


class PlainLessons:
    """States the case and its verdict in a line; needs no model."""

    def write(self, instance: Instance, attempt: Attempt, verdict: Verdict) -> str:
        """One sentence."""
        advice = "do answer" if verdict.label == "right" else "do not answer"
        return f"In a case like <{' '.join(instance.shot.split())[:400]}> {advice} <{attempt.output}>."
