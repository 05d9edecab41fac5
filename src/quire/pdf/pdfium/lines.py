"""Characters to words to lines, in the order of the file, and what was drawn apart put together."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from quire.pdf.geometry import Groups
from quire.pdf.pdfium.text import Characters, Doubles, Flags, Integers
from quire.pdf.raw import ASCENT, DESCENT, Line, Word, make_line

_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c", "¸": "\u0327",
    "˚": "\u030a", "¯": "\u0304", "˘": "\u0306", "˙": "\u0307", "˝": "\u030b", "˛": "\u0328",
    "^": "\u0302", "~": "\u0303",
}  # fmt: skip
_MOST_ACCENTS = 500  # of one page
_SPACED = 5  # letters of a letter-spaced line, at least
_SPACE = 0.8  # em between its letters, at most
_APART = 1.6  # times as far stand its words
_GUTTER = 1.5  # em: a gap that two pieces of one line never have
_BREAK = 0.6  # em: a change of baseline that starts a new line
_RTL = re.compile("[\u0590-\u08ff]")
_BEFORE_NUMBER = re.compile(r"^([.,:;،؛]+)(\d[\d.,٫٬]*%?)$")
_NEAR = 0.6  # em between pieces that stand apart in the file
_NEXT = 1.1  # em between pieces that follow each other in the file
_KERN = 0.17  # em: what stands between a word and the raised number of a reference, less than any space
_REFERENCE = re.compile(r"\d{1,3}(?:[,\u2013-]\d{1,3}){0,20},?")
_LIKE = 0.8  # a gap of this share of a line's spaces is one,
_LEAST = 0.1  # em, at least,
_EVEN = 0.02  # em, if its letters stand no further apart
_CLOSE = 0.05  # em: signs no further apart touch, or stand on one baseline
_STOPS = frozenset(".,;:")  # no space stands before them, however wide the gap is
_TOUCH = 0.14  # em: closer than this there is no space


def build_lines(found: Characters) -> list[Line]:
    """The lines of a page in the order of the file, with scripts marked."""
    if not found.texts:
        return []
    if not _ACCENTS.keys().isdisjoint(found.texts):
        found = _accented(found)
    rtl = _is_rtl(found.texts)
    runs = _runs(found, rtl)
    starts, spaced = _words(found, runs, rtl)
    return _lines(found, runs, *_closed_up(found, runs, starts, spaced))


def _is_rtl(texts: Sequence[str]) -> bool:
    sample = texts[:: max(1, len(texts) // 400)]
    foreign = [text[0] for text in sample if not text.isascii()]
    strong = sum(unicodedata.bidirectional(sign) in ("R", "AL") for sign in foreign)
    return strong > 0.3 * len(sample)


def _runs(found: Characters, rtl: bool) -> list[int]:
    """Where lines begin: at a change of baseline or direction, and at gutters."""
    sizes, angles = _shapes(found)
    u0, u1, v, style = found.u0, found.u1, found.v, found.style
    gaps = u0[1:] - u1[:-1]
    gaps[(u0[1:] == u0[:-1]) & (u1[1:] == u1[:-1])] = 0.0  # one ligature
    size = sizes[1:]
    plain = (style[1:] == style[:-1]) & (v[1:] == v[:-1])
    if not rtl:
        plain &= (gaps <= _GUTTER * size) & (gaps >= -size)
    # within plain characters nothing can end a line, nor does its baseline change
    at = np.flatnonzero(~plain) + 1
    rows = zip(
        at.tolist(), sizes[at].tolist(), angles[at].tolist(), v[at].tolist(), gaps[at - 1].tolist(),
        (u1 - u0)[at - 1].tolist(), strict=True,
    )  # fmt: skip
    base, base_size, angle = float(v[0]), float(sizes[0]), int(angles[0])
    starts = [0]
    for i, size, turned, down, gap, last in rows:
        small, big = (size, base_size) if size < base_size else (base_size, size)
        reach = _BREAK * (big if big < 2.2 * small else small)
        if (
            turned != angle
            or not -reach <= down - base <= reach
            or (
                not rtl
                and (gap > _GUTTER * small or (gap < -small and gap < -_back(found.texts, i, last, small)))
            )
        ):
            starts.append(i)
            base, base_size, angle = down, size, turned
        elif size > base_size * 1.05 or abs(size - base_size) <= base_size * 0.05:
            base, base_size = down, size
    return starts


def _shapes(found: Characters) -> tuple[Doubles, Integers]:
    """Size and direction of each character's type."""
    shapes = np.array([(style.size, style.angle) for style in found.styles])[found.style]
    return shapes[:, 0], shapes[:, 1].astype(np.int64)


