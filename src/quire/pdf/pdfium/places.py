"""Pieces of lines as they stand on a page: characters that follow each other by place, and by nothing else.

    pieces(path, 3)     # [Piece("Department of Energy's", 72.0, 181.3, 640.2, 9.0, 0), ...]

What the reader made of the page (lines, columns, sentences) plays no part: only the file's characters with
their boxes. A character goes on a piece where it stands right behind its last one, on its baseline or as a
script of it. Two kinds of pieces are given, as a script may be drawn later than its line: in the order of the
file, and from left to right.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from quire.pdf.pdfium.text import Characters, read_characters
from quire.types import Piece

_LEVEL = 0.6  # em: signs nearer to a baseline are on its line, or scripts of it
_GAP = 1.0  # em between two signs that follow each other, at most
_BACK = 0.6  # em that a sign may reach back under the one before it (accents, scripts above each other)
_BLANK = 0.15  # em that make a space
_MOST = 30_000  # characters of a page
_MOST_PIECES = 4000


def pieces(path: Path, page: int) -> list[Piece]:
    """The pieces of page `page` (from 1) of a file; none if it has no characters, as a scan.

    Raises:
        DocumentError: the file cannot be opened.
    """
    from quire.pdf.pdfium.calls import frame_of
    from quire.pdf.pdfium.objects import read_objects
    from quire.pdf.pdfium.reader import open_document

    with open_document(path) as document:
        opened = document[page - 1]
        frame = frame_of(opened)
        clips = read_objects(opened.raw, frame).clips
        text_page = opened.get_textpage()  # closed with the document
        return in_pieces(read_characters(text_page.raw, frame, clips))


class _Sign(NamedTuple):
    text: str
    u0: float
    u1: float
    v: float
    size: float
    angle: int


def in_pieces(found: Characters) -> list[Piece]:
    """The characters of a page in pieces, each once."""
    signs = _signs(found)
    drawn = list(_runs(signs))
    known = {piece: None for piece in map(_piece, drawn)}
    for angle in {sign.angle for sign in signs}:
        level = sorted((sign for sign in signs if sign.angle == angle), key=lambda sign: sign.v)
        heights = [sign.v for sign in level]
        for run in drawn:
            if run[0].angle != angle or len(known) > _MOST_PIECES:
                continue
            base = max(run, key=lambda sign: sign.size)
            reach = _LEVEL * base.size
            first = bisect.bisect_left(heights, base.v - reach)
            band = sorted(level[first : bisect.bisect_right(heights, base.v + reach)], key=_middle)
            known.update((_piece(each), None) for each in _runs(band) if base in each)
    return list(known)


def _signs(found: Characters) -> list[_Sign]:
    columns = (each[:_MOST].tolist() for each in (found.u0, found.u1, found.v, found.style))
    return [
        _Sign(text, u0, u1, v, found.styles[style].size, found.styles[style].angle)
        for text, u0, u1, v, style in zip(found.texts[:_MOST], *columns, strict=True)
    ]


def _middle(sign: _Sign) -> float:
    return (sign.u0 + sign.u1) / 2


def _runs(signs: Iterable[_Sign]) -> Iterator[list[_Sign]]:
    """Signs in this order, parted where one does not stand right behind the one before."""
    run: list[_Sign] = []
    for sign in signs:
        if run and not _goes_on(run, sign):
            yield run
            run = []
        run.append(sign)
    if run:
        yield run


def _goes_on(run: Sequence[_Sign], sign: _Sign) -> bool:
    last = run[-1]
    em = max(last.size, sign.size)
    return (
        sign.angle == last.angle
        and abs(sign.v - last.v) <= _LEVEL * em
        and -_BACK * em - (last.u1 - last.u0) <= sign.u0 - last.u1 <= _GAP * em
    )


def _piece(run: Sequence[_Sign]) -> Piece:
    text, end = run[0].text, run[0].u1
    for sign in run[1:]:
        text += f" {sign.text}" if sign.u0 - end > _BLANK * sign.size else sign.text
        end = sign.u1
    base = max(run, key=lambda sign: sign.size)
    return Piece(text, run[0].u0, max(sign.u1 for sign in run), base.v, base.size, base.angle)
