"""What the page shows decides over the labels of single rows.

Rows of one block agree, and what stands behind the printed words "Abstract" and "References" gets their label
where the line classifier took it for running text. "3.3.1" behind "3.3" opens a section, however it is set.
What a publisher prints about a paper behind it ("Author details", "Open Access") is no section of it. A
bookmark of the file's outline that names rows of its page word for word makes these a heading; titles, names
and abstracts stay what they are.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from quire.pdf.geometry import CLOSE, SAME, SMALLER, runs, same_size
from quire.pdf.layout.rows import Row
from quire.pdf.raw import OutlineEntry, typed
from quire.pdf.vocabulary import (
    BARE,
    BRACKETED,
    IN_PARENTHESES,
    STOPPED,
    ends_sentence,
    named,
    numbering,
    opening,
    unnumbered,
)
from quire.text import bare

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
_OUTLINE = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){1,3})\.?\s+[“\"(]?[^\W\d_a-z]")
_NUMBER = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s")
_ROWS = 3  # over which a numbered heading may run
_IMPRINT = ("para", "text", "runin", "affiliation", "other")
_LONGEST_IMPRINT = 80  # rows of one such part
_MARKED = 6  # over which a heading may run
_SHORTEST = 3  # letters of a bookmark that can be told from others


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


def _label(rows: list[Row], places: Iterable[int], label: str) -> None:
    """Give the rows at these places a label."""
    for i in places:
        rows[i] = replace(rows[i], label=label)


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
    entries = [i for i, row in enumerate(rows) if row.label in ("ref", "ref2")]
    for own in runs(entries, lambda part, i: i - part[-1] <= _APART):
        sure = sum(rows[i].score("ref") + rows[i].score("ref2") for i in own) / len(own)
        headed = any("references" in named(r.text) for r in rows[max(0, own[0] - _APART) : own[0]])
        if not headed and sure < _SURE:
            for i in own:
                rows[i] = replace(rows[i], label="para" if rows[i].label == "ref" else "text")


def _kept(rows: list[Row]) -> None:
    """Nothing of the body is lost: behind its first heading, rows are left out only where that is sure."""
    titled = next((item.page for item in rows if item.label == "title"), None)
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
        late = titled is not None and item.label in _FRONT and item.page > titled + 1
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
        smaller = foot.line.size < SMALLER * above.line.size and foot.in_column_of(above)
        if not smaller or rows[start].label not in _KEPT or ends_sentence(above.text):
            continue
        end = next((n for n in range(k, len(body)) if not foot.in_column_of(rows[body[n]])), len(body))
        run = body[k:end]
        small = all(rows[i].line.size < SMALLER * above.line.size for i in run)
        behind = rows[body[end]] if end < len(body) else None
        if small and behind and behind.is_like(above):
            _label(rows, run, "note")


def _set_alike(one: Row, other: Row) -> bool:
    """Whether a row stands close under another in one large type."""
    same = one.line.size == other.line.size and one.line.words[0].font == other.line.words[0].font
    return same and other.is_under(one)


def _agree(rows: list[Row]) -> None:
    """Rows that follow each other in one type at one distance are of one kind: that of most of them."""
    for block in runs(range(len(rows)), lambda block, at: _one_block(rows, block[0], at)):
        kinds = Counter("text" if rows[i].label == "para" else rows[i].label for i in block)
        kind, count = kinds.most_common(1)[0]
        if _MOST * len(block) <= count < len(block):
            _label(rows, (i for i in block if kind != "text" or rows[i].label != "para"), kind)


def _one_block(rows: Sequence[Row], start: int, at: int) -> bool:
    """Whether the row at `at` goes on from the block of rows that began at `start`."""
    one, other = rows[at - 1], rows[at]
    if one.label not in _RUNNING or other.label not in _RUNNING:
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
        while end < len(rows) and rows[end].label in _TEXT and same_size(size, rows[end].line.size):
            end += 1
        known = sum(item.label == "abstract" for item in rows)
        if 2 <= end - at < _LONGEST and sum(i.label == "abstract" for i in rows[at:end]) >= 0.5 * known:
            _label(rows, range(at, end), "abstract")
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


def counted(rows: list[Row]) -> None:
    """Make rows of text with the next number of the headings before them headings."""
    known: set[tuple[int, ...]] = set()
    for at, item in enumerate(rows):
        if item.label == "heading":
            match = _NUMBER.match(item.text.strip())
            known |= {_parts(match.group(1))} if match else set()
            continue
        match = _OUTLINE.match(item.text.strip()) if item.label in ("para", "text", "runin") else None
        if match is None:
            continue
        number = _parts(match.group(1))
        if before(number) not in known:
            continue
        known.add(number)
        end = at + 1
        while end < len(rows) and rows[end].is_under(rows[end - 1], CLOSE):
            end += 1
        last = rows[end - 1]
        inside = end < len(rows) and rows[end].in_column_of(last)
        if inside and end - at <= _ROWS and last.text.rstrip()[-1:] not in ".,;":
            _label(rows, range(at, end), "heading")
        else:
            rows[at] = replace(item, label="runin")


def _parts(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split("."))


def before(number: tuple[int, ...]) -> tuple[int, ...]:
    """The number that stands before another: 3.3 before 3.3.1, 3.3.1 before 3.3.2."""
    return (*number[:-1], number[-1] - 1) if number[-1] > 1 else number[:-1]


def imprints(rows: list[Row]) -> None:
    """Take headings with such names out of the body, and what stands behind them."""
    for at, item in enumerate(rows):
        words = item.line.words
        begins = words[0].bold and not words[-1].bold and "imprints" in opening(item.text)
        if item.label == "heading" and "imprints" in named(item.text):
            behind: tuple[str, ...] = _IMPRINT
        elif item.label in ("para", "text", "runin") and begins:
            behind = ("text",)
        else:
            continue
        end = at + 1
        while end < min(len(rows), at + _LONGEST_IMPRINT) and rows[end].label in behind:
            end += 1
        _label(rows, range(at, end), "other")


def bookmarked(labelled: Sequence[Row], outline: Sequence[OutlineEntry]) -> list[Row]:
    """The rows, with the headings that the outline names."""
    out = list(labelled)
    pages = defaultdict[int, list[int]](list)
    for i, item in enumerate(out):
        pages[item.page].append(i)
    texts = {at: _letters(out[i].text for i in pages[at]) for at in {entry.page for entry in outline}}
    for entry in outline:
        _mark(out, pages[entry.page], texts[entry.page], entry.title)
    return out


def _letters(texts: Iterable[str]) -> list[str]:
    return [bare(unnumbered(text)) for text in texts]


def _mark(rows: list[Row], page: Sequence[int], texts: Sequence[str], title: str) -> None:
    """Give the rows of a page that a bookmark names their label."""
    (letters,) = _letters([title])
    if len(letters) < _SHORTEST or "imprints" in named(title):
        return
    spelt = {at: _spelling(texts[k : k + _MARKED], letters) for k, at in enumerate(page)}
    found = [at for at, count in spelt.items() if count and _begins_so(rows[at], title)]
    if any(rows[at].label in ("heading", "title") for at in found):
        return
    found = [at for at in found if rows[at].label not in (*_FRONT, "abstract")]
    if found:
        start = max(found, key=lambda at: rows[at].score("heading"))
        _label(rows, range(start, start + spelt[start]), "heading")


def _spelling(texts: Sequence[str], letters: str) -> int:
    """How many of the texts, from the first on, spell a bookmark; 0 if they do not."""
    if not texts[0]:
        return 0
    return next((n for n, spelt in enumerate(itertools.accumulate(texts), 1) if spelt == letters), 0)


def _begins_so(item: Row, title: str) -> bool:
    """Whether a row begins as a heading does, or as the bookmark: no last word of a paragraph."""
    return not unnumbered(item.text)[:1].islower() or unnumbered(title)[:1].islower()
