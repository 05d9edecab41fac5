"""A small set of questions and something that answers them, without a library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quire.eval.run import RunSpec
from quire.types import Answer, Box, Evidence, Observation, Question, Step, Trajectory, Usage

SPEC = RunSpec("papers", "zero_shot", ("offline",), "questions", order="published")


def rows() -> list[dict[str, Any]]:
    numbers = [
        {"id": f"n{i:02}", "question": f"What is {i} + {i}?", "answer": 2 * i, "kind": "table"}
        for i in range(20)
    ]
    texts = [
        {"id": f"t{i}", "question": f"Name {i}?", "answer": f"name {i}", "kind": "text"} for i in range(5)
    ]
    judged = {"id": "j1", "question": "Why?", "answer": "It is fast.", "judge": True, "kind": "text"}
    return [*numbers, *texts, judged]


def write(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def answer(question: Question) -> Trajectory:
    """Right for even sums, wrong for odd ones, abstains from names, crashes on name 3."""
    name = question.id
    if name == "t3":
        raise ValueError("a page of the paper is torn")
    step = Step(
        "Look it up.",
        None,
        Observation("text", f"<b>{name}</b>", image=b"png"),
        usage=Usage(10, 2, 0, 1, 0.001),
    )
    said = Answer("abstained", note="The evidence is weak.", confidence=0.2)
    if name.startswith("n"):
        value = 2 * int(name[1:]) + int(name[1:]) % 2
        evidence = (Evidence("p1", 3, Box(1, 2, 3, 4), "the <sum>", True),)
        said = Answer("answered", value, evidence, confidence=0.9 - value / 100)
    if name == "j1":
        said = Answer("answered", "Because of the cache.", confidence=0.5)
    return Trajectory("run", question, (step,), said, step.usage, 0.5, "full_hybrid", "offline")
