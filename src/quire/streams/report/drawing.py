"""The plots of streams: learning curves, and which label was taken for which."""

from __future__ import annotations

from collections.abc import Sequence

from quire.streams.report.confusion import Confusion
from quire.streams.report.curves import Curve
from quire.streams.report.shapes import COLOURS, INK, Box, Drawing, Frame, Label, Line, Shape, around

_LEFT, _TOP, _WIDTH, _HEIGHT, _LEGEND, _ROW = 56, 34, 520, 300, 300, 16


def lines(title: str, curves: Sequence[Curve]) -> Drawing:
    """Curves over steps, percent upwards, names at the side in the order in which the lines end."""
    steps = max((curve.x[-1] for curve in curves if curve.x), default=1)
    curves = [_settled(curve, steps) for curve in curves]
    frame = Frame(_LEFT, _TOP, _WIDTH, _HEIGHT, *around([y for curve in curves for y in curve.y]))
    shapes: list[Shape] = [Label(_LEFT, 18, title), *frame.grid()]
    for step in _round_steps(steps):
        shapes.append(Label(_LEFT + step / steps * _WIDTH, frame.floor + 18, str(step), "middle"))
    shapes.append(Label(_LEFT + _WIDTH / 2, frame.floor + 36, "steps", "middle"))
    coloured = [(curve, COLOURS[number % len(COLOURS)]) for number, curve in enumerate(curves)]
    coloured.sort(key=lambda pair: -pair[0].y[-1] if pair[0].y else 0.0)
    for number, (curve, colour) in enumerate(coloured):
        points = tuple(
            (_LEFT + x / steps * _WIDTH, frame.up(y)) for x, y in zip(curve.x, curve.y, strict=True)
        )
        y, x = _TOP + 10 + number * _ROW, frame.right + 14
        last = f"{curve.y[-1]:.1%}" if curve.y else ""
        shapes += [Line(points, colour, 2.0), Line(((x, y - 4), (x + 18, y - 4)), colour, 3.0)]
        shapes.append(Label(x + 24, y, f"{last} {curve.name}"))
    height = max(_TOP + _HEIGHT + 48, _TOP + 20 + len(curves) * _ROW)
    return Drawing(title, _LEFT + _WIDTH + _LEGEND, height, tuple(shapes))


def heat(matrix: Confusion) -> Drawing:
    """A matrix of shares: rows are what it was, columns what was said."""
    cell, left, top = 52, 190, 170
    shapes: list[Shape] = [Label(12, 18, matrix.name)]
    for row, (label, count) in enumerate(zip(matrix.labels, matrix.counts, strict=True)):
        y = top + row * cell
        shapes.append(Label(left - 8, y + cell / 2 + 4, f"{label} ({count})", "end"))
        for column, share in enumerate(matrix.share[row]):
            x = left + column * cell
            shapes.append(Box(x, y, cell - 2, cell - 2, _shade(share)))
            ink = "#ffffff" if share > 0.5 else INK
            shapes.append(Label(x + cell / 2 - 1, y + cell / 2 + 4, f"{100 * share:.0f}", "middle", ink))
    for column, label in enumerate(matrix.said):
        shapes.append(Label(left + column * cell + cell / 2 + 4, top - 8, label, rotated=True))
    return Drawing(
        f"Confusion: {matrix.name}",
        left + len(matrix.said) * cell + 20,
        top + len(matrix.labels) * cell + 20,
        tuple(shapes),
    )


def _settled(curve: Curve, steps: int) -> Curve:
    """Without the first hundredth of the stream, where a mean of a few answers jumps from 0 to 1."""
    start = next((at for at, x in enumerate(curve.x) if x >= steps / 100), 0)
    return Curve(curve.name, curve.x[start:], curve.y[start:], curve.spread[start:])


def _round_steps(steps: int) -> range:
    """Four to eight round numbers from 0 to `steps` (fewer of a very short stream)."""
    unit = next(u * 10**n for n in range(12) for u in (1, 2, 5) if steps / (u * 10**n) <= 8)
    return range(0, steps + 1, unit)


def _shade(share: float) -> str:
    # From near white to the first colour.
    start, end = (240, 244, 248), (0, 114, 178)
    mixed = (round(a + (b - a) * share) for a, b in zip(start, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
