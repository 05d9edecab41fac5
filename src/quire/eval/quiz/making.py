"""Choosing papers, kinds and questions."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable, Sequence

from quire.errors import TaskError
from quire.eval.quiz.question import HasRows, HasSql, QuizQuestion
from quire.registry import Registry

KINDS = Registry(
    "kind of quiz question",
    {
        "metadata": "quire.eval.quiz.kinds:metadata",
        "table": "quire.eval.quiz.kinds:tables",
        "reference": "quire.eval.quiz.kinds:references",
        "caption": "quire.eval.quiz.kinds:captions",
        "section": "quire.eval.quiz.kinds:sections",
    },
)


def make_quiz(
    library: HasSql,
    papers: Sequence[str] = (),
    *,
    each: int = 4,
    kinds: Iterable[str] = KINDS,
    seed: int = 0,
) -> list[QuizQuestion]:
    """At most `each` questions of each kind about each paper (ids; none: all papers of the library).

    Raises:
        TaskError: the library has no papers, or a paper is not named by its id.
        UnknownNameError: there is no such kind.
    """
    makers: list[tuple[str, Callable[[HasRows], Iterable[QuizQuestion]]]] = [
        (kind, KINDS.load(kind)) for kind in kinds
    ]
    quiz: list[QuizQuestion] = []
    for rows in _papers(library, papers):
        for kind, make in makers:
            found = list({question.text: question for question in make(rows)}.values())
            chooser = random.Random(f"{seed} {rows.paper_id} {kind}")
            quiz += found if len(found) <= each else chooser.sample(found, each)
    return quiz


def _papers(library: HasSql, papers: Sequence[str]) -> list[HasRows]:
    listed = library.sql("SELECT paper_id, pdf_path FROM metadata ORDER BY pdf_path, paper_id").rows
    known = {str(paper): str(name) for paper, name in listed}
    if not known:
        raise TaskError("The library has no papers to ask about.", hint="Add some with `quire add`.")
    chosen = []
    for paper in papers or known:
        if paper not in known:
            raise TaskError(f"The library has no paper with the id `{paper}`.")
        named = sum(name == known[paper] for name in known.values()) == 1
        # A file name says more to people than an id, as long as only one paper has it.
        chosen.append(HasRows(library, str(uuid.UUID(paper)), known[paper] if named else paper))
    return chosen
