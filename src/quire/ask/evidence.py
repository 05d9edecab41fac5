"""Evidence: whether its quote really is on its page, and how its place is named.

`verify` checks one quote against the page, deterministically: its words follow each other there, in the text
that was read and by place among the characters of the file (`quire.ask.quote_places`; a scan has only the
text); or, where it names a row of a table and a value in it, cell by cell; or, where it is LaTeX, against the
equations of its page.
Where evidence comes from is told in `quire.ask.sources`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from quire.ask.quote_matching import find, fold
from quire.ask.quote_places import Places
from quire.ask.readable import Readable
from quire.ask.table_rows import in_table
from quire.errors import QuireError
from quire.library.ids import ID
from quire.types import Box, Evidence, Piece

_LONGEST = 4000  # characters of a quote of LaTeX
_SHORTEST = 5  # characters of it without blanks


def in_equation(evidence: Evidence, library: Readable) -> tuple[bool, Box | None]:
    """Whether the quote is an equation of its page, or a part of one, and the equation's box."""
    wanted = _squeezed(evidence.quote[:_LONGEST])
    if len(wanted) < _SHORTEST or not ID.fullmatch(evidence.paper_id):
        return False, None
    try:
        rows = library.sql(
            "SELECT e.equation_content, e.bounding_box FROM equations e "
            "JOIN pages p ON e.ref_page_id = p.page_id "
            f"WHERE p.ref_paper_id = '{evidence.paper_id}' AND p.page_number = {int(evidence.page)}"
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
    return places.follow(evidence.quote) or (len(paragraphs) > 1 and places.follow_in_order(paragraphs))


def _from_right(pieces: Sequence[Piece]) -> bool:
    sample = "".join(each.text for each in pieces[:400])[:4000]
    return sum(unicodedata.bidirectional(sign) in ("R", "AL") for sign in sample) > 0.3 * len(sample)


def _stands(quote: str, text: str) -> bool:
    """Whether a quote is found; of several paragraphs each, in order: an equation may stand between them."""
    start = 0
    for paragraph in filter(None, map(str.strip, quote.split("\n"))):
        place = find(paragraph, text, start=start)
        if place is None:
            return find(quote, text) is not None
        start = place[1]
    return start > 0


def describe(evidence: Sequence[Evidence], library: Readable) -> tuple[Evidence, ...]:
    """The same evidence with the titles of its papers and the printed labels of its pages."""
    papers = sorted({each.paper_id for each in evidence if ID.fullmatch(each.paper_id)})
    if not papers:
        return tuple(evidence)
    listed = ", ".join(f"'{paper}'" for paper in papers)
    try:
        rows = library.sql(
            "SELECT CAST(m.paper_id AS VARCHAR), p.page_number, m.title, p.page_label FROM metadata m "
            f"JOIN pages p ON p.ref_paper_id = m.paper_id WHERE m.paper_id IN ({listed})"
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
