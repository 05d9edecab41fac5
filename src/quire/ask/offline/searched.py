"""What no rule explains: one search over everything, an answer if one can be taken out, else evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from quire.ask.answer_format import AnswerFormat, read_format
from quire.ask.evidence import MOST_WORDS, box_of, words_of_row
from quire.ask.observations import SeenRow
from quire.ask.offline.extract import NUMERIC, Extracted, extract
from quire.ask.offline.extract.candidates import FoundUnit
from quire.ask.offline.headline import PROBABLE, meant, probability, speaks_not, stated
from quire.ask.offline.plan import SURE, Finding, Plan, evidence_of, left_over, said_in
from quire.ask.offline.plan import read as read_view
from quire.ask.offline.question import read
from quire.search.analyzer import term_numbers
from quire.text import sentence_texts
from quire.types import Call, Evidence, Question, Step

MOST = 20  # hits that an answer may be taken out of
SHOWN = 3  # of them, shown where no answer is sure
SPARE = 3  # besides those shown, in place of those whose words are not found on their page
_ROWS = 8  # table rows whose cells are read
_OF_CELL = ("cell_content", "cell_id", "row_label", "column_label", "cell_unit")
_JOINT = " > "  # between the levels of a label
_NAMES = ("metadata", "sections")  # titles and headings name what they stand over and say nothing of it
_PAPERS = r"(?:papers?|articles?|stud(?:y|ies)|publications?|works?|ones?)\b"
_SAID_OF_IT = (  # words that cannot stand between "which" and "papers": the question is about something else
    "is|are|was|were|be|do|does|did|has|have|had|can|could|would|should|will|the|an?|of|in|for|to|and|from|by|"
    "on|with|at|this|that|these|those|per"
)
_OF_WHAT_KIND = rf"(?:(?!(?:{_SAID_OF_IT})\b)[\w’'-]{{1,40}}\s+){{0,3}}?"
PAPER = re.compile(
    rf"(?i)\b(?:which|what)\s+(?:of\s+(?:the|my|our|your|these|those|all)\s+)?{_OF_WHAT_KIND}{_PAPERS}"
    r"|\b(?:find|list|name|show|give|looking for|after|search for|searching for|any|some|know of|recall)\s+"
    rf"(?:me\s+|us\s+)?(?:(?:the|an?|any|all|some|that|those)\s+)?{_OF_WHAT_KIND}{_PAPERS}"
    rf"|\bwhat(?:['’]s| is| was| are)\s+(?:the|that)\s+{_OF_WHAT_KIND}{_PAPERS}"
    r"\s+(?:that|which|where|in which|about|on|who|whose)\b"
    rf"|\bwhat(?:['’]s| is| was)\s+(?:it\b|the one\b|(?:the|that)\s+{_OF_WHAT_KIND}{_PAPERS})"
    r"[^?]{0,80}\bcalled\b|\btitles?\s+of\s+(?:the|that)\b"
)
_TAKEN = "Taken out of this passage by a small trained reader; no language model was used."
_STATED = "The sentence that a small trained reader finds to say it; no language model was used."
_OF_SUCH = "Of such answers {:.0%} are right."
_RANKED = "The papers that a search ranks highest; no language model was used."
_SEVERAL = re.compile(r"(?i)\b(?:papers|articles|studies|publications|works|ones|all)\b")
_LISTED = 10
_BEHIND = 3.0  # a paper whose best hit is so far behind the best of all only came up to fill the list
WEAK = "Weak evidence."
_NEAR = 0.5  # likeness in meaning from which on other words say the same: answerable questions have .54
_WHEN = re.compile(r"(?i)\bwhen(?: (?:was|were|did|had)\b|\s*[?(]|$)")
_CITED = re.compile(r"\[[\d,;\s\u2013-]{1,40}\]")
_NAMED = 4  # words that are told


def plan(question: Question) -> Plan:
    """Search; name papers where papers are asked for, else take the answer out or show the evidence."""
    form = read_format(question.answer_format, question.schema)
    if not question.text.strip():
        return Finding(None)
    search = {"query": question.text, "papers": list(question.anchor_papers), "limit": MOST}
    thought = "No rule explains all of this question: search everything for what speaks of it."
    seen = yield Step(thought, Call("Search", search))
    found = yield from _answer(question, form, list(seen.rows) if seen.kind == "rows" else [])
    # Words that are nowhere, a question in another language than the papers.
    return replace(found, note=" ".join(filter(None, [*seen.notes, found.note])))


def _answer(question: Question, form: AnswerFormat, hits: list[SeenRow]) -> Plan:
    """Papers, a value or a sentence, or what comes closest, of what a search found."""
    if not hits:
        return Finding(None, spoken=False)
    if not question.anchor_papers and (asked := PAPER.search(question.text)):
        if speaks_not(question, hits, of_it=False):
            return Finding(None, evidence=closest(hits), spoken=False)
        named = _papers(hits, form, one=not _SEVERAL.search(asked[0]))
        if named is not None:
            return named
    # Meaning alone is a weak sign: the best must say a word of the question.
    words = set(term_numbers(question.text))
    if not any(words.intersection(term_numbers(said_in(hit))) for hit in hits[: SHOWN + SPARE]):
        return Finding(None, spoken=False)
    best = closest(hits)
    cells: Sequence[SeenRow] = ()
    if keys := rows_of_tables(hits):
        cells = (yield cells_of(keys)).rows
        best = readable(best, cells)
    if speaks_not(question, hits):
        return Finding(None, evidence=best, spoken=False)
    found = extract(question.text, form, units_of(hits, cells))
    likely = round(probability(found, form, hits), 3) if found else 0.0
    told = _value(found, likely, form, cells, best) if found else None
    if told := told or _statement(question, form, hits, best):
        return told
    weak = _weak(question, best, hits[: len(best)])
    return Finding(None, 0.0 if weak else likely, best, note=weak)


def _value(
    found: Extracted, likely: float, form: AnswerFormat, cells: Sequence[SeenRow], best: Sequence[Evidence]
) -> Finding | None:
    """What was taken out of a passage, if it is sure or probable."""
    if likely < PROBABLE or (form.kind == "int" and found.value % 1):
        return None
    (first,) = readable([of_unit(found.unit)], cells)
    if form.kind in NUMERIC and likely >= SURE:
        return Finding(found.value, likely, (first,), note=_note(found.unit))
    around = (first, *(each for each in best if each.quote != first.quote))
    note = f"{_note(found.unit)} {_OF_SUCH.format(likely)}"
    return Finding(found.told(form), likely, around, note=note, probability=likely)


def _statement(
    question: Question, form: AnswerFormat, hits: Sequence[SeenRow], best: tuple[Evidence, ...]
) -> Finding | None:
    """The first sentence, whole, if it probably says what is asked."""
    free = best and is_open(form) and not _is_undated(question.text, best[0].quote)
    likely = round(stated(best[0], hits), 3) if free else 0.0
    if likely < PROBABLE:
        return None
    note = f"{_STATED} {_OF_SUCH.format(likely)}"
    return Finding(best[0].quote, likely, best, note=note, probability=likely)


def _is_undated(question: str, sentence: str) -> bool:
    """Whether a sentence cannot say when something was: each of 36 that do (training) has a digit."""
    return bool(_WHEN.search(question)) and not any(map(str.isdigit, _CITED.sub("", sentence)))


def is_open(form: AnswerFormat) -> bool:
    """Whether a sentence can be what is asked for: no number, no yes or no, none of given choices."""
    return form.kind in ("str", "any") and not form.choices and form.schema is None


def _weak(question: Question, best: Sequence[Evidence], hits: Sequence[SeenRow]) -> str:
    """What to say of evidence that leaves out half of what is asked about, or more; "" of any other."""
    reading = read(question)
    around = " ".join(f"{hit.get('title') or ''} {hit.get('text') or ''}" for hit in hits)
    unsaid = left_over(Finding(None, evidence=tuple(best), why=around), reading)
    near = max((float(hit.get("meaning") or 0.0) for hit in hits), default=0.0)
    if not unsaid or 2 * len(unsaid) < len(reading.topic) or near >= _NEAR:
        return ""
    words = ", ".join(f"`{word[:40]}`" for word in [*dict.fromkeys(unsaid)][:_NAMED])
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


def _papers(hits: Sequence[SeenRow], form: AnswerFormat, *, one: bool) -> Finding | None:
    """The papers of the hits, the one found first and most often first; that alone if `one` is asked for."""
    shares = shares_of(hits)
    ranked = [*shares]
    titles = {str(hit.get("pdf_id")): str(hit.get("title") or "") for hit in hits}
    first = {str(hit.get("pdf_id")): hit for hit in reversed(hits)}
    share = shares[ranked[0]]
    evidence = shown(first[paper] for paper in ranked[:SHOWN])
    likely = round(meant(share), 3)
    if likely >= PROBABLE and (form.kind == "str" or (form.kind == "any" and one)):
        note = f"{_RANKED} {_OF_SUCH.format(likely)}"
        return Finding(titles[ranked[0]], likely, evidence, note=note, probability=likely)
    if form.kind in ("list", "any"):
        scores = {paper: float(hit.get("score") or 0.0) for paper, hit in first.items()}
        near = [paper for paper in ranked if scores[paper] > max(scores.values()) - _BEHIND][:_LISTED]
        evidence = shown(first[paper] for paper in near[:SHOWN])
        return Finding([titles[paper] for paper in near], share, evidence, note=_RANKED)
    return None


def shares_of(hits: Sequence[SeenRow]) -> dict[str, float]:
    """How much of the hits is of each paper, by their ranks (1, 1/2, 1/3, ...); the most first, 1 in all."""
    votes: dict[str, float] = {}
    for rank, hit in enumerate(hits, 1):
        paper = str(hit.get("pdf_id") or "")
        votes[paper] = votes.get(paper, 0.0) + 1 / rank
    total = sum(votes.values())
    return {paper: votes[paper] / total for paper in sorted(votes, key=lambda paper: -votes[paper])}


def cells_of(keys: Sequence[str]) -> Step:
    """Reads the cells of the rows that begin with these cells."""
    thought = "Some of it are rows of tables: read their cells with the labels of row and column."
    return read_view("row_cells", keys[:_ROWS], thought)


def rows_of_tables(hits: Sequence[SeenRow]) -> list[str]:
    """The keys of the hits that are rows of tables."""
    return [str(hit["primary_key"]) for hit in hits if hit.get("table_name") == "cells"]


def units_of(hits: Sequence[SeenRow], cells: Iterable[SeenRow]) -> list[FoundUnit]:
    """The sentences and captions among the hits, and the cells of the rows; the highest score first.

    Hits come in the order to show, where those of one page make room for others; a value is sought by scores.
    """
    by_row = _by_row(cells)
    units = []
    for rank, hit in enumerate(sorted(hits, key=lambda hit: -float(hit.get("score") or 0.0))):
        whole, score = said_in(hit), float(hit.get("score") or 0.0)
        key, table = str(hit.get("primary_key") or ""), str(hit.get("table_name") or "")
        place = (rank, score, int(hit.get("page_number") or 1), str(hit.get("pdf_id") or ""))
        if table != "cells":
            units.append(FoundUnit(whole, *place, key, table, tuple(box_of(hit) or ())))
            continue
        caption = str(hit.get("text") or "").split("\n", 1)[0]
        for cell in by_row.get(key, ()):
            text, key_of_cell, row, column, unit = (str(cell.get(name) or "") for name in _OF_CELL)
            box = tuple(box_of(cell) or ())
            units.append(FoundUnit(text, *place, key_of_cell, table, box, row, column, caption, unit, whole))
    return units


def _by_row(cells: Iterable[SeenRow]) -> dict[str, list[SeenRow]]:
    rows: dict[str, list[SeenRow]] = {}
    for cell in cells:
        rows.setdefault(str(cell["row_key"]), []).append(cell)
    return rows


def closest(hits: Sequence[SeenRow]) -> tuple[Evidence, ...]:
    """What comes closest to an answer: sentences, rows, captions; names where there is nothing else.

    In place of a heading stands what is said first under it, unless that is there already.
    """
    once: dict[tuple[str, str], SeenRow] = {}
    for hit in hits:
        if telling := hit if hit.get("table_name") not in _NAMES else _under(hit):
            once.setdefault((str(telling.get("pdf_id")), said_in(telling)), telling)
    return shown(([*once.values()] or hits)[: SHOWN + SPARE])


def _under(heading: SeenRow) -> SeenRow | None:
    """The first sentence under a heading, to be found on its page or the next; None for another name."""
    text = str(heading.get("text") or "")
    said_first = sentence_texts(text.partition("\n")[2])[:1]
    if heading.get("table_name") != "sections" or not said_first:
        return None
    return {**heading, "quote": said_first[0], "bbox": None}


def shown(hits: Iterable[SeenRow]) -> tuple[Evidence, ...]:
    """The units that speak, as evidence; whole."""
    return tuple(each for hit in hits for each in evidence_of(hit, said_in(hit)))


def readable(found: Sequence[Evidence], cells: Iterable[SeenRow]) -> tuple[Evidence, ...]:
    """The same with rows of tables as people read them: "Species: R. terraenovae \u00b7 Sex: Male".

    `cells` are those of the rows. A row that is too long to be found cell by cell stays as it is printed.
    """
    rows = _by_row(cells)
    # By its first cell, as evidence names it, and by each, as an answer that was taken out of it does.
    told = {
        str(cell[key]): _told(row) for row in rows.values() for key in ("row_key", "cell_id") for cell in row
    }
    return tuple(
        replace(each, quote=quote)
        if each.table == "cells" and 0 < len(words_of_row(quote := told.get(each.key, ""))) <= MOST_WORDS
        else each
        for each in found
    )


def _told(row: Sequence[SeenRow]) -> str:
    """Each cell behind its heads, the outermost first; what names the row behind the groups around it."""
    parts = []
    for cell in row:
        text, names = str(cell["cell_content"]), str(cell.get("row_label") or "").split(_JOINT)
        if names[-1] == text:
            text = ", ".join(names)
        heads = ", ".join(str(cell.get("column_label") or "").split(_JOINT))
        parts.append(f"{heads}: {text}" if heads else text)
    return " \u00b7 ".join(parts)


def of_unit(unit: FoundUnit) -> Evidence:
    """The evidence of an answer that was taken out of a unit: all of it, or the row of a cell."""
    box, quote = box_of({"bbox": list(unit.box)}), unit.whole or unit.quote
    return Evidence(unit.paper, unit.page, box, quote, verified=False, table=unit.table, key=unit.key)
