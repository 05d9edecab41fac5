"""Sheets that a repository puts in front of an article: what stands there is no part of it.

Such a sheet says how to cite the article, so the title on the first page behind it was printed before. That
page is told by its title: the only rows in type that large from there on.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from quire.documents.joining import join_rows
from quire.documents.labeller.lines import numbering
from quire.documents.layout.rows import PageFlow

_SHEETS = 2  # at most
_HEAD = 0.6  # share of the page's rows among which its title is
_LARGER = 1.05  # times the body's size that a title has
_SAME = 0.04  # share of its size by which headings must be smaller
_WORDS, _LETTERS = 4, 25  # of a title that is looked for, at least
_TEXT = 150  # words on an article's first page; a thesis has leaves with fewer behind its title
_PRINTED = 92  # how much of it a sheet must print, in percent


def sheets(flows: Sequence[PageFlow], size: float) -> int:
    """How many pages stand before the article; `size` is that of the body type in points."""
    for number in range(1, min(_SHEETS + 1, len(flows))):
        before = _bare(" ".join(flow.text for flow in flows[:number]))
        titles = _titles(flows[number:], size)
        if any(fuzz.partial_ratio(title, before) >= _PRINTED for title in titles):
            return number
    return 0


def _titles(flows: Sequence[PageFlow], size: float) -> Iterator[str]:
    """Letters and digits of what may be the title on the first of these pages."""
    rows = flows[0].rows
    if sum(len(row.line.words) for row in rows) < _TEXT:
        return
    later = [row for flow in flows[1:] for row in flow.rows if len(row.line.words) > 1]
    largest = max((row.line.size for row in later), default=0.0) / (1 - _SAME)
    runs = itertools.groupby(rows[: math.ceil(_HEAD * len(rows))], key=lambda row: row.line.size)
    for large, run in runs:
        if large < _LARGER * size or large <= largest:
            continue
        lines = [row.line for row in run]
        for text in (join_rows(lines), join_rows(lines[1:])):  # a label ("Review Article") may stand over it
            # "3.1 Hulls" was printed before by a table of contents
            if len(text.split()) >= _WORDS and len(_bare(text)) >= _LETTERS and not numbering(text)[0]:
                yield _bare(text)


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
