"""Questions over PDFs asked one by one and scored, in their file's order.

    done = evaluate(items, library.ask, folder, spec, Panel(judge), workers=4, progress=show)

Contract: `answer(question)` gives a Trajectory and never sees the evaluator. No wall stands: answers come
from an agent whose actions reach no file of the run. So every record keeps a `Case` with gold, reason and
trajectory for its readers. Called again with the same specification it goes on after the last record; what
failed or was not judged is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quire.errors import PaperNotFound
from quire.eval.asking import attempt_of, gold_of, instance_of, score_answer
from quire.eval.border import attempted, judged, scored
from quire.eval.case import Case
from quire.eval.questions import QuestionItem
from quire.eval.record import Record
from quire.eval.run import (
    Run,
    Tell,
    claim_folder,
    digest_instances,
    known_records,
    made_ahead,
    unjudged_steps,
    write_records,
)
from quire.eval.scorers.judging import Panel
from quire.eval.scorers.scores import verdict
from quire.eval.spec import RunSpec, digest_of
from quire.types import Attempt, Question, Score, Trajectory, Verdict


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
    items: Sequence[QuestionItem],
    answer: Callable[[Question], Trajectory],
    folder: Path,
    spec: RunSpec,
    judge: Panel | None = None,
    *,
    workers: int = 1,
    progress: Tell | None = None,
) -> Run:
    """Ask and score every question, or go on where a killed run stood.

    Raises:
        RunError: the folder holds a run of another specification, or of other questions.
        ModelError: a model cannot be reached or paid; what is done is kept.
    """
    instances = [instance_of(item) for item in items]
    digest = digest_instances(instances)
    claim_folder(folder, spec, digest)
    asked = items[: spec.limit] if spec.limit else items
    known = known_records(folder, instances[: len(asked)])
    one = _Asking(spec, asked, answer, judge).record
    records = write_records(
        folder,
        known,
        unjudged_steps(known),
        len(asked),
        lambda steps: made_ahead(one, steps, workers),
        progress,
    )
    return Run(spec, records, digest, folder.name)


@dataclass(frozen=True)
class _Asking:
    spec: RunSpec
    items: Sequence[QuestionItem]
    answer: Callable[[Question], Trajectory]
    judge: Panel | None

    def record(self, step: int) -> Record:
        """Ask the question of this step and score its answer."""
        item, name = self.items[step], self.spec.models[0]
        question, gold, case = item.question, gold_of(item), Case.asked(item)
        blank = Record(
            step, question.id, "", Attempt(""), None, Verdict("unknown"), 0, protocol=self.spec.protocol
        )
        if isinstance(gold, str):
            return replace(blank, closed=instance_of(item).closed, case=case.answered(gold, None))
        try:
            made = attempted(lambda: attempt_of(self.answer(question), name), name)
        except PaperNotFound as error:
            return replace(blank, closed="missing", case=case.answered(str(error), None))
        result = judged(made, lambda output: scored(lambda: score_answer(gold, output, self.judge)))
        return replace(
            blank,
            attempt=replace(made, trajectory=None),
            value=result.value,
            verdict=verdict(Score(result.value, "")),
            parts=dict(result.parts),
            judging=result.usage,
            case=case.answered(made.error or result.reason, made.trajectory),
        )
