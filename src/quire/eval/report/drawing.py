"""Plots of what grows: learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.eval.report.shapes import COLOURS, Plot, PlotFrame, Polyline, Shape, TextMark, around

_LEFT, _TOP, _WIDTH, _HEIGHT, _LEGEND, _ROW = 56, 34, 520, 300, 300, 16


@dataclass(frozen=True, slots=True)
class Curve:
    """One line: x in steps, y from 0 to 1."""

    name: str
    x: tuple[int, ...]
    y: tuple[float, ...]


def lines(title: str, curves: Sequence[Curve]) -> Plot:
    """Curves over steps, percent upwards, names at the side in the order in which the lines end."""
    steps = max((curve.x[-1] for curve in curves if curve.x), default=1)
    curves = [_settled(curve, steps) for curve in curves]
    frame = PlotFrame(_LEFT, _TOP, _WIDTH, _HEIGHT, *around([y for curve in curves for y in curve.y]))
    shapes: list[Shape] = [TextMark(_LEFT, 18, title), *frame.grid()]
    for step in _round_steps(steps):
        shapes.append(TextMark(_LEFT + step / steps * _WIDTH, frame.floor + 18, str(step), "middle"))
    shapes.append(TextMark(_LEFT + _WIDTH / 2, frame.floor + 36, "steps", "middle"))
    coloured = [(curve, COLOURS[number % len(COLOURS)]) for number, curve in enumerate(curves)]
    coloured.sort(key=lambda pair: -pair[0].y[-1] if pair[0].y else 0.0)
    for number, (curve, colour) in enumerate(coloured):
        points = tuple(
            (_LEFT + x / steps * _WIDTH, frame.up(y)) for x, y in zip(curve.x, curve.y, strict=True)
        )
        y, x = _TOP + 10 + number * _ROW, frame.right + 14
        last = f"{curve.y[-1]:.1%}" if curve.y else ""
        shapes += [Polyline(points, colour, 2.0), Polyline(((x, y - 4), (x + 18, y - 4)), colour, 3.0)]
        shapes.append(TextMark(x + 24, y, f"{last} {curve.name}"))
    height = max(_TOP + _HEIGHT + 48, _TOP + 20 + len(curves) * _ROW)
    return Plot(title, _LEFT + _WIDTH + _LEGEND, height, tuple(shapes))


def _settled(curve: Curve, steps: int) -> Curve:
    """Without the first hundredth of the stream, where a mean of a few answers jumps from 0 to 1."""
    start = next((at for at, x in enumerate(curve.x) if x >= steps / 100), 0)
    return Curve(curve.name, curve.x[start:], curve.y[start:])


def _round_steps(steps: int) -> range:
    """Four to eight round numbers from 0 to `steps` (fewer of a very short stream)."""
    unit = next(u * 10**n for n in range(12) for u in (1, 2, 5) if steps / (u * 10**n) <= 8)
    return range(0, steps + 1, unit)
