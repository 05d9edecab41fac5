"""The tables of a report: an overview of each task, then the paper's; those without rows are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from quire.eval.statistics import Interval
from quire_streams.report.groups import Group, best_in_hindsight, gain, regret, twin_of
from quire_streams.report.paper_tables import paper_tables
from quire_streams.report.table import ReportTable, percent


def tables(groups: Sequence[Group]) -> list[ReportTable]:
    """Every table that these runs can fill."""
    made = [overview(groups, task) for task in dict.fromkeys(one.task for one in groups)]
    made += paper_tables(groups)
    return [table for table in made if table.rows]


_NOTES = {
    "metric": "Percent.",
    "95% orders": "95% orders: how much the order of this stream matters (Student's t).",
    "95% questions": "95% questions: how far other questions of the kind could lie (bootstrap).",
    "gain": "Gain: over the same solver without memory on the same orders, paired by question (p by sign "
    "flips).",
    "regret": "Regret: right answers missed against the best here.",
    "failed": "Failed: the solver gave no answer; counted as not right.",
    "unjudged": "Unjudged: nobody could tell; counted as not right.",
}


def overview(groups: Sequence[Group], task: str) -> ReportTable:
    """One row per group of a task: metric, gain over the stateless twin, regret, what was not judged."""
    own = [one for one in groups if one.task == task]
    best = best_in_hindsight(own)
    rows = [(*_named(one), *_measured(one, groups, best)) for one in own]
    columns = (
        "method", "models", "setting", "orders", "metric", "95% orders", "95% questions", "gain", "p",
        "regret", "failed", "unjudged", "further",
    )  # fmt: skip
    table = ReportTable(f"{task}: all runs", columns, tuple(rows)).slim("setting", "orders")
    return replace(table, note=" ".join(_NOTES[name] for name in table.columns if name in _NOTES))


def _named(one: Group) -> tuple[str, ...]:
    return one.spec.method, one.models, one.setting, str(len(one.runs))


def _measured(one: Group, groups: Sequence[Group], best: float) -> tuple[str, ...]:
    base = twin_of(one, groups)
    found = gain(one, base) if base and base is not one else None
    metric = one.metric
    return (
        percent(metric.mean),
        _range(metric),
        _range(one.sampled),
        f"{100 * found.difference:+.1f}" if found else "",
        _chance(found.p_value) if found else "",
        f"{abs(regret(one, best)):.0f}",
        str(one.errors or ""),
        str(one.unknown or ""),
        ", ".join(f"{name} {percent(value)}" for name, value in one.parts.items()),
    )


def _chance(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _range(interval: Interval) -> str:
    if isnan(interval.low):
        return ""
    # Student's interval of two orders may pass the ends of the scale.
    return f"{percent(max(interval.low, 0.0))}\u2013{percent(min(interval.high, 1.0))}"
