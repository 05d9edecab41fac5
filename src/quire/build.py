"""The one place that knows every room: settings in, objects out.

from quire import Library

lib = Library.open("my-papers", create=True)
lib.add("papers/")
run = lib.ask("How many authors does this paper have?", papers=["attention.pdf"], answer_format="int")
run.answer.value, run.answer.evidence[0].page
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quire import library
from quire.agents import loop
from quire.agents.offline import OfflinePolicy
from quire.agents.policy import Policy
from quire.environment import Environment
from quire.types import Question, Step, Trajectory


class Library(library.Library):
    """A library that can also be asked. See `quire.library.Library` for all that it can do besides."""

    def ask(
        self,
        question: str | Question,
        *,
        papers: Sequence[str] = (),
        answer_format: str = "",
        schema: Mapping[str, Any] | None = None,
        on_step: Callable[[Step], None] | None = None,
        save: bool = True,
    ) -> Trajectory:
        """Answer a question with evidence, or abstain.

        `papers` are names as in `paper()`; none means the whole library. `answer_format` says in words (or by
        a type's name: int, float, str, bool, list) what form the answer has, `schema` as a JSON schema. With
        a model in the settings the model decides each step, else the offline policy does. The run is stored
        in the library's `runs/` unless `save` is False.

        Raises:
            PaperNotFound: a name means no paper, or several.
            LibraryError: there is no library yet.
            SettingsError: an unknown method or a model that is not configured rightly.
        """
        asked = self.question(question, papers, answer_format, schema)
        trajectory = loop.run(
            self.policy(),
            Environment(self, settings=self.settings.observations),
            asked,
            loop.Limits(max_turns=self.settings.agent.max_turns, max_cost=self.settings.model.max_cost),
            on_step=on_step,
        )
        if save:
            from quire.agents import runs

            runs.save(self.folder, trajectory)
        return trajectory

    def question(
        self,
        question: str | Question,
        papers: Sequence[str] = (),
        answer_format: str = "",
        schema: Mapping[str, Any] | None = None,
    ) -> Question:
        """The question as a value, its papers as ids."""
        if isinstance(question, Question):
            return question
        return Question(
            id=str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{question}\n{answer_format}\n{sorted(papers)}")),
            text=question,
            answer_format=answer_format,
            anchor_papers=tuple(self.paper(name).id for name in papers),
            schema=schema,
        )

    def policy(self) -> Policy:
        """What decides the steps."""
        return OfflinePolicy()
