"""The paper's figures, of our runs: learning curves, bars of methods and ablations, confused diagnoses.

    for one in (*of_orders(groups), *of_ablations(groups)):
        svg(bars(one))

Curves are the metric so far, and that of the last steps, averaged over orders. Bars compare methods over
several orders (Figures 4 to 7) and ablations (2, 8 to 10). A confusion says which diagnosis was taken for
which (Figure 3); records hold no gold, so the data folder is read again for it, at report time, in the
process of the reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from quire.eval.report import plots
from quire.eval.report.plots import COLOURS, INK, Curve, Plot, PlotFrame, Polyline, Rectangle, TextMark
from quire_streams.methods import METHODS
from quire_streams.report.groups import RunGroup, twin_of, values

_POINTS = 200  # more than a plot can show


def cumulative(one: RunGroup) -> Curve:
    """Mean of all steps so far."""
    table = _table(one)
    steps = np.arange(1, table.shape[1] + 1)
    return _curve(one.short, np.cumsum(table, axis=1) / steps)


def windowed(one: RunGroup, window: int = 100) -> Curve:
    """Mean of the last `window` steps (fewer at the beginning)."""
    table = _table(one)
    sums = np.cumsum(np.pad(table, ((0, 0), (1, 0))), axis=1)
    end = np.arange(1, table.shape[1] + 1)
    start = np.maximum(end - window, 0)
    return _curve(one.short, (sums[:, end] - sums[:, start]) / (end - start))


def _table(one: RunGroup) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    rows = [values(run) for run in one.runs]
    length = min(len(row) for row in rows)
    return np.stack([row[:length] for row in rows])


def _curve(name: str, table: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Curve:
    length = table.shape[1]
    evenly = np.linspace(0, max(length - 1, 0), min(length, _POINTS))
    steps = np.unique(evenly.round().astype(np.intp))
    return Curve(name, tuple((steps + 1).tolist()), tuple(table[:, steps].mean(axis=0).tolist()))


ABLATIONS = tuple(name for name in METHODS if name.startswith(("grow_prompt", "mem_prompt")))
Measure = Callable[[RunGroup], tuple[float | None, float]]

_SLOT, _BAR, _GAP, _LABEL = 9, 12, 26, 34
_LEFT, _TOP, _HEIGHT, _LEGEND, _ROW = 60, 40, 260, 260, 16


@dataclass(frozen=True, slots=True)
class Series:
    """One bar in each place: its share (None: no run) and its standard error over the orders."""

    name: str
    shares: tuple[float | None, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """A figure: places from left to right, in each a bar of every series."""

    title: str
    places: tuple[str, ...]
    series: tuple[Series, ...]


def of_orders(groups: Sequence[RunGroup]) -> Iterator[BarChart]:
    """A figure for each cast of models: every method's mean and standard error over its orders (4 to 7)."""
    for models in dict.fromkeys(one.models for one in groups):
        own = [one for one in groups if one.models == models]
        if any(len(one.runs) > 1 for one in own):
            yield _figure(
                f"{models}: mean and standard error over orders",
                own,
                lambda one: _measured([float(values(run).mean()) for run in one.runs]),
            )


def of_ablations(groups: Sequence[RunGroup]) -> Iterator[BarChart]:
    """What right and what wrong answers in memory are worth: against zero-shot, of each model (8 to 10).

    And the mean over all models that have the same bars (2), where there are several.
    """
    own = [one for one in groups if one.spec.method in ABLATIONS and len(one.spec.models) == 1]
    if not any("_only_" in one.spec.method for one in own):
        return
    casts = list(dict.fromkeys(one.models for one in own))
    made = [
        _figure(
            f"{models}: against zero-shot",
            [one for one in own if one.models == models],
            lambda one: _over_zero_shot(one, groups),
        )
        for models in casts
    ]
    if len(made) > 1:
        yield _mean(made, f"Mean of {', '.join(casts)}: against zero-shot")
    yield from made


def bars(figure: BarChart) -> Plot:
    """The figure as shapes; bars below zero hang from its line."""
    ends = [
        share + part
        for one in figure.series
        for share, error in zip(one.shares, one.errors, strict=True)
        if share is not None
        for part in (0.0, error, -error)
    ]
    label = max((len(plots.clipped(place, _LABEL)) for place in figure.places), default=0) * 7
    width = len(figure.places) * (max(len(figure.series) * _BAR, label) + _GAP)
    frame = PlotFrame(_LEFT, _TOP, max(width, 200), _HEIGHT, *plots.around([*ends, 0.0]))
    height = max(frame.floor + 36, _TOP + 20 + len(figure.series) * _ROW)
    plot = Plot(
        figure.title,
        round(frame.right) + plots.beside([one.name for one in figure.series], _LEGEND),
        round(height),
    )
    plot.put(TextMark(_LEFT, 18, figure.title))
    frame.grid(plot)
    for at, place in enumerate(figure.places):
        start = _LEFT + _GAP / 2 + at * (frame.width / max(1, len(figure.places)))
        plot.put(TextMark(start, frame.floor + 18, plots.clipped(place, _LABEL)))
        for number, one in enumerate(figure.series):
            _bar(plot, one, at, start + number * _BAR, frame, COLOURS[number % len(COLOURS)])
    for number, one in enumerate(figure.series):
        y, x = _TOP + 10 + number * _ROW, frame.right + 14
        plot.put(Rectangle(x, y - 9, 10, 10, COLOURS[number % len(COLOURS)]), TextMark(x + 18, y, one.name))
    plot.put(Polyline(((_LEFT, frame.up(0.0)), (frame.right, frame.up(0.0))), INK))
    return plot


