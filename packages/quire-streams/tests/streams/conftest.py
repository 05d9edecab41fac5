"""Data sets, tasks and models that the tests of this room share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.library.conftest import KEYWORDS, write_pdf

from quire.build import Library
from quire.llm import Completion, Message, Model
from quire.types import Usage
from quire_streams.tasks.ds1000 import Ds1000
from quire_streams.tasks.protocol import Sample, Task, open_task
from tasks.datasets import MAKERS, SIZE


class Pupil:
    """A model double that knows a third of the answers, and says another instance's elsewhere.

    It is a test's stand-in for a language model, not a solver: it is built from the samples.
    """

    def __init__(self, task: Task, samples: Sequence[Sample], knows: int) -> None:
        golds = [sample.reply for sample in samples]
        self._answers = [
            (sample.instance.input, golds[number if number % 3 == knows else number - 1])
            for number, sample in enumerate(samples)
        ]

    def complete(self, messages: Sequence[Message], **params: Any) -> Completion:
        """An answer, a critic's word, or a lesson."""
        prompt = messages[-1].text
        text = self._answer(prompt)
        if "Check whether this answer is right" in prompt:
            text = "Look again." if re.search(r"age: 1\d", prompt) else "Keep this answer."
        elif "Write one lesson" in prompt:
            text = f"Mind the words {len(prompt) % 7}."
        elif "Reasoning:" in prompt:
            text = f"Reasoning: it is plain.\nAnswer: {text}"
        return _counted(text, prompt)

    def _answer(self, prompt: str) -> str:
        # Shots look like questions: the one that is asked stands last.
        return max(self._answers, key=lambda one: prompt.rfind(one[0]))[1]


class AgentPupil(Pupil):
    """The same as a PDF agent: it looks at the pages, then answers; asked for thoughts, it thinks."""

    def complete(self, messages: Sequence[Message], **params: Any) -> Completion:
        """A look-up, an answer, or a critic's word."""
        if len(messages) == 1:  # a lesson is asked for
            return super().complete(messages, **params)
        asked = messages[1].text
        if "KEEP THIS ANSWER" in messages[-1].text:
            text = "Look again." if re.search(r"sample 1\d", asked) else "Keep this answer."
            return _counted(text, asked)
        action = f"GenerateAnswer(answer={json.loads(self._answer(asked))['answer']!r})"
        if not any("[Observation]" in message.text for message in messages[2:]):
            action = 'RetrieveFromDatabase(sql="SELECT page_number, page_content FROM pages")'
        thought = "[Thought]: The page tells.\n" if "[Thought]" in messages[0].text else ""
        return _counted(f"{thought}[Action]: {action}", asked)

    def _answer(self, prompt: str) -> str:
        def place(one: tuple[str, str]) -> int:
            return prompt.rfind(one[0].partition("\n")[0])

        return max(self._answers, key=place)[1]


def _counted(text: str, prompt: str) -> Completion:
    return Completion(text, usage=Usage(len(prompt) // 4, len(text) // 4, calls=1))


def pupil_model(task: Task, samples: Sequence[Sample], name: str) -> Model:
    """A model of that name (`pupil-0`, `pupil-1`, `pupil-2` know different thirds)."""
    kind = AgentPupil if task.name == "papers" else Pupil
    return Model(name, kind(task, samples, int(name[-1])))


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


@pytest.fixture(scope="session")
def small_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library with the one paper that the questions of `papers` are about."""
    folder = tmp_path_factory.mktemp("small_library")
    lines = [f"Beside sample {n} stands the number {100 + n}." for n in range(SIZE)]
    with Library.open(folder / "library", create=True, **KEYWORDS) as library:
        library.add([write_pdf(folder / "numbers.pdf", "Samples and Numbers", *lines)])
        yield library
