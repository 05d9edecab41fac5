"""Plots as a list of shapes, which two painters put on SVG or PNG: one description, two formats.

Coordinates are pixels, origin top left. Colours are chosen to be told apart by most people (Okabe & Ito).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#444444", "#999933",
    "#8c564b", "#b2001d", "#7fbf7b",
)  # fmt: skip
INK, GREY = "#222222", "#cccccc"


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
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


@dataclass(frozen=True, slots=True)
class Plot:
    """Shapes on a white sheet."""

    title: str
    width: int
    height: int
    shapes: tuple[Shape, ...]


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

    def grid(self) -> list[Shape]:
        """A line and its percentage for each tick."""
        shapes: list[Shape] = []
        for tick in ticks(self.low, self.high):
            y = self.up(tick)
            shapes.append(Polyline(((self.left, y), (self.right, y)), GREY))
            shapes.append(TextMark(self.left - 6, y + 4, f"{tick:.0%}", "end"))
        return shapes


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
