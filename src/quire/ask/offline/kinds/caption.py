"""Captions, both ways: which table or figure has this caption, and what is the caption of that one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from quire.ask.offline.kinds.cell import label_of
from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.plan import NOTHING, Finding, Plan, Row, evidence_of, read
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.question.labels import ORDINALS, plain
from quire.ask.offline.question.likeness import squeeze
from quire.ask.offline.taking.sentences import overlap
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


def fits(reading: QuestionFeatures) -> float:
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


def plan(reading: QuestionFeatures) -> Plan:
    """Read the captions and compare."""
    pointed = [kind for kind in ("table", "figure") if getattr(reading.labels, kind)]
    # "figure" also names a number; where tables are spoken of they come first.
    rows: list[Row] = []
    for kind in pointed or [kind for kind in ("table", "figure") if reading.has(kind)]:
        seen = yield read(f"{kind}s", reading.papers, f"Compare the captions of the {kind}s.")
        rows += seen.rows
    return _caption(reading, rows) if pointed else _labelled(reading, rows)


def _caption(reading: QuestionFeatures, rows: Sequence[Row]) -> Finding:
    wanted = reading.labels.table or reading.labels.figure
    row = next((row for row in rows if plain(label_of(row)) == wanted), None)
    if row is None:
        return NOTHING
    why = reading.bare if asks_what_for(reading) else ""
    return Finding(_without_label(caption_of(row), _full_label(row)) or None, 0.9, _evidence(row), why)


def _labelled(reading: QuestionFeatures, rows: Sequence[Row]) -> Finding:
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


KIND = QuestionKind("caption", fits, plan)
