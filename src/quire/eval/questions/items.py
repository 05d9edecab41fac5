"""A question as a set gives it: what may be asked, and what stays on the judge's side.

    items = resolve(load(Path("questions.jsonl")).items, finder(library.papers()))

Contract: `QuestionItem.question` is all that an agent may see; the evaluator holds the gold. `papers` are the
names that the set uses for the papers of a question; which papers of a library they are is found by
`resolve`, from ids, file names (with or without `.pdf`), titles (case and punctuation aside), DOIs or arXiv
ids (version aside). Only whole names count: half a title is good enough for a person who sees what was found,
not for a measurement. A name that fits several papers fits none. An item one of whose papers is not there
gets it in `missing`: it is told and counted apart, never asked and never wrong.

A `QuestionRow` is a record of the file, with errors that name file, line and field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from quire.errors import TaskError
from quire.eval.scorers.evaluators import Evaluator, read_evaluator
from quire.library.papers import Paper
from quire.types import Question


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """One question with its evaluator.

    `problem` says why no answer can be right (then there is no evaluator); `missing` names papers that
    the library does not have. `cited` are papers that an agent must find by itself: it needs all of them,
    or, if `any_cited`, at least one. `targets` are papers (titles, or ids of the set) that
    are the answer: all of them if `all_targets`, else at least one. `given_id` is the id
    that the file gave, where another question has it already.
    """

    question: Question
    evaluator: Evaluator | None
    problem: str = ""
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    any_cited: bool = False
    targets: tuple[str, ...] = ()
    all_targets: bool = False
    given_id: str = ""


def checked_item(question: Question, evaluator: Any) -> QuestionItem:
    """A question with the evaluator of a record, as `read_evaluator` reads it.

    Raises:
        ScoringError: the evaluator names no scorer.
    """
    reading = read_evaluator(evaluator)
    impossible = [fault.message for fault in reading.findings if fault.impossible]
    notes = tuple(fault.message for fault in reading.findings)
    return QuestionItem(question, reading.evaluator, problem=" ".join(impossible), notes=notes)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of one file; `notes` are told to the user, one line each, with the question's id."""

    name: str
    layout: str
    items: tuple[QuestionItem, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with the set's evaluators, and what was made of it."""
        told = [(item.question.id, note) for item in self.items for note in item.notes]
        return tuple(f"{name}: {note}" for name, note in told)


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One line of a file."""

    where: str  # "FILE, line N"
    row: Mapping[str, Any]

    def text(self, name: str, default: str | None = None) -> str:
        """A field that is a text.

        Raises:
            TaskError: it is something else, or missing without a default.
        """
        value = self.row.get(name, default)
        if not isinstance(value, str):
            raise self.error(name, "a text")
        return value

    def texts(self, *names: str) -> tuple[str, ...]:
        """The first of these fields that is there: a list of texts, or one text. Empty if none is."""
        for name in names:
            if name in self.row and self.row[name] is not None:
                value = self.row[name]
                listed = [value] if isinstance(value, str) else value
                if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
                    raise self.error(name, "a list of texts")
                return tuple(listed)
        return ()

    def error(self, name: str, wanted: str) -> TaskError:
        """What to raise for a field that is not as it should be."""
        if name not in self.row:
            return TaskError(f"{self.where}: field `{name}` is missing; it must be {wanted}.")
        kind = type(self.row[name]).__name__
        return TaskError(f"{self.where}: field `{name}` must be {wanted}, not {kind}.")


Find = Callable[[str], str | None]
_DOI = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_ARXIV = re.compile(r"^(?:https?://arxiv\.org/(?:abs|pdf)/|arxiv:\s*)|v\d+$", re.IGNORECASE)


def finder(papers: Iterable[Paper]) -> Find:
    """A look-up over the papers of a library by all their names."""
    known: dict[str, set[str]] = {}
    for paper in papers:
        stem = paper.file_name.rpartition(".")[0]
        for name in (paper.id, paper.file_name, stem, paper.doi, paper.arxiv_id):
            known.setdefault(name.lower(), set()).add(paper.id)
        known.setdefault(_title_key(paper.title), set()).add(paper.id)

    def find(name: str) -> str | None:
        bare = name.strip().lower()
        for key in (bare, _DOI.sub("", bare), _ARXIV.sub("", bare), _title_key(name)):
            if key and len(found := known.get(key, ())) == 1:
                return next(iter(found))
        return None

    return find


def resolve(
    items: Iterable[QuestionItem], find: Find, aliases: Mapping[str, str] | None = None
) -> tuple[QuestionItem, ...]:
    """The items with the library's ids; `aliases` maps a set's own names (AirQA's UUIDs) to others."""
    names = aliases or {}
    return tuple(_resolved(item, lambda name: find(names.get(name, name))) for item in items)


def _resolved(item: QuestionItem, look_up: Find) -> QuestionItem:
    anchors = {name: look_up(name) for name in item.question.anchor_papers}
    cited = {name: look_up(name) for name in item.cited}
    missing = [name for name, paper in anchors.items() if paper is None]
    absent = [name for name, paper in cited.items() if paper is None]
    if not item.any_cited or len(absent) == len(cited):
        missing += absent
    unseen = [name for name in item.targets if look_up(name) is None]
    if item.all_targets or len(unseen) == len(item.targets):
        missing += unseen[:1]
    papers = tuple(paper for paper in anchors.values() if paper is not None)
    question = replace(item.question, anchor_papers=papers)
    evaluator = _translated(item.evaluator, look_up, item.targets) if item.evaluator else None
    return replace(item, question=question, evaluator=evaluator, missing=tuple(missing))


def _translated(evaluator: Evaluator, look_up: Find, targets: tuple[str, ...]) -> Evaluator:
    """The evaluator with the library's ids in a gold that names papers by the set's ids."""
    gold = evaluator.parameters.get("gold")
    if not targets or gold is None:
        return evaluator
    own = [look_up(name) or name for name in targets]
    parameters = {**evaluator.parameters, "gold": own if isinstance(gold, list) else own[0]}
    return replace(evaluator, parameters=parameters)


def _title_key(title: str) -> str:
    """The letters and digits of a title, marked so that it cannot pass for another kind of name."""
    letters = "".join(char for char in title.lower() if char.isalnum())
    return f"title {letters}" if letters else ""
