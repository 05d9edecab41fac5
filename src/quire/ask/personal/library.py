"""A library that learns from its users' verdicts: what of its memory takes part in a question or a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from quire import library, llm
from quire.ask import personal, runs
from quire.errors import MemoryStoreError, ModelError
from quire.settings import changed
from quire.types import Question, Verdict

if TYPE_CHECKING:
    from quire.ask.personal import Judged, PersonalMemory, QuestionEncoder, Recalled
    from quire.ask.routers import Router
    from quire.library.adding import Adding
    from quire.library.checking import Health
    from quire.library.report import AddReport, OnProgress, StageMeter
    from quire.library.searching import Adjust
    from quire.memory import MemoryStore

TURNS = "library/turns"  # the revision of this space counts the questions asked
_MOST = 1000  # verdicts that count, the newest


def next_model(store: MemoryStore, models: Sequence[str], router: str) -> str:
    """The model whose turn it is, by the verdicts on each one's answers; counts the turn."""
    from quire.ask.routers import ROUTERS

    chosen: Router = ROUTERS.load(router)(len(models), 0)
    rows = store.read(
        "SELECT i.model, v.label FROM verdicts v JOIN items i ON i.id = v.item WHERE v.seq IN"
        " (SELECT max(seq) FROM verdicts WHERE run != '' GROUP BY run, author) ORDER BY v.seq DESC LIMIT ?",
        (_MOST,),
    )
    for model, label in reversed(rows):
        if model in models:
            chosen.reward(models.index(model), Verdict(label, source="human"))
    return models[chosen.turn(store.revise(TURNS) - 1).answers]


OFFLINE = "offline"  # the name that asks for rules, whatever model the settings name


class LearningLibrary(library.Library):
    """A library with the memory of what was judged right, and the models of its settings."""

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

    def verdict(
        self,
        label: Literal["right", "wrong"],
        run: str = "",
        *,
        answer: Any = None,
        evidence: int = 0,
        unanswerable: bool = False,
        suggested: bool = False,
        note: str = "",
        author: str = "",
    ) -> Judged:
        """Judge the answer of a run (default: the last), with the right `answer` where it was wrong.

        What is right, and every correction, can be recalled by later questions and moves the search; a bare
        "wrong" is kept and never shown. Where a run gave evidence only, `evidence` is the number (from 1) of
        the piece that is right; `unanswerable` says that the papers do not answer it, `suggested` that the
        past answer shown beside it does. Of one author (default: the user's login name) the newest verdict
        counts.

        Raises:
            RunError: there is no such run, or nothing in it to judge.
            AnswerFormatError: the correction is not of the form that was asked for.
            MemoryStoreError: the memory file cannot be used.
        """
        from quire.memory.verdicts import Ruling

        judged = runs.load(self.folder, run) if run else runs.latest(self.folder)
        ruling = Ruling(author or personal.user_name(), label, note)
        verdicts, present = self.memory.verdicts, self._present()
        claim = personal.Claim(answer, evidence, unanswerable, suggested)
        done = personal.judge(verdicts, judged, ruling, self, present, claim)
        self.memory.encode()
        drawer = self.settings.model.lesson
        if drawer and label == "wrong" and done.item and not done.correction:
            try:
                lesson = personal.lesson_of(judged, self.open_model("lesson", drawer))
            except ModelError as error:  # the verdict is kept all the same
                return replace(done, retired=(*done.retired, f"No lesson was drawn: {error}"))
            if lesson:
                verdicts.draw(done.item, lesson, drawer)
            return replace(done, lesson=lesson)
        return done

    def repair(self, *, progress: OnProgress | None = None) -> Health:
        """As the library does; what was learned of papers that are back is used again, too."""
        health = super().repair(progress=progress)
        self._revive()
        return health

    def _run(
        self,
        parse: Callable[[Adding], None],
        meter: StageMeter,
        progress: OnProgress | None,
        password: str | None = None,
    ) -> AddReport:
        report = super()._run(parse, meter, progress, password)
        self._revive()
        return report

    def _revive(self) -> None:
        """Use again what was learned of papers that had gone and are back as they were."""
        if (self.folder / "memory.sqlite").exists():
            with suppress(MemoryStoreError):  # the papers are back all the same
                self.memory.revive()

    @cached_property
    def memory(self) -> PersonalMemory:
        """What was learned from verdicts; its file is made when it is first asked for.

        Raises:
            MemoryStoreError: the file cannot be used; one that is damaged has been set aside, whole.
        """
        if not self.folder.is_dir():
            raise MemoryStoreError(f"There is no library in {self.folder}.", hint="`quire add` makes one.")
        from quire.memory import MemoryStore

        settings, context = self.settings.memory, personal.PaperFacts(self, self._present)
        store = MemoryStore(self.folder / "memory.sqlite")
        return personal.PersonalMemory(store, context, self._likeness, settings.examples, settings.budget)

    def _adjust(self) -> Adjust | None:
        if not self.settings.memory.ranking or not (self.folder / "memory.sqlite").exists():
            return None
        try:
            return personal.LearnedSearch(self.memory, self._note)
        except MemoryStoreError as error:  # a search does not fail for what it might have learned
            self._note(error)
            return None

    def _note(self, error: MemoryStoreError) -> None:
        """What a search met of the memory is told by the next answer: it is set aside once."""
        self.__dict__["_untold"] = f"Nothing was remembered: {error}"

    def _likeness(self) -> QuestionEncoder:
        """What tells how alike two questions are: MiniLM where it is, else words."""
        from quire.errors import EncoderUnavailable
        from quire.search.encoders import MINILM

        if MINILM in self._resources.dense:
            with suppress(EncoderUnavailable):
                return self._resources.encoder(MINILM)
        from quire.memory import HashEncoder

        return HashEncoder()

    def _present(self) -> dict[str, str]:
        """The papers that can be asked, id to SHA-256 of the file."""
        if not self._resources.database.exists():
            return {}
        with self._resources.database.reading() as connection:
            sql = "SELECT paper_id::VARCHAR, sha256 FROM papers WHERE state <> 'failed'"
            return dict(connection.execute(sql).fetchall())

    def _recalled(self, question: Question) -> tuple[Recalled, str]:
        """What the memory has for a question, or why it has nothing: no answer is lost for it."""
        if untold := self.__dict__.pop("_untold", ""):
            return personal.Recalled(), untold
        if not (self.folder / "memory.sqlite").exists():
            return personal.Recalled(), ""
        try:
            same = self.memory.remembered(question)
            if same is not None or not self.models_answer:
                return same or personal.Recalled(), ""
            return self.memory.recall(question), ""
        except MemoryStoreError as error:
            return personal.Recalled(), f"Nothing was remembered: {error}"

    def _suggested(self, question: Question) -> str:
        """The item whose question may be the same, where there is one."""
        if (self.folder / "memory.sqlite").exists():
            with suppress(MemoryStoreError):
                found = self.memory.suggested(question)
                return found.id if found else ""
        return ""

    def _turn(self) -> str:
        """The model whose turn it is, where several are configured."""
        model = self.settings.model
        if not model.others:
            return ""
        with suppress(MemoryStoreError):  # the first answers where none can be counted
            return next_model(self.memory.verdicts.store, (model.name, *model.others), model.router)
        return ""
