"""HotpotQA, distractor setting: answer a question from ten paragraphs. Exact match and F1.

Yang et al. 2018, https://hotpotqa.github.io; CC BY-SA 4.0. Layouts read: the official
`hotpot_dev_distractor_v1.json` and JSON Lines of the same records, and the layout on Hugging Face (the set
itself, and the configuration `hotpotqa_distract` of StreamBench), in which `context` is a table of columns.

A record (shortened):
    {"_id": "5a71...", "question": "What is the name of the fight song ...?", "answer": "Kansas Song",
     "type": "bridge", "level": "hard", "context": [["Kansas Song", ["Kansas Song is ..."]]]}
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from quire.errors import TaskError
from quire.eval import files
from quire.eval.result import Result
from quire.types import Experience, Instance
from quire_streams.tasks.protocol import Sample, TaskRecord, WordedTask, first_object, records

_CONFIG = "hotpotqa_distract"
_MAIN = (*files.hub(_CONFIG, "test"), "hotpot_dev_distractor_v1.json", "dev_distractor_5*.jsonl")
_MORE = (*files.hub(_CONFIG, "train"), "hotpot_train_v1.1.json", "dev_distractor_first*.json")


class HotpotQa(WordedTask):
    """Two-hop questions over paragraphs."""

    name = "hotpotqa"
    shots = 4
    metric = "exact match"

    def load(self, data: Path) -> Sequence[Sample]:
        """Every question of the main file, or as many as the protocol streams."""
        path = files.need(data, *_MAIN, "*.jsonl", "*.json")
        return [self._sample(one) for one in islice(records(path), self.words.first or None)]

    def examples(self, data: Path) -> Sequence[Experience]:
        """The first four of the training file (or of another file) that the main file does not have."""
        path = files.find(data, *_MORE)
        if path is None:
            return ()
        streamed = {sample.instance.key for sample in self.load(data)}
        others = (
            sample for sample in map(self._sample, records(path)) if sample.instance.key not in streamed
        )
        return [sample.example() for sample in islice(others, self.shots)]

    def parse(self, reply: str, instance: Instance) -> str:
        """The text under "answer" in a JSON object, else the reply's first line."""
        found = first_object(reply)
        if found and "answer" in found:
            answer = found["answer"]
            return answer.strip() if isinstance(answer, str) else str(answer)
        lines = [line.strip() for line in reply.splitlines() if line.strip()]
        return lines[0].removeprefix("Answer:").strip() if lines else ""

    def score(self, sample: Sample, output: str) -> Result:
        """Exact match; F1 beside it."""
        gold = str(sample.gold)
        value = exact_match(output, gold) if output else 0.0
        return Result(value, {"f1": METRICS[self.words.metric](output, gold)}, f"gold: {gold}")

    def _sample(self, one: TaskRecord) -> Sample:
        row, question, answer = one.row, one.text("question").strip(), one.text("answer")
        parts = {"question": question, "paragraphs": _paragraphs(row.get("context"), one.where)}
        fields = {**parts, **{name: str(row.get(name, "")) for name in ("level", "type")}}
        id = str(row.get("_id") or row.get("id") or f"{one.number + 1:05d}")
        return Sample(self.instance(id, question, fields, **parts), answer, answer)


def _paragraphs(context: Any, where: str) -> str:
    try:
        if isinstance(context, dict):
            pairs = list(zip(context["title"], context["sentences"], strict=True))
        else:
            pairs = [(title, sentences) for title, sentences in context]
        return "\n\n".join(f"## {title}\n{''.join(sentences).strip()}" for title, sentences in pairs)
    except (KeyError, TypeError, ValueError) as error:
        raise TaskError(f"{where}: field `context` is not a list of titles and sentences.") from error


_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = frozenset(string.punctuation)


def normalise(answer: str) -> str:
    """As SQuAD compares (Rajpurkar et al. 2016): lower case, no punctuation, no articles, single blanks."""
    lowered = "".join(char for char in answer.lower() if char not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", lowered).split())


def exact_match(answer: str, gold: str) -> float:
    """1 if they are the same after normalisation."""
    return float(normalise(answer) == normalise(gold))


def f1(answer: str, gold: str) -> float:
    """Harmonic mean of token precision and recall; yes, no and noanswer count only as a whole (HotpotQA)."""
    said, meant = normalise(answer), normalise(gold)
    if said != meant and {said, meant} & {"yes", "no", "noanswer"}:
        return 0.0
    said_tokens, meant_tokens = said.split(), meant.split()
    common = sum((Counter(said_tokens) & Counter(meant_tokens)).values())
    if not common:
        return float(said == meant)
    precision, recall = common / len(said_tokens), common / len(meant_tokens)
    return 2 * precision * recall / (precision + recall)


def f1_of_sets(answer: str, gold: str) -> float:
    """As StreamBench's published code counts: tokens shared as sets, over the lengths as lists."""
    said, meant = normalise(answer).split(), normalise(gold).split()
    common = len(set(said) & set(meant))
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(meant)
    return 2 * precision * recall / (precision + recall)


METRICS: Mapping[str, Callable[[str, str], float]] = {"f1": f1, "f1_of_sets": f1_of_sets}
