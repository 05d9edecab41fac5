"""Learning curves: the metric so far, and the metric of the last steps, averaged over orders."""

from __future__ import annotations

import numpy as np

from quire.eval.report.plots import Curve
from quire_streams.report.groups import Group, values

_POINTS = 200  # more than a plot can show


def cumulative(one: Group) -> Curve:
    """Mean of all steps so far."""
    table = _table(one)
    steps = np.arange(1, table.shape[1] + 1)
    return _curve(one.short, np.cumsum(table, axis=1) / steps)


def windowed(one: Group, window: int = 100) -> Curve:
    """Mean of the last `window` steps (fewer at the beginning)."""
    table = _table(one)
    sums = np.cumsum(np.pad(table, ((0, 0), (1, 0))), axis=1)
    end = np.arange(1, table.shape[1] + 1)
    start = np.maximum(end - window, 0)
    return _curve(one.short, (sums[:, end] - sums[:, start]) / (end - start))


def _table(one: Group) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    rows = [values(run) for run in one.runs]
    length = min(len(row) for row in rows)
    return np.stack([row[:length] for row in rows])


def _curve(name: str, table: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Curve:
    length = table.shape[1]
    evenly = np.linspace(0, max(length - 1, 0), min(length, _POINTS))
    steps = np.unique(evenly.round().astype(np.intp))
    return Curve(name, tuple((steps + 1).tolist()), tuple(table[:, steps].mean(axis=0).tolist()))
