"""Every gold of the published question sets through the loop, as if a model had answered it.

    python benchmarks/answers_gold.py --data DIR        (DIR holds qa/airqa, qa/scidqa, qa/m3sciqa_neusym)

A scripted model answers each question with its own gold, in each action format, and the question's own
`answer_format` is asked. Counted is what the loop makes of it: golds that come out as another value, and
golds that are sent back. Text that spells a number where a number is asked may come out as that number. For
judged questions the reference stands in for the gold, or the list of points that are asked for.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quire.ask.environment import Environment
from quire.ask.formats import render_call
from quire.ask.llm import llm_policy
from quire.ask.loop import run
from quire.ask.prompt import LibrarySchema
from quire.eval.scorers.evaluators import honest_answer
from quire.eval.scorers.numbers import read_number
from quire.library import Library
from quire.literals import read
from quire.llm import Completion, Model, Scripted, ToolCall
from quire.settings import Agent
from quire.types import Call, Question

FILES = (
    "qa/airqa/test_data_553.jsonl",
    "qa/scidqa/test_data_775.jsonl",
    "qa/m3sciqa_neusym/test_data.jsonl",
    "qa/natural/dev.jsonl",
)
_LOST = ("\\b", "\\f", "\\t", "\\n", "\\r")  # a gold `\\frac` that was read as an escape
AS_IT_IS = ("as it was", "the number that it spells", "LaTeX whose backslash the gold had lost")
FORMATS = ("markdown", "json", "tools")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    data: Path = parser.parse_args().data
    golds = [gold for file in FILES if (data / file).exists() for gold in read_golds(data / file)]
    print(f"{len(golds)} questions with a gold or a reference")
    for action_format in FORMATS:
        tally, told = play(golds, action_format)
        print(f"{action_format:9} {dict(tally)}")
        for line in told[:10]:
            print(f"          {line}")


def read_golds(file: Path) -> Iterator[tuple[Question, Any]]:
    """Each question with the answer that must be right."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
        record = json.loads(line)
        name, parameters = record["evaluator"]["eval_func"], record["evaluator"].get("eval_kwargs", {})
        points = parameters.get("scoring_points")
        try:
            honest = honest_answer(name, parameters)
        except KeyError:  # a misspelt parameter
            continue
        value = honest.value if honest else points
        if value is not None and value != "":
            asked = record.get("answer_format", "")
            yield Question(f"{file.name}:{number}", record["question"], asked), value


def play(golds: list[tuple[Question, Any]], action_format: str) -> tuple[Counter[str], list[str]]:
    """What became of the golds, and the unlike ones in words."""
    replies = [said(Call("GenerateAnswer", {"answer": gold}), action_format) for _, gold in golds]
    tally: Counter[str] = Counter()
    told: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment(Library.open(folder, create=True), format=action_format)
        for (question, gold), reply in zip(golds, replies, strict=True):
            became = played(question, gold, reply, environment, action_format)
            tally[became] += 1
            if became not in AS_IT_IS:
                told.append(f"{became}: {gold!r:.80} ({question.answer_format:.80})")
    return tally, told


def played(
    question: Question, gold: Any, reply: str | Completion, environment: Environment, action_format: str
) -> str:
    """What became of one gold."""
    model = Model("scripted", Scripted([reply]))
    settings = Agent(method="question_only", action_format=action_format)
    policy = llm_policy(model, environment, settings, (), library_schema=LibrarySchema(0, {}, ()))
    done = run(policy, environment, question, max_turns=1)
    return outcome(gold, done.answer.value, len(done.steps))


def said(call: Call, action_format: str) -> str | Completion:
    """The reply of a model that makes this call."""
    if action_format == "tools":
        return Completion("", (ToolCall(call.name, json.dumps(dict(call.arguments)), "c1"),))
    return f"[Thought]: I know it.\n[Action]: {render_call(call, action_format)}"


def outcome(gold: Any, value: Any, turns: int) -> str:
    """What the loop made of the gold."""
    if turns != 1:
        return "sent back"
    if json.dumps(value) == json.dumps(gold):
        return "as it was"
    if isinstance(gold, str) and read_number(gold) == value:
        return "the number that it spells"
    if any(mark in json.dumps(gold) for mark in _LOST) and read(json.dumps(gold), spoken=True) == value:
        return "LaTeX whose backslash the gold had lost"
    return "changed"


if __name__ == "__main__":
    main()
