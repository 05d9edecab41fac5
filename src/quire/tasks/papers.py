"""Questions over PDFs as a stream: the task `papers`.

`--data` is a file of questions, or a folder with one (`*.jsonl`), in any layout of `tasks/questions`. What is
streamed are the questions; a solver that has a library answers them from its papers, one that has none from
what it knows.

Contract: a reply's answer is the JSON value under "answer", else the text itself; the question's own
evaluator scores it, and the value is 1 or 0 as `quire.scoring.scores.passed` says; part `score` is the grade
behind it. Questions that no answer can match are closed: they are told and not asked. Without a judge, judged
questions have no score.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from quire.errors import TaskError
from quire.scoring.evaluators import Evaluator
from quire.scoring.examples import honest_answer
from quire.scoring.judging import ModelJudge, Panel
from quire.scoring.scores import passed
from quire.tasks import examples, files
from quire.tasks.protocol import Result, Sample
from quire.tasks.questions import Item, load
from quire.tasks.replies import fenced, first_object
from quire.types import Call, Experience, Instance, Verdict


class Papers:
    """Questions over papers."""

    name = "papers"
    shots = 4
    metric = "accuracy"

    def __init__(self, judge: Panel | None = None) -> None:
        """`judge` scores answers in free words."""
        self.judge = judge

    @classmethod
    def with_model(cls, name: str, model: Any) -> Papers:
        """With a language model as the judge of free words."""
        return cls(Panel(ModelJudge(model)))

    def load(self, data: Path) -> Sequence[Sample]:
        """Every question, in the order of the file."""
        path = data if data.is_file() else files.need(data, "*.jsonl", "*.json")
        return samples(load(path).items)

    def examples(self, data: Path) -> Sequence[Experience]:
        """Four hand-written pairs with their actions: question sets have no training part."""
        return [_example(number, *example) for number, example in enumerate(examples.PAPERS)]

    def parse(self, reply: str, instance: Instance) -> str:
        """The value under "answer" as JSON or text, else the whole reply."""
        found = first_object(reply)
        if found is not None and "answer" in found:
            answer = found["answer"]
            return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return fenced(reply).strip().removeprefix("Answer:").strip()

    def score(self, sample: Sample, output: str) -> Result:
        """Whether the evaluator passes it, and the reason; "" stands for an abstention."""
        if isinstance(sample.gold, str):
            return Result(None, reason=sample.gold)
        if not isinstance(sample.gold, Evaluator):
            raise TaskError(f"{sample.instance.id}: this is no question of the task `papers`.")
        score = sample.gold(output, judge=self.judge)
        if score.value is None:
            return Result(None, reason=score.reason)
        return Result(float(passed(score)), {"score": score.value}, score.reason)

    def gold(self, sample: Sample) -> str:
        """A right answer, "" where none can be told in advance."""
        if isinstance(sample.gold, str):
            return ""
        honest = honest_answer(sample.gold.name, sample.gold.parameters)
        return "" if honest is None else json.dumps({"answer": honest.value}, ensure_ascii=False)


def samples(items: Iterable[Item]) -> list[Sample]:
    """Questions as samples. The gold is the evaluator; of a closed one, why it is not asked."""
    return [_sample(item) for item in items]


def _example(number: int, question: str, sql: str, answer: str) -> Experience:
    from quire.environment import render_call  # only the few-shot method needs the actions' formats

    actions = f"[Action]: {render_call(Call('RetrieveFromDatabase', {'sql': sql}))}"
    shown = {"shot": f"Question: {question}", "rationale": actions}
    right = Verdict("right", source="metric")
    return Experience(question, "papers", f"example-{number}", shown, answer, right, -1, "gold", "")


def _sample(item: Item) -> Sample:
    question = item.question
    papers = "".join(f"\nPaper: {name}" for name in question.anchor_papers)
    closed, why = _closed(item)
    instance = Instance(
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
        closed=closed,
    )
    return Sample(instance, why if closed else item.evaluator)


def _closed(item: Item) -> tuple[str, str]:
    """Whether a question is not asked, and why."""
    if item.evaluator is None:
        return "impossible", item.problem
    if item.missing:
        return "missing", f"The library does not have: {', '.join(item.missing)}."
    return "", ""
