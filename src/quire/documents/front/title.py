"""The title: the largest type in the upper part of the first page that has one.

The file's own metadata helps only where its title is printed on the page too, as it is often the name of
a template or of a word processor's file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from quire.documents.layout.blocks import Block
from quire.documents.sections.names import ABSTRACT, is_known, split_number

_LABEL = re.compile(
    r"^(?:(?:original|research|review|short|brief|regular|full|case|clinical|technical|open|mini|"
    r"systematic|invited)?\s*"
    r"(?:research|article|articles|paper|review|report|reports|study|studies|trial|communication|"
    r"access|letter|note|"
    r"editorial|correspondence|perspective|commentary|methodology|protocol|software|database|contribution)"
    r"(?:\s+(?:article|paper|report|study|access|open access))?|open access|(?:plos|peerj|elife|"
    r"nature|science)\b.{0,30}|"
    r"bmc [\w ]{3,40}|frontiers in [\w ]{3,40}|contents lists available.*|journal homepage.*|www\..*|"
    r"a r t i c l e.*|article info.*|jss|journal of .{3,80}|international journal .{3,80}|"
    r".{0,12}vol(?:ume|\.)\s*\d.*)$",
    re.IGNORECASE,
)


def find_title(blocks: Sequence[Block], info_title: str, height: float) -> list[int]:
    """Indices of the blocks of the first page that hold the title; empty if none does."""
    end = next((i for i, b in enumerate(blocks) if _is_body_start(b.text)), len(blocks))
    candidates = [i for i in range(min(end, 40)) if _possible(blocks[i], height)]
    if not candidates:
        return []
    named = _by_info(blocks, candidates, info_title)
    if named:
        return named
    mails = [b.box.y0 for b in blocks if "@" in b.text]
    first_mail = min(mails, default=height)
    best = max(candidates, key=lambda i: (_weight(blocks[i], first_mail), -i))
    chosen = [best]
    for step in (1, -1):
        i = best + step
        while 0 <= i < len(blocks) and i in candidates and _same(blocks[best], blocks[i], blocks[i - step]):
            chosen.append(i)
            i += step
    return sorted(chosen)


def _is_body_start(text: str) -> bool:
    head = text[:40].strip()
    return bool(ABSTRACT.match(head)) or bool(
        re.match(r"^(?:abstract\b|(?:1|I)?[.\s]*introduction$)", head, re.IGNORECASE)
    )


def _possible(block: Block, height: float) -> bool:
    text = block.text.strip()
    letters = sum(c.isalpha() for c in text)
    if re.match(r"^\d{1,2}(?:\.\d{1,2})*\.?\s+[A-Z]", text) and split_number(text).depth:
        return False  # a section of an excerpt
    if letters < 4 or letters < 0.5 * len(text) or len(text) > 400 or block.box.y0 > 0.7 * height:
        return False
    return not (_LABEL.match(text) or is_known(text) or re.search(r"@|https?:|doi\.org|©|\bISSN\b", text))


def _weight(block: Block, first_mail: float) -> float:
    """Size above all; weight and length decide between equals. No title stands below an address."""
    words = len(block.text.split())
    size = round(block.size * 2) / 2
    return (
        size
        + (0.6 if block.bold > 0.6 else 0.0)
        + min(words, 6) * 0.25
        - (3.0 if words == 1 else 0.0)
        - (8.0 if block.box.y0 > first_mail else 0.0)
    )


def _same(best: Block, other: Block, nearer: Block) -> bool:
    if abs(best.size - other.size) > 0.06 * best.size or abs(best.bold - other.bold) > 0.5:
        return False
    gap = max(other.box.y0 - nearer.box.y1, nearer.box.y0 - other.box.y1)
    return gap < 1.1 * best.size and best.page == other.page


def _by_info(blocks: Sequence[Block], candidates: Sequence[int], info_title: str) -> list[int]:
    wanted = _bare(info_title)
    if len(wanted) < 12 or len(info_title.split()) < 3:
        return []
    for length in (1, 2, 3):
        for i in candidates:
            run = list(range(i, min(i + length, len(blocks))))
            if all(k in candidates for k in run):
                text = _bare(" ".join(blocks[k].text for k in run))
                if fuzz.ratio(text, wanted) >= 93:
                    return run
    return []


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())
