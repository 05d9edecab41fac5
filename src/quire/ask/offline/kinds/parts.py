"""Parts of a paper as parts: on which page one stands, all of a kind, an equation, whether there is any."""

from __future__ import annotations

from collections.abc import Sequence

from quire.ask.offline.kinds.caption import caption_of
from quire.ask.offline.kinds.cell import label_of
from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.kinds.reference import title_of
from quire.ask.offline.kinds.section import without_number
from quire.ask.offline.plan import NOTHING, Finding, Plan, Row, evidence_of, read
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.question.labels import plain
from quire.ask.offline.question.likeness import alike
from quire.ask.offline.taking.passages import join, locate

VIEWS = {
    "section": "sections",
    "table": "tables",
    "figure": "figures",
    "reference": "references",
    "equation": "equations",
}


def _fits_page(reading: QuestionFeatures) -> float:
    if not reading.has("page") or reading.has("count") or reading.labels.page:
        return 0.0
    labels = reading.labels
    return 0.93 if labels.table or labels.figure or labels.equation or reading.quotes else 0.3


def _plan_page(reading: QuestionFeatures) -> Plan:
    """Find the thing; its page is the answer."""
    for thing in ("table", "figure", "equation"):
        if wanted := str(getattr(reading.labels, thing)):
            seen = yield read(VIEWS[thing], reading.papers, "Find the page on which it stands.")
            row = _labelled(seen.rows, wanted)
            return _page(row, caption_of(row), 0.9) if row else NOTHING
    quote = max(reading.quotes, key=len, default=" ".join(reading.topic))
    if reading.has("section"):
        seen = yield read("sections", reading.papers, "Find the page of that heading.")
        best = max(seen.rows, key=lambda row: alike(str(row.get("section_title")), quote), default=None)
        if best and alike(str(best.get("section_title")), quote) > 0.75:
            return _page(best, str(best.get("section_title")), 0.85)
    seen = yield read("pages", reading.papers, "Find the page that says this.")
    place = locate(quote, join(seen.rows, "page_content"))
    return _page(place.row, place.quote, place.fit * 0.95) if place else NOTHING


def _labelled(rows: Sequence[Row], wanted: str) -> Row | None:
    numbers = (str(row.get("equation_number") or "") or label_of(row) for row in rows)
    return next((row for row, number in zip(rows, numbers, strict=True) if plain(number) == wanted), None)


def _page(row: Row, quote: str, sure: float) -> Finding:
    return Finding(row.get("page_number"), sure, evidence_of(row, quote[:300]))


def _fits_list(reading: QuestionFeatures) -> float:
    if not _listed(reading) or reading.labels.table or reading.labels.figure or reading.quotes:
        return 0.0
    return 0.8 if reading.asks_all() else 0.6 if {"list", "enumerate", "all"} & set(reading.words) else 0.0


def _listed(reading: QuestionFeatures) -> str:
    return next((thing for thing in VIEWS if thing != "equation" and reading.has(thing)), "")


def _plan_list(reading: QuestionFeatures) -> Plan:
    thing = _listed(reading)
    seen = yield read(VIEWS[thing], reading.papers, f"List the {thing}s in their order.")
    rows = list(seen.rows)
    if thing == "section" and {"main", "top"} & set(reading.words):
        rows = [row for row in rows if int(row.get("section_level") or 1) == 1]
    values = [name for row in rows if (name := _name(thing, row))]
    return Finding(values, 0.7, evidence_of(rows[0], values[0], thing)) if values else NOTHING


def _name(thing: str, row: Row) -> str:
    if thing == "section":
        return without_number(str(row.get("section_title") or ""), row)
    return title_of(row) if thing == "reference" else caption_of(row)


def _fits_equation(reading: QuestionFeatures) -> float:
    if not reading.has("equation") or reading.has("count", "page"):
        return 0.0
    return 0.9 if reading.labels.equation else 0.4


def _plan_equation(reading: QuestionFeatures) -> Plan:
    """By number; without one only a lone equation is sure."""
    seen = yield read("equations", reading.papers, "Read the displayed equations.")
    rows, wanted = list(seen.rows), reading.labels.equation
    row, sure = (_labelled(rows, wanted), 0.8) if wanted else (None, 0.0)
    if row is None and wanted.isdigit() and not any(each.get("equation_number") for each in rows):
        row, sure = next(iter(rows[int(wanted) - 1 : int(wanted)]), None), 0.55
    if row is None and not wanted and len(rows) == 1:
        row, sure = rows[0], 0.6
    if row is None:
        return NOTHING
    text = str(row.get("equation_content") or "")
    return Finding(text or None, sure, evidence_of(row, text, "equations", str(row.get("equation_id", ""))))


def _fits_truth(reading: QuestionFeatures) -> float:
    if reading.form.kind == "bool" or reading.form.choices == ("Yes", "No"):
        return 0.9
    return 0.5 if reading.has("yesno") else 0.0


def _plan_truth(reading: QuestionFeatures) -> Plan:
    """Whether a quote is on a page, or whether there is any of a thing; else nothing."""
    if reading.quotes:
        seen = yield read("pages", reading.papers, "See whether any page says this.")
        place = locate(max(reading.quotes, key=len), join(seen.rows, "page_content"), least=0.95)
        evidence = evidence_of(place.row, place.quote) if place else ()
        return Finding(_said(reading, place is not None), 0.85 if place else 0.6, evidence)
    for thing in ("table", "figure", "equation"):
        if reading.has(thing) and not reading.topic:
            seen = yield read(VIEWS[thing], reading.papers, f"See whether there are {thing}s.")
            evidence = evidence_of(seen.rows[0], "") if seen.rows else ()
            return Finding(_said(reading, bool(seen.rows)), 0.8, evidence)
    return NOTHING


def _said(reading: QuestionFeatures, yes: bool) -> bool | str:
    return yes if reading.form.kind in ("bool", "any") else "Yes" if yes else "No"


PAGE = QuestionKind("page", _fits_page, _plan_page)
LIST = QuestionKind("list", _fits_list, _plan_list)
EQUATION = QuestionKind("equation", _fits_equation, _plan_equation)
TRUTH = QuestionKind("yes or no", _fits_truth, _plan_truth)
