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
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from quire import jsontext, library, llm
from quire.ask import methods, offline, runs
from quire.ask.personal.learning import OFFLINE, Learning
from quire.ask.streaming import Listening
from quire.errors import ENDS_A_RUN, ModelError, QueryError, RunError, SettingsError, TaskError
from quire.library.papers import several, unread_scans
from quire.settings import changed
from quire.types import LONGEST_QUESTION, Evidence, Exchange, Question, Said, Step, Trajectory

if TYPE_CHECKING:  # what only asking or measuring needs is loaded when something is asked or measured
    from quire.ask.environment import Environment
    from quire.ask.loop import Policy
    from quire.ask.personal.judging import Judged
    from quire.ask.personal.memory import PersonalMemory
    from quire.eval.run import Run, RunProgress
    from quire.eval.scorers.judging import Panel
    from quire.settings import Agent, Settings


class Library(library.Library):
    """A library that can also be asked, and learns from verdicts.

    See `quire.library.Library` for all that it can do besides.
    """

    def __init__(self, settings: Settings) -> None:
        """As `quire.library.Library`; `learning` is what verdicts taught, and takes part in its searches."""
        super().__init__(settings)
        self.learning = self._resources.learner = Learning(self, self._resources)

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
        on_text: Callable[[Said], None] | None = None,
        stop: Callable[[], bool] | None = None,
        method: str = "",
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

        With `on_text` a model's thought and answer are passed on while it writes them. `stop` is asked a few
        times a second and before each step: once it is true, the request ends and the answer, `stopped`, is
        what was written by then. `method` takes the place of the settings'.

        Raises:
            PaperNotFound: a name means no paper, or several.
            LibraryError: there is no library yet.
            QueryError: the question is empty, or longer than `LONGEST_QUESTION`.
            AnswerFormatError: the schema is none, or too large to be checked.
            SettingsError, UnknownNameError: a model or method of the settings cannot be used.
            ModelError: one of `stops`; otherwise a model that fails gives a failed answer.
        """
        self._resources.existing()
        agent = self.settings.agent.model_copy(update={"method": method} if method else {})
        methods.METHODS[agent.method]  # a name that is wrong is told, model or not
        asked = self.question(question, papers, answer_format, schema, conversation)
        listening = Listening(on_text, stop) if on_text or stop else None
        run = self._answered(asked, memory, agent, on_step, stops, listening)
        return self._stored(run) if save else run

    def overview(self, paper: str, **more: Any) -> Trajectory:
        """One paper by its model: what it asks, how, what it found, its limits, each sentence with its mark.

        `more` are arguments of `ask`, here and below; it raises what `ask` does, and SettingsError without a
        model.
        """
        return self._across(methods.overview(), [paper], more)

    def summarise_topic(self, topic: str, papers: Sequence[str] = (), **more: Any) -> Trajectory:
        """What the papers (all, if none is named) say about a topic, each sentence with its mark."""
        return self._across(methods.summary(topic), papers, more)

    def compare(self, papers: Sequence[str], by: str = "", **more: Any) -> Trajectory:
        """Several papers as a Markdown table, each cell with its mark; `by` says what to compare."""
        return self._across(methods.comparison(by), papers, more)

    def _across(self, task: methods.AcrossQuestion, papers: Sequence[str], own: dict[str, Any]) -> Trajectory:
        if not self.models_answer:
            raise SettingsError("This needs a language model.", hint="See `quire models find`.")
        how = {"answer_format": task.answer_format, "method": task.method, "memory": False}
        return self.ask(task.question, papers=papers, **{**how, **own})

    def suggested_questions(self, paper: str) -> list[str]:
        """Up to three questions that a paper's own tables and headings answer; no model is needed.

        Raises:
            PaperNotFound: the name means no paper, or several.
        """
        from quire.ask.suggestions import suggested

        with self._resources.database.reading() as connection:
            return suggested(connection, self.paper(paper).id)

    def _answered(
        self,
        question: Question,
        memory: bool,
        agent: Agent,
        on_step: Callable[[Step], None] | None,
        stops: tuple[type[ModelError], ...],
        listening: Listening | None,
    ) -> Trajectory:
        """What is remembered of this question, else the loop over it, and what may be the same."""
        learning = self.learning
        recalled, trouble = learning.recalled(question, examples=self.models_answer) if memory else (None, "")
        if recalled is not None and recalled.answer is not None:
            return recalled.run(question, _versions())
        from quire.ask import loop

        shots, turn = recalled.texts if recalled else (), learning.turn() if memory else ""
        told = bool(recalled and recalled.told)
        run = loop.run(
            self.policy(shots, turn, brief=told, listening=listening, agent=agent),
            replace(self.environment, memory=memory),
            question,
            agent.max_turns,
            method=agent.method if self.models_answer else OFFLINE,
            settings={
                "agent": agent.model_dump(),
                "observations": self.settings.observations.model_dump(),
                **(recalled.noted() if recalled else {}),
            },
            versions=_versions(),
            on_step=on_step,
            stops=stops,
            listening=listening,
        )
        if memory and run.answer.status == "abstained" and (item := learning.suggested(question)):
            run = replace(run, settings={**run.settings, "suggested": item})
        return _remarked(run, f"{trouble} {self._unread(run)}")

    def verdict(
        self,
        label: Literal["right", "wrong"],
        run: str = "",
        *,
        answer: Any = None,
        evidence: int = 0,
        unanswerable: bool = False,
        suggested: bool = False,
        place: Evidence | None = None,
        note: str = "",
        author: str = "",
    ) -> Judged:
        """Judge the answer of a run (default: the last), with the right `answer` where it was wrong.

        What is right, and every correction, can be recalled by later questions and moves the search; a bare
        "wrong" is kept and never shown. Where a run gave evidence only, `evidence` is the number (from 1) of
        the piece that is right; `unanswerable` says that the papers do not answer it, `suggested` that the
        past answer shown beside it does. `place` is what answers it on a page of the user's own finding, as
        it is, or as the evidence of `answer`. Of one author (default: the user's login name) the newest
        verdict counts.

        Raises:
            RunError: there is no such run, or nothing in it to judge.
            AnswerFormatError: the correction is not of the form that was asked for.
            MemoryStoreError: the memory file cannot be used.
        """
        from quire.ask.personal.judging import Claim, user_name
        from quire.memory.verdicts import Ruling

        claim = Claim(answer, evidence, unanswerable, suggested, place)
        ruling = Ruling(author or user_name(), label, note)
        return self.learning.judge(run, ruling, claim, self.open_model)

    @property
    def memory(self) -> PersonalMemory:
        """What was learned from verdicts; its file is made when it is first asked for.

        Raises:
            MemoryStoreError: the file cannot be used; one that is damaged has been set aside, whole.
        """
        return self.learning.memory

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
        """The question as a value, its papers as ids; raises as `ask`."""
        text = question if isinstance(question, str) else question.text
        if not text.strip():
            raise QueryError("The question is empty.", hint='Ask in words: quire ask "How many ...?".')
        if len(text) > LONGEST_QUESTION:
            raise QueryError(
                f"The question has {len(text)} characters.", hint=f"Ask in at most {LONGEST_QUESTION}."
            )
        if isinstance(question, Question):
            return question
        # Half a sign (a lone surrogate) could not be stored.
        question, answer_format = str(jsontext.as_json(question)), str(jsontext.as_json(answer_format))
        if schema is not None:
            from quire.ask.json_schema import refuse_unusable

            refuse_unusable(schema)
        alone = bool(conversation) and not self.models_answer
        if alone:
            from quire.ask.conversation import standing_alone

            question, papers = standing_alone(question, conversation, papers, self)
        ids = tuple(self.paper(name).id for name in several(papers))
        key = f"{question}\n{answer_format}\n{sorted(ids)}"
        own, before = str(uuid.uuid5(uuid.NAMESPACE_DNS, key)), tuple(conversation)
        return Question(
            own,
            question,
            answer_format,
            anchor_papers=ids,
            schema=schema,
            only=ids,
            conversation=before,
            alone=alone,
        )

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
        progress: Callable[[RunProgress], None] | None = None,
    ) -> tuple[Run, Path]:
        """Ask and score every question of a file (AirQA, SciDQA, M3SciQA or our own layout).

        With `predictions`, answers made elsewhere are scored instead. Records are kept as they come, in a
        folder of `runs/evaluations/`; `resume` goes on with the last such run. Gives the run and its folder.

        Raises:
            TaskError: the file is malformed (names line and field), or an id of the predictions is unknown.
            ModelError: a model cannot be reached or paid; what is done is kept.
        """
        from quire.eval import evaluation, questions
        from quire.eval.run import evaluations_folder, open_folder

        asked = questions.load(file)
        known = self.papers() if self._resources.database.exists() else []
        here = questions.finder(paper for paper in known if paper.state != "failed")
        items = questions.resolve(asked.items, here, aliases)
        answer: Callable[[Question], Trajectory] = partial(
            self.ask, save=False, memory=False, stops=ENDS_A_RUN
        )
        if predictions is not None:
            said = evaluation.read_predictions(predictions)
            if strange := evaluation.strangers(said, items):
                raise TaskError(f"{predictions} answers `{strange[0]}`, which {file} does not ask.")
            answer = evaluation.from_predictions(said, items)
            items = questions.resolve(asked.items, str, aliases)  # no paper needs to be here
        agent = self.settings.agent.model_dump(mode="json")
        agent["method"] = agent["method"] if self.models_answer else OFFLINE
        model, judge = (llm.name_for(self.settings, role) for role in ("answer", "judge"))
        spec = evaluation.spec_of(file, predictions, model or OFFLINE, agent, judge, votes, limit)
        folder = open_folder(evaluations_folder(self.folder), spec, resume=resume)
        run = evaluation.evaluate(
            items, answer, folder, spec, self.judges(votes), workers=workers, progress=progress
        )
        return run, folder

    @cached_property
    def open_model(self) -> llm.OpenModel:
        """Where all models of this library come from; one gateway, so that --max-cost holds for all of them.

        Who works with several libraries, or in a sealed process, sets what all of them share.
        """
        return llm.Gateway(self.settings).model

    def use_model(self, **changes: Any) -> None:
        """Ask another model from now on: `changes` are settings of `model`, as name, base_url, max_cost.

        What was spent until then does not count against the new limit.

        Raises:
            SettingsError: a setting does not fit.
        """
        self.settings = changed(self.settings, model=changes)
        for name in ("open_model", "environment"):
            self.__dict__.pop(name, None)

    @property
    def models_answer(self) -> bool:
        """Whether a language model decides the steps (else the offline policy)."""
        return llm.name_for(self.settings, "answer") not in ("", OFFLINE)

    def summarisers(self) -> tuple[llm.Model, llm.Model | None]:
        """The model that writes summaries, and the one that sees figures (None: figures keep theirs).

        Raises:
            SettingsError: no model is configured.
        """
        sees = self.settings.model.vision and llm.name_for(self.settings, "see")
        return self.open_model("summarise", ""), self.open_model("see", "") if sees else None

    def judges(self, votes: int = 1) -> Panel | None:
        """The model that judges answers, or None where none is configured."""
        if llm.name_for(self.settings, "judge") in ("", OFFLINE):
            return None
        from quire.eval.scorers.judging import Panel

        return Panel(self.open_model("judge", ""), votes)

    @cached_property
    def environment(self) -> Environment:
        """What an agent may do to this library."""
        from quire.ask.environment import Environment

        vision = self.models_answer and self.settings.model.vision
        return Environment(
            self, settings=self.settings.observations, vision=vision, format=self.settings.agent.action_format
        )

    def policy(
        self,
        shots: Sequence[str] = (),
        name: str = "",
        *,
        brief: bool = False,
        listening: Listening | None = None,
        agent: Agent | None = None,
    ) -> Policy:
        """What decides the steps of one question; a model is told what the library holds now, and `shots`.

        `name` is the model's; "" means as the settings say. `brief` has less looked up before it is asked;
        `listening` hears what it writes; `agent` takes the place of the settings'.
        """
        if not self.models_answer:
            return offline.OfflinePolicy()
        from quire.ask.llm import llm_policy

        filled = [name for name, count in self.status().vectors.items() if count]
        model = self.open_model("answer", name)
        how = agent or self.settings.agent
        return llm_policy(model, self.environment, how, filled, shots=shots, brief=brief, listening=listening)


def _remarked(run: Trajectory, remark: str) -> Trajectory:
    """The run with a remark behind its answer's note; the run itself for none."""
    if not remark.strip():
        return run
    return replace(run, answer=replace(run.answer, note=f"{run.answer.note} {remark.strip()}".strip()))


def _versions() -> dict[str, str]:
    from importlib import metadata

    return {name: metadata.version(name) for name in ("quire", "duckdb", "pypdfium2", "onnxruntime")}