def _back(texts: Sequence[str], i: int, last: float, size: float) -> float:
    """How far x may jump back within a line: accents are often drawn after the word they belong to."""
    if texts[i] in _ACCENTS or texts[i - 1] in _ACCENTS:
        return 5 * size
    return max(1.0 * size, 0.8 * last)


def _words(found: Characters, runs: Sequence[int], rtl: bool) -> tuple[Flags, Flags]:
    """Which characters begin a word, and before which of them stands a space."""
    sizes, _ = _shapes(found)
    gaps = np.append(np.inf, _gaps_rtl(found, runs) if rtl else found.u0[1:] - found.u1[:-1])
    spaced = found.space | (gaps > 0.3 * sizes)
    if not rtl:
        spaced |= _wide_as_spaces(found, gaps / sizes, sizes, runs)
    spaced[runs] = found.space[runs]
    starts = spaced | np.append(True, _restyled(found, sizes))
    starts[runs] = True
    return starts, spaced


def _wide_as_spaces(found: Characters, gaps: Doubles, sizes: Doubles, runs: Sequence[int]) -> Flags:
    """Where a gap in em is as wide as the spaces of its line are: PDFium does not tell them all."""
    out: Flags = np.zeros(len(gaps), dtype=bool)
    wide = (gaps > _LEAST) & (gaps < 1)
    told = found.space & wide
    level = np.abs(np.diff(found.v, prepend=found.v[0])) <= _CLOSE * sizes
    untold = wide & level & ~found.space & [text not in _STOPS for text in found.texts]
    ends = [*runs[1:], len(gaps)]
    for k in np.unique(np.searchsorted(runs, np.flatnonzero(untold), side="right") - 1).tolist():
        own = slice(runs[k] + 1, ends[k])
        letters = gaps[own][~found.space[own]]
        if told[own].any() and letters.size and np.median(letters) < _EVEN:
            usual = np.median(gaps[own][told[own]])
            out[own] = untold[own] & (gaps[own] > _LIKE * usual)
    return out


def _gaps_rtl(found: Characters, runs: Sequence[int]) -> list[float]:
    """Twice the blank between each character and the word before it, on whichever side it stands."""
    sizes, _ = _shapes(found)
    out: list[float] = []
    begins = set(runs)
    left = right = 0.0
    rows = zip(found.u0.tolist(), found.u1.tolist(), found.space.tolist(), sizes.tolist(), strict=True)
    for i, (u0, u1, space, size) in enumerate(rows):
        gap = 2 * max(u0 - right, left - u1)
        left, right = min(left, u0), max(right, u1)
        if i in begins or space or gap > 0.3 * size:
            left, right = u0, u1
        out.append(gap)
    return out[1:]


