"""Questions over PDFs asked one by one and scored: a zero-shot stream of `papers` in their file's order.

    done = evaluate(items, library.ask, folder, spec, Panel(judge), workers=4, progress=show)

Contract: `answer(question)` gives a Trajectory and never sees the evaluator. No wall stands: answers come
from an agent whose actions reach no file of the run. So every record keeps a `Case` with gold, reason and
trajectory for its readers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quire.agents.stream.policies import attempt_of
from quire.memory import HashEncoder
from quire.scoring.judging import Panel
from quire.streams.case import Case
from quire.streams.progress import Progress
from quire.streams.runner import Run, run
from quire.streams.setup import Setup
from quire.streams.spec import RunSpec, digest_of
from quire.tasks.judging import LocalJudge
from quire.tasks.papers import Papers, samples
from quire.tasks.questions import Item
from quire.types import Attempt, Instance, Question, Shot, Trajectory


@dataclass(frozen=True)
class Answering:
    """Anything that answers a question with a trajectory, as a solver."""

    name: str
    questions: Mapping[str, Question]
    answer: Callable[[Question], Trajectory]

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Ask it."""
        return attempt_of(self.answer(self.questions[instance.id]), self.name)


def spec_of(
    file: Path,
    predictions: Path | None,
    model: str,
    agent: Mapping[str, Any],
    judge: str,
    votes: int,
    limit: int,
) -> RunSpec:
    """What names such a run: the file, who answers (or whose predictions are scored), and who judges."""
    if predictions is None:
        settings = {f"agent.{name}": str(value) for name, value in agent.items()}
    else:
        settings = {"predictions": digest_of(predictions)}
    return RunSpec(
        task="papers",
        method="zero_shot",
        models=(model if predictions is None else "elsewhere",),
        data=file.name,
        limit=limit,
        judge_model=judge,
        order="published",
        votes=votes,
        settings=tuple(sorted({"questions": digest_of(file), **settings}.items())),
    )


def evaluate(
    items: Sequence[Item],
    answer: Callable[[Question], Trajectory],
    folder: Path,
    spec: RunSpec,
    judge: Panel | None = None,
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> Run:
    """Ask and score every question, or go on where a killed run stood.

    Raises:
        RunError: the folder holds a run of another specification, or of other questions.
        ModelError: a model cannot be reached or paid; what is done is kept.
    """
    task = Papers(judge)
    solver = Answering(spec.models[0], {item.question.id: item.question for item in items}, answer)
    setup = Setup(
        judge=LocalJudge(task, Path(), samples=samples(items)),
        solvers=[solver],
        encoder=HashEncoder(),  # nothing is remembered, so nothing is compared
        shots=task.shots,
        workers=workers,
        cases={item.question.id: Case.asked(item) for item in items},
    )
    return run(spec, setup, folder, progress)
