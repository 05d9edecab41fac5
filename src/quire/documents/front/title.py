"""The title: the rows so labelled on the first page that has any."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from quire.documents.joining import join_rows, tidy
from quire.documents.labeller.lines import numbering
from quire.documents.labeller.model import Labelled
from quire.documents.layout.rows import Row
from quire.documents.raw import word_count

_PAGES = 2  # where a title is looked for if no row has that label
_LEAST = 0.02  # probability of the row that is most like a title
_SURE = 0.5  # probability of a title of one word
_DOUBTFUL = 0.04  # probability of a row that is set like the title and stands next to it
_SAME = 0.04  # share of its size by which the type of one title may differ
_LARGER = 1.12  # times the body's size that a title has which no row is labelled as
_HEADLINE = 1.3  # times the largest other type on the pages
_LARGE = 6.0  # weight of the size against the labels
_STEP = 2.2  # em between the baselines of a title
_MARKS = "*\u2217\u22c6\u2020\u2021\u00a7\u00b6"
_BETWEEN = 4  # rows beside a title that may stand between its own in reading order


def find_title(labelled: Sequence[Labelled]) -> list[Row]:
    """The rows of the title, in order; empty if there is none.

    The surest of the largest rows counts, with the rows around it that are set like it and may belong to it.
    """
    pages = [item.row.page for item in labelled if item.label == "title"]
    front = [i for i, item in enumerate(labelled) if item.row.page <= min(pages, default=_PAGES)]
    front = [i for i in _labelled_title(labelled, front) if _may_be(labelled[i])]
    front = [i for i in front if _worded(labelled[i])] or front
    best = max(_likeliest(labelled, front), key=lambda i: labelled[i].score("title"), default=None)
    if best is None:
        return _headline(labelled)
    large = labelled[best].row.line.size >= _LARGER * _body(labelled)
    if not pages and not large and not (best == 0 and _stands_out(labelled[best].row)):
        return []
    chosen = [best]
    for step in (-1, 1):
        last, at = best, best + step
        while 0 <= at < len(labelled) and abs(at - last) <= _BETWEEN:
            if _goes_on(labelled[last], labelled[at]):
                chosen.append(at)
                last = at
            at += step
    return [labelled[i].row for i in sorted(chosen)]


def _labelled_title(labelled: Sequence[Labelled], front: Sequence[int]) -> Sequence[int]:
    """The rows so labelled, unless none of them is as much like a title as another row; then all."""
    named = [i for i in front if labelled[i].label == "title"]
    surest = max(front, key=lambda i: labelled[i].score("title"), default=None)
    return named if surest in named else front


def title_text(rows: Sequence[Row]) -> str:
    """The rows of a title as one text, without the mark of a footnote at its end."""
    text = tidy(join_rows([row.line for row in rows]))
    last = rows[-1].line.words[-1] if rows else None
    if last and last.script == 1 and not last.text.strip(_MARKS):
        text = text.removesuffix(last.text).rstrip()
    return text


def _may_be(one: Labelled) -> bool:
    section = one.label == "heading" and numbering(one.row.text.strip())[0]
    return one.score("title") >= _LEAST and any(map(str.isalpha, one.row.text)) and not section


def _worded(one: Labelled) -> bool:
    """A word alone is seldom a title, more often a series' name or a label."""
    return word_count(one.row.line) > 1 or one.score("title") > _SURE


def _likeliest(labelled: Sequence[Labelled], front: Sequence[int]) -> list[int]:
    """The rows of one size: the largest, unless a smaller one is far surer (below a journal's name)."""
    groups: list[list[int]] = []
    for i in sorted(front, key=lambda i: -labelled[i].row.line.size):
        size = labelled[i].row.line.size
        if groups and size > (1 - _SAME) * labelled[groups[-1][0]].row.line.size:
            groups[-1].append(i)
        else:
            groups.append([i])
    return max(groups, key=lambda group: _worth(labelled, group)) if groups else []


def _worth(labelled: Sequence[Labelled], group: Sequence[int]) -> float:
    """Logarithm of the odds that rows are a title, by their labels and their size."""
    sure = sum(labelled[i].score("title") for i in group) / len(group)
    sure = min(max(sure, 0.01), 0.99)
    return math.log(sure / (1 - sure)) + _LARGE * math.log(max(1.0, labelled[group[0]].row.line.size))


def _headline(labelled: Sequence[Labelled]) -> list[Row]:
    """The first row, where it is set much larger than all others: of a memo too short to have any labels."""
    others = [item.row.line.size for item in labelled[1:]]
    if not others or labelled[0].row.line.size < _HEADLINE * max(others):
        return []
    return [labelled[0].row]


def _stands_out(row: Row) -> bool:
    """Whether all of a row is bold or in capitals."""
    return all(word.bold for word in row.line.words) or row.text.isupper()


def _body(labelled: Sequence[Labelled]) -> float:
    """The type size of running text; 0 if there is none."""
    sizes = sorted(item.row.line.size for item in labelled if item.label in ("text", "para"))
    return sizes[len(sizes) // 2] if sizes else 0.0


def _goes_on(one: Labelled, other: Labelled) -> bool:
    """Whether a row belongs to the title of which the other is a part."""
    size = one.row.line.size
    alike = one.row.page == other.row.page and abs(size - other.row.line.size) < _SAME * size
    near = abs(other.row.line.baseline - one.row.line.baseline) < _STEP * size
    return alike and near and (other.label == "title" or other.score("title") > _DOUBTFUL)


def is_proper(given: str) -> bool:
    """Whether a title of the file's metadata is more than a file name."""
    return len(given.split()) >= 2 and not re.search(
        r"\.\w{2,4}$|untitled|microsoft|\\|/", given, re.IGNORECASE
    )
