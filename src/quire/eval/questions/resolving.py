"""Which papers of a library a question speaks of.

    items = resolve(questions.items, finder(library.papers()))

Contract: each item gets the ids of the library in place of the set's names: ids, file names (with or
without `.pdf`), titles (case and punctuation aside), DOIs or arXiv ids (version aside). Only whole names
count: half a title is good enough for a person who sees what was found, not for a measurement. A name that
fits several papers fits none. `aliases` maps a set's own names (such as AirQA's UUIDs) to any of these. An
item one of whose papers is not there gets it in `missing`: it is told and counted apart, never asked and
never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from quire.eval.questions.items import QuestionItem
from quire.eval.scorers.evaluators import Evaluator

Find = Callable[[str], str | None]
_DOI = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_ARXIV = re.compile(r"^(?:https?://arxiv\.org/(?:abs|pdf)/|arxiv:\s*)|v\d+$", re.IGNORECASE)


class Named(Protocol):
    """What a library says of one paper."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def file_name(self) -> str: ...  # noqa: D102
    @property
    def doi(self) -> str: ...  # noqa: D102
    @property
    def arxiv_id(self) -> str: ...  # noqa: D102


def finder(papers: Iterable[Named]) -> Find:
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
    """The items with the library's ids."""
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
