"""Running heads, page numbers, stamps in the margin: what is on the page but not in the text.

A line near the top or bottom edge is furniture if the same words (numbers aside) stand there on other
pages, or if it is nothing but a page number. Text that runs up or down the margin is furniture too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from quire.documents.raw import Line, RawPage

_TOP, _BOTTOM = 0.125, 0.9  # of the page height
_NUMBER = re.compile(
    r"^(?:page\s*)?[-–—|]?\s*(?:\d{1,4}|[ivxlcdm]{1,7}|[a-z]?-?\d{1,4})\s*[-–—|]?(?:\s*(?:of|/)\s*\d+)?$",
    re.IGNORECASE,
)
_DOI = re.compile(r"\b10\.\d{4,9}/")
_IMPRINT = re.compile(
    r"^(?:https?://|www\.|doi\b)|©|copyright|\b(?:19|20)\d\d[,;]\s?\d+|\d+\s?\((?:19|20)\d\d\)\s?\d|\|\s",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"^[ivxlc]+\b|\b[ivxlc]+$")

Furniture = frozenset[tuple[int, int]]  # (page number, index of the line on its page)


def find_furniture(pages: Sequence[RawPage]) -> Furniture:
    """The lines of every page that do not belong to the text."""
    seen: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    found: set[tuple[int, int]] = set()
    for page in pages:
        for index, line in enumerate(page.lines):
            if line.angle != 0:
                if _marginal(line, page):
                    found.add((page.number, index))
                continue
            if not _at_edge(line, page):
                continue
            text = line.text.strip()
            lone = _NUMBER.match(text) or _is_imprint(line, page) or _is_head(line, page)
            if lone and _outermost(line, page):
                found.add((page.number, index))
            seen[text if _DOI.search(text) else _shape(text)].append(
                (page.number, index, line.baseline / max(1.0, page.height))
            )
    for places in seen.values():
        found |= _repeated(places, len(pages))
    return frozenset(found | _beside(pages, found))


def _at_edge(line: Line, page: RawPage) -> bool:
    return line.y1 < _TOP * page.height or line.y0 > _BOTTOM * page.height


def _marginal(line: Line, page: RawPage) -> bool:
    """Turned text in the outer margin, such as a preprint's stamp."""
    return line.x1 < 0.1 * page.width or line.x0 > 0.92 * page.width


def _outermost(line: Line, page: RawPage) -> bool:
    """No running text stands between the line and the edge of the page."""
    if line.y1 < 0.5 * page.height:
        return not any(o.y1 < line.y0 - 1 and len(o.words) > 6 for o in page.lines if o.angle == 0)
    return not any(
        o.y0 > line.y1 + 1 and len(o.words) > 6 and not _is_imprint(o, page)
        for o in page.lines
        if o.angle == 0
    )


def _is_imprint(line: Line, page: RawPage) -> bool:
    """The publisher's own line at the foot of one page: a short citation, an address, a copyright."""
    return line.y0 > 0.93 * page.height and bool(_IMPRINT.search(line.text)) and len(line.words) < 16


def _is_head(line: Line, page: RawPage) -> bool:
    """A running head that only one page has, as in short papers: small, and well above what follows."""
    if page.number == 1 or line.y1 > 0.08 * page.height or len(line.words) > 14:
        return False
    below = [o for o in page.lines if o.angle == 0 and o.y0 > line.y1]
    if not below:
        return False
    first = min(below, key=lambda o: o.y0)
    return first.baseline - line.baseline > 2.4 * line.size and line.size < 0.93 * first.size


def _shape(text: str) -> str:
    return _ROMAN.sub("#", _DIGITS.sub("#", text.lower())).replace(" ", "")


def _repeated(places: list[tuple[int, int, float]], page_count: int) -> set[tuple[int, int]]:
    """Those of one wording that stand at about the same height on several pages."""
    needed = 2 if page_count <= 6 else 3
    out: set[tuple[int, int]] = set()
    for number, index, height in places:
        others = {n for n, _, h in places if abs(h - height) < 0.02}
        if len(others) >= needed:
            out.add((number, index))
    return out


def _beside(pages: Sequence[RawPage], found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Lines on the same baseline as furniture at the page's edge: the changing half of a running head."""
    out: set[tuple[int, int]] = set()
    for page in pages:
        heights = [page.lines[i].baseline for n, i in found if n == page.number and page.lines[i].angle == 0]
        for index, line in enumerate(page.lines):
            if line.angle == 0 and _at_edge(line, page) and len(line.words) <= 14:
                if any(abs(line.baseline - h) < 1.5 for h in heights):
                    out.add((page.number, index))
    return out
