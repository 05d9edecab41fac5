"""Plots as a list of shapes, which are put on SVG by a template (`plot.svg`) or painted as PNG.

Coordinates are pixels, origin top left. Colours are chosen to be told apart by most people (Okabe & Ito).
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#444444", "#999933",
    "#8c564b", "#b2001d", "#7fbf7b",
)  # fmt: skip
INK, GREY = "#222222", "#cccccc"


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str = GREY
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A filled rectangle; `told` is what a pointer is shown over it."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    told: str = ""


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around a point, filled or a ring; `told` is what a pointer is shown over it."""

    x: float
    y: float
    radius: float
    colour: str
    told: str = ""
    ring: bool = False


@dataclass(frozen=True, slots=True)
class TextMark:
    """A text; `anchor` is start, middle or end. `rotated` runs upwards."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    colour: str = INK
    rotated: bool = False


Shape = Polyline | Rectangle | Circle | TextMark


@dataclass
class Plot:
    """A white sheet and the shapes that were put on it, one over the other."""

    title: str
    width: int
    height: int
    shapes: list[Shape] = field(default_factory=list)

    def put(self, *shapes: Shape) -> None:
        """Put shapes over what is there."""
        self.shapes += shapes


@dataclass(frozen=True, slots=True)
class PlotFrame:
    """The field of a plot: shares from `low` to `high` go upwards."""

    left: float
    top: float
    width: float
    height: float
    low: float = 0.0
    high: float = 1.0

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def floor(self) -> float:
        """The lower edge."""
        return self.top + self.height

    def up(self, share: float) -> float:
        """Where a share stands."""
        return self.top + self.height * (1 - (share - self.low) / (self.high - self.low))

    def grid(self, plot: Plot) -> None:
        """A line and its percentage for each tick."""
        for tick in ticks(self.low, self.high):
            y = self.up(tick)
            plot.put(Polyline(((self.left, y), (self.right, y))))
            plot.put(TextMark(self.left - 6, y + 4, f"{tick:.0%}", "end"))


def around(shares: Sequence[float]) -> tuple[float, float]:
    """Round ends between which all shares lie."""
    if not shares:
        return 0.0, 1.0
    low, high = math.floor(min(shares) * 10) / 10, math.ceil(max(shares) * 10) / 10
    return (low, high) if high > low else (low, low + 0.1)


def ticks(low: float, high: float) -> list[float]:
    """Tenths from `low` to `high`, every second one where there are many."""
    count = round((high - low) * 10)
    every = 1 if count <= 6 else 2
    return [low + n / 10 for n in range(0, count + 1, every)]


def clipped(label: str, length: int) -> str:
    """A label of at most that many characters."""
    return label if len(label) <= length else label[: length - 1] + "\u2026"


_LEFT, _TOP, _WIDTH, _HEIGHT, _LEGEND, _ROW = 56, 34, 520, 300, 300, 16
_LETTER = 7.5  # pixels that a letter of a legend may take


def beside(names: Sequence[str], least: int) -> int:
    """How wide a legend must be for its names."""
    return max(least, 46 + round(_LETTER * max(map(len, names), default=0)))


@dataclass(frozen=True, slots=True)
class Curve:
    """One line: x in steps, y from 0 to 1, as those of the circles over it, which get its colour."""

    name: str
    x: tuple[int, ...]
    y: tuple[float, ...]
    circles: tuple[Circle, ...] = ()


def lines(title: str, curves: Sequence[Curve], across: str = "steps") -> Plot:
    """Curves over steps, or what is `across`; percent upwards, names at the side as the lines end."""
    steps = max((curve.x[-1] for curve in curves if curve.x), default=1)
    curves = [_settled(curve, steps) for curve in curves]
    frame = PlotFrame(_LEFT, _TOP, _WIDTH, _HEIGHT, *around([y for curve in curves for y in curve.y]))
    height = max(_TOP + _HEIGHT + 48, _TOP + 20 + len(curves) * _ROW)
    plot = Plot(title, _LEFT + _WIDTH + beside([_named(curve) for curve in curves], _LEGEND), height)
    plot.put(TextMark(_LEFT, 18, title))
    frame.grid(plot)
    # Four to eight round numbers from 0 on (fewer of a very short stream).
    unit = next(u * 10**n for n in range(12) for u in (1, 2, 5) if steps / (u * 10**n) <= 8)
    for step in range(0, steps + 1, unit):
        plot.put(TextMark(_LEFT + step / steps * _WIDTH, frame.floor + 18, str(step), "middle"))
    plot.put(TextMark(_LEFT + _WIDTH / 2, frame.floor + 36, across, "middle"))
    coloured = [(curve, COLOURS[number % len(COLOURS)]) for number, curve in enumerate(curves)]
    coloured.sort(key=lambda pair: -pair[0].y[-1] if pair[0].y else 0.0)
    for number, (curve, colour) in enumerate(coloured):
        points = [(_LEFT + x / steps * _WIDTH, frame.up(y)) for x, y in zip(curve.x, curve.y, strict=True)]
        y, x = _TOP + 10 + number * _ROW, frame.right + 14
        plot.put(Polyline(tuple(points), colour, 2.0), Polyline(((x, y - 4), (x + 18, y - 4)), colour, 3.0))
        plot.put(TextMark(x + 24, y, _named(curve)))
        for one in curve.circles:
            x = _LEFT + one.x / steps * _WIDTH
            plot.put(replace(one, x=x, y=frame.up(one.y), colour=colour))
    return plot


def _named(curve: Curve) -> str:
    """A line's name behind where it ends."""
    return f"{curve.y[-1]:.1%} {curve.name}" if curve.y else curve.name


def _settled(curve: Curve, steps: int) -> Curve:
    """Without the first hundredth of the stream, where a mean of a few answers jumps from 0 to 1."""
    start = next((at for at, x in enumerate(curve.x) if x >= steps / 100), 0)
    return replace(curve, x=curve.x[start:], y=curve.y[start:])


_SCALE = 2  # PNG pixels per unit, for sharp screens


def png(drawing: Plot) -> bytes:
    """A drawing as PNG, twice its size."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (drawing.width * _SCALE, drawing.height * _SCALE), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(12 * _SCALE)
    for shape in drawing.shapes:
        if isinstance(shape, TextMark) and shape.rotated:
            label = Image.new("RGB", (round(pen.textlength(shape.text, font)) + 4, 16 * _SCALE), "white")
            ImageDraw.Draw(label).text((0, 0), shape.text, shape.colour, font)
            upright = label.rotate(90, expand=True)
            image.paste(upright, (round((shape.x - 10) * _SCALE), round(shape.y * _SCALE - upright.height)))
        else:
            _paint(pen, shape, font)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _paint(pen: Any, shape: Shape, font: Any) -> None:
    if isinstance(shape, Polyline):
        points = [(x * _SCALE, y * _SCALE) for x, y in shape.points]
        if len(points) > 1:
            pen.line(points, fill=shape.colour, width=round(shape.width * _SCALE))
    elif isinstance(shape, Rectangle):
        x, y = shape.x * _SCALE, shape.y * _SCALE
        pen.rectangle((x, y, x + shape.width * _SCALE, y + shape.height * _SCALE), shape.colour)
    elif isinstance(shape, Circle):
        fill = None if shape.ring else shape.colour
        at = (shape.x * _SCALE, shape.y * _SCALE)
        pen.circle(at, shape.radius * _SCALE, fill, shape.colour, _SCALE)
    else:
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
        pen.text((shape.x * _SCALE, shape.y * _SCALE), shape.text, shape.colour, font, anchor)
