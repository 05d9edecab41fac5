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

from quire.agents.stream.methods import METHODS, method, twin
from quire.streams.runner import Run
from quire.streams.spec import DEFAULT_ENCODER, RunSpec
from quire.streams.statistics import Interval, Paired, mean_interval, orders_interval, paired
from quire.tasks.protocol import SYNTHETIC
from quire.types import Usage


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that differ in their seed only; `spec` is the first one's with seed 0."""

    spec: RunSpec
    runs: tuple[Run, ...]

    @property
    def name(self) -> str:
        """Method, models and what else is special, for a heading."""
        return " ".join([f"{self.spec.method} ({'+'.join(self.spec.models)})", *self.special])

    @property
    def short(self) -> str:
        """Method and what else is special, for a legend; of a team, who comes first."""
        first = [f"({self.spec.models[0]} first)"] if len(self.spec.models) > 1 else []
        return " ".join([self.spec.method, *first, *self.special])

    @property
    def special(self) -> list[str]:
        """What is not as usual: feedback, a shift of the stream, the encoder."""
        spec = self.spec
        told = [spec.feedback] * (spec.feedback != "exact") + [f"by {spec.shift}"] * bool(spec.shift)
        return told + [spec.encoder] * (spec.encoder != DEFAULT_ENCODER)

    @property
    def task(self) -> str:
        """The task, and whether its samples were drawn by a rule instead of collected."""
        ids = [record.instance for run in self.runs for record in run.records]
        drawn = bool(ids) and all(one.startswith(f"{SYNTHETIC}-") for one in ids)
        return f"{self.spec.task} (synthetic)" if drawn else self.spec.task

    @property
    def metric(self) -> Interval:
        """Mean over orders of each order's final metric; the interval is over the orders."""
        return orders_interval([float(values(run).mean()) for run in self.runs])

    @property
    def sampled(self) -> Interval:
        """The same mean; the interval is over the questions, each with its mean over the orders."""
        return mean_interval(list(_by_question(self.runs).values()))

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
        return sum(record.status == "unknown" for run in self.runs for record in run.records)

    @property
    def usage(self) -> Usage:
        """Tokens and cost per run, averaged over the runs (cost in US dollars)."""
        total = Usage()
        for run in self.runs:
            for record in run.records:
                total += record.usage
        n = max(len(self.runs), 1)
        return Usage(
            total.prompt_tokens // n,
            total.completion_tokens // n,
            total.cached_tokens // n,
            total.calls // n,
            total.cost / n,
        )


def values(run: Run) -> NDArray[np.float64]:
    """1 for each step that was right, 0 for the others, also for what could not be judged."""
    return np.array([record.right for record in run.records if record.asked], dtype=np.float64)


def group(runs: Sequence[Run]) -> list[Group]:
    """Put runs together: tasks in the order in which they first come, methods in that of their list."""
    found: dict[RunSpec, list[Run]] = {}
    for run in runs:
        found.setdefault(replace(run.spec, seed=0, data=""), []).append(run)
    tasks = list(dict.fromkeys(spec.task for spec in found))
    listed = list(METHODS)
    order = sorted(found, key=lambda spec: (tasks.index(spec.task), listed.index(spec.method)))
    return [Group(spec, tuple(sorted(found[spec], key=lambda run: run.spec.seed))) for spec in order]


def casts(groups: Sequence[Group]) -> dict[str, list[Group]]:
    """Groups that belong into one plot: those of each single model, and those of all teams, task by task."""
    found: dict[str, list[Group]] = {}
    for one in groups:
        cast = one.spec.models[0] if len(one.spec.models) == 1 else "several models"
        found.setdefault(f"{one.task}, {cast}", []).append(one)
    return found


def twin_of(one: Group, groups: Sequence[Group]) -> Group | None:
    """The group of the same solver without memory (whatever its feedback was: it learns nothing).

    A team in another order is the next best: the same models, each at other steps.
    """
    wanted = twin(method(one.spec.method)).name
    mine = (wanted, one.spec.task, one.spec.limit, one.spec.shift)
    for same in (list, sorted):
        for other in groups:
            theirs = (other.spec.method, other.spec.task, other.spec.limit, other.spec.shift)
            if theirs == mine and same(other.spec.models) == same(one.spec.models):
                return other
    return None


def gain(one: Group, base: Group) -> Paired | None:
    """How much better than its twin, question by question, each with its mean over the orders that both have.

    The same question in five orders is one question, not five.
    """
    seeds = {run.spec.seed for run in one.runs} & {run.spec.seed for run in base.runs}
    mine, theirs = (
        _by_question([run for run in group.runs if run.spec.seed in seeds]) for group in (one, base)
    )
    shared = sorted(set(mine) & set(theirs))
    if not shared:
        return None
    return paired([mine[question] for question in shared], [theirs[question] for question in shared])


def regret(one: Group, best: float) -> float:
    """Right answers that were missed, per order, against a solver that is right with chance `best` always."""
    return float(np.mean([len(run.records) * best - values(run).sum() for run in one.runs]))


def best_in_hindsight(groups: Sequence[Group]) -> float:
    """The highest final metric among groups of one task: what the regret is measured against."""
    return max((one.metric.mean for one in groups), default=0.0)


def _by_question(runs: Sequence[Run]) -> dict[str, float]:
    seen: dict[str, list[float]] = {}
    for run in runs:
        for record in run.records:
            if record.asked:
                seen.setdefault(record.instance, []).append(float(record.right))
    return {question: sum(found) / len(found) for question, found in seen.items()}
