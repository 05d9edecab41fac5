"""Offline solvers really use what is recalled."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.types import Experience, Instance, Shot, Verdict
from quire_streams.tasks.offline import OFFLINE, VARIANTS
from quire_streams.tasks.protocol import open_task
from tasks.datasets import MAKERS


def _shot(instance: Instance, output: str, label: str = "right", similarity: float = 0.9) -> Shot:
    verdict = Verdict(label)  # type: ignore[arg-type]
    fields = {"shot": instance.shot}
    kept = Experience(instance.key, instance.task, "e", fields, output, verdict, 0, "m", "", "id")
    return Shot(output, kept, similarity)


@pytest.mark.parametrize("task_name", sorted(OFFLINE))
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_answers_in_the_tasks_form(task_name: str, variant: str, tmp_path: Path) -> None:
    task = open_task(task_name)
    samples = task.load(MAKERS[task_name](tmp_path))
    solver = OFFLINE.load(task_name)("me", variant, tmp_path)
    for sample in samples[:5]:
        attempt = solver.solve(sample.instance, ())
        assert attempt.output
        assert attempt.model == "me"
        assert task.parse(attempt.output, sample.instance) == attempt.output


def test_a_right_case_convinces_and_a_wrong_one_warns(tmp_path: Path) -> None:
    task = open_task("ddxplus")
    sample = task.load(MAKERS["ddxplus"](tmp_path))[0]
    solver = OFFLINE.load("ddxplus")("me", "a", tmp_path)
    cases = tuple(_shot(sample.instance, "2. Gout") for _ in range(3))
    told = solver.solve(sample.instance, cases).output
    assert told == "2. Gout"
    warning = _shot(sample.instance, "2. Gout", "wrong")
    assert solver.solve(sample.instance, (*cases[:1], *[warning] * 2)).output != "2. Gout"


def test_a_right_call_is_a_pattern(tmp_path: Path) -> None:
    task = open_task("toolbench")
    samples = task.load(MAKERS["toolbench"](tmp_path))
    solver = OFFLINE.load("toolbench")("me", "a", tmp_path)
    shown = _shot(samples[3].instance, samples[3].reply)
    attempt = solver.solve(samples[7].instance, (shown,))
    assert task.score(samples[7], attempt.output).parts["api"] == 1.0
    assert '"date"' in attempt.output
