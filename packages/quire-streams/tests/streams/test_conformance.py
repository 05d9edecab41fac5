"""Every method on every task: 20 steps (agents: 10) with models that know a part; the gold scores 100%."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from quire.ask.prompt import look
from quire.ask.replies import parse_reply
from quire.build import Library
from quire.eval.run import RunSpec
from quire.llm import Model
from quire.memory import HashEncoder
from quire.types import Attempt, Instance, Shot
from quire_streams.methods import AGENT_STYLES, METHODS
from quire_streams.methods.agent_styles import agent_solver, library_solver
from quire_streams.methods.styles import Solver
from quire_streams.runs.opening import OpenSolver, open_setup, slots
from quire_streams.runs.runner import Setup, run
from quire_streams.tasks.judging import LocalJudge
from quire_streams.tasks.protocol import Sample, Task
from streams.conftest import pupil_model
from tasks.datasets import MAKERS, SIZE

_ENCODER = HashEncoder(64)


@pytest.mark.parametrize("task_name", sorted(MAKERS))
def test_every_method_runs(
    task_name: str, data: dict[str, Path], tasks: dict[str, Task], small_library: Library, tmp_path: Path
) -> None:
    task, folder = tasks[task_name], data[task_name]
    samples = task.load(folder)

    def pupil(name: str) -> Model:
        return pupil_model(task, samples, name)

    solvers = _agents(small_library, pupil) if task_name == "papers" else None
    steps = SIZE // 2 if solvers else SIZE  # a step of an agent looks things up and checks quotes
    for name, row in METHODS.items():
        models = ("pupil-0",) if row.router == "one" else ("pupil-0", "pupil-1", "pupil-2")
        spec = RunSpec(task_name, name, models, str(folder), seed=3, limit=steps)
        setup = open_setup(
            spec,
            judge=LocalJudge(task, folder, slots(spec)),
            encoder=_ENCODER,
            models=lambda role, name: pupil(name),
            solvers=solvers,
        )
        records = run(spec, setup, tmp_path / name).records
        assert len(records) == steps
        assert not [record.attempt.error for record in records if record.attempt.error], name
        right = [record for record in records if record.value == 1.0]
        assert 3 * steps <= SIZE * len(right) <= 12 * steps, (name, len(right))
        assert all(record.verdict.label != "unknown" for record in records)
        recalled = sum(bool(record.attempt.shots) for record in records)
        # A fixed memory is there from the first step on, the others begin empty.
        always = {"none": [0], "fixed": [steps]}.get(row.memory, range(steps // 4, steps))
        assert recalled in always, (name, row.memory, recalled)


@pytest.mark.parametrize("task_name", sorted(MAKERS))
def test_gold_scores_all(
    task_name: str, data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path
) -> None:
    task, folder = tasks[task_name], data[task_name]
    spec = RunSpec(task_name, "zero_shot", ("gold",), str(folder))
    solver = _Gold(task, {sample.instance.id: sample for sample in task.load(folder)})
    setup = Setup(LocalJudge(task, folder), [solver], _ENCODER, task.shots, workers=1)
    assert [record.value for record in run(spec, setup, tmp_path).records] == [1.0] * SIZE


def test_actions_of_the_papers_examples_can_be_taken(tasks: dict[str, Task], small_library: Library) -> None:
    for example in tasks["papers"].examples(Path()):
        call = parse_reply(example.prompt_fields["rationale"], small_library.environment.actions).call
        assert call
        assert small_library.environment.run(call).kind in ("rows", "warning")


def test_a_library_makes_the_solver_of_every_style(small_library: Library) -> None:
    assert library_solver(small_library, "offline:b").name == "offline:b"
    for style in AGENT_STYLES:
        assert library_solver(small_library, "echo:m", style).name == "echo:m"


def _agents(library: Library, models: Callable[[str], Model]) -> OpenSolver:
    """As `library_solver`, with given models."""
    library_schema, resolve = look(library, ()), cache(lambda paper: library.paper(paper).id)

    def solver(name: str, style: str) -> Solver:
        agent = library.settings.agent
        return agent_solver(models(name), style, library.environment, agent, library_schema, resolve)

    return solver


class _Gold:
    name = "gold"

    def __init__(self, task: Task, samples: dict[str, Sample]) -> None:
        self._task, self._samples = task, samples

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        reply = self._samples[instance.id].reply
        return Attempt(self._task.parse(reply, instance), reply, model="gold")
