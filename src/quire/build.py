"""The one place that knows every room: settings in, objects out. A library that can be asked.

from quire import Library

lib = Library.open("my-papers", create=True)
lib.add("papers/")
run = lib.ask("How many authors does this paper have?", papers=["attention.pdf"], answer_format="int")
run.answer.value, run.answer.evidence[0].page
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire import models
from quire.agents import loop, runs
from quire.agents.conversation import kept_papers
from quire.agents.methods import METHODS
from quire.agents.offline import OfflinePolicy
from quire.agents.personal import Recalled
from quire.agents.personal.library import OFFLINE, LearningLibrary
from quire.agents.policy import Policy
from quire.environment import Environment
from quire.errors import ENDS_A_RUN, ModelError, QueryError, RunError, TaskError
from quire.library.papers import several, unread_scans
from quire.types import Exchange, Question, Step, Trajectory

if TYPE_CHECKING:  # what only measuring needs is loaded when something is measured
    from quire.agents.stream.policies import PolicySolver
    from quire.scoring.judging import Panel
    from quire.streams.progress import Progress
    from quire.streams.runner import Run


class Library(LearningLibrary):
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
        memory: bool = True,
        stops: tuple[type[ModelError], ...] = (),
        conversation: Sequence[Exchange] = (),
    ) -> Trajectory:
        """Answer a question with evidence, or abstain.

        `papers` are names as in `paper()`; none means the whole library. `answer_format` says in words (or by
        a type's name: int, float, str, bool, list) what form the answer has, `schema` as a JSON schema. With
        a model in the settings the model decides each step, else the offline policy does. The run is stored
        in the library's `runs/` unless `save` is False; the answer's note says if that could not be done.

        With `memory`, the same question, already judged right on papers that have not changed, is answered at
        once; a model is shown similar questions that were. The run's settings name what took part.
        `conversation` are the turns before: context for a model; offline, a question that points back to them
        ("how many authors does it have?") is asked of the same papers.

        Raises:
            PaperNotFound: a name means no paper, or several.
            LibraryError: there is no library yet.
            QueryError: the question is empty.
            SettingsError, UnknownNameError: a model or method of the settings cannot be used.
            ModelError: one of `stops`; otherwise a model that fails gives a failed answer.
        """
        self._existing()
        METHODS[self.settings.agent.method]  # a name that is wrong is told, model or not
        if not (question if isinstance(question, str) else question.text).strip():
            raise QueryError("The question is empty.", hint='Ask in words: quire ask "How many ...?".')
        asked = self.question(question, papers, answer_format, schema, conversation)
        recalled, trouble = self._recalled(asked) if memory else (Recalled(), "")
        if recalled.answer is not None:
            run = recalled.run(asked, _versions())
        else:
            run = self._answered(asked, recalled, memory, on_step, stops)
            run = _remarked(run, f"{trouble} {self._unread(run)}")
        return self._stored(run) if save else run

    def _answered(
        self,
        question: Question,
        recalled: Recalled,
        memory: bool,
        on_step: Callable[[Step], None] | None,
        stops: tuple[type[ModelError], ...],
    ) -> Trajectory:
        """The loop over this question, with what it took of models and what may be the same."""
        agent = self.settings.agent
        with models.spending() as spent:
            run = loop.run(
                self.policy(recalled.texts, self._turn() if memory else "", brief=recalled.told),
                replace(self.environment, memory=memory),
                question,
                loop.Limits(agent.max_turns),
                method=agent.method if self.models_answer else OFFLINE,
                settings={
                    "agent": agent.model_dump(),
                    "observations": self.settings.observations.model_dump(),
                    **recalled.noted(),
                },
                versions=_versions(),
                on_step=on_step,
                stops=stops,
            )
        run = replace(run, usage=spent.usage)  # what failed was billed too
        if memory and run.answer.status == "abstained" and (item := self._suggested(question)):
            run = replace(run, settings={**run.settings, "suggested": item})
        return run

    def _unread(self, run: Trajectory) -> str:
        """What the user should know of scans among the papers of a question that found no sure answer."""
        if run.answer.status == "answered":
            return ""
        with self._resources.database.reading() as connection:
            return unread_scans(connection, run.question.only)

    def _stored(self, run: Trajectory) -> Trajectory:
        """The run, kept in the library; if that cannot be, it says so: an answer is not lost for it."""
        try:
            runs.save(self.folder, run)
        except RunError as error:
            return _remarked(run, str(error))
        return run

    def question(
        self,
        question: str | Question,
        papers: Sequence[str] = (),
        answer_format: str = "",
        schema: Mapping[str, Any] | None = None,
        conversation: Sequence[Exchange] = (),
    ) -> Question:
        """The question as a value, its papers as ids."""
        if isinstance(question, Question):
            return question
        if not self.models_answer:
            papers = papers or self._kept(question, conversation)
            conversation = ()
        ids = tuple(self.paper(name).id for name in several(papers))
        key = f"{question}\n{answer_format}\n{sorted(ids)}"
        return Question(
            id=str(uuid.uuid5(uuid.NAMESPACE_DNS, key)),
            text=question,
            answer_format=answer_format,
            anchor_papers=ids,
            schema=schema,
            only=ids,
            conversation=tuple(conversation),
        )

    def _kept(self, question: str, conversation: Sequence[Exchange]) -> list[str]:
        """The papers of the conversation that a question points back to and that are still here."""
        kept = kept_papers(question, conversation)
        present = self._present() if kept else {}
        return [paper for paper in kept if paper in present]

    def evaluate(
        self,
        file: Path,
        *,
        limit: int = 0,
        workers: int = 1,
        resume: bool = False,
        predictions: Path | None = None,
        votes: int = 1,
        aliases: Mapping[str, str] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> tuple[Run, Path]:
        """Ask and score every question of a file (AirQA, SciDQA, M3SciQA or our own layout).

        This is a zero-shot stream of `papers` in the file's order. With `predictions`, answers made elsewhere
        are scored instead. Records are kept as they come, in a folder of `runs/evaluations/`; `resume` goes
        on where the last such run stopped. Gives the run and its folder.

        Raises:
            TaskError: the file is malformed (names line and field), or an id of the predictions is unknown.
            ModelError: a model cannot be reached or paid; what is done is kept.
        """
        from quire.streams.spec import open_folder
        from quire.streams.stored import evaluations
        from quire.streams.zero_shot import evaluate, spec_of
        from quire.tasks import questions
        from quire.tasks.questions import predictions as elsewhere

        asked = questions.load(file)
        known = self.papers() if self._resources.database.exists() else []
        here = questions.finder(paper for paper in known if paper.state != "failed")
        items = questions.resolve(asked.items, here, aliases)
        answer: Callable[[Question], Trajectory] = partial(
            self.ask, save=False, memory=False, stops=ENDS_A_RUN
        )
        if predictions is not None:
            said = elsewhere.read_predictions(predictions)
            if strange := elsewhere.strangers(said, items):
                raise TaskError(f"{predictions} answers `{strange[0]}`, which {file} does not ask.")
            answer = elsewhere.from_predictions(said, items)
            items = questions.resolve(asked.items, str, aliases)  # no paper needs to be here
        agent = {**self.settings.agent.model_dump(mode="json")}
        agent["method"] = agent["method"] if self.models_answer else OFFLINE
        model, judge = (models.name_for(self.settings, role) for role in ("answer", "judge"))
        spec = spec_of(file, predictions, model or OFFLINE, agent, judge, votes, limit)
        folder = open_folder(evaluations(self.folder), spec, resume=resume)
        run = evaluate(items, answer, folder, spec, self.judges(votes), workers=workers, progress=progress)
        return run, folder

    def summarisers(self) -> tuple[models.Model, models.Model | None]:
        """The model that writes summaries, and the one that sees figures (None: figures keep theirs).

        Raises:
            SettingsError: no model is configured.
        """
        writer = self.open_model("summarise", "")
        if not self.settings.model.vision or not models.name_for(self.settings, "see"):
            return writer, None
        return writer, self.open_model("see", "")

    def judges(self, votes: int = 1) -> Panel | None:
        """The model that judges answers, or None where none is configured."""
        if models.name_for(self.settings, "judge") in ("", OFFLINE):
            return None
        from quire.scoring.judging import ModelJudge, Panel

        return Panel(ModelJudge(self.open_model("judge", "")), votes)

    def solver(self, name: str, style: str = "reason") -> PolicySolver:
        """Who answers the stream `papers` from this library: `offline`, or a language model by its name.

        `style` is one of `quire.agents.stream.AGENT_STYLES`; the offline policy has one way only.

        Raises:
            SettingsError, UnknownNameError: the model, or the method of the settings, cannot be used.
        """
        from quire.agents.library_schema import look
        from quire.agents.stream.policies import PolicySolver, agent_solver

        limits = loop.Limits(self.settings.agent.max_turns)
        resolve = cache(lambda paper: self.paper(paper).id)
        if name.partition(":")[0] == OFFLINE:
            return PolicySolver(name, lambda shots: OfflinePolicy(), self.environment, limits, resolve)
        model = self.open_model("answer", name)
        environment = replace(self.environment, vision=model.vision)
        filled = [name for name, count in self.status().vectors.items() if count]
        return agent_solver(
            model, style, environment, self.settings.agent, look(self, filled), limits, resolve
        )

    @cached_property
    def environment(self) -> Environment:
        """What an agent may do to this library."""
        vision = self.models_answer and self.settings.model.vision
        return Environment(
            self,
            settings=self.settings.observations,
            vision=vision,
            format=self.settings.agent.action_format,
        )

    def policy(self, shots: Sequence[str] = (), name: str = "", *, brief: bool = False) -> Policy:
        """What decides the steps of one question; a model is told what the library holds now, and `shots`.

        `name` is the model's; "" means as the settings say. `brief` has less looked up before it is asked.
        """
        if not self.models_answer:
            return OfflinePolicy()
        from quire.agents.llm import llm_policy

        filled = [name for name, count in self.status().vectors.items() if count]
        model = self.open_model("answer", name)
        return llm_policy(model, self.environment, self.settings.agent, filled, shots=shots, brief=brief)


def _remarked(run: Trajectory, remark: str) -> Trajectory:
    """The run with a remark behind its answer's note; the run itself for none."""
    if not remark.strip():
        return run
    return replace(run, answer=replace(run.answer, note=f"{run.answer.note} {remark.strip()}".strip()))


def _versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in ("quire", "duckdb", "pypdfium2", "onnxruntime")}
