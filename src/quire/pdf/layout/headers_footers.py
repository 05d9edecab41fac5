"""What is on the page but not in the text: running heads, page numbers, stamps in the margin, copies.

A line near the top or bottom edge is a header or footer if the same words (numbers aside) stand there on
other pages, or if it is nothing but a page number. Text that runs up or down the margin is one too.

A column of whole numbers that count up by one (or by five) down the page, at one place left or right of all
other words, numbers the lines and is taken away, be they words of their own or the first or last one of the
line; a page needs five of them. A file draws lines twice for a shadow, or under a second layer of text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median_high

from quire.pdf.geometry import CLOSE, HEAD, LARGER, SENTENCE, at_edge, same_size, shared_width
from quire.pdf.raw import Line, RawPage, Word, make_line, word_count
from quire.pdf.vocabulary import float_label

_FAR = 0.18  # of the page height, in which the outermost row may still be a running head
_PIECES = 3  # of a running head: section, journal, page number
_COUNTING = 3  # pages whose numbers follow each other
_HEIGHTS = 50  # in which a page is parted to tell whether rows stand on one height
_WORDS = 14  # of a running head, or of its changing half, at most
_CELLS = 5  # pieces of one row that make it a row of a table
_NUMBER = re.compile(
    r"^(?:page\s*+)?[-–—|]?\s*+(?:\d{1,4}|[ivxlcdm]{1,7}|[a-z]?-?\d{1,4})\s*+[-–—|]?(?:\s*+(?:of|/)\s*\d+)?$",
    re.IGNORECASE,
)
_IMPRINT = re.compile(
    r"^(?:https?://|www\.|doi\b|(?:in )?proceedings of )|©|copyright|\b(?:19|20)\d\d[,;]\s?\d+|"
    r"(?<!\d)\d+\s?\((?:19|20)\d\d\)\s?\d|\|\s|\b(?:19|20)\d\d\.?\s(?:\(c\)|c⃝?)\s?(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"^[ivxlc]+\b|\b[ivxlc]+$")

_NUMBERS = re.compile(r"(?<![\w.:/-])(\d{1,5})(?![\w.:/-])")


def with_heads(pages: Sequence[RawPage]) -> list[RawPage]:
    """The pages with the numbers of their lines that do not belong to the text."""
    seen: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    found = {*_stamps(pages), *_counting(pages)}
    for page in pages:
        running = [o for o in page.upright if word_count(o) >= SENTENCE]
        body = median_high(line.size for line in running) if running else 0.0
        outer = {row[0] for row in _outermost_rows(page) if len(row) == 1}
        for index, line in enumerate(page.lines):
            edge = line.angle == 0 and (at_edge(line, page) or index in outer)
            if not edge or numbers_heading(line, page):
                continue
            text = line.text.strip()
            lone = _NUMBER.match(text) or _is_imprint(line, page) or _is_head(line, page, body)
            if lone and _outermost(line, page):
                found.add((page.number, index))
            if not float_label(text):
                place = page.number, index, line.baseline / max(1.0, page.height)
                seen[_ROMAN.sub("#", _DIGITS.sub("#", text.lower())).replace(" ", "")].append(place)
    repeated = {place for places in seen.values() for place in _repeated(places, len(pages))}
    return [
        _marked(page, *({i for n, i in some if n == page.number} for some in (found, repeated)))
        for page in pages
    ]


def _marked(page: RawPage, lone: set[int], repeated: set[int]) -> RawPage:
    """The page with its headers and footers, of lines that may be such by themselves or as they repeat."""
    every = lone | repeated
    every |= _beside(page, every)
    every -= _in_rows_of_cells(page, every)
    inner = {i for i in every - lone if _flush(page, i, every)}
    inner |= {i for i in every - lone if _enclosed(page, i, every - inner)}
    return replace(page, heads=frozenset(every - inner))


def numbers_heading(line: Line, page: RawPage) -> bool:
    """The number of a section heading, or the heading beside it: "3" and, after a gap, "The system"."""
    for other in page.lines:
        if other is line or other.angle != 0 or abs(other.baseline - line.baseline) > 1:
            continue
        number, title = sorted((line, other), key=lambda o: o.x0)
        bold = all(w.bold for w in (*number.words, *title.words))
        near = 0 < title.x0 - number.x1 < 4 * title.size and abs(title.size - number.size) < 0.5
        if bold and near and number.text.strip(" .").replace(".", "").isdecimal():
            return True
    return False


def _outermost_rows(page: RawPage) -> list[list[int]]:
    """The first and the last row of a page, as far as they are not too far from its edge."""
    upright = [(line.baseline, i) for i, line in enumerate(page.lines) if line.angle == 0]
    rows = []
    for edge in {min(upright, default=(0.0, -1)), max(upright, default=(0.0, -1))} - {(0.0, -1)}:
        line = page.lines[edge[1]]
        if at_edge(line, page, _FAR, _FAR):
            rows.append([i for base, i in upright if abs(base - edge[0]) < 2])
    return rows


def _counting(pages: Sequence[RawPage]) -> Iterator[tuple[int, int]]:
    """Outermost rows of up to three pieces, one of them a number that counts with the pages.

    A piece in larger type than the number is the title of a slide.
    """
    counted: dict[tuple[int, int], list[tuple[int, list[int]]]] = defaultdict(list)
    for page in pages:
        for row in _outermost_rows(page):
            height = round(_HEIGHTS * page.lines[row[0]].baseline / max(1.0, page.height))
            for at in row if len(row) <= _PIECES else ():
                text, size = page.lines[at].text.strip(), page.lines[at].size
                if text.isdecimal():
                    small = [i for i in row if page.lines[i].size <= LARGER * size]
                    counted[height, int(text) - page.number].append((page.number, small))
    for places in counted.values():
        if len({number for number, _ in places}) >= _COUNTING:
            yield from ((number, index) for number, row in places for index in row)


def _flush(page: RawPage, index: int, found: set[int]) -> bool:
    """The line continues the text next to it: "Linguistics." at the foot of three columns of references."""
    line = page.lines[index]
    up = line.y0 > page.height / 2
    return any(
        0.5 * line.size < (line.baseline - other.baseline) * (1 if up else -1) < CLOSE * line.size
        and same_size(line.size, other.size)
        and word_count(other) >= SENTENCE
        and shared_width(other, line) > 0.5 * (line.x1 - line.x0)
        and other_index not in found
        for other_index, other in enumerate(page.lines)
    )


def _enclosed(page: RawPage, index: int, found: set[int]) -> bool:
    """Other text stands between the line and the edge: the head of a table, say, under its caption."""
    line = page.lines[index]
    up = line.y0 < page.height / 2
    return any(
        other.angle == 0
        and (other.baseline < line.baseline - 2 if up else other.baseline > line.baseline + 2)
        and len(other.words) >= 2
        and k not in found
        for k, other in enumerate(page.lines)
    )


def _in_rows_of_cells(page: RawPage, found: set[int]) -> set[int]:
    """Lines with so many others beside them that they are the cells of a table at the edge of its page."""

    def beside(line: Line) -> int:
        return sum(o.angle == line.angle and abs(o.baseline - line.baseline) < 2 for o in page.lines)

    return {index for index in found if beside(page.lines[index]) >= _CELLS}


def _stamps(pages: Sequence[RawPage]) -> Iterator[tuple[int, int]]:
    """Turned text in the margin of pages whose text is upright, such as a preprint's stamp."""
    for page in pages:
        turned = [(i, line) for i, line in enumerate(page.lines) if line.angle]
        for i, line in turned if len(turned) <= 0.5 * len(page.lines) else ():
            if line.x1 < 0.1 * page.width or line.x0 > 0.92 * page.width:
                yield page.number, i


