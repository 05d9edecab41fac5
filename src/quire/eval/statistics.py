"""How sure a mean is, and whether two runs over the same questions really differ.

Contract: values are floats (1.0 right, 0.0 wrong, or any score), one per question; the same seed gives the
same figures on every machine. Percentile bootstrap (Efron & Tibshirani 1993, ch. 13) for intervals; the
paired test flips the sign of each question's difference (Fisher's randomisation test): it asks how often
chance alone would part two equal runs as far as these two.

Limits: no correction for many comparisons; a bootstrap of fewer than about 20 values is too narrow, so a few
orders of one stream get Student's interval instead. A mean that all values agree on has no spread to
resample, so its interval is Wilson's score interval when the values are 0 or 1: 5 right of 5 is not "100% to
100%".

    >>> mean_interval([1.0, 1.0, 0.0, 1.0]).mean
    0.75
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

# The 97.5% quantiles of Student's t for 1, 2, ... degrees of freedom.
_STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_TAIL = (1 - 0.95) / 2  # what lies beyond either end of an interval
_FLIPS = 10_000  # arrangements that a paired test looks at
_BLOCK = 2_000_000  # numbers drawn at once: bounds the memory of a bootstrap over many questions


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of `n` values with its confidence interval. NaN where there are no values."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Paired:
    """First run against second on the same questions: difference of means (first - second), its interval,
    two-sided p-value, and on how many questions the first was better, worse, equal.
    """

    difference: float
    low: float
    high: float
    p_value: float
    wins: int
    losses: int
    ties: int


def mean_interval(values: Sequence[float], *, resamples: int = 2000, seed: int = 0) -> Interval:
    """The mean and its bootstrap interval."""
    data = np.asarray(values, dtype=np.float64)
    if data.size == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    mean = float(data.mean())
    if np.all(data == data[0]):
        low, high = _wilson(mean, data.size) if mean in (0.0, 1.0) else (mean, mean)
        return Interval(mean, low, high, data.size)
    low, high = _bootstrap(data, resamples, seed)
    return Interval(mean, low, high, data.size)


def orders_interval(values: Sequence[float]) -> Interval:
    """The mean of a few runs, e.g. orders of one stream, and its 95% interval by Student's t."""
    n, data = len(values), np.asarray(values, dtype=np.float64)
    mean = float(data.mean()) if n else math.nan
    if n < 2:
        return Interval(mean, math.nan, math.nan, n)
    quantile = _STUDENT[n - 2] if n - 2 < len(_STUDENT) else NormalDist().inv_cdf(0.975)
    half = quantile * float(data.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n)


def paired(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Compare two runs, question by question.

    Raises:
        ValueError: the runs are of different length, so they cannot be paired.
    """
    if len(first) != len(second):
        raise ValueError(f"A paired test needs the same questions: {len(first)} and {len(second)} values.")
    delta = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if delta.size == 0:
        return Paired(math.nan, math.nan, math.nan, 1.0, 0, 0, 0)
    low, high = _bootstrap(delta, _FLIPS, seed=0)
    wins, losses = int((delta > 0).sum()), int((delta < 0).sum())
    chance, ties = _sign_flip(delta), delta.size - wins - losses
    return Paired(float(delta.mean()), low, high, chance, wins, losses, ties)


def _bootstrap(data: NDArray[np.float64], resamples: int, seed: int) -> tuple[float, float]:
    generator = np.random.default_rng(seed)
    means = [
        data[generator.integers(0, data.size, size=(rows, data.size))].mean(axis=1)
        for rows in _blocks(resamples, data.size)
    ]
    low, high = np.quantile(np.concatenate(means), [_TAIL, 1 - _TAIL])
    return float(low), float(high)


def _sign_flip(delta: NDArray[np.float64]) -> float:
    moved = delta[delta != 0]
    if moved.size == 0:
        return 1.0
    generator = np.random.default_rng(0)
    seen = abs(moved.sum()) - 1e-12
    extreme = sum(
        int((np.abs(generator.choice((-1.0, 1.0), size=(rows, moved.size)) @ moved) >= seen).sum())
        for rows in _blocks(_FLIPS, moved.size)
    )
    return (extreme + 1) / (_FLIPS + 1)  # the run itself is one of the arrangements: never 0


def _blocks(resamples: int, size: int) -> list[int]:
    rows = max(1, min(resamples, _BLOCK // max(size, 1)))
    full, rest = divmod(resamples, rows)
    return [rows] * full + ([rest] if rest else [])


def _wilson(mean: float, n: int) -> tuple[float, float]:
    """Wilson (1927): does not collapse when every value agrees."""
    z = NormalDist().inv_cdf(1 - _TAIL)
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
