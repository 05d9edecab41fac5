"""Names of authors, from the rows between the title and the abstract.

A row counts when what is left of it without marks, degrees and numbers reads as names; all later rows in
the same type count too, so that grids of authors with their institutions between them are read whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.documents.layout.blocks import Block
from quire.documents.layout.rows import Row
from quire.documents.raw import Word, make_line
from quire.documents.words import tidy

_PARTICLES = frozenset(
    "van von de der den del della di da do dos das du la le el al bin ibn ben ten ter zu zur af av "
    "y e i st".split()
)
_INSTITUTION = re.compile(
    r"\b(?:universit\w*|institut\w*|department|dept|school|college|faculty|laborator\w+|labs?|"
    r"hospital|cent(?:er|re)|"
    r"research|academy|division|clinic\w*|company|inc|ltd|gmbh|corp\w*|ministry|foundation|society|"
    r"association|unit|"
    r"group|science\w*|technolog\w+|engineering|medicine|medical|program\w*|street|road|avenue|box|"
    r"usa|uk|china|germany|"
    r"france|japan|india|canada|korea|italy|spain|brain|google|microsoft|facebook|deepmind|openai|"
    r"amazon|ibm|republic|"
    r"correspond\w*|email|e-mail|authors?|editor|received|accepted|published|abstract|article|"
    r"access|open|volume|"
    r"journal|conference|proceedings|copyright|introduction|keywords|national|international|state|"
    r"general|health|city|"
    r"systems|computer|information|language|processing|network|learning|data|for|of|on|with|in|at|"
    r"from|to|by|the|is|are|we|this)\b",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"(?:,?\s*\b(?:M\.?\s?D|Ph\.?\s?D|M\.?\s?Sc|B\.?\s?Sc|M\.?\s?S|M\.?P\.?H|D\.?Sc|M\.?A|B\.?A|"
    r"MBBS|FRCP|Dr\.? ?rer\.? ?nat|DVM|RN|DO)\b\.?)+\s*(?=,|;|$|\band\b|&)"
)
_MEMBER = re.compile(
    r",?\s*(?:(?:Senior|Student|Graduate|Life|Associate)\s)*(?:Member|Fellow),?\s*(?:IEEE|ACM|IET)\b"
)
_TITLE = re.compile(r"^(?:Prof(?:essor)?|Dr|Mr|Mrs|Ms)\.?\s+", re.IGNORECASE)
_MARKS = "*†‡§¶#∗⋆⁎,;·•|^✉~◦♠♣♥♦⇤☆★∥‖¹²³⁴⁵⁶⁷⁸⁹⁰"
_TOKEN = re.compile(
    r"^(?:[A-ZÀ-ÞĀ-Ž]\.?|(?:[A-ZÀ-ÞĀ-Ž]\.-?){1,3}|[’'A-ZÀ-ÞĀ-Ždlmo][\w’'À-ÿĀ-ž-]*\.?|Jr\.?|Sr\.?|I{2,3})$"
)


def find_authors(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Names in printed order, from the blocks between the title and the abstract."""
    rows = _by_height([row for block in blocks for row in block.rows])
    first = next((i for i, row in enumerate(rows[:30]) if names_of(row)), None)
    if first is None:
        return ()
    kind = _kind(rows[first])
    found: list[str] = []
    broken = False
    for row in _rejoined(rows[first:]):
        if len(row.line.words) == 1 and row.line.words[0].text.strip(_MARKS + "0123456789") == "":
            continue
        names = names_of(row) if _kind(row) == kind else []
        if not names:
            broken = True
            continue
        if broken and not _grid(rows[first], row, kind):
            continue
        found.extend(names)
    return tuple(dict.fromkeys(found))


