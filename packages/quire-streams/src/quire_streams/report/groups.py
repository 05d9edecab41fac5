"""Runs of the same thing in several orders, put together, and what is measured of them.

The runs of a group differ in nothing but order and seed: not in the data, the protocol, the length, or any
setting. Groups of one task say in what they differ. Errors and answers that could not be judged count as not
right: nothing that was asked drops out of a metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from quire.eval.run import Run, RunSpec
from quire.eval.statistics import Interval, Paired, mean_interval, orders_interval, paired
from quire.types import Usage
from quire_streams.methods import METHODS, twin
from quire_streams.tasks.offline import OFFLINE, is_offline
from quire_streams.tasks.protocol import SYNTHETIC

# What is as usual, and so not told.
_USUAL = {field.name: str(field.default) for field in fields(RunSpec) if field.default is not MISSING}
# What is told wherever it is not as usual; anything else only where groups of a task differ in it.
_ALWAYS = ("protocol", "feedback", "shift", "encoder")
_TOLD = {"protocol": "{}", "feedback": "{}", "shift": "by {}", "encoder": "{}", "steps": "{} steps"}
_MEMORY = ("feedback", "encoder", "k", "budget")  # what makes no difference to a solver without memory


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs that differ in their order only; `spec` is the first one's with seed 0.

    `special` is what is not as usual, or not as in other groups of the task.
    """

    spec: RunSpec
    runs: tuple[Run, ...]
    special: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Method, models and what else is special, for a heading."""
        return " ".join([f"{self.spec.method} ({self.models})", *self.special])

    @property
    def short(self) -> str:
        """Method and what else is special, for a legend; of a team, who comes first."""
        first = [f"({self.spec.models[0]} first)"] if len(self.spec.models) > 1 else []
        return " ".join([self.spec.method, *first, *self.special])

    @property
    def models(self) -> str:
        """All its models."""
        return "+".join(self.spec.models)

    @property
    def setting(self) -> str:
        """The protocol and what else is special, for a cell."""
        return self.setting_but("")

    def setting_but(self, told: str) -> str:
        """The setting without something that is told beside it."""
        rest = [each for each in self.special if each not in (told, self.spec.protocol)]
        return ", ".join([f"protocol {self.spec.protocol}", *rest])

    @property
    def facets(self) -> dict[str, str]:
        """Whatever decides its records besides task, method, models, order and seed."""
        spec, run = self.spec, self.runs[0]
        names = ("protocol", "feedback", "shift", "limit", "k", "budget", "judge_model", "votes")
        told = {name: str(getattr(spec, name)) for name in names}
        if METHODS[spec.method].compares:
            told["encoder"] = spec.encoder
        return {
            **told,
            **dict(spec.settings),
            "data": run.stream or spec.data,
            "steps": str(len(run.records)),
        }

    @property
    def task(self) -> str:
        """The task, and whether samples were drawn by a rule, or answered by a rule in a model's place."""
        ids = [record.instance for run in self.runs for record in run.records]
        drawn = bool(ids) and all(one.startswith(f"{SYNTHETIC}-") for one in ids)
        played = self.spec.task in OFFLINE and any(map(is_offline, self.spec.models))
        told = ["synthetic"] * drawn + ["simulation"] * played
        return f"{self.spec.task} ({', '.join(told)})" if told else self.spec.task

    @property
    def published(self) -> bool:
        """Whether the paper's figures may stand beside it: its protocol, its settings, collected samples."""
        spec = self.spec
        plain = spec.feedback == "exact" and not (spec.shift or spec.limit or spec.k or spec.budget)
        return spec.protocol == "streambench" and plain and self.task == spec.task

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
        """Mean of every further figure over the steps of the metric, 0 where a step has none."""
        asked = [record.parts for run in self.runs for record in run.records if record.asked]
        known = dict.fromkeys(name for parts in asked for name, value in parts.items() if value is not None)
        return {name: sum(parts.get(name) or 0.0 for parts in asked) / len(asked) for name in known}

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
        total = sum((record.usage for run in self.runs for record in run.records), Usage())
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


def group(runs: Sequence[Run]) -> list[RunGroup]:
    """Put runs together: tasks in the order in which they first come, methods in that of their list."""
    found: dict[tuple[object, ...], dict[tuple[int, str], Run]] = {}
    for run in runs:
        spec = run.spec
        key = (spec.task, spec.method, spec.models, *sorted(RunGroup(spec, (run,)).facets.items()))
        found.setdefault(key, {}).setdefault((spec.seed, spec.order), run)
    made = []
    for some in found.values():
        own = tuple(sorted(some.values(), key=lambda run: run.spec.seed))
        made.append(RunGroup(replace(own[0].spec, seed=0), own))
    tasks, listed = list(dict.fromkeys(one.task for one in made)), list(METHODS)
    made.sort(key=lambda one: (tasks.index(one.task), listed.index(one.spec.method)))
    by_task = {task: [one for one in made if one.task == task] for task in tasks}
    return [replace(one, special=_special(one, by_task[one.task])) for one in made]


def alike(one: RunGroup, other: RunGroup, *but: str) -> bool:
    """Whether two groups of one task differ in no facet but these."""
    mine, theirs = (
        {name: value for name, value in each.facets.items() if name not in but} for each in (one, other)
    )
    return one.spec.task == other.spec.task and mine == theirs


def _special(one: RunGroup, own: Sequence[RunGroup]) -> tuple[str, ...]:
    """What is told of a group among those of its task."""
    facets = one.facets
    if len({each.spec.encoder for each in own}) == 1:  # it makes no difference to some, and parts none
        facets["encoder"] = one.spec.encoder
    varying = {name for name in facets if len({each.facets.get(name) for each in own}) > 1}
    return tuple(
        _TOLD.get(name, f"{name} {{}}").format(value[:12] if name == "data" else value)
        for name, value in sorted(facets.items(), key=lambda pair: pair[0] not in _ALWAYS)
        if (name in varying or name in _ALWAYS) and value != _USUAL.get(name)
    )


def twin_of(one: RunGroup, groups: Sequence[RunGroup]) -> RunGroup | None:
    """The group of the same solver without memory (whatever its feedback was: it learns nothing).

    A team in another order is the next best: the same models, each at other steps.
    """
    wanted = twin(METHODS[one.spec.method]).name
    likely = [other for other in groups if other.spec.method == wanted and alike(one, other, *_MEMORY)]
    for same in (list, sorted):
        for other in likely:
            if same(other.spec.models) == same(one.spec.models):
                return other
    return None


def gain(one: RunGroup, base: RunGroup) -> Paired | None:
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


def regret(one: RunGroup, best: float) -> float:
    """Right answers that were missed, per order, against a solver that is right with chance `best` always."""
    return float(np.mean([(best - values(run)).sum() for run in one.runs]))


def _by_question(runs: Sequence[Run]) -> dict[str, float]:
    seen: dict[str, list[float]] = {}
    for run in runs:
        for record in run.records:
            if record.asked:
                seen.setdefault(record.instance, []).append(float(record.right))
    return {question: sum(found) / len(found) for question, found in seen.items()}
