"""How judged answers move the search: what a run showed of its evidence, and what is added to later scores.

    shown_search(run, evidence)                       # of one right answer, for `quire.memory.searches`
    LearnedSearch(memory, note)(query, ranked)       # what each candidate of a search gains, and why

Three things move a candidate. Near questions: where the evidence of a right answer to a similar question
stands. Kinds: table and column of the units that answer such questions. Aliases: words that stand for words
of the question in this library. Each is bounded, so the shipped ranking is never overruled by much.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from quire.ask.personal.memory import Near, PersonalMemory
from quire.errors import MemoryStoreError
from quire.library.searching import Added
from quire.memory.searches import ANY, Alias, Shown, aliases, stems, teaches, weights
from quire.search.asked import read
from quire.search.cells import KINDS, Unit
from quire.search.ranking import Ranked
from quire.text import bare
from quire.types import Evidence, Trajectory

# Chosen on training questions, on other papers than `benchmarks/evidence_curve.py` reports on.
_NEAR, _FROM, _FULL = 2.5, 0.45, 0.80  # gain at most; cosines at which it begins and is whole
_KINDS = 1.0  # gain or loss at most
_ALIASED = 0.5  # gain at most
_TELLING = 20  # letters and digits: shorter quotes recur without being the same


def shown_search(run: Trajectory, evidence: Sequence[Evidence]) -> Shown | None:
    """What the searches of a run showed of the evidence of its answer; None where none of it is verified."""
    proven = [each for each in evidence if each.verified]
    if not proven:
        return None
    asks = tuple(sorted(read(run.question.whole).wants))
    for step in reversed(run.steps):
        if step.call is None or step.call.name not in ("Search", "FirstLook") or step.observation is None:
            continue
        up: list[tuple[str, float]] = []
        others: list[tuple[str, float]] = []
        for row in step.observation.rows:
            hit = (f"{row.get('table_name')}.{row.get('column_name')}", float(row.get("score") or 0.0))
            (up if any(_stands(each, _of_row(row)) for each in proven) else others).append(hit)
        if up:
            kind, score = up[0]
            return Shown(asks, kind, score, tuple(others))
    return Shown(asks)


class LearnedSearch:
    """What one library learned, as its searches use it."""

    def __init__(self, memory: PersonalMemory, note: Callable[[MemoryStoreError], None]) -> None:
        """`note` is told of a memory that cannot be read."""
        self._memory, self._note = memory, note

    def __call__(self, query: str, ranked: Sequence[Ranked]) -> list[Added]:
        """What each candidate gains; nothing where nothing was learned or the memory cannot be read."""
        try:
            return self._added(query, ranked)
        except MemoryStoreError as error:
            self._note(error)
            return [Added(0.0, "")] * len(ranked)

    def _added(self, query: str, ranked: Sequence[Ranked]) -> list[Added]:
        store = self._memory.verdicts.store
        if not store.read("SELECT 1 FROM search_evidence LIMIT 1"):
            return [Added(0.0, "")] * len(ranked)
        near = [one for one in self._memory.near(query) if not one.lesson and one.similarity > _FROM]
        taught = teaches(store, [one.item.id for one in near])
        near = [one for one in near if one.item.id in taught and not one.item.origin]
        asked = (ANY, *read(query).wants)
        kinds = {(each.asked, each.kind): each.weight for each in weights(store)}
        known = aliases(store, sorted(stems(query)))
        return gains([each.unit for each in ranked], near, asked, kinds, known)


def gains(
    units: Sequence[Unit],
    near: Sequence[Near],
    asked: Sequence[str],
    kinds: Mapping[tuple[str, str], float],
    known: Sequence[Alias],
) -> list[Added]:
    """What each unit gains; `near` has the most similar items first, `known` what the words stand for."""
    found = []
    for unit in units:
        parts = (_near(unit, near), _kind(unit, asked, kinds), _alias(unit, known))
        moved = [part for part in parts if abs(part.score) >= 0.005]
        found.append(Added(sum(part.score for part in moved), "; ".join(part.why for part in moved)))
    return found


def _near(unit: Unit, near: Sequence[Near]) -> Added:
    for one in near:  # the most similar first
        if any(_stands(each, unit) for each in one.item.evidence):
            gain = _NEAR * min(1.0, (one.similarity - _FROM) / (_FULL - _FROM))
            return Added(gain, f"a similar question was answered here ({one.item.id[:8]})")
    return Added(0.0, "")


def _kind(unit: Unit, asked: Sequence[str], kinds: Mapping[tuple[str, str], float]) -> Added:
    name = f"{unit.pair.table}.{unit.pair.column}"
    gain = sum(kinds.get((ask, name), 0.0) for ask in asked)
    return Added(max(-_KINDS, min(_KINDS, gain)), f"{name} answered such questions")


def _alias(unit: Unit, known: Sequence[Alias]) -> Added:
    if not known:
        return Added(0.0, "")
    said = stems(f"{unit.text} {unit.context}")
    found = [alias for alias in known if alias.means in said]
    gain = _ALIASED * math.tanh(len({alias.word for alias in found}) / 2)
    return Added(gain, ", ".join(f"{alias.word} is {alias.means} here" for alias in found[:3]))


def _stands(evidence: Evidence, unit: Unit) -> bool:
    """Whether a unit is what the evidence names, or says it on the same page."""
    if evidence.paper_id != unit.paper_id:
        return False
    if evidence.key and evidence.key == unit.key:
        return True
    if evidence.page != unit.page:
        return False
    one, two = bare(evidence.quote), bare(unit.quote or unit.text)
    return min(len(one), len(two)) >= _TELLING and (one in two or two in one)


def _of_row(row: Mapping[str, object]) -> Unit:
    """A hit of a recorded search as far as its place and words go."""
    paper, page = str(row.get("pdf_id") or ""), row.get("page_number")
    quote = str(row.get("quote") or row.get("text") or "")
    key = str(row.get("primary_key") or "")
    return Unit(KINDS["sentence"], paper, page if isinstance(page, int) else 0, key, quote, quote)
