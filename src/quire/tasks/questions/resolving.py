"""Which papers of a library a question speaks of.

Contract: `resolve(items, find)` gives each item with the ids of the library in place of the set's names.
`find(name)` knows one paper by id, file name, title, DOI or arXiv id (`Library.paper` does) and raises
PaperNotFound. `aliases` maps a set's own names (such as AirQA's UUIDs) to any of these. An item one of
whose papers is not there gets it in `missing`: it is told and counted apart, never asked and never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from quire.errors import PaperNotFound
from quire.tasks.questions.items import Item


def resolve(
    items: Iterable[Item], find: Callable[[str], str], aliases: Mapping[str, str] | None = None
) -> tuple[Item, ...]:
    """The items with the library's ids. Each name is looked up once."""
    known: dict[str, str | None] = {}
    names = aliases or {}

    def look_up(name: str) -> str | None:
        if name not in known:
            known[name] = _found(names.get(name, name), find)
        return known[name]

    return tuple(_resolved(item, look_up) for item in items)


def _resolved(item: Item, look_up: Callable[[str], str | None]) -> Item:
    anchors = {name: look_up(name) for name in item.question.anchor_papers}
    cited = {name: look_up(name) for name in item.cited}
    missing = [name for name, paper in anchors.items() if paper is None]
    absent = [name for name, paper in cited.items() if paper is None]
    if not item.any_cited or len(absent) == len(cited):
        missing += absent
    if item.sought and not any(look_up(title) for title in item.sought):
        missing.append(item.sought[0])
    papers = tuple(paper for paper in anchors.values() if paper is not None)
    return replace(item, question=replace(item.question, anchor_papers=papers), missing=tuple(missing))


def _found(name: str, find: Callable[[str], str]) -> str | None:
    try:
        return find(name)
    except PaperNotFound:
        return None
