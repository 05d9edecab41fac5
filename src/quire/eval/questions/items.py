"""A question as a set gives it: what may be asked, and what stays on the judge's side.

Contract: `QuestionItem.question` is all that an agent may see; the evaluator holds the gold. `papers` are the
names that the set uses for the papers of a question; which papers of a library they are is found by
`resolve`.
"""

from __future__ import annotations

from dataclasses import dataclass

from quire.eval.scorers.evaluators import Evaluator
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
