"""The title: the rows so labelled on the first page that has any; and the sheets in front of that page.

A sheet that a repository puts in front of an article says how to cite it, so the title on the first page
behind it was printed before. That page is told by its title: the only rows in type that large from there
on.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from statistics import median_high

from rapidfuzz import fuzz

from quire.pdf.geometry import LARGER, SAME, runs
from quire.pdf.joining import join_rows, tidy
from quire.pdf.layout.rows import PageFlow, Row
from quire.pdf.raw import word_count
from quire.pdf.vocabulary import numbering
from quire.text import bare

_PAGES = 2  # where a title is looked for if no row has that label
_LEAST = 0.02  # probability of the row that is most like a title
_SURE = 0.5  # probability of a title of one word
_DOUBTFUL = 0.04  # probability of a row that is set like the title and stands next to it
_HEADLINE = 1.3  # times the largest other type on the pages
_LARGE = 6.0  # weight of the size against the labels
_STEP = 2.2  # em between the baselines of a title
_MARKS = "*\u2217\u22c6\u2020\u2021\u00a7\u00b6"
_BETWEEN = 4  # rows beside a title that may stand between its own in reading order
_SHEETS = 2  # at most
_HEAD = 0.6  # share of the page's rows among which its title is
_TITLE_LARGER = 1.05  # times the body's size that a title has
_LETTERS = 25  # of a title that is looked for, at least
_TEXT = 150  # words on an article's first page; a thesis has leaves with fewer behind its title
_PRINTED = 92  # how much of it a sheet must print, in percent


def find_title(labelled: Sequence[Row]) -> list[Row]:
    """The rows of the title, in order; empty if there is none.

    The surest of the largest rows counts, with the rows around it that are set like it and may belong to it.
    """
    pages = [item.page for item in labelled if item.label == "title"]
    front = [i for i, item in enumerate(labelled) if item.page <= min(pages, default=_PAGES)]
    named = [i for i in front if labelled[i].label == "title"]
    surest = max(front, key=lambda i: labelled[i].score("title"), default=None)
    front = [i for i in (named if surest in named else front) if _may_be(labelled[i])]
    front = [i for i in front if _worded(labelled[i])] or front
    best = max(_likeliest(labelled, front), key=lambda i: labelled[i].score("title"), default=None)
    if best is None:  # a memo too short to have any labels: its first row, if that is much larger
        others = [item.line.size for item in labelled[1:]]
        alone = others and labelled[0].line.size >= _HEADLINE * max(others)
        return [labelled[0]] if alone else []
    row = labelled[best]
    stands_out = best == 0 and (all(word.bold for word in row.line.words) or row.text.isupper())
    running = [item.line.size for item in labelled if item.label in ("text", "para")]
    large = not running or row.line.size >= LARGER * median_high(running)
    if not (pages or large or stands_out):
        return []
    chosen = [best]
    for step in (-1, 1):
        last, at = best, best + step
        while 0 <= at < len(labelled) and abs(at - last) <= _BETWEEN:
            if _goes_on(labelled[last], labelled[at]):
                chosen.append(at)
                last = at
            at += step
    return [labelled[i] for i in sorted(chosen)]


def title_text(rows: Sequence[Row]) -> str:
    """The rows of a title as one text, without the mark of a footnote at its end."""
    text = tidy(join_rows([row.line for row in rows]))
    last = rows[-1].line.words[-1] if rows else None
    if last and last.script == 1 and not last.text.strip(_MARKS):
        text = text.removesuffix(last.text).rstrip()
    return text


def _may_be(one: Row) -> bool:
    section = one.label == "heading" and numbering(one.text.strip())[0]
    return one.score("title") >= _LEAST and any(map(str.isalpha, one.text)) and not section


def _worded(one: Row) -> bool:
    """A word alone is seldom a title, more often a series' name or a label."""
    return word_count(one.line) > 1 or one.score("title") > _SURE


def _likeliest(labelled: Sequence[Row], front: Sequence[int]) -> list[int]:
    """The rows of one size: the largest, unless a smaller one is far surer (below a journal's name)."""
    sizes = {i: labelled[i].line.size for i in front}

    def worth(group: Sequence[int]) -> float:
        """Logarithm of the odds that rows are a title, by their labels and their size."""
        sure = sum(labelled[i].score("title") for i in group) / len(group)
        sure = min(max(sure, 0.01), 0.99)
        return math.log(sure / (1 - sure)) + _LARGE * math.log(max(1.0, sizes[group[0]]))

    largest_first = sorted(front, key=lambda i: -sizes[i])
    groups = runs(largest_first, lambda group, i: sizes[i] > (1 - SAME) * sizes[group[0]])
    return max(groups, key=worth, default=[])


def _goes_on(one: Row, other: Row) -> bool:
    """Whether a row belongs to the title of which the other is a part."""
    size = one.line.size
    alike = one.page == other.page and one.is_like(other)
    near = abs(other.line.baseline - one.line.baseline) < _STEP * size
    return alike and near and (other.label == "title" or other.score("title") > _DOUBTFUL)


def is_proper(given: str) -> bool:
    """Whether a title of the file's metadata is more than a file name, or its program's word."""
    return len(given.split()) >= 2 and not re.search(
        r"\.\w{2,4}$|untitled|microsoft|^r graphics output$|\\|/", given, re.IGNORECASE
    )


def sheets(flows: Sequence[PageFlow], size: float) -> int:
    """How many pages stand before the article; `size` is that of the body type in points."""
    for number in range(1, min(_SHEETS + 1, len(flows))):
        before = bare(" ".join(flow.text for flow in flows[:number]))
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
    largest = max((row.line.size for row in later), default=0.0) / (1 - SAME)
    runs = itertools.groupby(rows[: math.ceil(_HEAD * len(rows))], key=lambda row: row.line.size)
    for large, run in runs:
        if large < _TITLE_LARGER * size or large <= largest:
            continue
        lines = [row.line for row in run]
        for text in (join_rows(lines), join_rows(lines[1:])):  # a label ("Review Article") may stand over it
            # "3.1 Hulls" was printed before by a table of contents
            if len(bare(text)) >= _LETTERS and not numbering(text)[0]:
                yield bare(text)