def _outermost(line: Line, page: RawPage) -> bool:
    """No running text stands between the line and the edge of the page."""
    upper = line.y1 < 0.5 * page.height
    running = (o for o in page.upright if word_count(o) > SENTENCE)
    outer = (o for o in running if (o.y1 < line.y0 - 1 if upper else o.y0 > line.y1 + 1))
    return all(not upper and _is_imprint(o, page) for o in outer)


def _is_imprint(line: Line, page: RawPage) -> bool:
    """The publisher's own line at the foot of one page: a short citation, an address, a copyright."""
    return line.y0 > 0.92 * page.height and bool(_IMPRINT.search(line.text))


def _is_head(line: Line, page: RawPage, body: float) -> bool:
    """A running head that only one page has, as in short papers: small, and well above what follows."""
    if page.number == 1 or line.y1 > HEAD * page.height or len(line.words) > _WORDS or float_label(line.text):
        return False
    if sum(o.baseline < line.baseline + 2 for o in page.upright) > 3:
        return False  # a row of a table, or below other text
    below = [o for o in page.upright if o.baseline > line.baseline + 2]
    if not below or line.size > (1.02 if line.y1 < 0.07 * page.height else 0.97) * (body or 99):
        return False
    near = line.y1 + 2.2 * line.size
    if any(shared_width(d, line) > 0 and d.y0 < near < d.y1 for d in (*page.pictures, *page.drawings)):
        return False  # words in a chart at the head of the page
    return min(o.baseline for o in below) - line.baseline > 2.4 * line.size


def _repeated(places: list[tuple[int, int, float]], page_count: int) -> set[tuple[int, int]]:
    """Those of one wording that stand at about the same height on several pages."""
    needed = 2 if page_count <= 6 else 3
    return {
        (number, index)
        for number, index, height in places
        if len({n for n, _, h in places if abs(h - height) < 0.02}) >= needed
    }


def _beside(page: RawPage, found: set[int]) -> set[int]:
    """Lines on the same baseline as a header at the page's edge: the changing half of a running head."""
    heights = [page.lines[i].baseline for i in found if page.lines[i].angle == 0]
    return {
        index
        for index, line in enumerate(page.lines)
        if at_edge(line, page) and len(line.words) <= _WORDS
        if any(abs(line.baseline - height) < 1.5 for height in heights)
    }