def _bar(plot: Plot, one: Series, at: int, x: float, frame: PlotFrame, colour: str) -> None:
    share, error = one.shares[at], one.errors[at]
    if share is None:
        return
    top, foot = frame.up(max(share, 0.0)), frame.up(min(share, 0.0))
    told = f"{one.name}: {share:.1%}" + (f" \u00b1 {error:.1%}" if error else "")
    plot.put(Rectangle(x, top, _SLOT, foot - top, colour, told))
    if error:
        middle = x + _SLOT / 2
        plot.put(Polyline(((middle, frame.up(share - error)), (middle, frame.up(share + error))), INK))


def _figure(title: str, groups: Sequence[RunGroup], measure: Measure) -> BarChart:
    tasks = tuple(dict.fromkeys(one.task for one in groups))
    found: dict[str, dict[str, tuple[float | None, float]]] = {}
    for one in groups:
        name = " ".join([METHODS[one.spec.method].paper or one.spec.method, *one.special])
        found.setdefault(name, dict.fromkeys(tasks, (None, 0.0)))[one.task] = measure(one)
    series = (Series(name, *zip(*row.values(), strict=True)) for name, row in found.items())
    return BarChart(title, tasks, tuple(series))


def _over_zero_shot(one: RunGroup, groups: Sequence[RunGroup]) -> tuple[float | None, float]:
    """The mean difference from the same solver without memory, order by order."""
    base = twin_of(one, groups)
    if base is None:
        return None, 0.0
    plain = {run.spec.seed: float(values(run).mean()) for run in base.runs}
    return _measured(
        [float(values(run).mean()) - plain[run.spec.seed] for run in one.runs if run.spec.seed in plain]
    )


def _measured(figures: Sequence[float]) -> tuple[float | None, float]:
    """Mean and standard error."""
    if not figures:
        return None, 0.0
    return fmean(figures), (stdev(figures) / len(figures) ** 0.5 if len(figures) > 1 else 0.0)


def _mean(figures: Sequence[BarChart], title: str) -> BarChart:
    """The mean of bars that every figure has."""
    known: dict[tuple[str, str], list[float]] = {}
    for figure in figures:
        for one in figure.series:
            for place, share in zip(figure.places, one.shares, strict=True):
                known.setdefault((one.name, place), []).extend([] if share is None else [share])
    first = figures[0]
    series = []
    for one in first.series:
        found = [known[one.name, place] for place in first.places]
        means = tuple(fmean(shares) if len(shares) == len(figures) else None for shares in found)
        series.append(Series(one.name, means, (0.0,) * len(means)))
    return BarChart(title, first.places, tuple(series))


# The paper's Figure 3 shows the diseases of the upper airways.
UPPER_AIRWAYS = (
    "Acute laryngitis",
    "Acute rhinosinusitis",
    "Allergic sinusitis",
    "Chronic rhinosinusitis",
    "URTI",
    "Viral pharyngitis",
)
CONFUSED = ("zero_shot", "self_stream_icl", "mam_stream_icl")  # the methods of that figure
_OTHER = "another"
_PALE, _DEEP = (240, 244, 248), (0, 114, 178)  # from near white to the first colour


@dataclass(frozen=True, slots=True)
class Confusion:
    """`share[i][j]`: how often (0 to 1) what is `labels[i]` was called `said[j]`; `counts` per row."""

    name: str
    labels: tuple[str, ...]
    said: tuple[str, ...]
    share: tuple[tuple[float, ...], ...]
    counts: tuple[int, ...]


def confusion(one: RunGroup, gold: Mapping[str, str]) -> Confusion:
    """The matrix of the diseases of the upper airways; answers outside them are one column.

    `gold` maps instance ids to labels as the solver writes them (a leading number is ignored).
    """
    labels = UPPER_AIRWAYS
    pairs: Counter[tuple[str, str]] = Counter()
    for run in one.runs:
        for record in run.records:
            meant, said = _bare_label(gold.get(record.instance, "")), _bare_label(record.attempt.output)
            if meant in labels:
                pairs[meant, said if said in labels else _OTHER] += 1
    shown = (*labels, _OTHER)
    counts = tuple(sum(pairs[label, other] for other in shown) for label in labels)
    share = tuple(
        tuple(pairs[label, other] / total if total else 0.0 for other in shown)
        for label, total in zip(labels, counts, strict=True)
    )
    return Confusion(one.name, labels, shown, share, counts)


def _bare_label(label: str) -> str:
    number, dot, name = label.partition(". ")
    return name if dot and number.isdigit() else label


def heat(matrix: Confusion) -> Plot:
    """A matrix of shares: rows are what it was, columns what was said."""
    cell, left, top = 52, 190, 170
    width, height = left + len(matrix.said) * cell + 20, top + len(matrix.labels) * cell + 20
    plot = Plot(f"Confusion: {matrix.name}", width, height)
    plot.put(TextMark(12, 18, matrix.name))
    for row, (label, count) in enumerate(zip(matrix.labels, matrix.counts, strict=True)):
        y = top + row * cell
        plot.put(TextMark(left - 8, y + cell / 2 + 4, f"{label} ({count})", "end"))
        for column, share in enumerate(matrix.share[row]):
            x = left + column * cell
            mixed = (round(a + (b - a) * share) for a, b in zip(_PALE, _DEEP, strict=True))
            plot.put(Rectangle(x, y, cell - 2, cell - 2, "#" + "".join(f"{part:02x}" for part in mixed)))
            ink = "#ffffff" if share > 0.5 else INK
            plot.put(TextMark(x + cell / 2 - 1, y + cell / 2 + 4, f"{100 * share:.0f}", "middle", ink))
    for column, label in enumerate(matrix.said):
        plot.put(TextMark(left + column * cell + cell / 2 + 4, top - 8, label, rotated=True))
    return plot
