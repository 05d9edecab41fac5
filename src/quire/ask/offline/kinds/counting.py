"""How many: references, tables, figures, pages, sections, equations, authors, key words, rows, columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.ask.observations import SeenRow
from quire.ask.offline.kinds.tables import grids, labelled_grids
from quire.ask.offline.lexicon import concepts, singular
from quire.ask.offline.plan import (
    NOTHING,
    Finding,
    Looks,
    QuestionKind,
    Seen,
    evidence_of,
    found,
    said_in,
)
from quire.ask.offline.question import QuestionFeatures

_OF_TABLE = ("row", "column")
_THINGS = "row column author reference table figure equation section keyword page".split()
_MORE = {"people": "author", "persons": "author", "researchers": "author", "works": "reference"}
_MORE |= {"papers": "reference"}
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
_COLUMNS = {"author": "authors", "keyword": "keywords", "page": "num_pages"}  # of the metadata
_FIRST = {"figure": re.compile(r"(?i)fig(?:ure|\.)? 1"), "table": re.compile(r"(?i)tab(?:le|\.) (?:1|I)")}


def fits(reading: QuestionFeatures) -> float:
    """A number of something countable is wanted."""
    thing = counted(reading) if reading.has("count") else ""
    # "How many patients does Table 2 report?" asks for a cell, not for the number of tables.
    if thing in ("", *_OF_TABLE) or reading.labels.table or reading.labels.figure or reading.quotes:
        return 0.97 if thing in _OF_TABLE and reading.labels.table else 0.0
    # "How many sections of tissue were cut?" speaks of more than the paper has as a paper.
    others = len(reading.topic) - (thing in ("author", "reference"))
    return 0.95 * (others <= 1 and _position(reading, thing) < _NEAR)


def counted(reading: QuestionFeatures) -> str:
    """The thing that is counted: the countable word that follows "how many" most closely."""
    if present := [thing for thing in _THINGS if reading.has(thing)]:
        return min(present, key=lambda thing: _position(reading, thing))
    return next((_MORE[word] for word in reading.words if word in _MORE), "")


def _position(reading: QuestionFeatures, thing: str) -> int:
    """How many words after the counting word the thing is named; its own distance when it comes before."""
    words = reading.words
    start = next((at for at, word in enumerate(words) if singular(word) in _MARKS), 0)
    for distance, word in enumerate(words[start + 1 :]):
        if thing in concepts(word, [word]) and not (thing == "figure" and word == "number"):
            return distance
    before = [start - at for at, word in enumerate(words[:start]) if thing in concepts(word, [word])]
    return (min(before) + 3) if before else 99


def looks(reading: QuestionFeatures) -> Looks:
    """The view that holds what is counted; where no table or figure is found, the pages."""
    thing = counted(reading)
    if thing in _OF_TABLE:
        return {"cells": f"Count the {thing}s of Table {reading.labels.table}."}
    if thing in _COLUMNS:
        return {"metadata": f"The number of {thing}s follows from the metadata."}
    spoken = {"pages": f"There is no {thing}; does any page speak of one?"} if thing in _FIRST else {}
    return {f"{thing}s": f"Count the {thing}s.", **spoken}


def take(reading: QuestionFeatures, seen: Seen) -> Finding:
    """Count it."""
    thing = counted(reading)
    if thing in _OF_TABLE:
        for grid in labelled_grids(grids(seen["cells"]), reading):
            return found(len(grid.body) if thing == "row" else grid.width, 0.7, grid.table)
        return NOTHING
    if thing in _COLUMNS:
        return _of_metadata(reading, seen["metadata"], thing)
    rows = [row for row in seen[f"{thing}s"] if thing not in _FIRST or _label(row) or said_in(row)]
    if reading.labels.page:
        rows = [row for row in rows if str(row["page_number"]) == reading.labels.page]
    if not rows and thing in _FIRST:
        # Zero if no page speaks of the first one either.
        spoken = any(_FIRST[thing].search(said_in(row)) for row in seen.get("pages", ()))
        return NOTHING if spoken or "pages" not in seen else Finding(0, 0.75)
    if not rows:
        return Finding(0, 0.65 if thing == "section" else 0.5)
    count, sure = len(rows), 0.85
    if thing == "section":
        count, sure = (_main(rows) if _TOP & set(reading.words) else count), 0.65
    elif thing == "reference":
        numbered = _highest_number(rows)
        count, sure = max(count, numbered), 0.85 if numbered in (0, count) else 0.7
    elif thing in _FIRST:
        count = len({_label(row) or id(row) for row in rows})
    return found(count, sure, rows[-1])


def _label(row: SeenRow) -> str:
    return str(row.get("table_label") or row.get("image_label") or "")


def _highest_number(rows: Sequence[SeenRow]) -> int:
    """The highest printed number of a numbered list, 0 if it is none: an entry may have been missed."""
    found = [re.search(r"\d+", str(row.get("reference_label") or "")) for row in rows]
    numbers = [int(match[0]) for match in found if match]
    highest = max(numbers, default=0)
    return highest if len(numbers) == len(rows) <= highest <= len(rows) + _MISSED else 0


def _main(rows: Sequence[SeenRow]) -> int:
    """How many sections of the first level a reader would count: the numbered ones where there are some."""
    top = [row for row in rows if int(row.get("section_level") or 1) == 1]
    numbered = sum(bool(row.get("section_number")) for row in top)
    others = sum(not _ASIDE.match(str(row.get("section_title") or "")) for row in top)
    return numbered if numbered >= _NUMBERED else others


def _of_metadata(reading: QuestionFeatures, rows: Sequence[SeenRow], thing: str) -> Finding:
    values = [row.get(_COLUMNS[thing]) or (row["tags"] if thing == "keyword" else None) for row in rows]
    counts = [value if thing == "page" else len(value or ()) for value in values]
    if not counts or not counts[0]:
        return NOTHING
    several = reading.form.kind == "list"
    quote = rows[0]["authors"][0] if thing == "author" else rows[0]["title"] or ""
    sure = 0.9 if len(counts) == 1 or several else 0.4
    return Finding(counts if several else counts[0], sure, evidence_of(rows[0], str(quote)))


KIND = QuestionKind("count", fits, looks, take)
