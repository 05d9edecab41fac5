"""How many: references, tables, figures, pages, sections, equations, authors, key words, rows, columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.agents.offline import fetch
from quire.agents.offline.kinds.cell import labelled_rows
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Act, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.question.likeness import stem
from quire.agents.offline.taking.grid import read_grid
from quire.types import Evidence

_THINGS = (
    "row",
    "column",
    "author",
    "reference",
    "table",
    "figure",
    "equation",
    "section",
    "keyword",
    "page",
)
_TOP = {"top", "main", "major", "first-level"}
_NEAR = 9  # words after "how many" in which the counted thing is named
_MISSED = 4  # entries that a parser may have missed for the printed numbers to be believed
_NUMBERED = 3  # numbered headings from which on the others are not counted
_ASIDE = re.compile(
    r"(?i)^(?:abstract|references|bibliography|acknowledge?ments?|conflicts? of interest|disclosure|ethic"
    r"|competing interests|funding|supplementary|appendix|authors?['\u2019]? contributions?"
    r"|data availability)"
)
_MORE = {
    "people": "author",
    "person": "author",
    "researcher": "author",
    "work": "reference",
    "paper": "reference",
}


def fits(reading: Reading) -> float:
    """A number of something countable is wanted."""
    if not reading.has("count") and not _counted_silently(reading):
        return 0.0
    thing = counted(reading)
    if not thing:
        return 0.0
    if thing in ("row", "column"):
        return 0.97 if reading.labels.table else 0.0
    # "How many patients does Table 2 report?" asks for a cell, not for the number of tables.
    if reading.labels.table or reading.labels.figure or len(reading.quotes) > 0:
        return 0.2
    # "How many sections of tissue were cut?" speaks of more than the paper has as a paper.
    others = len(reading.topic) - (thing in ("author", "reference"))
    return 0.95 if others <= 1 and _position(reading, thing) < _NEAR else 0.25


def _counted_silently(reading: Reading) -> bool:
    return reading.form.kind == "int" and "length" in reading.words and reading.has("reference", "page")


def counted(reading: Reading) -> str:
    """The thing that is counted: the countable word that follows "how many" most closely."""
    present = [thing for thing in _THINGS if reading.has(thing)]
    if not present:
        more = [_MORE[stem(word)] for word in reading.words if stem(word) in _MORE]
        return more[0] if more and reading.has("count") else ""
    return min(present, key=lambda thing: _position(reading, thing))


def _position(reading: Reading, thing: str) -> int:
    """How many words after the counting word the thing is named; its own distance when it comes before."""
    from quire.agents.offline.question.lexicon import concepts

    marks = [
        at
        for at, word in enumerate(reading.words)
        if stem(word) in ("many", "number", "count", "total", "long")
    ]
    start = marks[0] if marks else 0
    for distance, word in enumerate(reading.words[start + 1 :]):
        if thing in concepts(word, [word]) and not (thing == "figure" and word == "number"):
            return distance
    before = [start - at for at, word in enumerate(reading.words[:start]) if thing in concepts(word, [word])]
    return (min(before) + 3) if before else 99


def plan(reading: Reading) -> Plan:
    """Fetch what is counted and count it."""
    thing = counted(reading)
    if thing in ("row", "column"):
        return (yield from _of_table(reading, thing))
    if thing in ("author", "page", "keyword"):
        return (yield from _of_metadata(reading, thing))
    act = _ACTS[thing](reading.papers, f"Count the {thing}s.")
    seen = yield act
    rows = [row for row in seen.rows if _counts(thing, row)]
    if reading.labels.page:
        rows = [row for row in rows if str(row.get("page_number")) == reading.labels.page]
    labels = {str(row.get(f"{_NAMES.get(thing, thing)}_label") or id(row)) for row in rows}
    count = len(labels) if thing in ("table", "figure") else len(rows)
    if thing == "section":
        return Finding(_main(rows) if _TOP & set(reading.words) else count, 0.65, _last(rows))
    if thing == "reference" and rows:
        numbered = _highest_number(rows)
        return Finding(max(count, numbered), 0.85 if numbered in (0, count) else 0.7, _last(rows))
    if not rows and thing in ("table", "figure"):
        return (yield from _none(reading, thing))
    return Finding(count, 0.85 if rows else 0.5, _last(rows))


def _highest_number(rows: Sequence[Row]) -> int:
    """The highest printed number of a numbered list, 0 if it is none: an entry may have been missed."""
    numbers = [
        int(match[0]) for row in rows if (match := re.search(r"\d+", str(row.get("reference_label") or "")))
    ]
    highest = max(numbers, default=0)
    return highest if len(numbers) == len(rows) <= highest <= len(rows) + _MISSED else 0


def _last(rows: Sequence[Row]) -> tuple[Evidence, ...]:
    return evidence_of(rows[-1], _quote(rows[-1])) if rows else ()


def _main(rows: Sequence[Row]) -> int:
    """How many sections of the first level a reader would count: the numbered ones where there are some."""
    top = [row for row in rows if int(row.get("section_level") or 1) == 1]
    numbered = [row for row in top if row.get("section_number")]
    if len(numbered) >= _NUMBERED:
        return len(numbered)
    return sum(not _ASIDE.match(str(row.get("section_title") or "")) for row in top)


def _none(reading: Reading, thing: str) -> Plan:
    """No row: zero if no page speaks of the first one either."""
    words = ("Figure 1", "Fig. 1", "Fig 1") if thing == "figure" else ("Table 1", "Tab. 1", "TABLE I")
    said = " OR ".join(f"page_content ILIKE '%{word}%'" for word in words)
    seen = yield fetch.pages(reading.papers, f"There is no {thing}; does any page speak of one?", f"({said})")
    return NOTHING if seen.rows else Finding(0, 0.75)


_NAMES = {"figure": "image"}
_ACTS = {
    "reference": fetch.references,
    "table": fetch.tables,
    "figure": fetch.figures,
    "equation": fetch.equations,
    "section": fetch.sections,
}


def _counts(thing: str, row: Row) -> bool:
    """Whether a row is one that a reader would count: a table or figure has a label or a caption."""
    if thing == "figure":
        return bool(row.get("image_label") or row.get("image_caption"))
    if thing == "table":
        return bool(row.get("table_label") or row.get("table_caption"))
    return True


def _quote(row: Row) -> str:
    columns = ("reference_content", "table_caption", "image_caption", "equation_content", "section_title")
    return next((str(row[column])[:300] for column in columns if row.get(column)), "")


def _of_metadata(reading: Reading, thing: str) -> Plan:
    seen = yield fetch.metadata(reading.papers, f"The number of {thing}s follows from the metadata.")
    values = []
    for row in seen.rows:
        names = {"author": row.get("authors"), "keyword": row.get("tags")}.get(thing)
        values.append(int(row["num_pages"]) if thing == "page" else len(names or ()))
    if not values or (thing != "page" and not values[0]):
        return NOTHING
    value = values if reading.asks_all() else values[0]
    sure = 0.9 if len(values) == 1 or reading.asks_all() else 0.4
    names = seen.rows[0].get("authors") if thing == "author" else None
    quote = str(names[0] if names else seen.rows[0].get("title") or "")
    return Finding(value, sure, evidence_of(seen.rows[0], quote, "metadata"))


def _of_table(reading: Reading, thing: str) -> Plan:
    act: Act = fetch.tables(reading.papers, f"Count the {thing}s of Table {reading.labels.table}.")
    seen = yield act
    for row in labelled_rows(list(seen.rows), reading):
        grid = read_grid(str(row.get("table_content") or ""))
        count = len(grid.body) if thing == "row" else grid.width
        return Finding(count, 0.7, evidence_of(row, str(row.get("table_caption") or ""), "tables"))
    return NOTHING


KIND = Kind("count", fits, plan)
