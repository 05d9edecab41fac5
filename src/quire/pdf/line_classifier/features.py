"""Numbers that describe every line of a document, from its type, place, words and neighbours.

The rows come in reading order. A column of the result holds one feature; which, is told by `names()`.
Sizes are in units of the body's type size, distances of baselines in units of its usual pitch.
"""

from __future__ import annotations

import bisect
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from quire.pdf.geometry import LARGER, runs
from quire.pdf.layout.profile import Profile
from quire.pdf.layout.rows import Row
from quire.pdf.raw import FileFacts, Line, RawPage, Word
from quire.pdf.vocabulary import kinds, lists, numbering, opening_of, plain

Matrix = NDArray[np.float32]

SHAPE = (
    "words", "letters", "lower_start", "upper_start", "digit_start", "sign_start", "ends_stop", "ends_comma",
    "ends_colon", "ends_hyphen", "ends_digit", "digits", "capitals", "initials", "commas", "stops",
    "semicolons", "years", "pages", "volume", "et_al", "url", "mail", "quote", "bracket", "capitalised",
    "stopwords", "short_stops", "affiliation", "imprint", "months", "float", "names", "no_space", "leaders",
    "maths", "bullet", "starts_abstract", "starts_keywords", "starts_imprint", "starts_float", "starts_back",
    "starts_kind", "is_abstract", "is_introduction", "is_section", "is_references", "is_back", "is_keywords",
    "is_kind", "is_contents",
)  # fmt: skip
"""The columns of `shape`, in order."""

STYLE = ("size", "bold", "italic", "first_bold", "first_italic", "last_bold", "scripts", "style_share",
         "style_pages", "body_font", "gaps", "lead", "lead_stop", "last_italic")  # fmt: skip
PLACE = ("indent", "room", "width", "column_width", "centred", "top", "bottom", "left", "above", "below",
         "first", "last", "from_top", "to_bottom", "page", "page_share", "pages_left", "row_share",
         "row_on_page", "hang", "rule_above", "rule_below", "size_rank", "column", "outdent")  # fmt: skip
FILE = ("in_title", "in_authors", "in_outline", "repeated", "numbering", "number", "chain", "chain_back",
        "chain_next", "since_references", "since_abstract", "since_introduction", "references_ahead",
        "since_large")  # fmt: skip
BASE = STYLE + PLACE + FILE + SHAPE
NEAR = ("size", "bold", "italic", "indent", "room", "above", "first", "words", "lower_start", "upper_start",
        "ends_stop", "ends_comma", "digits", "capitals", "initials", "commas", "years", "numbering",
        "stopwords", "affiliation", "imprint", "names", "chain", "capitalised", "style_share",
        "is_abstract", "is_introduction", "is_references", "mail", "centred", "width", "starts_float",
        "lead")  # fmt: skip
WIDE = ("digits", "initials", "commas", "years", "stopwords", "pages", "volume", "size", "chain", "indent",
        "above", "names", "affiliation", "imprint", "words", "bold", "short_stops")  # fmt: skip
