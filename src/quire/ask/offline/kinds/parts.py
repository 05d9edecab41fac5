"""Parts of a paper as parts: captions both ways, pages, lists, equations, whether there is any."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from quire.ask.offline.kinds.reference import title_of
from quire.ask.offline.kinds.section import without_number
from quire.ask.offline.kinds.tables import label_of
from quire.ask.offline.lexicon import plain, squeeze
from quire.ask.offline.passages import join, locate, overlap
from quire.ask.offline.plan import NOTHING, Finding, Plan, QuestionKind, Row, evidence_of, read
from quire.ask.offline.question import QuestionFeatures
from quire.text import ORDINALS
from quire.types import Evidence

_LABEL = re.compile(
    r"^\s*\(?(?:table|tab|figure|fig|scheme|algorithm|listing)s?\.?\)?\s*[A-Z]?\.?\d*[a-z]?\s*[.:|\u2013-]*\s*",
    re.I,
)
_WHICH = re.compile(
    r"\b(?:which|what|in which)\b.{0,12}\b(?:table|figure|fig|tab|image|plot|diagram)", re.IGNORECASE
)
# A question of these words alone, ordinals and labels asks what a table or figure is for, and nothing in it.
_ASKING = frozenset(
    "what whats s is are was does do did can be you me tell us explain describe summarise summarize say "
    "give about all so please show shows shown see seen display displays contain contains depict depicts "
    "depicted illustrate illustrates illustrated present presents presented report reports reported list "
    "lists listed cover covers describes summarises summarizes hold holds compare compares in on by of "
    "from the a an this that it there for paper article study document table tab figure fig".split()
)


def asks_what_for(reading: QuestionFeatures) -> bool:
    """Whether the question is what a table or figure that it names is about."""
    label = reading.labels.table or reading.labels.figure
    words = re.findall(r"[^\W_]+", reading.bare.lower())
    others = [word for word in words if word not in _ASKING and word not in ORDINALS and plain(word) != label]
    told = not others and not reading.quotes and len(words) > 2
    return bool(label) and told and reading.form.kind in ("any", "str")


def fits_caption(reading: QuestionFeatures) -> float:
    """A caption is asked for by its label, or a label by its caption or topic."""
    if asks_what_for(reading):
        return 0.95
    if reading.labels.table or reading.labels.figure:
        figure = bool(reading.labels.figure)
        asked = reading.has("caption", "title", "text") or (figure and reading.has("show", "value", "mean"))
        return 0.9 if asked and len(reading.quotes) < 2 else 0.3 * figure
    if not reading.has("table", "figure") or reading.has("count", "row", "column"):
        return 0.0
    if reading.quotes:
        return 0.9 if reading.has("caption", "begin", "title", "say", "name") else 0.7
    return 0.6 if _WHICH.search(reading.bare) else 0.1


def plan_caption(reading: QuestionFeatures) -> Plan:
    """Read the captions and compare."""
    pointed = [kind for kind in ("table", "figure") if getattr(reading.labels, kind)]
    # "figure" also names a number; where tables are spoken of they come first.
    rows: list[Row] = []
    for kind in pointed or [kind for kind in ("table", "figure") if reading.has(kind)]:
        seen = yield read(f"{kind}s", reading.papers, f"Compare the captions of the {kind}s.")
        rows += seen.rows
    return _caption(reading, rows) if pointed else _captioned(reading, rows)


def _caption(reading: QuestionFeatures, rows: Sequence[Row]) -> Finding:
    wanted = reading.labels.table or reading.labels.figure
    row = next((row for row in rows if plain(label_of(row)) == wanted), None)
    if row is None:
        return NOTHING
    why = reading.bare if asks_what_for(reading) else ""
    return Finding(_without_label(caption_of(row), _full_label(row)) or None, 0.9, _evidence(row), why)


def _captioned(reading: QuestionFeatures, rows: Sequence[Row]) -> Finding:
    scored = sorted(((_fit(reading, row), -number) for number, row in enumerate(rows)), reverse=True)
    if not scored or scored[0][0] < 0.3:
        return NOTHING
    fit, row = scored[0][0], rows[-scored[0][1]]
    alone = len(scored) == 1 or fit - scored[1][0] >= 0.02
    return Finding(_full_label(row) or None, max(fit - 0.5 * (not alone), 0.0), _evidence(row))


def _fit(reading: QuestionFeatures, row: Row) -> float:
    caption = _without_label(caption_of(row))
    if not caption:
        return 0.0
    if reading.quotes:
        return max(_begins(quote, caption) for quote in reading.quotes)
    return 0.8 * overlap(caption, reading.topic)


def _begins(quote: str, caption: str) -> float:
    wanted, text = squeeze(_without_label(quote)), squeeze(caption)
    if not wanted:
        return 0.0
    if text.startswith(wanted):
        return 1.0
    start = fuzz.ratio(wanted, text[: len(wanted)]) / 100
    inside = fuzz.partial_ratio(wanted, text) / 100 * 0.95 if len(wanted) >= 8 else 0.0
    return min(max(start, inside), 0.98)


def caption_of(row: Row) -> str:
    """The caption of a table or figure; of an equation itself."""
    columns = ("table_caption", "image_caption", "equation_content")
    return next((str(row[column]) for column in columns if row.get(column)), "")


def _without_label(caption: str, label: str = "") -> str:
    """The caption without "Table 2:" before it, or the label as it is printed."""
    if label and caption.startswith(label):
        return caption[len(label) :].lstrip(" .:|\u2013-")
    return _LABEL.sub("", caption, count=1).strip()


def _full_label(row: Row) -> str:
    label = str(row.get("table_label") or row.get("image_label") or "")
    match = None if label else _LABEL.match(caption_of(row))
    return (match[0] if match else label).strip(" .:|\u2013-")


def _evidence(row: Row) -> tuple[Evidence, ...]:
    table = "tables" if "table_caption" in row else "images"
    key = str(row.get("table_id") or row.get("image_id") or "")
    return evidence_of(row, caption_of(row)[:300], table, key)


CAPTION = QuestionKind("caption", fits_caption, plan_caption)


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
    asked = reading.has("equation") and not reading.has("count", "page")
    return 0.9 if asked and reading.labels.equation else 0.0


def _plan_equation(reading: QuestionFeatures) -> Plan:
    """The one of that printed number."""
    seen = yield read("equations", reading.papers, "Read the displayed equations.")
    row = _labelled(seen.rows, reading.labels.equation)
    if row is None:
        return NOTHING
    text = str(row.get("equation_content") or "")
    return Finding(text or None, 0.8, evidence_of(row, text, "equations", str(row.get("equation_id", ""))))


def _fits_truth(reading: QuestionFeatures) -> float:
    if not reading.quotes:
        return 0.0
    if reading.form.kind == "bool" or reading.form.choices == ("Yes", "No"):
        return 0.9
    return 0.5 if reading.has("yesno") else 0.0


def _plan_truth(reading: QuestionFeatures) -> Plan:
    """Whether a quote is on a page."""
    seen = yield read("pages", reading.papers, "See whether any page says this.")
    place = locate(max(reading.quotes, key=len), join(seen.rows, "page_content"), least=0.95)
    evidence, yes = evidence_of(place.row, place.quote) if place else (), place is not None
    value = yes if reading.form.kind in ("bool", "any") else "Yes" if yes else "No"
    return Finding(value, 0.85 if place else 0.6, evidence)


PAGE = QuestionKind("page", _fits_page, _plan_page)
LIST = QuestionKind("list", _fits_list, _plan_list)
EQUATION = QuestionKind("equation", _fits_equation, _plan_equation)
TRUTH = QuestionKind("yes or no", _fits_truth, _plan_truth)
