"""The page of questions that were answered: figures, plots, and behind each question what led there.

All texts of questions, papers and models are escaped (`page.py`). Pictures come through
`picture(paper, page, box)`, which gives a PNG or None, and stop at `picture_bytes` in all (wrong answers come
first), so that the file stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quire.errors import RunError
from quire.eval.record import ANSWERABLE, CLOSED, STATUSES, Record
from quire.eval.report import terminal
from quire.eval.report.page import render
from quire.eval.report.plots import COLOURS, INK, Circle, Plot, PlotFrame, Polyline, TextMark, clipped
from quire.eval.report.question import Picture, Pictures, describe_question
from quire.eval.report.summary import StatusTally, Summary, summarise, tags, tally
from quire.eval.run import Run


def report_page(
    runs: Sequence[Run], picture: Picture | None = None, *, picture_bytes: int = 15_000_000
) -> str:
    """The page of one or several runs.

    Raises:
        RunError: no run was given.
    """
    if not runs:
        raise RunError("A report needs at least one run.")
    pictures = Pictures(picture, picture_bytes)
    title = "Evaluation of " + ", ".join(dict.fromkeys(run.spec.data for run in runs))
    shown = [describe_run(run, pictures) for run in runs]
    beside = _beside(runs) if len(runs) > 1 else None
    return render("answers.html", title=title, beside=beside, runs=shown, statuses=STATUSES)


def _beside(runs: Sequence[Run]) -> dict[str, Any]:
    """Several runs side by side, and each against the first."""
    costs = _costs(runs)
    unit = "US dollars" if costs else "seconds"
    points = []
    for number, run in enumerate(runs, 1):
        summary = summarise(run.records)
        # Names of runs begin alike; method and model tell them apart in few letters.
        name = f"{number}. {terminal.method_of(run)} {'+'.join(run.spec.models)}"
        points.append(CostPoint(name, _each(summary, cost=costs), summary.overall))
    lines = [terminal.comparison_line(runs[0], other) for other in runs[1:]]
    plot = (cost_against_accuracy(points, unit), f"Accuracy against {unit} per question.")
    return {"lines": lines, "plot": plot}


def describe_run(run: Run, pictures: Pictures | None = None) -> dict[str, Any]:
    """What `evaluated.html` shows of a run."""
    pictures = pictures or Pictures(None, 0)
    summary, spec = summarise(run.records), run.spec
    method, models = terminal.method_of(run), "+".join(spec.models)
    told = [method and f"method {method}", models and f"model {models}", f"protocol {spec.protocol}"]
    told += [spec.judge_model and f"judge {spec.judge_model}", f"questions {spec.data} ({run.stream})"]
    order = {name: place for place, name in enumerate(_WORST_FIRST)}
    records = sorted(run.records, key=lambda one: (order.get(one.status, 9), one.instance))
    return {
        "name": run.name,
        "told": ", ".join(part for part in told if part),
        "figures": _figures(summary),
        "plots": _plots(run, summary),
        "kinds": [_kind_row(*each) for each in [("all", summary.overall), *summary.kinds.items()]],
        "outcomes": [status for status in STATUSES if any(one.status == status for one in records)],
        "tags": sorted({name for record in records for name in tags(record)}),
        "questions": [describe_question(record, pictures) for record in records],
    }


_WORST_FIRST = ("wrong", "failed", "unknown", "abstained", "right")


def _figures(summary: Summary) -> list[tuple[str, str]]:
    overall = summary.overall
    shown = [
        (terminal.percent(overall.accuracy.mean), f"accuracy ({terminal.interval(overall)})"),
        (terminal.percent(overall.of_all), f"of all {overall.total}"),
        *((str(overall.counts[status]), status) for status in STATUSES),
    ]
    if summary.seconds is not None and summary.turns is not None:
        shown += [
            (f"{summary.seconds:.2f} s", "per question"),
            (f"{summary.turns:.1f}", "turns per question"),
            (f"{summary.usage.prompt_tokens + summary.usage.completion_tokens}", "tokens in all"),
            (f"${summary.usage.cost:.4f}", "in all"),
        ]
    return shown


def _plots(run: Run, summary: Summary) -> list[tuple[Plot, str]]:
    costs = _costs([run])
    unit = "US dollars" if costs else "seconds"
    points = [CostPoint("all", _each(summary, cost=costs), summary.overall)]
    for kind, counted in summary.kinds.items():
        asked = [record for record in run.records if kind in tags(record) and record.asked]
        spent = [record.usage.cost if costs else record.attempt.seconds for record in asked]
        points.append(CostPoint(kind, sum(spent) / max(1, len(spent)), counted))
    given = [record for record in run.records if record.status in ("right", "wrong")]
    sure = tally(given).accuracy
    rightly = f", {sure.mean:.1%} of these rightly" if sure.n else ""
    abstention = (
        f"Of {summary.overall.accuracy.n} answerable questions {sure.n} were answered{rightly}; "
        f"{summary.overall.counts['abstained']} were abstained from. The ring is this run; to the left of it "
        "only the answers with the highest confidence are given. A curve that rises to the left means that "
        "the confidence can be relied on."
    )
    return [
        (accuracy_by_kind({"all": summary.overall, **summary.kinds}), "Accuracy per kind."),
        (cost_against_accuracy(points[:16], unit), f"Accuracy against {unit} per question."),
        (reliability_of_abstention(run.records), abstention),
    ]


def _kind_row(name: str, counted: StatusTally) -> list[str]:
    """A name, accuracy, interval, and how many came out in each status."""
    figures = [terminal.percent(counted.accuracy.mean), terminal.interval(counted)]
    return [name, *figures, *(str(counted.counts[status]) for status in STATUSES)]


def _costs(runs: Sequence[Run]) -> bool:
    return any(record.usage.cost for run in runs for record in run.records)


def _each(summary: Summary, *, cost: bool) -> float:
    asked = sum(summary.overall.counts[status] for status in STATUSES if status not in CLOSED)
    return summary.usage.cost / max(1, asked) if cost else summary.seconds or 0.0


# The plots: pure functions of figures; every mark tells its numbers to a pointer.

_WIDTH, _LEFT, _RIGHT, _ROW = 720, 190, 90, 26
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_MARK, _WHISKER = COLOURS[0], "#7fb8d8"


def accuracy_by_kind(kinds: dict[str, StatusTally]) -> Plot:
    """A dot with its interval per kind of question."""
    rows = [(name, counted) for name, counted in kinds.items() if counted.accuracy.n][:24]
    height = _ROW * len(rows) + 34
    plot = Plot("Accuracy per kind with 95% intervals", _WIDTH, height)

    def at(share: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share

    for tick in _TICKS:
        plot.put(Polyline(((at(tick), 6), (at(tick), height - 20))))
        plot.put(TextMark(at(tick), height - 4, f"{tick:.0%}", "middle"))
    for i, (name, counted) in enumerate(rows):
        y, found = _ROW * i + 20, counted.accuracy
        told = f"{_describe_point(name, counted)}, {found.n} questions"
        plot.put(
            TextMark(_LEFT - 12, y + 4, clipped(name, 26), "end"),
            Polyline(((at(found.low), y), (at(found.high), y)), _WHISKER, 2.0),
            Circle(at(found.mean), y, 5, _MARK, told),
            TextMark(_WIDTH - 4, y + 4, f"{found.mean:.0%} of {found.n}", "end"),
        )
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
    plot = Plot(f"Accuracy against {unit} per question", _WIDTH, 300)
    frame = PlotFrame(60, 16, _WIDTH - 200, 240)
    most = max((point.cost for point in shown), default=0.0) * 1.1 or 1.0
    frame.grid(plot)
    for share in (0.0, 0.5, 1.0):
        x = frame.left + frame.width * share
        plot.put(TextMark(x, frame.floor + 18, _amount(most * share, unit), "middle"))
    taken: list[tuple[float, float, float]] = []
    for point in shown:
        found, x = point.tally.accuracy, frame.left + frame.width * point.cost / most
        told = f"{_describe_point(point.name, point.tally)}, {_amount(point.cost, unit)}"
        plot.put(Polyline(((x, frame.up(found.low)), (x, frame.up(found.high))), _WHISKER, 2.0))
        plot.put(Circle(x, frame.up(found.mean), 5, _MARK, told))
        _put_label(plot, taken, clipped(point.name, 24), x, frame.up(found.mean))
    middle = frame.left + frame.width / 2
    plot.put(TextMark(middle, frame.floor + 38, f"{unit} per question", "middle"))
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
        plot.put(TextMark(frame.left + frame.width * tick, frame.floor + 18, f"{tick:.0%}", "middle"))
    places = [(frame.left + frame.width * step.answered, frame.up(step.right)) for step in curve]
    if curve:
        plot.put(Polyline(tuple(places), _MARK, 2.0))
    for (x, y), step in zip(places, curve, strict=True):
        sure = f"confidence from {step.confidence:.2f}"
        told = f"{step.answered:.1%} answered ({sure}): {step.right:.1%} right"
        plot.put(Circle(x, y, 3, _MARK, told))
    for x, y in places[-1:]:
        plot.put(Circle(x, y, 7, INK, ring=True))
    label = "share of the answerable questions that are answered"
    plot.put(TextMark(frame.left + frame.width / 2, frame.floor + 38, label, "middle"))
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


def _put_label(plot: Plot, taken: list[tuple[float, float, float]], label: str, x: float, y: float) -> None:
    """Put it where it covers no other (left, right, baseline); one that has no place is left to its mark."""
    left, right = x + 10, x + 10 + 7 * len(label)
    for base in (y + 4 + move for move in (0, 15, -15, 30, 45, 60, 75, 90)):
        if base > 12 and all(right < one or left > two or abs(base - at) >= 13 for one, two, at in taken):
            taken.append((left, right, base))
            if base != y + 4:
                plot.put(Polyline(((x, y), (left - 2, base - 4))))
            plot.put(TextMark(left, base, label))
            return


def _sure(record: Record) -> float:
    return record.case.confidence if record.case else 0.0


def _describe_point(name: str, tally: StatusTally) -> str:
    found = tally.accuracy
    return f"{name}: {found.mean:.1%} ({found.low:.1%} to {found.high:.1%})"


def _amount(value: float, unit: str) -> str:
    return f"${value:.4f}" if unit == "US dollars" else f"{value:.2f} s"
