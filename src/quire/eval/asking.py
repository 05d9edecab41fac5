"""A question over papers as an instance, an agent's run as an attempt at it, and its score.

Contract: the question's own evaluator scores an answer; the value is 1 or 0 as `scorers.scores.passed`
says, part `score` the grade behind it. Without a judge, judged questions have no score. Questions that no
answer can match are closed: they are told and not asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from quire.ask.formats import render_call
from quire.ask.methods import ANSWER
from quire.errors import TaskError
from quire.eval.questions import QuestionItem
from quire.eval.result import Result
from quire.eval.scorers.evaluators import Evaluator
from quire.eval.scorers.judging import Panel
from quire.eval.scorers.scores import passed
from quire.types import Attempt, Instance, Step, Trajectory


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
    return "\n".join(_lines(steps))


def _lines(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        failed = step.observation is not None and step.observation.kind == "error"
        if step.call is None or step.call.name == ANSWER or failed:
            continue
        if step.thought:
            yield f"[Thought]: {step.thought}"
        yield f"[Action]: {render_call(step.call)}"


def _closed(item: QuestionItem) -> tuple[str, str]:
    """Whether a question is not asked, and why."""
    if item.evaluator is None:
        return "impossible", item.problem
    if item.missing:
        return "missing", f"The library does not have: {', '.join(item.missing)}."
    return "", ""
