"""The plots of a report, as SVG that stands inside the page.

Contract: pure functions of figures; colours come from the page's style sheet through classes, so that the
plots follow its light and dark scheme. Every mark has a <title> that gives its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.streams.evaluation.record import EvalRecord
from quire.streams.evaluation.report.markup import Markup, join, tag
from quire.streams.evaluation.summary import ANSWERABLE, Tally

_WIDTH, _LEFT, _RIGHT, _ROW = 720, 190, 90, 26
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def accuracy_by_kind(kinds: dict[str, Tally]) -> Markup:
    """A dot with its interval per kind of question."""
    rows = [(name, tally) for name, tally in kinds.items() if tally.accuracy.n][:24]
    height = _ROW * len(rows) + 34
    marks = [_grid(tick, height) for tick in _TICKS]
    for i, (name, tally) in enumerate(rows):
        marks.append(_kind_row(name, tally, _ROW * i + 20))
    return _svg("Accuracy per kind with 95% intervals", height, *marks)


def _kind_row(name: str, tally: Tally, y: float) -> Markup:
    found = tally.accuracy
    low, mean, high = (_x(share) for share in (found.low, found.mean, found.high))
    return tag(
        "g",
        tag("title", f"{_told(name, tally)}, {found.n} questions"),
        tag("text", _clip(name, 26), x=_LEFT - 12, y=y + 4, class_="label end"),
        tag("line", x1=low, x2=high, y1=y, y2=y, class_="whisker"),
        tag("circle", cx=mean, cy=y, r=5, class_="dot"),
        tag("text", f"{found.mean:.0%} of {found.n}", x=_WIDTH - 4, y=y + 4, class_="label end"),
    )


@dataclass(frozen=True, slots=True)
class Point:
    """A run, or a kind of question, in the plot of cost against accuracy."""

    name: str
    cost: float
    tally: Tally


def cost_against_accuracy(points: Sequence[Point], unit: str) -> Markup:
    """What a question took, to the right, against accuracy, upwards, with its interval."""
    shown = [point for point in points if point.tally.accuracy.n]
    height, top = 300, 16
    floor = height - 44
    most = max((point.cost for point in shown), default=0.0) * 1.1 or 1.0

    def across(cost: float) -> float:
        return round(60 + (_WIDTH - 200) * cost / most, 1)

    def up(share: float) -> float:
        return round(floor - (floor - top) * share, 1)

    marks = [
        join(
            tag("line", x1=60, x2=_WIDTH - 140, y1=up(t), y2=up(t), class_="grid"),
            tag("text", f"{t:.0%}", x=52, y=up(t) + 4, class_="tick end"),
        )
        for t in _TICKS
    ]
    for share in (0.0, 0.5, 1.0):
        label = _amount(most * share, unit)
        marks.append(tag("text", label, x=across(most * share), y=floor + 18, class_="tick middle"))
    labels = _Labels()
    for point in shown:
        found, x = point.tally.accuracy, across(point.cost)
        told = f"{_told(point.name, point.tally)}, {_amount(point.cost, unit)}"
        marks.append(
            tag(
                "g",
                tag("title", told),
                tag("line", x1=x, x2=x, y1=up(found.low), y2=up(found.high), class_="whisker"),
                tag("circle", cx=x, cy=up(found.mean), r=5, class_="dot"),
                labels.beside(_clip(point.name, 24), x, up(found.mean)),
            )
        )
    marks.append(tag("text", f"{unit} per question", x=(_WIDTH - 80) / 2, y=height - 6, class_="tick middle"))
    return _svg(f"Accuracy against {unit} per question", height, *marks)


def reliability_of_abstention(records: Sequence[EvalRecord]) -> Markup:
    """If only the surest answers were given: share answered, to the right, against the share right of these.

    The curve ends where this run stands: everything it answered. Answers of equal confidence are one step.
    """
    curve = selective_accuracy(records)
    height, top = 300, 16
    floor, right = height - 44, _WIDTH - 40

    def across(share: float) -> float:
        return round(60 + (right - 60) * share, 1)

    def up(share: float) -> float:
        return round(floor - (floor - top) * share, 1)

    marks = []
    for t in _TICKS:
        marks += [
            tag("line", x1=60, x2=right, y1=up(t), y2=up(t), class_="grid"),
            tag("text", f"{t:.0%}", x=52, y=up(t) + 4, class_="tick end"),
            tag("text", f"{t:.0%}", x=across(t), y=floor + 18, class_="tick middle"),
        ]
    if curve:
        drawn = " ".join(f"{across(step.answered)},{up(step.right)}" for step in curve)
        marks.append(tag("polyline", points=drawn, class_="curve"))
        marks += [
            tag(
                "g",
                tag(
                    "title",
                    f"{s.answered:.1%} answered (confidence from {s.confidence:.2f}): {s.right:.1%} right",
                ),
                tag("circle", cx=across(s.answered), cy=up(s.right), r=3, class_="dot"),
            )
            for s in curve
        ]
        last = curve[-1]
        marks.append(tag("circle", cx=across(last.answered), cy=up(last.right), r=7, class_="here"))
    label = "share of the answerable questions that are answered"
    marks.append(tag("text", label, x=(60 + right) / 2, y=height - 6, class_="tick middle"))
    return _svg("Share right of the answers given, as fewer and surer ones are given", height, *marks)


@dataclass(frozen=True, slots=True)
class Step:
    """Answering only with at least this confidence: the share answered, and the share right of these."""

    confidence: float
    answered: float
    right: float


def selective_accuracy(records: Sequence[EvalRecord]) -> list[Step]:
    """The risk-coverage curve (El-Yaniv & Wiener 2010), from the surest answers to all that were given."""
    answerable = [record for record in records if record.status in ANSWERABLE]
    given = [record for record in answerable if record.status in ("right", "wrong")]
    curve = []
    for bar in sorted({record.confidence for record in given}, reverse=True):
        kept = [record.status == "right" for record in given if record.confidence >= bar]
        curve.append(Step(bar, len(kept) / len(answerable), sum(kept) / len(kept)))
    return curve if len(curve) <= 200 else [*curve[:: len(curve) // 200 + 1], curve[-1]]


class _Labels:
    """Puts labels where they do not cover each other; one that has no place is left to the mark's title."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, float, float]] = []  # left, right, baseline

    def beside(self, label: str, x: float, y: float) -> Markup | None:
        left, right = x + 10, x + 10 + 7 * len(label)
        for move in (0, 15, -15, 30, 45, 60, 75, 90):
            base = y + 4 + move
            if base > 12 and all(
                right < one or left > other or abs(base - at) >= 13 for one, other, at in self._taken
            ):
                self._taken.append((left, right, base))
                line = tag("line", x1=x, y1=y, x2=left - 2, y2=base - 4, class_="grid") if move else None
                return join(line, tag("text", label, x=left, y=base, class_="label"))
        return None


def _grid(tick: float, height: float) -> Markup:
    x = _x(tick)
    return join(
        tag("line", x1=x, x2=x, y1=6, y2=height - 20, class_="grid"),
        tag("text", f"{tick:.0%}", x=x, y=height - 4, class_="tick middle"),
    )


def _x(share: float) -> float:
    return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * share, 1)


def _svg(title: str, height: float, *marks: Markup) -> Markup:
    return tag(
        "svg", tag("title", title), *marks, viewBox=f"0 0 {_WIDTH} {height:g}", role="img", aria_label=title
    )


def _told(name: str, tally: Tally) -> str:
    found = tally.accuracy
    return f"{name}: {found.mean:.1%} ({found.low:.1%} to {found.high:.1%})"


def _amount(value: float, unit: str) -> str:
    return f"${value:.4f}" if unit == "US dollars" else f"{value:.2f} s"


def _clip(label: str, length: int) -> str:
    return label if len(label) <= length else label[: length - 1] + "\u2026"
