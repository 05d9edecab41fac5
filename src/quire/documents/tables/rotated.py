"""Pages with sideways text, rotated so that this text stands upright.

view = rotated(page, 90)          # text that runs upwards becomes horizontal
rotated_back(view_box, page, 90)  # a box of the view on the page as displayed
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from quire.documents.raw import Drawing, Edges, Line, RawPage, Rule, Word, make_line

Box4 = tuple[float, float, float, float]


def rotated(page: RawPage, angle: int) -> RawPage:
    """The page with the text of that angle (90: upwards, 270: downwards) upright; other text is left out."""
    turn = _turner(page, angle)
    lines = tuple(_line(line, turn) for line in page.lines if line.angle == angle)
    return replace(
        page,
        width=page.height,
        height=page.width,
        lines=lines,
        rules=tuple(
            Rule(*turn(r[:4]), horizontal=not r.horizontal, thickness=r.thickness, edge=r.edge)
            for r in page.rules
        ),
        pictures=tuple(Edges(*turn(p)) for p in page.pictures),
        drawings=tuple(Drawing(*turn(d[:4]), d.filled, d.stroked, d.color) for d in page.drawings),
    )


def rotated_back(box: Edges, page: RawPage, angle: int) -> Edges:
    """A box of a rotated view on the page itself."""
    x0, y0, x1, y1 = box
    if angle == 90:
        return Edges(y0, page.height - x1, y1, page.height - x0)
    return Edges(page.width - y1, x0, page.width - y0, x1)


def _turner(page: RawPage, angle: int) -> Callable[[Box4], Box4]:
    if angle == 90:
        return lambda b: (page.height - b[3], b[0], page.height - b[1], b[2])
    return lambda b: (b[1], page.width - b[2], b[3], page.width - b[0])


def _line(line: Line, turn: Callable[[Box4], Box4]) -> Line:
    words = [_word(word, turn) for word in line.words]
    main = next((w for w in words if w.script == 0), words[0])
    return make_line(words, line.size, main.baseline)


def _word(word: Word, turn: Callable[[Box4], Box4]) -> Word:
    x0, y0, x1, y1 = turn((word.x0, word.y0, word.x1, word.y1))
    # Word boxes stand .75 em above and .22 em below the baseline.
    return word._replace(x0=x0, y0=y0, x1=x1, y1=y1, baseline=y1 - 0.22 * word.size, angle=0)
