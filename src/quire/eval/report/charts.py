"""The plots of answers: accuracy of each kind, against cost, and how far confidence is to be trusted.

Pure functions of figures; every mark tells its numbers to a pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.eval.record import ANSWERABLE, Record
from quire.eval.report.plots import (
    COLOURS,
    GREY,
    INK,
    Circle,
    Plot,
    PlotFrame,
    Polyline,
    Shape,
    TextMark,
    clipped,
)
from quire.eval.report.summary import StatusTally

_WIDTH, _LEFT, _RIGHT, _ROW = 720, 190, 90, 26
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_MARK, _WHISKER = COLOURS[0], "#7fb8d8"


def accuracy_by_kind(kinds: dict[str, StatusTally]) -> Plot:
    """A dot with its interval per kind of question."""
    rows = [(name, tally) for name, tally in kinds.items() if tally.accuracy.n][:24]
    height = _ROW * len(rows) + 34
    shapes: list[Shape] = []
    for tick in _TICKS:
        shapes.append(Polyline(((_x(tick), 6), (_x(tick), height - 20)), GREY))
        shapes.append(TextMark(_x(tick), height - 4, f"{tick:.0%}", "middle"))
    for i, (name, tally) in enumerate(rows):
        y, found = _ROW * i + 20, tally.accuracy
        shapes.append(TextMark(_LEFT - 12, y + 4, clipped(name, 26), "end"))
        shapes.append(Polyline(((_x(found.low), y), (_x(found.high), y)), _WHISKER, 2.0))
        shapes.append(Circle(_x(found.mean), y, 5, _MARK, f"{_told(name, tally)}, {found.n} questions"))
        shapes.append(TextMark(_WIDTH - 4, y + 4, f"{found.mean:.0%} of {found.n}", "end"))
    return Plot("Accuracy per kind with 95% intervals", _WIDTH, height, tuple(shapes))


@dataclass(frozen=True, slots=True)
class CostPoint:
    """A run, or a kind of question, in the plot of cost against accuracy."""

    name: str
    cost: float
    tally: StatusTally


def cost_against_accuracy(points: Sequence[CostPoint], unit: str) -> Plot:
    """What a question took, to the right, against accuracy, upwards, with its interval."""
    shown = [point for point in points if point.tally.accuracy.n]
    frame = PlotFrame(60, 16, _WIDTH - 200, 240)
    most = max((point.cost for point in shown), default=0.0) * 1.1 or 1.0
    shapes = frame.grid()
    for share in (0.0, 0.5, 1.0):
        x = frame.left + frame.width * share
        shapes.append(TextMark(x, frame.floor + 18, _amount(most * share, unit), "middle"))
    labels = _LabelPlaces()
    for point in shown:
        found, x = point.tally.accuracy, frame.left + frame.width * point.cost / most
        told = f"{_told(point.name, point.tally)}, {_amount(point.cost, unit)}"
        shapes.append(Polyline(((x, frame.up(found.low)), (x, frame.up(found.high))), _WHISKER, 2.0))
        shapes.append(Circle(x, frame.up(found.mean), 5, _MARK, told))
        shapes += labels.beside(clipped(point.name, 24), x, frame.up(found.mean))
    shapes.append(TextMark(frame.left + frame.width / 2, frame.floor + 38, f"{unit} per question", "middle"))
    return Plot(f"Accuracy against {unit} per question", _WIDTH, 300, tuple(shapes))


def reliability_of_abstention(records: Sequence[Record]) -> Plot:
    """If only the surest answers were given: share answered, to the right, against the share right of these.

    The curve ends where this run stands: everything it answered. Answers of equal confidence are one step.
    """
    curve = selective_accuracy(records)
    frame = PlotFrame(60, 16, _WIDTH - 100, 240)
    shapes = frame.grid()
    shapes += [TextMark(frame.left + frame.width * t, frame.floor + 18, f"{t:.0%}", "middle") for t in _TICKS]
    places = [(frame.left + frame.width * step.answered, frame.up(step.right)) for step in curve]
    if curve:
        shapes.append(Polyline(tuple(places), _MARK, 2.0))
    for (x, y), step in zip(places, curve, strict=True):
        sure = f"confidence from {step.confidence:.2f}"
        shapes.append(
            Circle(x, y, 3, _MARK, f"{step.answered:.1%} answered ({sure}): {step.right:.1%} right")
        )
    shapes += [Circle(x, y, 7, INK, ring=True) for x, y in places[-1:]]
    label = "share of the answerable questions that are answered"
    shapes.append(TextMark(frame.left + frame.width / 2, frame.floor + 38, label, "middle"))
    title = "Share right of the answers given, as fewer and surer ones are given"
    return Plot(title, _WIDTH, 300, tuple(shapes))


@dataclass(frozen=True, slots=True)
class Selective:
    """Answering only with at least this confidence: the share answered, and the share right of these."""

    confidence: float
    answered: float
    right: float


def selective_accuracy(records: Sequence[Record]) -> list[Selective]:
    """The risk-coverage curve (El-Yaniv & Wiener 2010), from the surest answers to all that were given."""
    answerable = [record for record in records if record.status in ANSWERABLE]
    given = [record for record in answerable if record.status in ("right", "wrong")]
    curve = []
    for bar in sorted({_sure(record) for record in given}, reverse=True):
        kept = [record.right for record in given if _sure(record) >= bar]
        curve.append(Selective(bar, len(kept) / len(answerable), sum(kept) / len(kept)))
    return curve if len(curve) <= 200 else [*curve[:: len(curve) // 200 + 1], curve[-1]]


class _LabelPlaces:
    """Puts labels where they do not cover each other; one that has no place is left to its mark."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, float, float]] = []  # left, right, baseline

    def beside(self, label: str, x: float, y: float) -> list[Shape]:
        left, right = x + 10, x + 10 + 7 * len(label)
        for move in (0, 15, -15, 30, 45, 60, 75, 90):
            base = y + 4 + move
            if base > 12 and all(
                right < one or left > other or abs(base - at) >= 13 for one, other, at in self._taken
            ):
                self._taken.append((left, right, base))
                pointer: list[Shape] = [Polyline(((x, y), (left - 2, base - 4)), GREY)] if move else []
                return [*pointer, TextMark(left, base, label)]
        return []


def _sure(record: Record) -> float:
    return record.case.confidence if record.case else 0.0


def _x(share: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share


def _told(name: str, tally: StatusTally) -> str:
    found = tally.accuracy
    return f"{name}: {found.mean:.1%} ({found.low:.1%} to {found.high:.1%})"


def _amount(value: float, unit: str) -> str:
    return f"${value:.4f}" if unit == "US dollars" else f"{value:.2f} s"
