"""How many: references, tables, figures, pages, sections, equations, authors, key words, rows, columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.ask.offline.kinds.parts import VIEWS, caption_of
from quire.ask.offline.kinds.tables import grids, labelled_grids
from quire.ask.offline.lexicon import concepts, singular
from quire.ask.offline.plan import NOTHING, Finding, Plan, QuestionKind, Row, evidence_of, read
from quire.ask.offline.question import QuestionFeatures

_THINGS = "row column author reference table figure equation section keyword page".split()
_MORE = {"people": "author", "persons": "author", "researchers": "author"} | {
    "works": "reference",
    "papers": "reference",
}
_MARKS = frozenset("many number count total long".split())
_TOP = frozenset({"top", "main", "major", "first-level"})
_NEAR = 9  # words after "how many" in which the counted thing is named
_MISSED = 4  # entries that a parser may have missed for the printed numbers to be believed
_NUMBERED = 3  # numbered headings from which on the others are not counted
_ASIDE = re.compile(
    r"(?i)^(?:abstract|references|bibliography|acknowledge?ments?|conflicts? of interest|disclosure|ethic"
    r"|competing interests|funding|supplementary|appendix|authors?['\u2019]? contributions?"
    r"|data availability)"
)
_FIRST = {"figure": re.compile(r"(?i)fig(?:ure|\.)? 1"), "table": re.compile(r"(?i)tab(?:le|\.) (?:1|I)")}


def fits(reading: QuestionFeatures) -> float:
    """A number of something countable is wanted."""
    silently = reading.form.kind == "int" and "length" in reading.words and reading.has("reference", "page")
    thing = counted(reading) if reading.has("count") or silently else ""
    if thing in ("", "row", "column"):
        return 0.97 if thing and reading.labels.table else 0.0
    # "How many patients does Table 2 report?" asks for a cell, not for the number of tables.
    if reading.labels.table or reading.labels.figure or reading.quotes:
        return 0.2
    # "How many sections of tissue were cut?" speaks of more than the paper has as a paper.
    others = len(reading.topic) - (thing in ("author", "reference"))
    return 0.95 if others <= 1 and _position(reading, thing) < _NEAR else 0.25


def counted(reading: QuestionFeatures) -> str:
    """The thing that is counted: the countable word that follows "how many" most closely."""
    if present := [thing for thing in _THINGS if reading.has(thing)]:
        return min(present, key=lambda thing: _position(reading, thing))
    more = [_MORE[word] for word in reading.words if word in _MORE]
    return more[0] if more and reading.has("count") else ""


def _position(reading: QuestionFeatures, thing: str) -> int:
    """How many words after the counting word the thing is named; its own distance when it comes before."""
    words = reading.words
    start = next((at for at, word in enumerate(words) if singular(word) in _MARKS), 0)
    for distance, word in enumerate(words[start + 1 :]):
        if thing in concepts(word, [word]) and not (thing == "figure" and word == "number"):
            return distance
    before = [start - at for at, word in enumerate(words[:start]) if thing in concepts(word, [word])]
    return (min(before) + 3) if before else 99


def plan(reading: QuestionFeatures) -> Plan:
    """Fetch what is counted and count it."""
    thing = counted(reading)
    if thing in ("row", "column"):
        return (yield from _of_table(reading, thing))
    if thing in ("author", "page", "keyword"):
        return (yield from _of_metadata(reading, thing))
    seen = yield read(VIEWS[thing], reading.papers, f"Count the {thing}s.")
    rows = [row for row in seen.rows if thing not in _FIRST or _label(row) or caption_of(row)]
    if reading.labels.page:
        rows = [row for row in rows if str(row["page_number"]) == reading.labels.page]
    if not rows and thing in _FIRST:
        return (yield from _none(reading, thing))
    last = evidence_of(rows[-1], _quote(rows[-1])) if rows else ()
    if thing == "section":
        return Finding(_main(rows) if _TOP & set(reading.words) else len(rows), 0.65, last)
    if thing == "reference" and rows:
        numbered = _highest_number(rows)
        return Finding(max(len(rows), numbered), 0.85 if numbered in (0, len(rows)) else 0.7, last)
    count = len({_label(row) or id(row) for row in rows}) if thing in _FIRST else len(rows)
    return Finding(count, 0.85 if rows else 0.5, last)


def _label(row: Row) -> str:
    return str(row.get("table_label") or row.get("image_label") or "")


def _quote(row: Row) -> str:
    return str(row.get("reference_content") or row.get("section_title") or caption_of(row))[:300]


def _highest_number(rows: Sequence[Row]) -> int:
    """The highest printed number of a numbered list, 0 if it is none: an entry may have been missed."""
    found = [re.search(r"\d+", str(row.get("reference_label") or "")) for row in rows]
    numbers = [int(match[0]) for match in found if match]
    highest = max(numbers, default=0)
    return highest if len(numbers) == len(rows) <= highest <= len(rows) + _MISSED else 0


def _main(rows: Sequence[Row]) -> int:
    """How many sections of the first level a reader would count: the numbered ones where there are some."""
    top = [row for row in rows if int(row.get("section_level") or 1) == 1]
    numbered = sum(bool(row.get("section_number")) for row in top)
    others = sum(not _ASIDE.match(str(row.get("section_title") or "")) for row in top)
    return numbered if numbered >= _NUMBERED else others


def _none(reading: QuestionFeatures, thing: str) -> Plan:
    """No row: zero if no page speaks of the first one either."""
    seen = yield read("pages", reading.papers, f"There is no {thing}; does any page speak of one?")
    said = any(_FIRST[thing].search(str(row["page_content"])) for row in seen.rows)
    return NOTHING if said else Finding(0, 0.75)


def _of_metadata(reading: QuestionFeatures, thing: str) -> Plan:
    seen = yield read("metadata", reading.papers, f"The number of {thing}s follows from the metadata.")
    column = {"author": "authors", "keyword": "tags", "page": "num_pages"}[thing]
    values = [row[column] if thing == "page" else len(row[column] or ()) for row in seen.rows]
    if not values or not values[0]:
        return NOTHING
    row, several = seen.rows[0], reading.asks_all()
    quote = row["authors"][0] if thing == "author" else row["title"] or ""
    sure = 0.9 if len(values) == 1 or several else 0.4
    return Finding(values if several else values[0], sure, evidence_of(row, str(quote), "metadata"))


def _of_table(reading: QuestionFeatures, thing: str) -> Plan:
    seen = yield read("cells", reading.papers, f"Count the {thing}s of Table {reading.labels.table}.")
    for grid in labelled_grids(grids(seen.rows), reading):
        count = len(grid.body) if thing == "row" else grid.width
        return Finding(count, 0.7, evidence_of(grid.table, caption_of(grid.table), "tables"))
    return NOTHING


KIND = QuestionKind("count", fits, plan)