def _closed_up(
    found: Characters, runs: Sequence[int], starts: Flags, spaced: Flags
) -> tuple[list[int], list[bool]]:
    """Where words begin and whether a space stands there, letter-spaced lines closed up.

    Their letters stand apart by one distance, their words by more.
    """
    ends = [*runs[1:], len(found.texts)]
    for start, end in zip(runs, ends, strict=True):
        if (
            end - start < _SPACED
            or not starts[start:end].all()
            or not all(text.isalpha() for text in found.texts[start:end])
        ):
            continue
        gaps = found.u0[start + 1 : end] - found.u1[start : end - 1]
        usual = float(np.sort(gaps)[len(gaps) // 2])
        if 0 < usual < _SPACE * found.styles[found.style[start]].size:
            starts[start + 1 : end] = gaps > _APART * usual
    at = np.flatnonzero(starts)
    return at.tolist(), spaced[at].tolist()


def _restyled(found: Characters, sizes: Doubles) -> Flags:
    """Which characters but the first are set unlike the one before."""
    looks = np.array([(style.bold, style.italic) for style in found.styles])[found.style]
    one, other = sizes[:-1], sizes[1:]
    changed: Flags = (np.abs(one - other) > 0.1 * one) | (looks[1:] != looks[:-1]).any(axis=1)
    changed |= np.abs(np.diff(found.v)) > 0.08 * np.maximum(one, other)
    changed &= found.style[1:] != found.style[:-1]
    return changed


def _lines(
    found: Characters, runs: Sequence[int], starts: Sequence[int], spaced: Sequence[bool]
) -> list[Line]:
    """The lines, of the words that begin at `starts`."""
    rtl = _RTL.search("".join(found.texts)) is not None
    words = _made(found, starts, spaced)
    drawn = [found.styles[k].size for k in found.style[np.asarray(starts)].tolist()]  # words have it rounded
    lengths = np.diff(starts, append=len(found.texts)).tolist()
    cuts = [*np.searchsorted(starts, runs).tolist(), len(starts)]
    out: list[Line] = []
    for low, high in itertools.pairwise(cuts):
        line = words[low:high]
        line[0] = line[0]._replace(glued=False) if line[0].glued else line[0]
        sizes = drawn[low:high]
        size, base = _measured(line, sizes, lengths[low:high])
        line = in_order(line) if rtl else line
        if len(set(sizes)) > 1:
            line = [mark_script(word, size, base) for word in line]
            line = line if rtl else _with_marks(line)
        out.append(make_line(line, size, base))
    return out


def _measured(words: Sequence[Word], sizes: Sequence[float], lengths: Iterable[int]) -> tuple[float, float]:
    """The size of most signs, and the baseline of words in about that size."""
    counted: Counter[float] = Counter()
    for own, length in zip(sizes, lengths, strict=True):
        counted[round(own, 1)] += length
    size = max(counted, key=lambda s: (counted[s], s))
    near = (w.baseline for w, own in zip(words, sizes, strict=True) if abs(own - size) < 0.06 * size + 0.1)
    bases = sorted(near)
    return size, bases[len(bases) // 2]


def _with_marks(words: Sequence[Word]) -> list[Word]:
    """The words, raised numbers that point to references glued to what they stand close behind."""
    if all([word.script != 1 for word in words]):
        return list(words)
    out = list(words[:1])
    for above, word in itertools.pairwise(words):
        near = word.script == 1 and above.script == 0 and word.x0 - above.x1 < _KERN * above.size
        out.append(word._replace(glued=True) if near and _REFERENCE.fullmatch(word.text) else word)
    return out


def _made(found: Characters, starts: Sequence[int], spaced: Sequence[bool]) -> list[Word]:
    at = np.asarray(starts)
    looks = [(round(s.size, 2), s.bold, s.italic, s.font, 0) for s in found.styles]
    shapes = np.array([(style.size, style.angle) for style in found.styles])[found.style[at]]
    v, size, angle = found.v[at], shapes[:, 0], shapes[:, 1]
    left, right = np.minimum.reduceat(found.u0, at), np.maximum.reduceat(found.u1, at)
    top, bottom = v - ASCENT * size, v + DESCENT * size
    edges = np.stack((left, top, right, bottom), axis=1)
    turned = (
        (90, (top, -right, bottom, -left)), (180, (-right, -bottom, -left, -top)),
        (270, (-bottom, left, -top, right)),
    )  # fmt: skip
    for turn, sides in turned if angle.any() else ():
        edges[angle == turn] = np.stack(sides, axis=1)[angle == turn]
    columns = (edges, v, found.style[at], angle.astype(int), at, np.append(at[1:], len(found.texts)))
    rows = zip(*(column.tolist() for column in columns), spaced, strict=True)
    out: list[Word] = []
    for box, down, style, turn, start, end, space in rows:
        text = "".join(found.texts[start:end])
        if not text.isascii():
            text = _spelt(found, start, end, text)
        # twice as fast as Word(...)
        out.append(tuple.__new__(Word, (text, *box, down, *looks[style], not space, turn)))
    return out


def _spelt(found: Characters, start: int, end: int, text: str) -> str:
    """The characters of a word in NFC; letters of one Arabic ligature in logical order.

    PDFium turns these round with the line.
    """
    if any("\u0600" <= c <= "\u06ff" for c in text):
        places = zip(found.u0[start:end].tolist(), found.u1[start:end].tolist(), strict=True)
        letters = zip(places, found.texts[start:end], strict=True)
        groups = [[text for _, text in group] for _, group in itertools.groupby(letters, lambda p: p[0])]
        text = "".join("".join(reversed(group)) for group in groups)
    return unicodedata.normalize("NFC", text)


def _accented(found: Characters) -> Characters:
    """Accents that are drawn over a letter of the page put on it, wherever they stand in the file."""
    texts, space = list(found.texts), found.space.copy()
    kept = np.ones(len(texts), dtype=bool)
    dropped = 0
    for i, text in enumerate(found.texts):
        accent = _ACCENTS.get(text)
        if accent is None or dropped > _MOST_ACCENTS:
            continue
        best = _under(found, i, max(0, i - 12), min(len(texts), i + 13))
        if best is None:
            best = _under(found, i, 0, len(texts))
        if best is not None:
            base = {"ı": "i", "ȷ": "j"}.get(texts[best], texts[best])
            texts[best] = unicodedata.normalize("NFC", base + accent)
            kept[i] = False
            dropped += 1
            if i + 1 < len(texts):
                before = i - int(np.argmax(kept[i::-1]))
                space[i + 1] = (space[i] or space[i + 1]) and not _touch(found, before, i + 1)
    return found._replace(texts=texts, space=space).only(kept)


def _touch(found: Characters, one: int, other: int) -> bool:
    """Whether a sign stands right behind another, on its baseline."""
    size = found.styles[found.style[other]].size
    gap = abs(found.u0[other] - found.u1[one])
    return bool(gap < _CLOSE * size and abs(found.v[other] - found.v[one]) <= _CLOSE * size)


def _under(found: Characters, i: int, start: int, end: int) -> int | None:
    """The letter under the accent at `i`, the nearest in the file."""
    middle = (found.u0[i] + found.u1[i]) / 2
    own = slice(start, end)
    over = (found.u0[own] + 0.1 <= middle) & (middle <= found.u1[own] - 0.1)
    over &= np.abs(found.v[own] - found.v[i]) < 6
    letters = [j for j in (np.flatnonzero(over) + start).tolist() if j != i and found.texts[j][0].isalpha()]
    return min(letters, key=lambda j: abs(j - i - 0.5), default=None)


def in_order(words: list[Word]) -> list[Word]:
    """The words of a line; where it runs from right to left, a stop behind a number is put there again.

    PDFium gives it before the number.
    """
    if not any("\u0590" <= word.text[0] <= "\u08ff" and word.text[0].isalpha() for word in words):
        return words
    return [word._replace(text=_BEFORE_NUMBER.sub(r"\2\1", word.text)) for word in words]


def mark_script(word: Word, size: float, base: float) -> Word:
    """The word with `script` set by its place against the line's own size and baseline."""
    if word.size > 0.88 * size:
        return word._replace(script=0) if word.script else word
    rise = base - word.baseline
    script = 1 if rise > 0.14 * size else -1 if rise < -0.06 * size else 0
    return word._replace(script=script)


def merge_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines with their scattered pieces put together; the order is that of each line's first piece."""
    groups = ([lines[i] for i in members] for members in _groups(lines))
    return [pieces[0] if len(pieces) == 1 else _together(pieces) for pieces in groups]


def _groups(lines: Sequence[Line]) -> list[list[int]]:
    groups = Groups(len(lines))
    order = sorted((i for i in range(len(lines)) if lines[i].angle == 0), key=lambda i: lines[i].baseline)
    base_of: dict[int, tuple[float, int]] = {}
    for a, i in enumerate(order):
        one = lines[i]
        for j in order[a + 1 :]:
            other = lines[j]
            if other.baseline - one.baseline > 12 and other.baseline - one.baseline > 0.6 * one.size:
                break
            if _same_line(one, other, abs(i - j) == 1):
                groups.join(i, j)
            else:
                for small, large, s, base in ((one, other, i, j), (other, one, j, i)):
                    distance = _hangs(small, large)
                    if distance is not None and (s not in base_of or distance < base_of[s][0]):
                        base_of[s] = (distance, base)
    for s, (_, base) in base_of.items():
        groups.join(s, base)
    return groups.members()


def _gap(one: Line, other: Line) -> float:
    return max(one.x0, other.x0) - min(one.x1, other.x1)


def _same_line(one: Line, other: Line, consecutive: bool) -> bool:
    small = min(one.size, other.size)
    if abs(one.baseline - other.baseline) > 0.15 * small or max(one.size, other.size) > 1.6 * small:
        return False
    return -0.5 * small < _gap(one, other) < (_NEXT if consecutive else _NEAR) * small


def _hangs(small: Line, large: Line) -> float | None:
    """How far a script is from the line that it may belong to; None if it cannot."""
    if small.size > 0.86 * large.size or sum(len(w.text) for w in small.words) > 14:
        return None
    rise = (large.baseline - small.baseline) / large.size
    if not -0.35 < rise < 0.62:
        return None
    gap = _gap(small, large)
    return abs(rise) + max(0.0, gap) / large.size if gap < 0.35 * large.size else None


def _together(pieces: Sequence[Line]) -> Line:
    words = sorted((w for piece in pieces for w in piece.words), key=lambda w: w.x0)
    size, base = _measured(words, [w.size for w in words], [len(w.text) for w in words])
    starts = {id(piece.words[0]) for piece in pieces}
    out: list[Word] = []
    for word in words:
        glued = word.glued
        if out and (id(word) in starts or word.x0 - out[-1].x1 > 0.3 * size):
            glued = word.x0 - out[-1].x1 < _TOUCH * min(size, word.size * 1.3)
        out.append(mark_script(word._replace(glued=bool(out) and glued), size, base))
    return make_line(out, size, base)
