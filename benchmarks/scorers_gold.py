"""Every question of the published sets against its own scorer: what must be right is, what must not is not.

    python benchmarks/scorers_gold.py --data DIR        (DIR holds qa/airqa, qa/scidqa, qa/m3sciqa_neusym)

For each question whose scorer needs no judge: the gold in every honest spelling (the value itself, as a
Python literal, as JSON, in another order where order does not count, whole numbers as 4.0) scores 1; an
empty, a wrong-typed and a perturbed answer do not. Judged questions are loaded and counted. Questions whose
published gold no answer can match are named. Last, the slowest score of hostile answers.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the tests' own helpers

from tests.eval.scorers.spellings import leaves, needs_judge, perturbed, spellings, wrong_typed

from quire.eval.scorers.evaluators import Evaluator, honest_answer, read_evaluator
from quire.eval.scorers.scores import passed

FILES = ("qa/airqa/test_data_553.jsonl", "qa/scidqa/test_data_775.jsonl", "qa/m3sciqa_neusym/test_data.jsonl")
HOSTILE: dict[str, Any] = {
    "1 MB of text": "a" * 1_000_000,
    "1 MB of a list": "[" + "1," * 500_000 + "]",
    "100 000 brackets": "[" * 100_000,
    "100 000 closed brackets": "[" * 100_000 + "]" * 100_000,
    "NaN": float("nan"),
    "NaN as text": "NaN",
    "infinity": float("inf"),
    "a number of 100 000 digits": "9" * 100_000,
    "invalid LaTeX": "\\frac{{{\\left(",
    "code": "__import__('os').system('touch /tmp/owned')",
}


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    arguments = parser.parse_args()
    tally, names, impossible, notes, bad = Counter(), Counter(), [], [], []
    evaluators: list[tuple[str, Evaluator]] = []
    for file in FILES:
        for line in (arguments.data / file).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            reading = read_evaluator(record["evaluator"])
            asked = record["evaluator"]
            names.update(leaves(Evaluator(asked["eval_func"], asked["eval_kwargs"])))
            tally["loaded"] += 1
            for finding in reading.findings:
                (impossible if finding.impossible else notes).append((record["uuid"], finding.message))
            if reading.evaluator is not None:
                evaluators.append((record["uuid"], reading.evaluator))
    for uuid, evaluator in evaluators:
        if needs_judge(evaluator):
            tally["judged"] += 1
            continue
        tally["deterministic"] += 1
        check(uuid, evaluator, tally, bad)
    report(tally, names, impossible, notes, bad)
    hostile(evaluators)


def check(uuid: str, evaluator: Evaluator, tally: Counter[str], bad: list[str]) -> None:
    honest = honest_answer(evaluator.name, evaluator.parameters)
    assert honest is not None
    for name, answer in spellings(evaluator, honest.value):
        tally[f"right when {name}"] += 1
        if not passed(score := evaluator(answer)):
            bad.append(f"{uuid} {name}: {score.reason}")
    for name, answers in (
        ("empty", ["", None, [], {}]),
        ("wrong-typed", wrong_typed(honest.value)),
        ("perturbed", perturbed(evaluator, honest.value)),
    ):
        for answer in answers:
            tally[f"wrong when {name}"] += 1
            if passed(score := evaluator(answer)):
                bad.append(f"{uuid} {name} {answer!r} is right: {score.reason}")


def report(tally: Counter[str], names: Counter[str], impossible: Any, notes: Any, bad: list[str]) -> None:
    print("Scorers, nested ones counted too")
    for name, count in names.most_common():
        print(f"  {count:5} {name}")
    print("\nQuestions and answers scored")
    for name, count in tally.items():
        print(f"  {count:5} {name}")
    print(f"\nGold that no answer can match ({len(impossible)})")
    for uuid, message in impossible:
        print(f"  {uuid} {message}")
    print(f"\nTold and mended or left out ({len(notes)})")
    for uuid, message in notes:
        print(f"  {uuid} {message}")
    print(f"\nNot as it must be ({len(bad)})")
    for line in bad:
        print(f"  {line[:300]}")


def hostile(evaluators: list[tuple[str, Evaluator]]) -> None:
    """The slowest score over one evaluator of each kind."""
    kinds = {leaves(evaluator): evaluator for _, evaluator in evaluators}
    print(f"\nHostile answers, {len(kinds)} kinds of evaluator: slowest score in seconds")
    answers = {**HOSTILE, "10 000 nested lists": nested(10_000)}
    for name, answer in answers.items():
        slowest, right = 0.0, 0
        for evaluator in kinds.values():
            start = time.perf_counter()
            right += passed(evaluator(answer))
            slowest = max(slowest, time.perf_counter() - start)
        print(f"  {slowest:6.3f} {name}{'  SCORED RIGHT' if right else ''}")


if __name__ == "__main__":
    main()
