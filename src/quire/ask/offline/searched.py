"""What no rule explains: one search over everything, an answer if one can be taken out, else evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.ask.answer_format import AnswerFormat, read_format
from quire.ask.offline.evidence import (
    MOST,
    SHOWN,
    SPARE,
    cells_of,
    closest,
    of_unit,
    readable,
    rows_of_tables,
    said,
    shown,
    units_of,
)
from quire.ask.offline.extract import NUMERIC, extract
from quire.ask.offline.extract.candidates import FoundUnit
from quire.ask.offline.headline import PROBABLE, probability, speaks_not
from quire.ask.offline.plan import SURE, Act, Finding, Plan, Row, left_over
from quire.ask.offline.question import read
from quire.search.analyzer import term_numbers
from quire.types import Call, Evidence, Question, Step

_PAPERS = r"(?:papers?|articles?|stud(?:y|ies)|publications?|works?|ones?)\b"
_SAID_OF_IT = (  # words that cannot stand between "which" and "papers": the question is about something else
    "is|are|was|were|be|do|does|did|has|have|had|can|could|would|should|will|the|an?|of|in|for|to|and|from|by|"
    "on|with|at|this|that|these|those|per"
)
_OF_WHAT_KIND = rf"(?:(?!(?:{_SAID_OF_IT})\b)[\w’'-]{{1,40}}\s+){{0,3}}?"
_PAPER = re.compile(
    rf"(?i)\b(?:which|what)\s+(?:of\s+(?:the|my|our|your|these|those|all)\s+)?{_OF_WHAT_KIND}{_PAPERS}"
    r"|\b(?:find|list|name|show|give|looking for|after|search for|searching for|any|some|know of|recall)\s+"
    rf"(?:me\s+|us\s+)?(?:(?:the|an?|any|all|some|that|those)\s+)?{_OF_WHAT_KIND}{_PAPERS}"
    rf"|\bwhat(?:['’]s| is| was| are)\s+(?:the|that)\s+{_OF_WHAT_KIND}{_PAPERS}"
    r"\s+(?:that|which|where|in which|about|on|who|whose)\b"
    rf"|\bwhat(?:['’]s| is| was)\s+(?:it\b|the one\b|(?:the|that)\s+{_OF_WHAT_KIND}{_PAPERS})"
    r"[^?]{0,80}\bcalled\b|\btitles?\s+of\s+(?:the|that)\b"
)
_TAKEN = "Taken out of this passage by a small trained reader; no language model was used."
_RANKED = "The papers that a search ranks highest; no language model was used."
_CLEAR = 0.5  # the share of the ranks' weight from which on one paper is meant
_LISTED = 10
WEAK = "Weak evidence."
_NEAR = 0.5  # likeness in meaning from which on other words say the same: answerable questions have .54
_NAMED = 4  # words that are told


def plan(question: Question) -> Plan:
    """Search; name papers where papers are asked for, else take the answer out or show the evidence."""
    form = read_format(question.answer_format, question.schema)
    if not question.text.strip():
        return Finding(None)
    search = {"query": question.text, "papers": list(question.anchor_papers), "limit": MOST}
    thought = "No rule explains all of this question: search everything for what speaks of it."
    seen = yield Act(thought, Call("Search", search))
    hits = list(seen.rows) if seen.kind == "rows" else []
    if not hits:
        return Finding(None, spoken=False)
    if not question.anchor_papers and _PAPER.search(question.text):
        named = _papers(hits, form)
        if named is not None:
            return named
    # Meaning alone is a weak sign: the best must say a word of the question.
    asked = set(term_numbers(question.text))
    if not any(asked.intersection(term_numbers(said(hit))) for hit in hits[: SHOWN + SPARE]):
        return Finding(None, spoken=False)
    best = closest(hits)
    cells: Sequence[Row] = ()
    if keys := rows_of_tables(hits):
        cells = (yield cells_of(keys)).rows
        best = readable(best, cells)
    if speaks_not(question, hits):
        return Finding(None, evidence=best, spoken=False)
    found = extract(question.text, form, units_of(hits, cells))
    if found is not None and (form.kind != "int" or found.value % 1 == 0):
        if form.kind in NUMERIC and found.confidence >= SURE:
            quoted = readable([of_unit(found.unit)], cells)
            return Finding(found.value, found.confidence, quoted, note=_note(found.unit))
        likely = round(probability(found, form, hits), 3)
        if likely >= PROBABLE:
            (first,) = readable([of_unit(found.unit)], cells)
            around = (first, *(each for each in best if each.quote != first.quote))[:SHOWN]
            note = f"{_note(found.unit)} Of such answers {likely:.0%} are right."
            return Finding(found.told(form), likely, around, note=note, probability=likely)
    weak = _weak(question, best, hits[: len(best)])
    return Finding(None, found.confidence if found and not weak else 0.0, best, note=weak)


def _weak(question: Question, best: Sequence[Evidence], hits: Sequence[Row]) -> str:
    """What to say of evidence that leaves out half of what is asked about, or more; "" of any other."""
    reading = read(question)
    around = " ".join(f"{hit.get('title') or ''} {hit.get('text') or ''}" for hit in hits)
    unsaid = left_over(Finding(None, evidence=tuple(best), why=around), reading)
    near = max((float(hit.get("meaning") or 0.0) for hit in hits), default=0.0)
    if not unsaid or 2 * len(unsaid) < len(reading.topic) or near >= _NEAR:
        return ""
    words = ", ".join(f"`{word[:40]}`" for word in unsaid[:_NAMED])
    return f"{WEAK} None of these passages has {words}: perhaps no paper speaks of it."


def _note(unit: FoundUnit) -> str:
    """How a value was found; of a cell, the row and column that it stands in."""
    labels = [f"row {unit.row_label!r}"] * bool(unit.row_label)
    labels += [f"column {unit.column_label!r}"] * bool(unit.column_label)
    return f"{_TAKEN} It stands in {', '.join(labels)}." if labels else _TAKEN


def seen_last(history: Sequence[Step]) -> tuple[Evidence, ...]:
    """What the last search of a run found."""
    rows = [
        step.observation.rows
        for step in history
        if step.call and step.call.name in ("Search", "FirstLook") and step.observation
    ]
    return closest(rows[-1]) if rows else ()


def _papers(hits: Sequence[Row], form: AnswerFormat) -> Finding | None:
    """The papers of the hits, the one found first and most often first; one if one is clearly meant."""
    votes: dict[str, float] = {}
    for rank, hit in enumerate(hits, 1):
        paper = str(hit.get("pdf_id") or "")
        votes[paper] = votes.get(paper, 0.0) + 1 / rank
    ranked = sorted(votes, key=lambda paper: -votes[paper])
    titles = {str(hit.get("pdf_id")): str(hit.get("title") or "") for hit in hits}
    first = {str(hit.get("pdf_id")): hit for hit in reversed(hits)}
    share = votes[ranked[0]] / sum(votes.values())
    evidence = shown(first[paper] for paper in ranked[:SHOWN])
    if form.kind in ("list", "any"):
        return Finding([titles[paper] for paper in ranked[:_LISTED]], share, evidence, note=_RANKED)
    if form.kind != "str" or share < _CLEAR:
        return None
    return Finding(titles[ranked[0]], share, evidence[:1], note=_RANKED)
