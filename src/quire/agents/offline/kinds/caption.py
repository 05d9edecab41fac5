"""Captions, both ways: which table or figure has this caption, and what is the caption of that one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from quire.agents.offline import fetch
from quire.agents.offline.kinds.cell import label_of
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.question.labels import ORDINALS, plain
from quire.agents.offline.question.likeness import squeeze
from quire.agents.offline.taking.sentences import overlap
from quire.types import Evidence

_LABEL = re.compile(
    r"^\s*\(?(?:table|tab|figure|fig|scheme|algorithm|listing)s?\.?\)?\s*[A-Z]?\.?\d*[a-z]?\s*[.:|\u2013-]*\s*",
    re.I,
)
# A question of these words alone, ordinals and labels asks what a table or figure is for, and nothing in it.
_ASKING = frozenset(
    "what whats s is are was does do did can be you me tell us explain describe summarise summarize say "
    "give about all so please show shows shown see seen display displays contain contains depict depicts "
    "depicted illustrate illustrates illustrated present presents presented report reports reported list "
    "lists listed cover covers describes summarises summarizes hold holds compare compares in on by of "
    "from the a an this that it there for paper article study document table tab figure fig".split()
)


def asks_what_for(reading: Reading) -> bool:
    """Whether the question is what a table or figure that it names is about."""
    label = reading.labels.table or reading.labels.figure
    words = re.findall(r"[^\W_]+", reading.bare.lower())
    others = [word for word in words if word not in _ASKING and word not in ORDINALS and plain(word) != label]
    told = not others and not reading.quotes and len(words) > 2
    return bool(label) and told and reading.form.kind in ("any", "str")


def fits(reading: Reading) -> float:
    """A caption is asked for by its label, or a label by its caption or topic."""
    pointed = reading.labels.table or reading.labels.figure
    if asks_what_for(reading):
        return 0.95
    if pointed:
        asked = reading.has("caption", "title", "text") or (
            reading.labels.figure and reading.has("show", "value", "mean")
        )
        return 0.9 if asked and len(reading.quotes) < 2 else 0.3 if reading.labels.figure else 0.0
    if not _kinds(reading) or reading.has("count", "row", "column"):
        return 0.0
    if reading.quotes:
        return 0.9 if reading.has("caption", "begin", "title", "say", "name") else 0.7
    return (
        0.6
        if re.search(
            r"\b(?:which|what|in which)\b.{0,12}\b(?:table|figure|fig|tab|image|plot|diagram)",
            reading.bare,
            re.I,
        )
        else 0.1
    )


def _kinds(reading: Reading) -> list[str]:
    return [kind for kind in ("table", "figure") if reading.has(kind)]


def plan(reading: Reading) -> Plan:
    """Read the captions and compare."""
    pointed = bool(reading.labels.table or reading.labels.figure)
    kinds = (
        [kind for kind in ("table", "figure") if getattr(reading.labels, kind)]
        if pointed
        else _kinds(reading)
    )
    # "figure" also names a number; where tables are spoken of they come first.
    rows: list[Row] = []
    for kind in kinds or ["table", "figure"]:
        fetched = (fetch.tables if kind == "table" else fetch.figures)(
            reading.papers, f"Compare the captions of the {kind}s."
        )
        seen = yield fetched
        rows += seen.rows
    return _caption_of(reading, rows) if pointed else _label_of(reading, rows)


def _caption_of(reading: Reading, rows: Sequence[Row]) -> Finding:
    wanted = reading.labels.table or reading.labels.figure
    for row in rows:
        if plain(label_of(row)) == wanted:
            caption = without_label(caption_of(row), _full_label(row))
            return Finding(
                caption or None, 0.9, _evidence(row), reading.bare if asks_what_for(reading) else ""
            )
    return NOTHING


def _label_of(reading: Reading, rows: Sequence[Row]) -> Finding:
    scored = sorted(
        ((_fit(reading, row), number) for number, row in enumerate(rows)), key=lambda pair: -pair[0]
    )
    if not scored or scored[0][0] < 0.3:
        return NOTHING
    fit, number = scored[0]
    row = rows[number]
    margin = fit - (scored[1][0] if len(scored) > 1 else 0.0)
    label = _full_label(row)
    return Finding(label or None, max(fit - (0.5 if margin < 0.02 else 0.0), 0.0), _evidence(row))


def _fit(reading: Reading, row: Row) -> float:
    caption = without_label(caption_of(row))
    if not caption:
        return 0.0
    fits = [_begins(quote, caption) for quote in reading.quotes]
    if fits:
        return max(fits)
    return 0.8 * overlap(caption, reading.topic)


def _begins(quote: str, caption: str) -> float:
    wanted, text = squeeze(without_label(quote)), squeeze(caption)
    if not wanted:
        return 0.0
    if text.startswith(wanted):
        return 1.0
    start = fuzz.ratio(wanted, text[: len(wanted)]) / 100
    inside = fuzz.partial_ratio(wanted, text) / 100 * 0.95 if len(wanted) >= 8 else 0.0
    return min(max(start, inside), 0.98)


def caption_of(row: Row) -> str:
    """The caption of a table or figure."""
    return str(row.get("table_caption") or row.get("image_caption") or "")


def without_label(caption: str, label: str = "") -> str:
    """The caption without "Table 2:" before it, or the label as it is printed."""
    if label and caption.startswith(label):
        return caption[len(label) :].lstrip(" .:|\u2013-")
    return _LABEL.sub("", caption, count=1).strip()


def _full_label(row: Row) -> str:
    label = str(row.get("table_label") or row.get("image_label") or "")
    if label:
        return label.strip(" .:")
    match = _LABEL.match(caption_of(row))
    return match[0].strip(" .:|\u2013-") if match else ""


def _evidence(row: Row) -> tuple[Evidence, ...]:
    table = "tables" if "table_caption" in row else "images"
    return evidence_of(
        row, caption_of(row)[:300], table, str(row.get("table_id") or row.get("image_id") or "")
    )


KIND = Kind("caption", fits, plan)