def _rejoined(rows: Sequence[Row]) -> list[Row]:
    """A name that is broken over two rows put together: "..., and Andrew" / "D. White"."""
    out: list[Row] = []
    for row in rows:
        above = out[-1] if out else None
        if above is not None and _kind(above) == _kind(row):
            parts = _parts(above.line.words)
            last = _split(parts[-1])[-1:] if parts else []
            if (
                last
                and " " not in last[0]
                and len(_split(" ".join(parts))) > 1
                and parts[-1].endswith(last[0])
            ):
                end = above.line.words[-1].x1
                shift = end + 0.25 * row.line.size - row.line.words[0].x0
                moved = [w._replace(x0=w.x0 + shift, x1=w.x1 + shift) for w in row.line.words]
                line = make_line([*above.line.words, *moved], above.line.size, above.line.baseline)
                out[-1] = replace(above, line=line)
                continue
        out.append(row)
    return out


def _by_height(rows: Sequence[Row]) -> list[Row]:
    """Grids of authors are read row by row, though they may look like columns of text."""
    lines: list[list[Row]] = []
    for row in sorted(rows, key=lambda r: r.line.baseline):
        if lines and row.line.baseline - lines[-1][0].line.baseline < 0.4 * row.line.size:
            lines[-1].append(row)
        else:
            lines.append([row])
    return [row for line in lines for row in sorted(line, key=lambda r: r.line.x0)]


def _kind(row: Row) -> tuple[float, bool]:
    words = [w for w in row.line.words if w.script == 0 and any(c.isalpha() for c in w.text)] or list(
        row.line.words
    )
    return round(max(w.size for w in words)), sum(w.bold for w in words) > 0.5 * len(words)


def _grid(first: Row, row: Row, kind: tuple[float, bool]) -> bool:
    """A later row of a grid: its type stands out by weight or size from what is between."""
    return kind[1] or row.line.y0 - first.line.y1 < 12 * kind[0]


def names_of(row: Row) -> list[str]:
    """The names that a row consists of; empty unless all of it reads as names."""
    pieces = [piece for part in _parts(row.line.words) for piece in _split(part)]
    if not pieces:
        return []
    names = [piece for piece in pieces if is_name(piece)]
    return names if len(names) >= 0.75 * len(pieces) else []


def _parts(words: Sequence[Word]) -> list[str]:
    """Texts of a row without superscripts, parted at wide gaps and where a mark stood."""
    out: list[list[str]] = [[]]
    last: Word | None = None
    marked = False
    for word in words:
        if word.script == 1:
            marked = True
            last = word
            continue
        wide = last is not None and word.x0 - last.x1 > 1.2 * word.size
        text = word.text
        if wide or (marked and text[:1].isupper()):
            out.append([])
        if out[-1] and word.glued and not marked:
            out[-1][-1] += text
        else:
            out[-1].append(text)
        marked, last = False, word
    return [" ".join(part) for part in out if part]


def _split(text: str) -> list[str]:
    text = _MEMBER.sub(" ", _DEGREE.sub(" ", tidy(text)))
    text = re.sub(r"\([^)]*\)", " ", text)
    text = re.sub(r"(?<=[^\W\d_])[\d*†‡§¶#∗⋆]+(?:\s?,\s?[\d*†‡§¶#∗⋆]+)*", ",", text)
    pieces = re.split(r"\s*(?:[,;·•|]|\band\b|\bund\b|\by\b(?=\s[A-Z])|&)\s*", text)
    return [p for p in (_TITLE.sub("", p.strip(" " + _MARKS + "0123456789")) for p in pieces) if len(p) > 1]


def is_name(text: str) -> bool:
    """Whether a text reads as the name of a person: two to six capitalised words, initials, particles."""
    tokens = text.split()
    if (
        not 2 <= len(tokens) <= 6
        or any(c.isdigit() for c in text)
        or _INSTITUTION.search(text)
        or "@" in text
    ):
        return False
    if not all(t.lower() in _PARTICLES or _TOKEN.match(t) for t in tokens):
        return False
    return any(len(t.strip(".")) > 1 and t[0].isupper() for t in tokens) and tokens[0].lower() not in (
        "the",
        "a",
    )
