"""Pages whose text cannot be read as it is: pictures of text, or characters without a Unicode value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.pdf.raw import RawPage

_LETTERS, _SIGNS = re.compile(r"[A-Za-z]"), re.compile(r"[\u00a1-\u02ff]")
_FEWEST, _KINDS = 80, 12  # such signs on a page, and different ones
_UNREAD = "No usable text layer on page"
OCR_HINT = "To read scans: `pip install 'quire[ocr]'`, then `quire add --parser ocr` with the same files."


def scan_note(pages: Sequence[int]) -> str:
    """What a paper's notes say of its pages (numbers from 1) without a text layer."""
    which = ", ".join(map(str, pages[:12])) + (" ..." if len(pages) > 12 else "")
    return f"{_UNREAD}{'s' if len(pages) > 1 else ''} {which}. {OCR_HINT}"


def has_scan(notes: Sequence[str]) -> bool:
    """Whether a paper with these notes has such pages."""
    return any(note.startswith(_UNREAD) for note in notes)


def legible(page: RawPage) -> RawPage:
    """The page, without its text layer if that gives signs instead of letters.

    Some embedded fonts name their letters by numbers of their own: "ÅºÅÈ·ÄÊ" is printed as "odorant". No
    language is written with more signs of the later Latin blocks than letters from A to Z.
    """
    text = "".join(line.text for line in page.lines)
    if text.isascii():
        return page
    signs = _SIGNS.findall(text)
    if len(signs) < _FEWEST or len(set(signs)) < _KINDS or len(signs) < 2 * len(_LETTERS.findall(text)):
        return page
    return replace(page, lines=(), glyphs=(), broken=1.0)


def is_scanned(page: RawPage) -> bool:
    """Whether a page needs optical recognition: hardly any text, over a picture or in unmapped fonts."""
    if page.broken > 0.4:
        return True
    characters = sum([len(word.text) for line in page.lines for word in line.words])
    if characters > 40:
        return False
    area = page.width * page.height
    covered = sum(p.width * p.height for p in page.pictures)  # scanners cut pages into strips
    return area > 0 and covered > 0.35 * area
