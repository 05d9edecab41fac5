"""The page numbers that readers cite: printed on the page, or given by the file, or counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from quire.documents.layout.furniture import Furniture
from quire.documents.raw import RawPage

_NUMBERS = re.compile(r"(?<![\w.:/-])(\d{1,5})(?![\w.:/-])")
_ALONE = re.compile(r"^\W*(?:page\s+)?(\d{1,5})(?:\s*(?:of|/)\s*\d+)?\W*$", re.IGNORECASE)


def page_labels(pages: Sequence[RawPage], furniture: Furniture) -> list[str]:
    """A label for each page. Printed numbers count when they run with the pages."""
    printed = [_candidates(page, furniture) for page in pages]
    offsets: Counter[int] = Counter()
    for page, numbers in zip(pages, printed, strict=True):
        offsets.update({number - page.number for number in numbers})
    best = max(sorted(offsets), key=lambda o: offsets[o]) if offsets else None
    if best is not None and offsets[best] >= max(2, 0.3 * len(pages)):
        return [
            str(page.number + best) if page.number + best > 0 else page.label or str(page.number)
            for page in pages
        ]
    given = [page.label for page in pages]
    if any(given):
        return [label or str(page.number) for label, page in zip(given, pages, strict=True)]
    if len(pages) == 1 and len(printed[0]) == 1:
        return [str(next(iter(printed[0])))]
    return [str(page.number) for page in pages]


def _candidates(page: RawPage, furniture: Furniture) -> set[int]:
    """Numbers at the edge of a page that may be its own."""
    found: set[int] = set()
    for index, line in enumerate(page.lines):
        if line.angle != 0 or not (line.y1 < 0.125 * page.height or line.y0 > 0.875 * page.height):
            continue
        text = line.text.strip()
        alone = _ALONE.match(text)
        if alone:
            found.add(int(alone.group(1)))
        elif (page.number, index) in furniture or len(text) < 90:
            found.update(int(n) for n in _NUMBERS.findall(text)[:1] + _NUMBERS.findall(text)[-1:])
    return found
