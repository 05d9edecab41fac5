"""Evidence: whether its quote really is on its page, and how its place is named.

`verify` checks one quote against the page, deterministically: its words follow each other there, in the
text that was read and by place among the characters of the file (`quire.ask.quote_matching`; a scan has
only the text); or, where it names a row of a table and a value in it, cell by cell; or, where it is LaTeX,
against the equations of its page. Where evidence comes from is told in `quire.ask.sources`.

    stands_in_row("DeiT-B | 81.8", row)         row: name "DeiT-B", values 86M, 81.8, heads Params, Top-1
    stands_in_row("DeiT-B Top-1 = 81.8", row)

Contract of rows: every word of the quote is a word of that one row (its name, its cells, the heads above
them, or the table's caption), each cell is taken whole, and the row's name and one of its values are among
them. Only punctuation may stand between. A value of another row never counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.ask.environment import Readable
from quire.ask.quote_matching import Places, find_quote, fold
from quire.errors import QuireError
from quire.library.ids import ID
from quire.types import Box, Evidence, Piece

MOST_WORDS = 80  # of a quote
_LETTERS = re.compile(r"[^\W\d_]{3}")  # what tells a cell of words from one of a value


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """A row of a table on one page: what names it, its cells with their boxes, what stands above them."""

    names: tuple[str, ...]
    cells: tuple[tuple[str, Box | None], ...]
    heads: tuple[str, ...]


def in_table(evidence: Evidence, library: Readable) -> tuple[bool, Box | None]:
    """Whether the quote is of a row of a table on its page, and the box of the first value it names."""
    for row in _rows(evidence, library):
        found, box = stands_in_row(evidence.quote, row)
        if found:
            return True, box
    return False, None


def stands_in_row(quote: str, row: QuotedRow) -> tuple[bool, Box | None]:
    """Whether the quote is a part of that row, what names it and a value included; and the value's box.

    A row is named by its label, by a part of it, or by a cell of words.
    """
    wanted = words_of_row(quote)
    if not 1 < len(wanted) <= MOST_WORDS:
        return False, None
    names = {tuple(words_of_row(name)) for name in row.names}
    cells = [(tuple(words_of_row(text)), box) for text, box in row.cells]
    names |= {words for words, _ in cells if _LETTERS.search(" ".join(words))}
    boxes = dict(reversed(cells))
    heads = {tuple(words_of_row(head)) for head in row.heads}
    units = sorted(filter(None, names | heads | boxes.keys()), key=lambda unit: (-len(unit), unit))
    at, found = 0, []
    while at < len(wanted):
        unit = next((unit for unit in units if tuple(wanted[at : at + len(unit)]) == unit), None)
        if unit is None:
            return False, None
        at += len(unit)
        found.append(unit)
    named = next((unit for unit in found if unit in names), None)
    values = [unit for unit in found if unit != named and (unit in boxes or unit in names)]
    if named is None or not values:
        return False, None
    values.sort(key=lambda unit: unit in names)
    return True, next((boxes[unit] for unit in values if boxes.get(unit)), None)


def _rows(evidence: Evidence, library: Readable) -> Sequence[QuotedRow]:
    if not ID.fullmatch(evidence.paper_id):
        return []
    try:
        found = library.rows(
            "SELECT CAST(c.ref_table_id AS VARCHAR), c.row_index, c.row_label, c.column_label, "
            "c.cell_content, c.bounding_box FROM cells c JOIN pages p ON c.ref_page_id = p.page_id "
            "WHERE p.ref_paper_id = ?::UUID AND p.page_number = ? "
            "AND NOT coalesce(c.is_head, false) ORDER BY c.ref_table_id, c.row_index, c.column_index",
            [evidence.paper_id, evidence.page],
        ).rows
    except QuireError:
        return []
    by_row: dict[tuple[str, int], list[tuple[str, str, str, Box | None]]] = {}
    for table, row, label, head, text, edges in found:
        box = Box(*(float(edge) for edge in edges)) if edges else None
        by_row.setdefault((table, row), []).append((label or "", head or "", text or "", box))
    return [_row(cells) for cells in by_row.values()]


def _row(cells: Sequence[tuple[str, str, str, Box | None]]) -> QuotedRow:
    labels = [label for label, *_ in cells if label]
    names = {part.strip() for label in labels for part in (label, *label.split(" > "))}
    names.add(cells[0][2])
    heads = {part.strip() for _, head, *_ in cells for part in (head, *head.split(" > ")) if head}
    texts = tuple((text, box) for _, _, text, box in cells if text)
    return QuotedRow(tuple(sorted(names)), texts, tuple(sorted(heads)))


def words_of_row(text: str) -> list[str]:
    """The words as compared: case and accents written apart do not count, signs inside of numbers do."""
    flat = unicodedata.normalize("NFKD", text).casefold().replace("\u2212", "-")
    parts = re.split(r"[\s|:;=,\u2013\u2014\u00b7]", flat)
    return [word for part in parts if (word := part.strip(".()[]\"'*_"))]


_LONGEST = 4000  # characters of a quote of LaTeX
_SHORTEST = 5  # characters of it without blanks


def in_equation(evidence: Evidence, library: Readable) -> tuple[bool, Box | None]:
    """Whether the quote is an equation of its page, or a part of one, and the equation's box."""
    wanted = _squeezed(evidence.quote[:_LONGEST])
    if len(wanted) < _SHORTEST or not ID.fullmatch(evidence.paper_id):
        return False, None
    try:
        rows = library.rows(
            "SELECT e.equation_content, e.bounding_box FROM equations e "
            "JOIN pages p ON e.ref_page_id = p.page_id "
            "WHERE p.ref_paper_id = ?::UUID AND p.page_number = ?",
            [evidence.paper_id, evidence.page],
        ).rows
    except QuireError:
        return False, None
    for content, edges in rows:
        if wanted in _squeezed(str(content or "")):
            box = Box(*(float(edge) for edge in edges)) if edges and len(edges) == 4 else None
            return True, box
    return False, None


