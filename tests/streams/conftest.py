"""Data sets, tasks and models that the tests of this room share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from quire.models import Completion, Message, Model
from quire.tasks.ds1000 import Ds1000
from quire.tasks.open import open_task
from quire.tasks.protocol import Sample, Task
from quire.types import Usage
from tests.tasks.datasets import MAKERS


class Pupil:
    """A model double that knows a third of the answers, and says another instance's elsewhere.

    It is a test's stand-in for a language model, not a solver: it is built from the samples.
    """

    def __init__(self, task: Task, samples: Sequence[Sample], knows: int) -> None:
        golds = [task.gold(sample) for sample in samples]
        self._answers = [
            (sample.instance.input, golds[number if number % 3 == knows else number - 1])
            for number, sample in enumerate(samples)
        ]

    def complete(self, messages: Sequence[Message], **params: Any) -> Completion:
        """An answer, a critic's word, or a lesson."""
        prompt = messages[-1].text
        # Shots look like questions: the one that is asked stands last.
        text = max(self._answers, key=lambda one: prompt.rfind(one[0]))[1]
        if "Check whether this answer is right" in prompt:
            text = "Look again." if re.search(r"age: 1\d", prompt) else "Keep this answer."
        elif "Write one lesson" in prompt:
            text = f"Mind the words {len(prompt) % 7}."
        elif "Reasoning:" in prompt:
            text = f"Reasoning: it is plain.\nAnswer: {text}"
        return Completion(text, usage=Usage(len(prompt) // 4, len(text) // 4, calls=1))


def pupil_model(task: Task, samples: Sequence[Sample], name: str) -> Model:
    """A model of that name (`pupil-0`, `pupil-1`, `pupil-2` know different thirds)."""
    return Model(name, Pupil(task, samples, int(name[-1])))


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for every task."""
    top = tmp_path_factory.mktemp("data")
    return {name: make(top / name) for name, make in MAKERS.items()}


@pytest.fixture(scope="session")
def tasks() -> dict[str, Task]:
    """Every task, once: DS-1000 remembers what it judged."""
    made = {name: open_task(name) for name in MAKERS}
    assert isinstance(made["ds1000"], Ds1000)
    return made
