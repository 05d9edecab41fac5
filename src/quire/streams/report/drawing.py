"""Plots as a list of shapes, which two painters put on SVG or PNG: one description, two formats.

Coordinates are pixels, origin top left. Colours are chosen to be told apart by most people (Okabe & Ito).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from quire.streams.report.confusion import Confusion
from quire.streams.report.curves import Curve

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#444444", "#999933",
    "#8c564b", "#b2001d", "#7fbf7b",
)  # fmt: skip
_INK, _GREY = "#222222", "#cccccc"
_LEFT, _TOP, _WIDTH, _HEIGHT, _LEGEND, _ROW = 56, 34, 520, 300, 300, 16


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: str


@dataclass(frozen=True, slots=True)
class Label:
    """A text; `anchor` is start, middle or end. `turned` runs upwards."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    colour: str = _INK
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a white sheet."""

    title: str
    width: int
    height: int
    shapes: tuple[Line | Box | Label, ...]


def lines(title: str, curves: Sequence[Curve]) -> Drawing:
    """Curves over steps, percent upwards, names at the side."""
    steps = max((curve.x[-1] for curve in curves if curve.x), default=1)
    curves = [_settled(curve, steps) for curve in curves]
    every = [y for curve in curves for y in curve.y]
    low, high = _range(every)
    shapes: list[Line | Box | Label] = [Label(_LEFT, 18, title)]
    for tick in _ticks(low, high):
        y = _up(tick, low, high)
        shapes += [
            Line(((_LEFT, y), (_LEFT + _WIDTH, y)), _GREY),
            Label(_LEFT - 6, y + 4, f"{tick:.0%}", "end"),
        ]
    for step in _round_steps(steps):
        x = _LEFT + step / steps * _WIDTH
        shapes.append(Label(x, _TOP + _HEIGHT + 18, str(step), "middle"))
    shapes.append(Label(_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 36, "steps", "middle"))
    coloured = [(curve, COLOURS[number % len(COLOURS)]) for number, curve in enumerate(curves)]
    # The legend stands in the order in which the lines end.
    coloured.sort(key=lambda pair: -pair[0].y[-1] if pair[0].y else 0.0)
    for number, (curve, colour) in enumerate(coloured):
        points = tuple(
            (_LEFT + x / steps * _WIDTH, _up(y, low, high)) for x, y in zip(curve.x, curve.y, strict=True)
        )
        shapes.append(Line(points, colour, 2.0))
        y = _TOP + 10 + number * _ROW
        x = _LEFT + _WIDTH + 14
        last = f"{curve.y[-1]:.1%}" if curve.y else ""
        shapes += [Line(((x, y - 4), (x + 18, y - 4)), colour, 3.0), Label(x + 24, y, f"{last} {curve.name}")]
    height = max(_TOP + _HEIGHT + 48, _TOP + 20 + len(curves) * _ROW)
    return Drawing(title, _LEFT + _WIDTH + _LEGEND, height, tuple(shapes))


def heat(matrix: Confusion) -> Drawing:
    """A matrix of shares: rows are what it was, columns what was said."""
    cell, left, top = 52, 190, 170
    shapes: list[Line | Box | Label] = [Label(12, 18, matrix.name)]
    for row, (label, count) in enumerate(zip(matrix.labels, matrix.counts, strict=True)):
        y = top + row * cell
        shapes.append(Label(left - 8, y + cell / 2 + 4, f"{label} ({count})", "end"))
        for column, share in enumerate(matrix.share[row]):
            x = left + column * cell
            shapes.append(Box(x, y, cell - 2, cell - 2, _shade(share)))
            ink = "#ffffff" if share > 0.5 else _INK
            shapes.append(Label(x + cell / 2 - 1, y + cell / 2 + 4, f"{100 * share:.0f}", "middle", ink))
    for column, label in enumerate(matrix.said):
        shapes.append(Label(left + column * cell + cell / 2 + 4, top - 8, label, turned=True))
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


def _range(every: Sequence[float]) -> tuple[float, float]:
    if not every:
        return 0.0, 1.0
    low, high = math.floor(min(every) * 10) / 10, math.ceil(max(every) * 10) / 10
    return (low, high) if high > low else (low, low + 0.1)


def _ticks(low: float, high: float) -> list[float]:
    count = round((high - low) * 10)
    every = 1 if count <= 6 else 2
    return [low + n / 10 for n in range(0, count + 1, every)]


def _round_steps(steps: int) -> range:
    """Four to eight round numbers from 0 to `steps` (fewer of a very short stream)."""
    unit = next(u * 10**n for n in range(12) for u in (1, 2, 5) if steps / (u * 10**n) <= 8)
    return range(0, steps + 1, unit)


def _up(value: float, low: float, high: float) -> float:
    return _TOP + _HEIGHT * (1 - (value - low) / (high - low))


def _shade(share: float) -> str:
    # From near white to the first colour.
    start, end = (240, 244, 248), (0, 114, 178)
    mixed = (round(a + (b - a) * share) for a, b in zip(start, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
