"""Questions over PDFs asked one by one and scored, in their file's order.

    done = evaluate(items, library.ask, folder, spec, Panel(judge), workers=4, progress=show)

Contract: `answer(question)` gives a Trajectory and never sees the evaluator. No wall stands: answers come
from an agent whose actions reach no file of the run. So every record keeps a `Case` with gold, reason and
trajectory for its readers. Called again with the same specification it goes on after the last record; what
failed or was not judged is asked again.

A question is an instance, an agent's run an attempt at it. Its own evaluator scores an answer: the value is 1
or 0 as `scorers.scores.passed` says, part `score` the grade behind it. Without a judge, judged questions have
no score. Questions that no answer can match are closed: they are told and not asked.

Answers that were made elsewhere are scored as if they had been given here. A line of their file:
    {"id": "q1", "answer": 7.05}        (`uuid` and `prediction` or `pred` do as well)
They are matched to questions by id. A question without an answer counts as abstained, so does `null`; an
answer that begins with `[ERROR]` (as other harnesses write it) failed. Ids that no question has are told, not
ignored. Where a set gives one id to several questions, the answers with that id are dealt out in the order of
the file, the last one to all that remain.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from quire.ask.formats import render_call
from quire.ask.methods import ANSWER
from quire.errors import PaperNotFound, TaskError
from quire.eval import files
from quire.eval.questions import QuestionItem
from quire.eval.record import Case, Record
from quire.eval.result import Result, attempted, judged, scored
from quire.eval.run import (
    Run,
    RunSpec,
    Tell,
    claim_folder,
    digest_instances,
    digest_of,
    known_records,
    made_ahead,
    unjudged_steps,
    write_records,
)
from quire.eval.scorers.evaluators import Evaluator
from quire.eval.scorers.judging import Panel
from quire.eval.scorers.scores import passed, verdict
from quire.types import Answer, Attempt, Instance, Question, Score, Step, Trajectory, Verdict


def instance_of(item: QuestionItem) -> Instance:
    """What a solver is told of a question."""
    question = item.question
    papers = "".join(f"\nPaper: {name}" for name in question.anchor_papers)
    return Instance(
        task="papers",
        id=question.id,
        key=question.text,
        instruction="Answer the question from the papers.",
        input=f"{question.text}{papers}",
        shot=f"Question: {question.text}",
        answer_format=f'{question.answer_format} Write it as JSON: {{"answer": ...}}'.strip(),
        fields={
            "question": question.text,
            "form": question.answer_format,
            "schema": json.dumps(question.schema),
            "papers": json.dumps(question.anchor_papers),
            "references": json.dumps(question.reference_papers),
            "conferences": json.dumps(question.conferences),
            "kind": question.tags[0] if question.tags else "",
        },
        closed=_closed(item)[0],
    )


def gold_of(item: QuestionItem) -> Evaluator | str:
    """What scores its answers; of a closed one, why it is not asked."""
    why = _closed(item)[1]
    return why if why or item.evaluator is None else item.evaluator


def score_answer(gold: Any, output: str, judge: Panel | None, id: str = "") -> Result:
    """Whether the evaluator passes an answer, and the reason; "" stands for an abstention."""
    if isinstance(gold, str):
        return Result(None, reason=gold)
    if not isinstance(gold, Evaluator):
        raise TaskError(f"{id}: this is no question of the task `papers`.")
    score = gold(output, judge=judge)
    if score.value is None:
        return Result(None, reason=score.reason)
    return Result(float(passed(score)), {"score": score.value}, score.reason)


def attempt_of(done: Trajectory, name: str) -> Attempt:
    """An agent's run as an attempt: an abstention or a failure has no output."""
    answer = done.answer
    value = answer.value
    output = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return Attempt(
        output=output if answer.status == "answered" else "",
        reply=answer.note,
        rationale=trace(done.steps),
        model=name,
        usage=done.usage,
        seconds=done.seconds,
        error=(answer.note or "The run failed.") if answer.status == "failed" else "",
        abstained=answer.status == "abstained",
        trajectory=done,
    )


