"""Tables of a report, and the one of all runs of a task (see `paper_tables` for the paper's).

A table is a value: cells are texts, figures are percent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan

from quire.eval.statistics import Interval
from quire_streams.report.groups import RunGroup, best_in_hindsight, gain, regret, twin_of


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A title, column heads, rows of texts, and a note below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def numeric(self, column: int) -> bool:
        """Whether a column holds figures, which stand right."""
        return all(not row[column] or row[column][0] in "<+-0123456789" for row in self.rows)

    def slim(self, *once: str) -> ReportTable:
        """Without columns that are empty; what is the same in every row of columns `once` is in the title."""
        columns = list(zip(*self.rows, strict=True))
        told = {
            name: values[0]
            for name, values in zip(self.columns, columns, strict=True)
            if name in once and len(set(values)) == 1
        }
        kept = [at for at, values in enumerate(columns) if any(values) and self.columns[at] not in told]
        same = (value if name == "setting" else f"{name} {value}" for name, value in told.items())
        rows = tuple(tuple(row[at] for at in kept) for row in self.rows)
        names = tuple(self.columns[at] for at in kept)
        return ReportTable(", ".join([self.title, *same]), names, rows, self.note)


def percent(share: float) -> str:
    """A share from 0 to 1 as a figure."""
    return f"{100 * share:.1f}"


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


def overview(groups: Sequence[RunGroup], task: str) -> ReportTable:
    """One row per group of a task: metric, gain over the stateless twin, regret, what was not judged."""
    own = [one for one in groups if one.task == task]
    best = best_in_hindsight(own)
    rows = [(*_identify(one), *_measure(one, groups, best)) for one in own]
    columns = (
        "method", "models", "setting", "orders", "metric", "95% orders", "95% questions", "gain", "p",
        "regret", "failed", "unjudged", "further",
    )  # fmt: skip
    table = ReportTable(f"{task}: all runs", columns, tuple(rows)).slim("setting", "orders")
    return replace(table, note=" ".join(_NOTES[name] for name in table.columns if name in _NOTES))


def _identify(one: RunGroup) -> tuple[str, ...]:
    return one.spec.method, one.models, one.setting, str(len(one.runs))


def _measure(one: RunGroup, groups: Sequence[RunGroup], best: float) -> tuple[str, ...]:
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