SHIFTS = (-2, -1, 1, 2)
WINDOWS = (4, 12)
_LETTER = re.compile(r"[^\W\d_]")
_LETTERS = re.compile(r"(?:[\W\d_]*[^\W\d_]){4}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_DIGITS = re.compile(r"\d+")
_SIGNS = re.compile(r"^\d+|[\W_]+")
_SPELT = re.compile(r"[^\W\d_]+(?:[.'’-][^\W\d_]+)*")
_INITIAL = re.compile(r"\b[^\W\d_a-z]\.|(?<=[^\W\d_] )[A-Z]{1,3}(?=[,.;\s]|$)")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_PAGES = re.compile(r"\d\s?[–—-]\s?[eES]?\d")
_VOLUME = re.compile(r"\d\s?\(\d{1,4}\)|[;,]\s?\d{1,4}\s?:|\bvol\b|\bpp\b|\d:\s?\d", re.IGNORECASE)
_ET_AL = re.compile(r"\bet al\b|и др|等")
_URL = re.compile(r"https?:|www\.|doi\b|10\.\d{4}", re.IGNORECASE)
_SHORT = re.compile(r"\b[^\W\d_]{2,6}\.")
_NO_SPACE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_LEADERS = re.compile(r"(?:\.\s?){5,}")
_MATHS = re.compile(r"[=∑∫≤≥∼×±√∂∈→<>+]")
_BULLET = re.compile(r"^(?:[•▪◦‣●○■–—*·∙]|\(?[a-z]\)|\(?[ivx]{1,4}\))")
_COUNTED = ("stop", "particle", "affiliation", "imprint", "month", "float")
_URLS = ("http", "www.", "doi", "10.")

_FAR = 200  # rows that a distance to a heading is counted up to


def names() -> tuple[str, ...]:
    """The columns of `describe`, in order."""
    near = tuple(f"{name}{shift:+d}" for shift in SHIFTS for name in NEAR)
    wide = tuple(f"{name}~{window}" for window in WINDOWS for name in WIDE)
    return BASE + near + wide


def describe(rows: Sequence[Row], pages: Sequence[RawPage], profile: Profile, source: FileFacts) -> Matrix:
    """One line of numbers for each row."""
    texts = [row.text.strip() for row in rows]
    shapes = np.array([shape(text) for text in texts], np.float32).reshape(len(rows), len(SHAPE))
    base = np.hstack(
        [
            _style(rows, len(pages), profile),
            _place(rows, texts, pages, profile),
            _file(rows, texts, shapes, profile, source),
            shapes,
        ]
    )
    return np.hstack([base, _near(base), _wide(base)]).astype(np.float32)


def _near(base: Matrix) -> Matrix:
    chosen = base[:, [BASE.index(name) for name in NEAR]]
    most = max(SHIFTS)
    padded = np.pad(chosen, ((most, most), (0, 0)), constant_values=-9)
    return np.hstack([padded[most + shift : most + shift + len(chosen)] for shift in SHIFTS])


def _wide(base: Matrix) -> Matrix:
    """Means over the rows around each row."""
    chosen = base[:, [BASE.index(name) for name in WIDE]].astype(np.float64)
    sums = np.vstack([np.zeros((1, chosen.shape[1])), np.cumsum(chosen, axis=0)])
    at = np.arange(len(chosen))
    out = []
    for window in WINDOWS:
        low, high = np.maximum(0, at - window), np.minimum(len(chosen), at + window + 1)
        out.append((sums[high] - sums[low]) / (high - low)[:, None])
    return np.hstack(out).astype(np.float32)


def _style(rows: Sequence[Row], page_count: int, profile: Profile) -> Matrix:
    body = profile.size or 10.0
    longest = [max(row.line.words, key=lambda w: len(w.text)) for row in rows]
    keys = [
        (word.font, round(row.line.size * 2) / 2, word.bold) for row, word in zip(rows, longest, strict=True)
    ]
    counts: Counter[tuple[str, float, bool]] = Counter()
    pages = defaultdict[tuple[str, float, bool], set[int]](set)
    fonts: Counter[str] = Counter()
    for row, key in zip(rows, keys, strict=True):
        counts[key] += len(row.line.words)
        fonts[key[0]] += len(row.line.words)
        pages[key].add(row.page)
    total = max(1, counts.total())
    usual = max(fonts, key=lambda f: fonts[f]) if fonts else ""
    out = []
    for row, key in zip(rows, keys, strict=True):
        words = row.line.words
        lettered = [w for w in words if w.text[0].isalpha() or _LETTER.search(w.text)] or list(words)
        n = len(lettered)
        widest = max([b.x0 - a.x1 for a, b in pairwise(words)], default=0.0)
        out.append(
            [
                row.line.size / body,
                sum([w.bold for w in lettered]) / n,
                sum([w.italic for w in lettered]) / n,
                lettered[0].bold,
                lettered[0].italic,
                lettered[-1].bold,
                sum([w.script == 1 for w in words]) / len(words),
                math.log(counts[key] / total + 1e-4),
                len(pages[key]) / max(1, page_count),
                key[0] == usual,
                min(widest / max(1.0, row.line.size), 20.0),
                *_lead(lettered),
                lettered[-1].italic,
            ]  # fmt: skip
        )
    return np.array(out, np.float32).reshape(len(rows), len(STYLE))


def _lead(words: Sequence[Word]) -> tuple[float, bool]:
    """The share of words in the style of the first, and whether the last of these ends with a stop."""
    style = words[0].bold, words[0].italic
    count = next((i for i, w in enumerate(words) if (w.bold, w.italic) != style), len(words))
    return count / len(words), words[count - 1].text[-1] in ".:"


def _place(rows: Sequence[Row], texts: Sequence[str], pages: Sequence[RawPage], profile: Profile) -> Matrix:
    sizes = {p.number: (max(1.0, p.width), max(1.0, p.height)) for p in pages}
    rules = {p.number: _PageRules(p) for p in pages}
    pitch = max(1.0, profile.pitch)
    last_page = max(sizes, default=1)
    first_page = rows[0].page if rows else 1
    ranks = _size_ranks(rows, texts)
    tops = _run_positions(rows)
    out = []
    on_page: Counter[int] = Counter()
    lefts = [row.line.x0 for row in rows]
    for i, row in enumerate(rows):
        line = row.line
        em = max(1.0, line.size)
        width, height = sizes[row.page]
        span = max(1.0, row.right - row.left)
        above = rows[i - 1] if i and _together(rows[i - 1], row) else None
        below = rows[i + 1] if i + 1 < len(rows) and _together(row, rows[i + 1]) else None
        over, under = rules[row.page].beside(row.line, em)
        on_page[row.page] += 1
        low = min(lefts[i - min(8, tops[i][0]) : i + 1 + min(8, tops[i][1])])
        out.append(
            [
                _clip((line.x0 - row.left) / em, -3, 15),
                _clip((row.right - line.x1) / span, -0.2, 1),
                (line.x1 - line.x0) / width,
                span / width,
                _clip((line.x0 + line.x1 - row.left - row.right) / 2 / span, -0.6, 0.6),
                line.y0 / height,
                1 - line.y1 / height,
                line.x0 / width,
                _clip((line.baseline - above.line.baseline) / pitch, -3, 6) if above else 7,
                _clip((below.line.baseline - line.baseline) / pitch, -3, 6) if below else 7,
                above is None,
                below is None,
                min(tops[i][0], 20),
                min(tops[i][1], 20),
                min(row.page - first_page, 4),
                row.page / last_page,
                min(last_page - row.page, 4),
                i / len(rows),
                min(on_page[row.page], 80),
                _clip((below.line.x0 - line.x0) / em, -8, 8) if below else 0,
                over,
                under,
                ranks[i],
                min(row.column, 6),
                _clip((line.x0 - low) / em, 0, 8),
            ]  # fmt: skip
        )
    return np.array(out, np.float32).reshape(len(rows), len(PLACE))


def _clip(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))


