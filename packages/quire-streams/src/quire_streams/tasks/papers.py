"""Questions over PDFs as a stream: the task `papers`.

`--data` is a file of questions, or a folder with one (`*.jsonl`), in any layout of `quire.eval.questions`.
What is streamed are the questions; a solver that has a library answers them from its papers, one that has
none from what it knows.

Contract: a reply's answer is the JSON value under "answer", else the text itself; it is
scored as `quire.eval.evaluation` says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from quire.eval import files
from quire.eval.evaluation import gold_of, instance_of, score_answer
from quire.eval.questions import QuestionItem, load
from quire.eval.result import Result
from quire.eval.scorers.evaluators import honest_answer
from quire.eval.scorers.judging import Panel
from quire.llm import Model
from quire.types import Experience, Instance
from quire_streams.tasks.protocol import Sample, fenced, first_object, hand_written


class PaperQuestions:
    """Questions over papers."""

    name = "papers"
    shots = 4
    metric = "accuracy"

    def __init__(self, judge: Panel | None = None) -> None:
        """`judge` scores answers in free words."""
        self.judge = judge

    @classmethod
    def with_model(cls, model: Model) -> PaperQuestions:
        """With a language model as the judge of free words."""
        return cls(Panel(model))

    def load(self, data: Path) -> Sequence[Sample]:
        """Every question, in the order of the file."""
        path = data if data.is_file() else files.need(data, "*.jsonl", "*.json")
        return [_sample(item) for item in load(path).items]

    def examples(self, data: Path) -> Sequence[Experience]:
        """Four hand-written pairs with their actions: question sets have no training part."""
        return hand_written(self.name, self.name, "Question: ")

    def parse(self, reply: str, instance: Instance) -> str:
        """The value under "answer" as JSON or text, else the whole reply."""
        found = first_object(reply)
        if found is not None and "answer" in found:
            answer = found["answer"]
            return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return fenced(reply).strip().removeprefix("Answer:").strip()

    def score(self, sample: Sample, output: str) -> Result:
        """Whether the evaluator passes it, and the reason; "" stands for an abstention."""
        return score_answer(sample.gold, output, self.judge, sample.instance.id)


def _sample(item: QuestionItem) -> Sample:
    gold = gold_of(item)
    honest = None if isinstance(gold, str) else honest_answer(gold.name, gold.parameters)
    reply = "" if honest is None else json.dumps({"answer": honest.value}, ensure_ascii=False)
    return Sample(instance_of(item), gold, reply)
