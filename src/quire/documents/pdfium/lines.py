"""Characters to words to lines, in the order of the file, and what was drawn apart put together."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from quire.documents.pdfium.fonts import Style
from quire.documents.pdfium.text import Char, Characters
from quire.documents.raw import Line, Word, make_line

_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c", "¸": "\u0327",
    "˚": "\u030a", "¯": "\u0304", "˘": "\u0306", "˙": "\u0307", "˝": "\u030b", "˛": "\u0328",
    "^": "\u0302", "~": "\u0303",
}  # fmt: skip
_SPACED = 5  # letters of a letter-spaced line, at least
_SPACE = 0.8  # em between its letters, at most
_APART = 1.6  # times as far stand its words
_GUTTER = 1.5  # em: a gap that two pieces of one line never have
_BREAK = 0.6  # em: a change of baseline that starts a new line
_BEFORE_NUMBER = re.compile(r"^([.,:;،؛]+)(\d[\d.,٫٬]*%?)$")


def build_lines(found: Characters) -> list[Line]:
    """The lines of a page in the order of the file, with scripts marked."""
    lines: list[Line] = []
    rtl = _is_rtl(found.chars)
    chars = _accented(found.chars) if any(c.text in _ACCENTS for c in found.chars) else found.chars
    for run in _runs(chars, found.styles, rtl):
        lines.append(_line(_closed_up(_words(run, found.styles, rtl), found.styles), found.styles))
    return lines


def _is_rtl(chars: Sequence[Char]) -> bool:
    sample = chars[:: max(1, len(chars) // 400)]
    strong = sum(unicodedata.bidirectional(c.text[0]) in ("R", "AL") for c in sample)
    return strong > 0.3 * len(sample)


def _runs(chars: Sequence[Char], styles: Sequence[Style], rtl: bool) -> Iterator[list[Char]]:
    """Characters that stand on one line, cut at gutters."""
    run: list[Char] = []
    base, base_size, angle, u0, u1 = 0.0, 0.0, 0, 0.0, 0.0
    shapes = [(style.size, style.angle) for style in styles]
    for char in chars:
        size, turned = shapes[char.style]
        if run:
            small, big = (size, base_size) if size < base_size else (base_size, size)
            reach = _BREAK * (big if big < 2.2 * small else small)
            gap = 0.0 if char.u0 == u0 and char.u1 == u1 else char.u0 - u1  # one ligature
            if (
                turned != angle
                or not -reach <= char.v - base <= reach
                or (
                    not rtl
                    and (gap > _GUTTER * small or (gap < -small and gap < -_back(char, run[-1], small)))
                )
            ):
                yield run
                run = []
        if not run:
            base, base_size, angle = char.v, size, turned
        elif size > base_size * 1.05 or abs(size - base_size) <= base_size * 0.05:
            base, base_size = char.v, size
        run.append(char)
        u0, u1 = char.u0, char.u1
    if run:
        yield run


def _back(char: Char, last: Char, size: float) -> float:
    """How far x may jump back within a line: accents are often drawn after the word they belong to."""
    if char.text in _ACCENTS or last.text in _ACCENTS:
        return 5 * size
    return max(1.0 * size, 0.8 * (last.u1 - last.u0))


def _words(run: Sequence[Char], styles: Sequence[Style], rtl: bool) -> list[list[Char]]:
    """A run cut into words; a word whose first character has no space before it goes on from the last."""
    words: list[list[Char]] = [[run[0]]]
    left, right = run[0].u0, run[0].u1
    last = run[0]
    for char in run[1:]:
        style = char.style
        if rtl:
            gap = max(char.u0 - right, left - char.u1) * 2
            left, right = min(left, char.u0), max(right, char.u1)
        else:
            gap = char.u0 - last.u1
        if char.space or gap > 0.3 * styles[style].size:
            words.append([char if char.space else char._replace(space=True)])
            left, right = char.u0, char.u1
        elif style != last.style and _restyled(styles[last.style], styles[style], char.v - last.v):
            words.append([char])
        else:
            words[-1].append(char)
        last = char
    return words


def _closed_up(words: list[list[Char]], styles: Sequence[Style]) -> list[list[Char]]:
    """Words of a letter-spaced line: their letters stand apart by one distance, they themselves by more."""
    if len(words) < _SPACED or any(len(word) > 1 or not word[0].text.isalpha() for word in words):
        return words
    gaps = [word[0].u0 - before[0].u1 for before, word in itertools.pairwise(words)]
    usual = sorted(gaps)[len(gaps) // 2]
    if not 0 < usual < _SPACE * styles[words[0][0].style].size:
        return words
    joined = [list(words[0])]
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap > _APART * usual:
            joined.append(list(word))
        else:
            joined[-1].extend(char._replace(space=False) for char in word)
    return joined


def _restyled(one: Style, other: Style, shift: float) -> bool:
    return (
        abs(one.size - other.size) > 0.1 * one.size
        or abs(shift) > 0.08 * max(one.size, other.size)
        or one.bold != other.bold
        or one.italic != other.italic
    )


def _line(words: Sequence[Sequence[Char]], styles: Sequence[Style]) -> Line:
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[round(styles[word[0].style].size, 1)] += len(word)
    size = max(sizes, key=lambda s: (sizes[s], s))
    bases = sorted(w[0].v for w in words if abs(styles[w[0].style].size - size) < 0.06 * size + 0.1)
    base = bases[len(bases) // 2] if bases else words[0][0].v
    built = [_word(word, styles[word[0].style], first=i == 0) for i, word in enumerate(words)]
    return make_line([mark_script(w, size, base) for w in in_order(built)], size, base)


def in_order(words: Sequence[Word]) -> Sequence[Word]:
    """The words of a line; where it runs from right to left, a stop behind a number is put there again.

    PDFium gives it before the number.
    """
    if not any("\u0590" <= word.text[0] <= "\u08ff" and word.text[0].isalpha() for word in words):
        return words
    return [word._replace(text=_BEFORE_NUMBER.sub(r"\2\1", word.text)) for word in words]


def _word(chars: Sequence[Char], style: Style, *, first: bool) -> Word:
    u0, u1 = min([c.u0 for c in chars]), max([c.u1 for c in chars])
    v, size = chars[0].v, style.size
    top, bottom = v - 0.75 * size, v + 0.22 * size
    if style.angle == 0:
        x0, y0, x1, y1 = u0, top, u1, bottom
    elif style.angle == 90:
        x0, y0, x1, y1 = top, -u1, bottom, -u0
    elif style.angle == 180:
        x0, y0, x1, y1 = -u1, -bottom, -u0, -top
    else:
        x0, y0, x1, y1 = -bottom, u0, -top, u1
    return Word(
        text=_spelt(chars), x0=x0, y0=y0, x1=x1, y1=y1, baseline=v, size=round(size, 2), bold=style.bold,
        italic=style.italic, font=style.font, glued=not first and not chars[0].space, angle=style.angle,
    )  # fmt: skip


def _spelt(chars: Sequence[Char]) -> str:
    """The characters as text in NFC."""
    text = "".join([c.text for c in chars])
    if text.isascii():
        return text
    if any("\u0600" <= c <= "\u06ff" for c in text):
        text = "".join([c.text for c in _unreversed(chars)])
    return unicodedata.normalize("NFC", text)


def _accented(chars: list[Char]) -> list[Char]:
    """Accents that are drawn over a letter of the page put on it, wherever they stand in the file."""
    out = list(chars)
    dropped: set[int] = set()
    for i, char in enumerate(chars):
        accent = _ACCENTS.get(char.text)
        if accent is None or len(dropped) > 500:
            continue
        best = _under(chars, i, range(max(0, i - 12), min(len(chars), i + 13)))
        if best is None:
            best = _under(chars, i, range(len(chars)))
        if best is not None:
            base = {"ı": "i", "ȷ": "j"}.get(out[best].text, out[best].text)
            out[best] = out[best]._replace(text=unicodedata.normalize("NFC", base + accent))
            dropped.add(i)
            if char.space and best == i + 1:
                out[best] = out[best]._replace(space=True)
    return [c for i, c in enumerate(out) if i not in dropped]


def _under(chars: Sequence[Char], i: int, where: range) -> int | None:
    """The letter under the accent at `i`, the nearest in the file."""
    found = [j for j in where if j != i and chars[j].text[0].isalpha() and _over(chars[i], chars[j])]
    return min(found, key=lambda j: abs(j - i - 0.5)) if found else None


def _unreversed(chars: Sequence[Char]) -> Sequence[Char]:
    """Letters of one Arabic ligature in logical order: PDFium turns them round with the line."""
    out: list[Char] = []
    for _, glyph in itertools.groupby(chars, key=lambda c: (c.u0, c.u1)):
        letters = list(glyph)
        out.extend(reversed(letters) if len(letters) > 1 else letters)
    return out


def _over(accent: Char, letter: Char) -> bool:
    middle = (accent.u0 + accent.u1) / 2
    return letter.u0 + 0.1 <= middle <= letter.u1 - 0.1 and abs(accent.v - letter.v) < 6


def mark_script(word: Word, size: float, base: float) -> Word:
    """The word with `script` set by its place against the line's own size and baseline."""
    if word.size > 0.88 * size:
        return word._replace(script=0) if word.script else word
    rise = base - word.baseline
    script = 1 if rise > 0.14 * size else -1 if rise < -0.06 * size else 0
    return word._replace(script=script)
