"""Runs of the same thing in several orders, put together, and what is measured of them.

A group is one (task, method, models, feedback, shift, encoder, k, budget); its runs differ in the seed, so
in the order of the stream. Errors and answers that could not be judged count as not right: nothing drops out
of a metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quire.agents.stream.methods import method, twin
from quire.streams.runner import Run
from quire.streams.spec import RunSpec
from quire.streams.statistics import Interval, Paired, mean_interval, paired
from quire.types import Usage


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that differ in their seed only; `spec` is the first one's with seed 0."""

    spec: RunSpec
    runs: tuple[Run, ...]

    @property
    def name(self) -> str:
        """Method and models, for a legend."""
        return f"{self.spec.method} ({'+'.join(self.spec.models)})"

    @property
    def metric(self) -> Interval:
        """Mean over orders of each order's final metric; over questions where there is one order."""
        if len(self.runs) == 1:
            return mean_interval(values(self.runs[0]).tolist())
        return mean_interval([float(values(run).mean()) for run in self.runs])

    @property
    def parts(self) -> dict[str, float]:
        """Mean of every further figure over the steps that have it."""
        seen: dict[str, list[float]] = {}
        for run in self.runs:
            for record in run.records:
                for name, value in record.parts.items():
                    if value is not None:
                        seen.setdefault(name, []).append(value)
        return {name: float(np.mean(numbers)) for name, numbers in seen.items()}

    @property
    def errors(self) -> int:
        """Steps whose solver failed, in all runs."""
        return sum(bool(record.attempt.error) for run in self.runs for record in run.records)

    @property
    def unknown(self) -> int:
        """Steps that could not be judged, in all runs."""
        return sum(record.value is None for run in self.runs for record in run.records)

    @property
    def usage(self) -> Usage:
        """Tokens and cost per run, averaged over the runs (cost in US dollars)."""
        total = Usage()
        for run in self.runs:
            for record in run.records:
                total += record.attempt.usage
                total += record.learner.usage if record.learner else Usage()
        n = max(len(self.runs), 1)
        return Usage(
            total.prompt_tokens // n,
            total.completion_tokens // n,
            total.cached_tokens // n,
            total.calls // n,
            total.cost / n,
        )


def values(run: Run) -> NDArray[np.float64]:
    """The metric of each step; what could not be judged is 0."""
    return np.array([record.value or 0.0 for record in run.records], dtype=np.float64)


def group(runs: Sequence[Run]) -> list[Group]:
    """Put runs together, in the order in which their kinds first come."""
    found: dict[RunSpec, list[Run]] = {}
    for run in runs:
        found.setdefault(replace(run.spec, seed=0, data=""), []).append(run)
    return [Group(spec, tuple(sorted(same, key=lambda run: run.spec.seed))) for spec, same in found.items()]


def twin_of(one: Group, groups: Sequence[Group]) -> Group | None:
    """The group of the same solver without memory (whatever its feedback was: it learns nothing)."""
    wanted = twin(method(one.spec.method)).name
    for other in groups:
        same = (other.spec.task, other.spec.models, other.spec.limit, other.spec.shift)
        if other.spec.method == wanted and same == (
            one.spec.task, one.spec.models, one.spec.limit, one.spec.shift,
        ):  # fmt: skip
            return other
    return None


def gain(one: Group, base: Group) -> Paired | None:
    """How much better than its twin, instance by instance in the orders that both have."""
    mine, theirs = _by_step(one), _by_step(base)
    shared = sorted(set(mine) & set(theirs))
    if not shared:
        return None
    return paired([mine[step] for step in shared], [theirs[step] for step in shared])


def regret(one: Group, best: float) -> float:
    """Right answers that were missed, per order, against a solver that is right with chance `best` always."""
    return float(np.mean([len(run.records) * best - values(run).sum() for run in one.runs]))


def best_in_hindsight(groups: Sequence[Group]) -> float:
    """The highest final metric among groups of one task: what the regret is measured against."""
    return max((one.metric.mean for one in groups), default=0.0)


def _by_step(one: Group) -> dict[tuple[int, str], float]:
    return {
        (run.spec.seed, record.instance): record.value or 0.0 for run in one.runs for record in run.records
    }
