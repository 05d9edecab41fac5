"""Pages whose text cannot be read as it is: pictures of text, or characters without a Unicode value."""

from __future__ import annotations

from quire.documents.raw import RawPage


def is_scanned(page: RawPage) -> bool:
    """Whether a page needs optical recognition: hardly any text, over a picture or in unmapped fonts."""
    characters = sum(len(word.text) for word in page.words)
    if page.broken > 0.4:
        return True
    if characters > 40:
        return False
    area = page.width * page.height
    covered = sum(p.width * p.height for p in page.pictures)  # scanners cut pages into strips
    return area > 0 and covered > 0.35 * area
