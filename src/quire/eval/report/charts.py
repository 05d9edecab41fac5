"""The plots of answers: accuracy of each kind, against cost, and how far confidence is to be trusted.

Pure functions of figures; every mark tells its numbers to a pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.eval.record import ANSWERABLE, Record
from quire.eval.report.plots import COLOURS, INK, Plot, PlotFrame, clipped
from quire.eval.report.summary import StatusTally

_WIDTH, _LEFT, _RIGHT, _ROW = 720, 190, 90, 26
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_MARK, _WHISKER = COLOURS[0], "#7fb8d8"


def accuracy_by_kind(kinds: dict[str, StatusTally]) -> Plot:
    """A dot with its interval per kind of question."""
    rows = [(name, tally) for name, tally in kinds.items() if tally.accuracy.n][:24]
    height = _ROW * len(rows) + 34
    plot = Plot("Accuracy per kind with 95% intervals", _WIDTH, height)
    for tick in _TICKS:
        plot.line((_x(tick), 6), (_x(tick), height - 20))
        plot.text(_x(tick), height - 4, f"{tick:.0%}", "middle")
    for i, (name, tally) in enumerate(rows):
        y, found = _ROW * i + 20, tally.accuracy
        plot.text(_LEFT - 12, y + 4, clipped(name, 26), "end")
        plot.line((_x(found.low), y), (_x(found.high), y), colour=_WHISKER, width=2.0)
        plot.dot(_x(found.mean), y, 5, _MARK, f"{_describe_point(name, tally)}, {found.n} questions")
        plot.text(_WIDTH - 4, y + 4, f"{found.mean:.0%} of {found.n}", "end")
    return plot


@dataclass(frozen=True, slots=True)
class CostPoint:
    """A run, or a kind of question, in the plot of cost against accuracy."""

    name: str
    cost: float
    tally: StatusTally


def cost_against_accuracy(points: Sequence[CostPoint], unit: str) -> Plot:
    """What a question took, to the right, against accuracy, upwards, with its interval."""
    shown = [point for point in points if point.tally.accuracy.n]
    plot, frame = (
        Plot(f"Accuracy against {unit} per question", _WIDTH, 300),
        PlotFrame(60, 16, _WIDTH - 200, 240),
    )
    most = max((point.cost for point in shown), default=0.0) * 1.1 or 1.0
    frame.grid(plot)
    for share in (0.0, 0.5, 1.0):
        x = frame.left + frame.width * share
        plot.text(x, frame.floor + 18, _amount(most * share, unit), "middle")
    labels = _LabelPlaces()
    for point in shown:
        found, x = point.tally.accuracy, frame.left + frame.width * point.cost / most
        told = f"{_describe_point(point.name, point.tally)}, {_amount(point.cost, unit)}"
        plot.line((x, frame.up(found.low)), (x, frame.up(found.high)), colour=_WHISKER, width=2.0)
        plot.dot(x, frame.up(found.mean), 5, _MARK, told)
        labels.put(plot, clipped(point.name, 24), x, frame.up(found.mean))
    plot.text(frame.left + frame.width / 2, frame.floor + 38, f"{unit} per question", "middle")
    return plot


def reliability_of_abstention(records: Sequence[Record]) -> Plot:
    """If only the surest answers were given: share answered, to the right, against the share right of these.

    The curve ends where this run stands: everything it answered. Answers of equal confidence are one step.
    """
    curve = selective_accuracy(records)
    plot = Plot("Share right of the answers given, as fewer and surer ones are given", _WIDTH, 300)
    frame = PlotFrame(60, 16, _WIDTH - 100, 240)
    frame.grid(plot)
    for tick in _TICKS:
        plot.text(frame.left + frame.width * tick, frame.floor + 18, f"{tick:.0%}", "middle")
    places = [(frame.left + frame.width * step.answered, frame.up(step.right)) for step in curve]
    if curve:
        plot.line(*places, colour=_MARK, width=2.0)
    for (x, y), step in zip(places, curve, strict=True):
        sure = f"confidence from {step.confidence:.2f}"
        plot.dot(x, y, 3, _MARK, f"{step.answered:.1%} answered ({sure}): {step.right:.1%} right")
    for x, y in places[-1:]:
        plot.dot(x, y, 7, INK, ring=True)
    label = "share of the answerable questions that are answered"
    plot.text(frame.left + frame.width / 2, frame.floor + 38, label, "middle")
    return plot


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

    def put(self, plot: Plot, label: str, x: float, y: float) -> None:
        left, right = x + 10, x + 10 + 7 * len(label)
        for move in (0, 15, -15, 30, 45, 60, 75, 90):
            base = y + 4 + move
            if base > 12 and all(
                right < one or left > other or abs(base - at) >= 13 for one, other, at in self._taken
            ):
                self._taken.append((left, right, base))
                if move:
                    plot.line((x, y), (left - 2, base - 4))
                plot.text(left, base, label)
                return


def _sure(record: Record) -> float:
    return record.case.confidence if record.case else 0.0


def _x(share: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share


def _describe_point(name: str, tally: StatusTally) -> str:
    found = tally.accuracy
    return f"{name}: {found.mean:.1%} ({found.low:.1%} to {found.high:.1%})"


def _amount(value: float, unit: str) -> str:
    return f"${value:.4f}" if unit == "US dollars" else f"{value:.2f} s"
