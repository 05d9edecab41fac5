"""The learning curve of a library as an SVG, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from quire.memory.curve import RECENT, Point

_COLUMNS, _ROWS = 60, 8
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_NONE = "Nothing was judged yet. After an answer: quire verdict right"


def as_svg(points: Sequence[Point]) -> str:
    """One SVG document: the share right so far, and of the last answers."""
    from quire.eval.report.drawing import Curve, lines
    from quire.eval.report.page import svg

    x = tuple(point.number for point in points)
    curves = (
        Curve("right of all so far", x, tuple(point.so_far for point in points)),
        Curve(f"right of the last {RECENT}", x, tuple(point.recent for point in points)),
    )
    return str(svg(lines("Answers judged right", curves if points else ())))


def as_lines(points: Sequence[Point]) -> list[str]:
    """The share right of the last answers as columns of blocks, and the figures in words."""
    if not points:
        return [_NONE]
    places: Sequence[int] = range(len(points))
    if len(points) > _COLUMNS:
        places = [len(points) * (n + 1) // _COLUMNS - 1 for n in range(_COLUMNS)]
    heights = [round(points[place].recent * _ROWS * 8) for place in places]
    drawn = []
    for row in range(_ROWS - 1, -1, -1):
        name = f"{(row + 1) / _ROWS:4.0%} " if row % 2 else "     "
        drawn.append(name + "|" + "".join(_EIGHTHS[min(8, max(0, high - 8 * row))] for high in heights))
    used = [point.right for point in points if point.used]
    last = points[-1]
    told = f"{last.number} answers judged, {last.so_far:.0%} right; of the last {RECENT} {last.recent:.0%}"
    if used:
        told += f"; where the memory took part {sum(used) / len(used):.0%} of {len(used)}"
    return [*drawn, "     +" + "-" * len(places), told]
