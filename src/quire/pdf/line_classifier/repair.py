"""What the page shows decides over the labels of single rows.

Rows of one block agree, and what stands behind the printed words "Abstract" and "References" gets their label
where the line classifier took it for running text.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from quire.pdf.geometry import SAME, SMALLER, same_size
from quire.pdf.layout.rows import Row
from quire.pdf.line_classifier.headings import counted, imprints
from quire.pdf.raw import typed
from quire.pdf.vocabulary import (
    BARE,
    BRACKETED,
    IN_PARENTHESES,
    STOPPED,
    ends_sentence,
    named,
    numbering,
    opening,
)

_RUNNING = ("text", "para", "abstract", "other", "affiliation", "note", "float")
_MOST = 0.6  # share of a block's rows that decide for the others
_EVEN = 1.2  # times the first distance in a block that a later one may be
_PAGES = 3  # on which an abstract may stand
_LONGEST = 60  # rows of an abstract
_TEXT = ("text", "para", "runin", "abstract")
_APART = 4  # rows of other kinds between two lists of references
_SURE = 0.7  # mean probability of a list of references without a heading
_LOST_PLAIN = 0.9  # the same for a row in the body's type on a page between the first and the last
_LOST = 0.6  # probability from which on a row of the body is left out
_LOST_SMALL = 0.45  # the same in type smaller than this share of the body's
_SMALL = 0.85
_FRONT = ("title", "author", "affiliation")
_BODY = ("heading", "runin", "para", "text")
_KEPT = ("para", "text")
_HEADED = 0.15  # probability of a heading among rows that are kept though they look like something else
_LEFT_OUT = ("other", "float", "note", "affiliation")
_LISTS = (BRACKETED, IN_PARENTHESES, STOPPED, BARE)  # forms of numbers that entries have
_COUNTED = (STOPPED, BARE)  # forms of the numbers of sections
_LISTED = 0.5  # share of the rows behind the heading of a list that must look like it, if any does
_TYPED = 0.9  # share of the characters of a row in a program or its output that are in typewriter type
_HANGING = 0.35  # em that the first row of an entry may stand right of the others of its kind


def repaired(labelled: Sequence[Row]) -> list[Row]:
    """The rows with the labels that printed words give them."""
    out = [
        # a line in the margin interrupts no paragraph
        replace(item, label="note") if item.aside and item.label in (*_TEXT, "other") else item
        for item in labelled
    ]
    _listings(out)
    _agree(out)
    _abstract(out)
    _no_abstract(out)
    _references(out)
    _doubtful_entries(out)
    _kept(out)
    _footnotes(out)
    _whole_headings(out)
    counted(out)
    imprints(out)
    return out


def _listings(rows: list[Row]) -> None:
    """Rows of programs and of what they print are no headings, unless all the text is in such type."""
    body = [item for item in rows if item.label in _BODY]
    size = median(row.line.size for row in body) if body else 0.0
    if sum(typed(row.line.words) for row in body) > _TYPED * len(body):
        return
    for i, item in enumerate(rows):
        line = item.line
        plain = line.size < (1 - SAME if line.words[0].bold else 1 + SAME) * size
        if item.label in ("heading", "runin") and plain and typed(line.words) >= _TYPED:
            rows[i] = replace(item, label=max(_KEPT, key=item.score))


def _doubtful_entries(rows: list[Row]) -> None:
    """Lists that are unsurely references and stand behind no heading of such are text: an index, say."""
    start = 0
    while start < len(rows):
        if rows[start].label not in ("ref", "ref2"):
            start += 1
            continue
        end = start
        while end < len(rows) and any(r.label in ("ref", "ref2") for r in rows[end : end + _APART]):
            end += 1
        own = [i for i in range(start, end) if rows[i].label in ("ref", "ref2")]
        sure = sum(rows[i].score("ref") + rows[i].score("ref2") for i in own) / len(own)
        headed = any("references" in named(r.text) for r in rows[max(0, start - _APART) : start])
        if not headed and sure < _SURE:
            for i in own:
                rows[i] = replace(rows[i], label="para" if rows[i].label == "ref" else "text")
        start = end


def _kept(rows: list[Row]) -> None:
    """Nothing of the body is lost: behind its first heading, rows are left out only where that is sure."""
    titled = [item.page for item in rows if item.label == "title"]
    abstract = [i for i, item in enumerate(rows) if item.label == "abstract"]
    front = max((i for i in abstract if rows[i].page <= rows[abstract[0]].page + 1), default=0)
    first = next((i for i, item in enumerate(rows) if i > front and item.label == "heading"), len(rows))
    while 0 < first < len(rows) and _set_alike(rows[first - 1], rows[first]):
        first -= 1  # rows of the heading that look like something else
    sizes = sorted(item.line.size for item in rows if item.label in _BODY)
    body = sizes[len(sizes) // 2] if sizes else 0.0
    ends = (rows[0].page, rows[-1].page) if rows else ()
    for i in range(first, len(rows)):
        item = rows[i]
        inner = item.page not in ends
        sure = sum(item.score(label) for label in (_LEFT_OUT[:3] if inner else _LEFT_OUT))
        plain = same_size(body, item.line.size) and inner
        small = item.line.size < _SMALL * body  # notes and labels, seldom the text
        code = typed(item.line.words) >= _TYPED
        least = _LOST_PLAIN if plain or (code and inner) else _LOST_SMALL if small else _LOST
        loose = item.label in ("other", "float") and sure < least
        late = item.label in _FRONT and titled and item.page > titled[0] + 1
        if loose or late:
            kinds = _BODY if item.score("heading") > _HEADED and not code else _KEPT
            rows[i] = replace(item, label=max(kinds, key=item.score))


def _whole_headings(rows: list[Row]) -> None:
    """Rows of text above a heading that are set like it and more likely headings than not are of it."""
    for i in range(len(rows) - 1, 0, -1):
        above = rows[i - 1]
        likely = above.label in _KEPT and above.score("heading") > 0.5
        if rows[i].label == "heading" and likely and _set_alike(above, rows[i]):
            rows[i - 1] = replace(above, label="heading")


def _footnotes(rows: list[Row]) -> None:
    """Smaller type at the foot of a column, inside a sentence that goes on in the next, is no text."""
    body = [i for i, item in enumerate(rows) if item.label in _BODY]
    for k, (start, first) in enumerate(itertools.pairwise(body), start=1):
        above, foot = rows[start], rows[first]
        smaller = foot.line.size < SMALLER * above.line.size and _one_column(above, foot)
        if not smaller or rows[start].label not in _KEPT or ends_sentence(above.text):
            continue
        end = next((n for n in range(k, len(body)) if not _one_column(rows[body[n]], foot)), len(body))
        run = body[k:end]
        small = all(rows[i].line.size < SMALLER * above.line.size for i in run)
        behind = rows[body[end]] if end < len(body) else None
        if small and behind and behind.is_like(above):
            for i in run:
                rows[i] = replace(rows[i], label="note")


def _one_column(one: Row, other: Row) -> bool:
    return (one.page, one.column) == (other.page, other.column)


def _set_alike(one: Row, other: Row) -> bool:
    """Whether a row stands close under another in one large type."""
    same = one.line.size == other.line.size and one.line.words[0].font == other.line.words[0].font
    return same and other.is_under(one)


def _agree(rows: list[Row]) -> None:
    """Rows that follow each other in one type at one distance are of one kind: that of most of them."""
    start = 0
    for at in range(1, len(rows) + 1):
        if at < len(rows) and _one_block(rows, start, at):
            continue
        block = rows[start:at]
        kinds = Counter("text" if item.label == "para" else item.label for item in block)
        kind, count = kinds.most_common(1)[0]
        if kind in _RUNNING and _MOST * len(block) <= count < len(block):
            for i in range(start, at):
                if rows[i].label in _RUNNING and not (kind == "text" and rows[i].label == "para"):
                    rows[i] = replace(rows[i], label=kind)
        start = at


def _one_block(rows: Sequence[Row], start: int, at: int) -> bool:
    """Whether the row at `at` goes on from the block of rows that began at `start`."""
    one, other = rows[at - 1], rows[at]
    if rows[at].label not in _RUNNING or rows[at - 1].label not in _RUNNING:
        return False
    if not other.is_like(one) or not other.is_under(one):
        return False
    step = other.line.baseline - one.line.baseline
    usual = rows[start + 1].line.baseline - rows[start].line.baseline if at - start > 1 else step
    return step < _EVEN * usual


def _abstract(rows: list[Row]) -> None:
    for at, item in enumerate(rows):
        if item.page > _PAGES:
            return
        if item.label == "title" or "abstract" not in named(item.text):
            continue
        size = rows[min(at + 1, len(rows) - 1)].line.size
        end = at + 1
        while (
            end < min(len(rows), at + _LONGEST)
            and rows[end].label in _TEXT
            and same_size(size, rows[end].line.size)
        ):
            end += 1
        known = sum(item.label == "abstract" for item in rows)
        if 2 <= end - at < _LONGEST and sum(i.label == "abstract" for i in rows[at:end]) >= 0.5 * known:
            rows[at:end] = [replace(r, label="abstract") for r in rows[at:end]]
            return


def _no_abstract(rows: list[Row]) -> None:
    """Where no abstract is named, none stands behind "1 Introduction".

    Nor does it go on in other type behind keywords or a heading.
    """
    own = [i for i, item in enumerate(rows) if item.label == "abstract"]
    if len(own) < 2 or not own[0]:
        return
    above, first = rows[own[0] - 1], rows[own[0]]
    over = _numbered(above) and "abstract" not in opening(above.text) | opening(first.text)
    run = [i for k, i in enumerate(own) if i == own[0] + k]
    usual = median(rows[i].line.size for i in (run if len(run) > 1 else own))
    last, behind = own[0], False
    for i in own:
        between = rows[last + 1 : i]
        ends = (item.label == "heading" or "keywords" in opening(item.text) for item in between)
        behind = behind or any(ends)
        over = over or any(map(_numbered, between))
        over = over or (behind and len(run) > 1 and not same_size(usual, rows[i].line.size))
        if over:
            rows[i] = replace(rows[i], label="text")
        last = i


def _numbered(item: Row) -> bool:
    return item.label == "heading" and numbering(item.text.strip())[0] in _COUNTED


def _references(rows: list[Row]) -> None:
    for at, item in enumerate(rows):
        if item.label in ("ref", "ref2") and item.line.words[0].bold and "back" in opening(item.text):
            rows[at] = replace(item, label="heading" if "back" in named(item.text) else "runin")
        if item.label not in ("heading", "other") or "references" not in named(item.text):
            continue
        end = at + 1
        while end < len(rows) and rows[end].label not in ("heading", "runin"):
            if end > at + 1 and _headed_alike(rows[end], item, rows[at + 1]):
                rows[end] = replace(rows[end], label="heading")
                break
            end += 1
        _list(rows, at, end)


def _headed_alike(item: Row, heading: Row, first: Row) -> bool:
    """Whether a row looks like the heading of the list, and not like the list."""
    line, above = item.line, heading.line
    alike = same_size(above.size, line.size) and line.words[0].font == above.words[0].font
    return alike and line.size > (1 + 2 * SAME) * first.line.size and item.score("heading") > _HEADED


def _list(rows: list[Row], at: int, end: int) -> None:
    """The rows from the heading of a list to the next: what looks like text is of the list too."""
    own = [i for i in range(at + 1, end) if rows[i].label in ("ref", "ref2")]
    texts = [i for i in range(at + 1, end) if rows[i].label in ("text", "para", "abstract", "ref", "ref2")]
    if not texts or (own and len(own) < _LISTED * len(texts)):
        return
    rows[at] = replace(rows[at], label="heading")
    starts = _starts([rows[i] for i in texts])
    numbered = numbering(rows[texts[0]].text.strip())[0] in _LISTS
    for i, first in zip(texts, starts, strict=True):
        if i not in own or (numbered and first):
            rows[i] = replace(rows[i], label="ref" if first else "ref2")


def _starts(rows: Sequence[Row]) -> list[bool]:
    """Which rows of a list begin an entry: those with the next number, or that stand out to the left."""
    numbers = [numbering(row.text.strip()) for row in rows]
    if numbers[0][0] in _LISTS:
        kind, expected, out = numbers[0][0], numbers[0][1], []
        for own, number in numbers:
            out.append(own == kind and number == expected)
            expected += out[-1]
        return out
    left = min(row.line.x0 - row.left for row in rows)
    return [True, *(row.line.x0 - row.left < left + _HANGING * row.line.size for row in rows[1:])]