def _squeezed(text: str) -> str:
    return re.sub(r"\s+|\$", "", text)


_SHOWN = 400  # characters of a quote


def verify(evidence: Evidence, library: Readable) -> Evidence:
    """The same evidence, `verified` where its quote is found on its page; what was seen never is."""
    if not evidence.quote or evidence.page < 1 or evidence.how == "seen":
        return replace(evidence, verified=False)
    try:
        text = library.page_text(evidence.paper_id, evidence.page)
    except QuireError:
        return replace(evidence, verified=False)
    if _stands(evidence.quote, text) and _by_place(evidence, library):
        return replace(evidence, verified=True)
    found, box = in_table(evidence, library)
    if not found:
        found, box = in_equation(evidence, library)
    return replace(evidence, verified=found, bbox=evidence.bbox or box)


def _by_place(evidence: Evidence, library: Readable) -> bool:
    """Whether the file's own characters say the same. Of several paragraphs each must, in order."""
    try:
        pieces = library.page_pieces(evidence.paper_id, evidence.page)
    except QuireError:
        return False
    if not pieces or _from_right(pieces):
        return True  # a scan, or a script whose characters are drawn the other way: only its text is known
    places = Places(pieces)
    paragraphs = [each for each in map(str.strip, evidence.quote.split("\n")) if fold(each).text]
    if places.follow(evidence.quote) or places.is_row(evidence.quote):
        return True
    return len(paragraphs) > 1 and places.follow_in_order(paragraphs)


def _from_right(pieces: Sequence[Piece]) -> bool:
    sample = "".join(each.text for each in pieces[:400])[:4000]
    return sum(unicodedata.bidirectional(sign) in ("R", "AL") for sign in sample) > 0.3 * len(sample)


def _stands(quote: str, text: str) -> bool:
    """Whether a quote is found; of several paragraphs each, in order: an equation may stand between them."""
    start = 0
    for paragraph in filter(None, map(str.strip, quote.split("\n"))):
        place = find_quote(paragraph, text, start=start)
        if place is None:
            return find_quote(quote, text) is not None
        start = place[1]
    return start > 0


def describe(evidence: Sequence[Evidence], library: Readable) -> tuple[Evidence, ...]:
    """The same evidence with the titles of its papers and the printed labels of its pages."""
    papers = sorted({each.paper_id for each in evidence if ID.fullmatch(each.paper_id)})
    if not papers:
        return tuple(evidence)
    try:
        rows = library.rows(
            "SELECT CAST(m.paper_id AS VARCHAR), p.page_number, m.title, p.page_label FROM metadata m "
            "JOIN pages p ON p.ref_paper_id = m.paper_id WHERE m.paper_id IN (SELECT unnest(?::UUID[]))",
            [papers],
        ).rows
    except QuireError:
        return tuple(evidence)
    known = {(str(paper), page): (title, label) for paper, page, title, label in rows}
    found = []
    for each in evidence:
        title, label = known.get((each.paper_id, each.page), ("", ""))
        found.append(
            replace(each, paper_title=title or each.paper_title, page_label=label or each.page_label)
        )
    return tuple(found)


def place_of(row: Mapping[str, Any]) -> tuple[str, int]:
    """The paper and page of a row; "" and -1 where it does not say."""
    page = row.get("page_number")
    paper = str(row.get("pdf_id") or row.get("ref_paper_id") or row.get("paper_id") or "")
    return paper, page if isinstance(page, int) else -1


def box_of(row: Mapping[str, Any]) -> Box | None:
    """The box in a row's `bbox` or `bounding_box`, if it has four numbers."""
    edges = row.get("bbox") or row.get("bounding_box")
    if not isinstance(edges, list | tuple) or len(edges) != 4:
        return None
    try:
        return Box(*(float(edge) for edge in edges))
    except (TypeError, ValueError):
        return None


def around(text: str, place: tuple[int, int]) -> str:
    """The sentence around a place in a text, at most 400 characters."""
    start = max(text.rfind(". ", 0, place[0]) + 2, text.rfind("\n\n", 0, place[0]) + 2, 0)
    if start < 2 or place[0] - start > _SHOWN // 2:
        start = max(start if start >= 2 else 0, place[0] - _SHOWN // 2)
    end = text.find(". ", place[1])
    end = len(text) if end < 0 else end + 1
    return text[start : min(end, start + _SHOWN)].strip()
