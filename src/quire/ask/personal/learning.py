"""What of a library's memory takes part in its questions and searches: the part of it that learns."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from quire.errors import MemoryStoreError, ModelError
from quire.llm import OpenModel
from quire.types import Question, Verdict

if TYPE_CHECKING:  # a search in a library that learned nothing needs none of it
    from quire.ask.personal.judging import Claim, Judged
    from quire.ask.personal.memory import PersonalMemory, QuestionEncoder, Recalled
    from quire.ask.routers import Router
    from quire.library import Library
    from quire.library.resources import Resources
    from quire.library.searching import Adjust
    from quire.memory import MemoryStore
    from quire.memory.verdicts import Ruling

TURNS = "library/turns"  # the revision of this space counts the questions asked
_MOST = 1000  # verdicts that count, the newest
OFFLINE = "offline"  # the name that asks for rules, whatever model the settings name


class Learning:
    """The memory of one library, made when first needed; what fails in it stops no question or search."""

    def __init__(self, library: Library, resources: Resources) -> None:
        self._library, self._resources = library, resources
        self._file = library.folder / "memory.sqlite"
        self._untold = ""  # what a search met of the memory is told by the next answer: it is set aside once

    @cached_property
    def memory(self) -> PersonalMemory:
        """What was learned from verdicts; its file is made when it is first asked for.

        Raises:
            MemoryStoreError: the file cannot be used; one that is damaged has been set aside, whole.
        """
        if not self._file.parent.is_dir():
            raise MemoryStoreError(
                f"There is no library in {self._file.parent}.", hint="`quire add` makes one."
            )
        from quire.ask.personal.memory import PersonalMemory
        from quire.memory import MemoryStore

        k, budget = self._library.settings.memory.examples, self._library.settings.memory.budget
        store = MemoryStore(self._file)
        return PersonalMemory(store, self._library, self.present, self._likeness, k, budget)

    def _likeness(self) -> QuestionEncoder:
        """What tells how alike two questions are: MiniLM where it is, else words."""
        from quire.errors import EncoderUnavailable
        from quire.search.encoders import MINILM

        if MINILM in self._resources.dense:
            with suppress(EncoderUnavailable):
                return self._resources.encoder(MINILM)
        from quire.memory import HashEncoder

        return HashEncoder()

    def present(self) -> dict[str, str]:
        """The papers that can be asked, id to SHA-256 of the file."""
        if not self._resources.database.exists():
            return {}
        with self._resources.database.reading() as connection:
            sql = "SELECT paper_id::VARCHAR, sha256 FROM papers WHERE state <> 'failed'"
            return dict(connection.execute(sql).fetchall())

    def judge(self, run: str, ruling: Ruling, claim: Claim, open_model: OpenModel) -> Judged:
        """Take a verdict in; see `Library.verdict`."""
        from quire.ask import runs
        from quire.ask.personal import judging

        judged = runs.load(self._library.folder, run) if run else runs.latest(self._library.folder)
        verdicts = self.memory.verdicts
        done = judging.judge(verdicts, judged, ruling, self._library, self.present(), claim)
        self.memory.encode()
        drawer = self._library.settings.model.lesson
        if drawer and ruling.label == "wrong" and done.item and not done.correction:
            try:
                lesson = judging.lesson_of(judged, open_model("lesson", drawer))
            except ModelError as error:  # the verdict is kept all the same
                return replace(done, retired=(*done.retired, f"No lesson was drawn: {error}"))
            if lesson:
                verdicts.draw(done.item, lesson, drawer)
            return replace(done, lesson=lesson)
        return done

    def revive(self) -> None:
        """Use again what was learned of papers that had gone and are back as they were."""
        if self._file.exists():
            with suppress(MemoryStoreError):  # the papers are back all the same
                self.memory.revive()

    def adjustment(self) -> Adjust | None:
        """What verdicts taught the search."""
        if not self._library.settings.memory.ranking or not self._file.exists():
            return None
        from quire.ask.personal.searching import LearnedSearch

        try:
            return LearnedSearch(self.memory, self._note)
        except MemoryStoreError as error:  # a search does not fail for what it might have learned
            self._note(error)
            return None

    def _note(self, error: MemoryStoreError) -> None:
        self._untold = f"Nothing was remembered: {error}"

    def recalled(self, question: Question, *, examples: bool) -> tuple[Recalled | None, str]:
        """What there is for a question, `examples` too, or why there is nothing: no answer is lost for it."""
        untold, self._untold = self._untold, ""
        if untold or not self._file.exists():
            return None, untold
        try:
            same = self.memory.remembered(question)
            return same or (self.memory.recall(question) if examples else None), ""
        except MemoryStoreError as error:
            return None, f"Nothing was remembered: {error}"

    def suggested(self, question: Question) -> str:
        """The item whose question may be the same, where there is one."""
        if self._file.exists():
            with suppress(MemoryStoreError):
                found = self.memory.suggested(question)
                return found.id if found else ""
        return ""

    def turn(self) -> str:
        """The model whose turn it is, where several are configured."""
        model = self._library.settings.model
        if not model.others:
            return ""
        with suppress(MemoryStoreError):  # the first answers where none can be counted
            return next_model(self.memory.verdicts.store, (model.name, *model.others), model.router)
        return ""


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
