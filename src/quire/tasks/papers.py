"""Questions over PDFs as a stream: the task `papers`.

`--data` is a file of questions, or a folder with one (`*.jsonl`), in any layout of `tasks/questions`. What is
streamed are the questions; a solver that has a library answers them from its papers, one that has none from
what it knows.

Contract: a reply's answer is the JSON value under "answer", else the text itself; the question's own
evaluator scores it. Questions that no answer can match are left out. Without a judge, judged questions have
no score.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from quire.errors import TaskError
from quire.scoring.evaluators import Evaluator
from quire.scoring.examples import honest_answer
from quire.scoring.judging import Panel
from quire.tasks import reading
from quire.tasks.papers_examples import EXAMPLES
from quire.tasks.protocol import Result, Sample
from quire.tasks.questions import Item, load
from quire.tasks.replies import fenced, first_object
from quire.types import Call, Experience, Instance, Verdict


@dataclass(frozen=True, slots=True)
class Papers:
    """Questions over papers. `judge` scores answers in free words."""

    name: ClassVar[str] = "papers"
    shots: ClassVar[int] = 4
    metric: ClassVar[str] = "accuracy"

    judge: Panel | None = None

    def load(self, data: Path) -> Sequence[Sample]:
        """Every question that can be scored, in the order of the file."""
        path = data if data.is_file() else reading.need(data, "*.jsonl", "*.json")
        return [_sample(item, item.evaluator) for item in load(path).items if item.evaluator is not None]

    def examples(self, data: Path) -> Sequence[Experience]:
        """Four hand-written pairs with their actions: question sets have no training part."""
        return [_example(number, *example) for number, example in enumerate(EXAMPLES)]

    def parse(self, reply: str, instance: Instance) -> str:
        """The value under "answer" as JSON or text, else the whole reply."""
        found = first_object(reply)
        if found is not None and "answer" in found:
            answer = found["answer"]
            return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return fenced(reply).strip().removeprefix("Answer:").strip()

    def score(self, sample: Sample, output: str) -> Result:
        """The evaluator's score and reason."""
        evaluator = sample.gold
        if not isinstance(evaluator, Evaluator):
            raise TaskError(f"{sample.instance.id}: this is no question of the task `papers`.")
        score = evaluator(output, judge=self.judge)
        return Result(score.value, reason=score.reason)

    def gold(self, sample: Sample) -> str:
        """A right answer, "" where none can be told in advance."""
        honest = honest_answer(sample.gold.name, sample.gold.parameters)
        return "" if honest is None else json.dumps({"answer": honest.value}, ensure_ascii=False)


def _example(number: int, question: str, sql: str, answer: str) -> Experience:
    from quire.environment import render_call  # only the few-shot method needs the actions' formats

    actions = f"[Action]: {render_call(Call('RetrieveFromDatabase', {'sql': sql}))}"
    shown = {"shot": f"Question: {question}", "rationale": actions}
    right = Verdict("right", source="metric")
    return Experience(question, "papers", f"example-{number}", shown, answer, right, -1, "gold", "")


def _sample(item: Item, evaluator: Evaluator | None) -> Sample:
    question = item.question
    papers = "".join(f"\nPaper: {name}" for name in question.anchor_papers)
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
            "papers": json.dumps(question.anchor_papers),
            "kind": question.tags[0] if question.tags else "",
        },
    )
    return Sample(instance, evaluator)
