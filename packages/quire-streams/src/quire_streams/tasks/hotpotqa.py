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
from pathlib import Path
from typing import Any

from quire.errors import TaskError
from quire.eval import files
from quire.eval.result import Result
from quire.eval.run import DEFAULT
from quire.types import Experience, Instance
from quire_streams.tasks.protocol import Sample, TaskProtocol, find_protocol, first_object, instance

_CONFIG = "hotpotqa_distract"
_MAIN = (*files.hub(_CONFIG, "test"), "hotpot_dev_distractor_v1.json", "dev_distractor_5*.jsonl")
_MORE = (*files.hub(_CONFIG, "train"), "hotpot_train_v1.1.json", "dev_distractor_first*.json")


class HotpotQa:
    """Two-hop questions over paragraphs."""

    name = "hotpotqa"
    shots = 4
    metric = "exact match"

    def __init__(self) -> None:
        self.words = find_protocol(DEFAULT, self.name)

    def load(self, data: Path) -> Sequence[Sample]:
        """Every question of the main file, or as many as the protocol streams."""
        path = files.need(data, *_MAIN, "*.jsonl", "*.json")
        rows = files.rows(path)[: self.words.first or None]
        return [_sample(self.words, row, number, path) for number, row in enumerate(rows, start=1)]

    def examples(self, data: Path) -> Sequence[Experience]:
        """The first four of the training file (or of another file) that the main file does not have."""
        path = files.find(data, *_MORE)
        if path is None:
            return ()
        streamed = {sample.instance.key for sample in self.load(data)}
        others = (_sample(self.words, row, n, path) for n, row in enumerate(files.rows(path), start=1))
        chosen: list[Experience] = []
        for sample in others:
            if sample.instance.key not in streamed and len(chosen) < self.shots:
                chosen.append(sample.example())
        return chosen

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


def _sample(words: TaskProtocol, row: files.FileRow, number: int, path: Path) -> Sample:
    where = f"{path}, record {number}"
    question = files.text(row, "question", where).strip()
    paragraphs = _paragraphs(row.get("context"), where)
    fields = {
        "question": question,
        "paragraphs": paragraphs,
        "level": str(row.get("level", "")),
        "type": str(row.get("type", "")),
    }
    id = str(row.get("_id") or row.get("id") or f"{number:05d}")
    shown = instance(words, "hotpotqa", id, question, fields, question=question, paragraphs=paragraphs)
    answer = files.text(row, "answer", where)
    return Sample(shown, answer, answer)


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