def page_labels(pages: Sequence[RawPage]) -> list[str]:
    """A label for each page. Printed numbers count when they run with the pages."""
    printed: list[set[int]] = []
    for page in pages:
        short = (line.text for line in page.lines if at_edge(line, page) and len(line.text) < 90)
        edges = map(_NUMBERS.findall, short)
        printed.append({int(number) for found in edges for number in (*found[:1], *found[-1:])})
    steps = Counter(n - page.number for page, numbers in zip(pages, printed, strict=True) for n in numbers)
    best = max(sorted(steps), key=lambda step: steps[step], default=0)
    runs = steps[best] >= max(2, 0.3 * len(pages))
    if len(pages) == 1 and len(printed[0]) == 1 and not pages[0].label:
        return [str(*printed[0])]
    return [
        str(page.number + best) if runs and page.number + best > 0 else page.label or str(page.number)
        for page in pages
    ]


_FEWEST = 5
_NEAR = 3.0  # points between the edges of numbers that stand in one column
_ASIDE = 50.0  # points between numbers and their lines, at most
_NUMBERED = 0.6  # share of the lines beside them that they count

_LineNumber = tuple[int, int, Word]  # index of the line, value, the word
_SHORTEST = 12  # characters; the cells of a table may be equal and near each other
_COPIED = 0.4  # em between the places of two copies


def without_line_numbers(page: RawPage) -> RawPage:
    """The page without a margin of line numbers; the page itself if it has none."""
    for right in (False, True):
        ends = [
            (i, int(word.text), word)
            for i, line in enumerate(page.lines)
            if line.angle == 0 and (word := line.words[-1 if right else 0]).text.isdecimal()
            and len(word.text) < 5
        ]  # fmt: skip
        chosen = _column(ends, page, right=right) if len(ends) >= _FEWEST else []
        if chosen:
            return _removed(page, {i: word for i, _, word in chosen})
    return page


def _column(ends: Sequence[_LineNumber], page: RawPage, *, right: bool) -> list[_LineNumber]:
    """Numbers that share an edge, count up, and have all other words on one side."""
    others = _margin(page, {id(word) for _, _, word in ends}, right=right)
    outside = [e for e in ends if (e[2].x0 > others if right else e[2].x1 < others)]
    best: list[_LineNumber] = []
    for edge in {(round(e[2].x0), round(e[2].x1)) for e in outside}:
        own = [e for e in outside if min(abs(e[2].x0 - edge[0]), abs(e[2].x1 - edge[1])) < _NEAR]
        if len(own) > len(best):
            best = sorted(own, key=lambda e: e[2].baseline)
    steps = [b[1] - a[1] for a, b in pairwise(best)]
    counting = sum(step in (1, 5) for step in steps)
    if len(best) < _FEWEST or counting < 0.8 * len(steps):
        return []
    step = 1 if steps.count(1) >= steps.count(5) else 5
    return best if step * len(best) >= _NUMBERED * _rows_beside(best, page, right=right) else []


def _rows_beside(numbers: Sequence[_LineNumber], page: RawPage, *, right: bool) -> int:
    """How many lines there are from the first to the last number: entries of a list have further ones."""
    top, bottom = numbers[0][2].baseline - 1, numbers[-1][2].baseline + 1
    edge = max(w.x1 for _, _, w in numbers) + _ASIDE if not right else numbers[0][2].x0 - _ASIDE
    own = [line for line in page.upright if top < line.baseline < bottom]
    own = [line for line in own if (line.x1 > edge if right else line.x0 < edge)]
    return len({round(line.baseline) for line in own})


def _margin(page: RawPage, numbers: set[int], *, right: bool) -> float:
    """Where the words that are no candidates begin or end, but for one line in twenty."""
    edges = sorted(
        (max(w.x1 for w in words) if right else min(w.x0 for w in words))
        for line in page.upright
        if (words := [w for w in line.words if id(w) not in numbers])
    )
    if not edges:
        return 0.0
    return edges[-1 - len(edges) // 20] if right else edges[len(edges) // 20]


def _removed(page: RawPage, numbers: dict[int, Word]) -> RawPage:
    lines: list[Line] = []
    for i, line in enumerate(page.lines):
        words = [w for w in line.words if w is not numbers.get(i)]
        if len(words) < len(line.words) and words:
            line = make_line(words, max(words, key=lambda w: len(w.text)).size, words[0].baseline)
        lines += [line] if words else []
    return replace(page, lines=tuple(lines))


def without_doubles(page: RawPage) -> RawPage:
    """The page with the first of the copies of every line; the page itself if it has none."""
    seen: dict[str, list[Line]] = {}
    kept: list[Line] = []
    for line in page.lines:
        copies = seen.setdefault(line.text, [])
        if len(line.text) < _SHORTEST or not any(_same_place(line, other) for other in copies):
            kept.append(line)
            copies.append(line)
    return page if len(kept) == len(page.lines) else replace(page, lines=tuple(kept))


def _same_place(one: Line, other: Line) -> bool:
    apart = max(abs(one.x0 - other.x0), abs(one.x1 - other.x1), abs(one.baseline - other.baseline))
    return apart < _COPIED * one.size and one.angle == other.angle