def _together(one: Row, other: Row) -> bool:
    return one.page == other.page and one.column == other.column


def _run_positions(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """How many rows of its column stand before and after each row."""
    columns = runs(rows, lambda column, row: _together(column[-1], row))
    return [(i, len(column) - 1 - i) for column in columns for i in range(len(column))]


def _size_ranks(rows: Sequence[Row], texts: Sequence[str]) -> list[float]:
    """The place of a row's size among those of its page: 0 for the largest, counted up to 6."""
    sizes: dict[int, set[float]] = {}
    for row, text in zip(rows, texts, strict=True):
        if _LETTERS.match(text):
            sizes.setdefault(row.page, set()).add(round(row.line.size * 2) / 2)
    order = defaultdict[int, list[float]](list, {page: sorted(found) for page, found in sizes.items()})
    larger = (
        len(order[row.page]) - bisect.bisect_right(order[row.page], round(row.line.size * 2) / 2)
        for row in rows
    )
    return [min(6, count) for count in larger]


class _PageRules:
    """The horizontal rules of a page, by their height."""

    def __init__(self, page: RawPage) -> None:
        self._rules = sorted((r for r in page.rules if r.horizontal), key=lambda r: r.y0)
        self._heights = [r.y0 for r in self._rules]

    def beside(self, line: Line, em: float) -> tuple[bool, bool]:
        """Whether a rule stands right over the line, and right under it."""
        over = self._any(line, line.y0 - 1.6 * em, line.y0 + 0.2 * em, em)
        return over, self._any(line, line.y1 - 0.2 * em, line.y1 + 1.6 * em, em)

    def _any(self, line: Line, low: float, high: float, em: float) -> bool:
        near = self._rules[bisect.bisect_left(self._heights, low) : bisect.bisect_right(self._heights, high)]
        return any(r.x0 < line.x1 and r.x1 > line.x0 and r.x1 - r.x0 > 2 * em for r in near)


def _file(
    rows: Sequence[Row], texts: Sequence[str], shapes: Matrix, profile: Profile, source: FileFacts
) -> Matrix:
    title = _bare(source.info.get("Title", ""))
    authors = set(_WORD.findall(source.info.get("Author", "").lower()))
    outlined = {_bare(entry.title) for entry in source.outline}
    bares = [_bare(text) for text in texts]
    masked = [_DIGITS.sub("#", text.lower()) for text in texts]
    where: dict[str, set[int]] = {}
    for row, text in zip(rows, masked, strict=True):
        where.setdefault(text, set()).add(row.page)
    numbers = [numbering(text) for text in texts]
    back, forth = _chains(numbers), _chains(numbers[::-1], -1)[::-1]
    references, abstract, starts, introduction = (
        shapes[:, SHAPE.index(name)]
        for name in ("is_references", "is_abstract", "starts_abstract", "is_introduction")
    )
    body = profile.size or 10.0
    since = np.stack(
        [
            _since(references),
            _since(np.maximum(abstract, starts)),
            _since(introduction),
            _since(references[::-1])[::-1],
            _since(np.array([row.line.size > LARGER * body for row in rows], np.float32)),
        ],
        axis=1,
    ).tolist()
    out = []
    for i, bare in enumerate(bares):
        words = _WORD.findall(texts[i].lower()) if authors else ()
        out.append(
            [
                len(bare) >= 8 and bool(title) and (bare in title or title in bare),
                sum(w in authors for w in words) / max(1, len(words)),
                len(bare) >= 3 and bare in outlined,
                min(len(where[masked[i]]) - 1, 6),
                numbers[i][0],
                min(numbers[i][1], 99),
                math.log1p(back[i][0] + forth[i][0]),
                math.log1p(back[i][1]),
                math.log1p(forth[i][1]),
                *since[i],
            ]  # fmt: skip
        )
    return np.array(out, np.float32).reshape(len(rows), len(FILE))


def _bare(text: str) -> str:
    return _SIGNS.sub("", text.lower())


def _chains(numbers: Sequence[tuple[int, int]], step: int = 1) -> list[tuple[int, int]]:
    """How many rows before one count up to it, in one form of numbers, and how far the last of them is."""
    latest: dict[tuple[int, int], tuple[int, int]] = {}  # number -> (row, length of the chain)
    out: list[tuple[int, int]] = []
    for i, (kind, number) in enumerate(numbers):
        before = latest.get((kind, number - step)) if kind and number else None
        out.append((before[1], i - before[0]) if before else (0, 0))
        if kind and number:
            latest[kind, number] = (i, before[1] + 1 if before else 1)
    return out


def _since(flags: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows since the last flagged one, as a logarithm; -1 where there was none."""
    out = np.full(len(flags), -1, np.float32)
    last = None
    for i, flag in enumerate(flags):
        if flag:
            last = i
        if last is not None:
            out[i] = math.log1p(min(i - last, _FAR))
    return out


def shape(text: str) -> list[float]:
    """Numbers that describe a line's text, in the order of `SHAPE`."""
    words = _SPELT.findall(text)
    lower = [w.lower() for w in words]
    count, size = max(1, len(words)), max(1, len(text))
    letters = sum(map(len, words))
    first, last = text[:1], text.rstrip()[-1:]
    bare = plain(text)
    whole = kinds().get(bare, frozenset())
    openers = opening_of(bare)
    upper = sum([w[0].isupper() for w in words])
    known = map(_kinds_of_words().get, lower)
    hits = [(word, own) for word, own in zip(words, known, strict=True) if own]
    met = Counter([kind for _, own in hits for kind in own])
    digits = sum(map(str.isdigit, text))
    # capitalised words that are no stop words, and particles
    named = upper + sum("particle" in own for _, own in hits)
    named -= sum(w[0].isupper() and ("stop" in own or "particle" in own) for w, own in hits)
    begun = hits[0][1] if hits and hits[0][0] is words[0] else frozenset()
    stops, small = text.count("."), text.lower()
    linked = any([sign in small for sign in _URLS])
    return [
        min(len(words), 30), min(letters, 150),
        first.islower(), first.isupper(), first.isdigit(), not first.isalnum(),
        last == ".", last in ",;", last == ":", last in "-‐", last.isdigit(),
        digits / size, sum(map(str.isupper, text)) / max(1, letters),
        len(_INITIAL.findall(text)) / count,
        text.count(",") / count, stops / count, text.count(";") / count,
        len(_YEAR.findall(text)) if digits > 3 else 0, len(_PAGES.findall(text)) if digits > 1 else 0,
        digits > 1 and bool(_VOLUME.search(text)),
        bool(_ET_AL.search(text)), linked and bool(_URL.search(text)), "@" in text,
        sum(map(text.count, "“”\"„«»")), (text.count("(") + text.count("[")) * 2 / count,
        upper / count, met["stop"] / count, len(_SHORT.findall(text)) / count if stops else 0,
        met["affiliation"] / count, met["imprint"] / count, met["month"], met["float"] / count,
        named / count, 0 if text.isascii() else len(_NO_SPACE.findall(text)) / size,
        stops > 4 and bool(_LEADERS.search(text)), len(_MATHS.findall(text)) / size,
        bool(_BULLET.match(text)),
        "abstract" in openers, "keywords" in openers, "imprint" in begun, "float" in begun,
        "back" in openers, "kind" in openers,
        "abstract" in whole, "introduction" in whole, "section" in whole, "references" in whole,
        "back" in whole, "keywords" in whole, "kind" in whole, "contents" in whole,
    ]  # fmt: skip


@cache
def _kinds_of_words() -> dict[str, frozenset[str]]:
    """The lists that hold a word, of those that are counted."""
    words = {word for kind in _COUNTED for word in lists()[kind]}
    return {word: frozenset(kind for kind in _COUNTED if word in lists()[kind]) for word in words}