def trace(steps: Sequence[Step]) -> str:
    """The look-ups of a run that worked, each with its thought if it had one; the answer stands elsewhere.

    >>> trace(run.steps)
    '[Action]: RetrieveFromDatabase(sql="SELECT num_pages FROM metadata")'
    """
    lines = []
    for step in steps:
        failed = step.observation is not None and step.observation.kind == "error"
        if step.call is None or step.call.name == ANSWER or failed:
            continue
        lines += [f"[Thought]: {step.thought}"] if step.thought else []
        lines.append(f"[Action]: {render_call(step.call)}")
    return "\n".join(lines)


def _closed(item: QuestionItem) -> tuple[str, str]:
    """Whether a question is not asked, and why."""
    if item.evaluator is None:
        return "impossible", item.problem
    if item.missing:
        return "missing", f"The library does not have: {', '.join(item.missing)}."
    return "", ""


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

    def record(step: int) -> Record:
        return _asked(spec, step, asked[step], answer, judge)

    def made(steps: Sequence[int]) -> Iterator[Record]:
        return made_ahead(record, steps, workers)

    records = write_records(folder, known, unjudged_steps(known), len(asked), made, progress)
    return Run(spec, records, digest, folder.name)


def _asked(
    spec: RunSpec,
    step: int,
    item: QuestionItem,
    answer: Callable[[Question], Trajectory],
    judge: Panel | None,
) -> Record:
    """Ask a question and score its answer."""
    question, gold, case, name = item.question, gold_of(item), Case.asked(item), spec.models[0]
    blank = Record(step, question.id, "", Attempt(""), None, Verdict("unknown"), 0, protocol=spec.protocol)
    if isinstance(gold, str):
        return replace(blank, closed=_closed(item)[0], case=case.answered(gold, None))
    try:
        made = attempted(lambda: attempt_of(answer(question), name), name)
    except PaperNotFound as error:
        return replace(blank, closed="missing", case=case.answered(str(error), None))
    result = judged(made, lambda output: scored(lambda: score_answer(gold, output, judge)))
    return replace(
        blank,
        attempt=replace(made, trajectory=None),
        value=result.value,
        verdict=verdict(Score(result.value, "")),
        parts=dict(result.parts),
        judging=result.usage,
        case=case.answered(made.error or result.reason, made.trajectory),
    )


_IDS, _ANSWERS = ("id", "uuid", "question_id"), ("answer", "prediction", "pred")


def read_predictions(path: Path) -> dict[str, list[Any]]:
    """The answers of a file by id.

    Raises:
        TaskError: the file is missing or malformed; names line and field.
    """
    found: dict[str, list[Any]] = {}
    for where, row in files.located_rows(path):
        name = next((row[key] for key in _IDS if key in row), None)
        answers = [row[key] for key in _ANSWERS if key in row]
        if name is None or not answers:
            raise TaskError(f"{where}: field `{'id' if name is None else 'answer'}` is missing.")
        found.setdefault(str(name), []).append(answers[0])
    return found


def strangers(predictions: Mapping[str, Sequence[Any]], items: Sequence[QuestionItem]) -> list[str]:
    """The ids that no question has."""
    known = {name for item in items for name in (item.question.id, item.given_id)}
    return sorted(predictions.keys() - known)


def from_predictions(
    predictions: Mapping[str, Sequence[Any]], items: Sequence[QuestionItem]
) -> Callable[[Question], Trajectory]:
    """Something that answers as the file does."""
    dealt = {item.question.id: _dealt(item, predictions) for item in items}

    def answer(question: Question) -> Trajectory:
        return Trajectory("", question, (), dealt[question.id], method="predictions", model="elsewhere")

    return answer


def _dealt(item: QuestionItem, predictions: Mapping[str, Sequence[Any]]) -> Answer:
    own = item.question.id
    if own in predictions:
        return _as_answer(predictions[own][0])
    if not item.given_id or item.given_id not in predictions:
        return Answer("abstained", note="The file has no answer to this question.")
    values = predictions[item.given_id]
    place = int(own.rsplit("-", 1)[1]) - 1  # the loader called the n-th question of one id `ID-n`
    return _as_answer(values[min(place, len(values) - 1)])


def _as_answer(value: Any) -> Answer:
    if value is None:
        return Answer("abstained", note="The file's answer is null.")
    if isinstance(value, str) and value.lstrip().startswith("[ERROR]"):
        return Answer("failed", note=value.strip()[:500])
    return Answer("answered", value)
