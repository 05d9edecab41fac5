"""Tables of a report: the one of all runs of a task, and the shapes of StreamBench (arXiv 2406.08747).

A table is a value: cells are texts, figures are percent. The paper's own figures stand beside runs of its
protocol only. A cell is one group: runs that differ in nothing but their order. A table for which the runs
are missing has no rows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from math import isnan
from typing import Any, cast

from quire.eval.statistics import Interval
from quire_streams.methods import METHODS
from quire_streams.report.groups import RunGroup, alike, gain, regret, twin_of


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
# What the further figures of tasks are; like the metric they are over all questions.
_PARTS = {
    "strict": "the same rows as often and, where the gold query sorts, in its order",
    "f1": "words that answer and gold share",
    "api": "the right API was called",
    "no_extra": "and with no argument too many",
    "score": "the grade of the evaluator",
}


def overview(groups: Sequence[RunGroup], task: str) -> ReportTable:
    """One row per group of a task: metric, gain over the stateless twin, regret, what was not judged."""
    own = [one for one in groups if one.task == task]
    best = max((one.metric.mean for one in own), default=0.0)  # in hindsight
    rows = [_measure(one, groups, best) for one in own]
    columns = (
        "method", "models", "setting", "orders", "metric", "95% orders", "95% questions", "gain", "p",
        "regret", "failed", "unjudged", "further",
    )  # fmt: skip
    table = ReportTable(f"{task}: all runs", columns, tuple(rows)).slim("setting", "orders")
    notes = [_NOTES[name] for name in table.columns if name in _NOTES]
    parts = dict.fromkeys(name for one in own for name in one.parts)
    meant = "; ".join(f"{name}: {_PARTS[name]}" for name in parts if name in _PARTS)
    return replace(table, note=" ".join([*notes, *[f"Further: {meant}."] * bool(meant)]))


def _measure(one: RunGroup, groups: Sequence[RunGroup], best: float) -> tuple[str, ...]:
    base = twin_of(one, groups)
    found = gain(one, base) if base and base is not one else None
    metric = one.metric
    return (
        one.spec.method,
        one.models,
        one.setting,
        str(len(one.runs)),
        percent(metric.mean),
        _range(metric),
        _range(one.sampled),
        f"{100 * found.difference:+.1f}" if found else "",
        ("<0.001" if found.p_value < 0.001 else f"{found.p_value:.3f}") if found else "",
        f"{abs(regret(one, best)):.0f}",
        str(one.errors or ""),
        str(one.unknown or ""),
        ", ".join(f"{name} {percent(value)}" for name, value in one.parts.items()),
    )


def _range(interval: Interval) -> str:
    if isnan(interval.low):
        return ""
    # Student's interval of two orders may pass the ends of the scale.
    return f"{percent(max(interval.low, 0.0))}\u2013{percent(min(interval.high, 1.0))}"


_BESIDE = "In brackets the paper's figure, of the same model where it has one, else the mean of its three."


def paper_tables(groups: Sequence[RunGroup]) -> list[ReportTable]:
    """All of them, in the paper's order."""
    made = [methods(groups), table4(groups), table8(groups), table9(groups), costs(groups)]
    return [table.slim("setting", "task") for table in made if table.rows]


def methods(groups: Sequence[RunGroup]) -> ReportTable:
    """Methods and models by tasks; the paper's figure in brackets."""
    order = published()["tasks"]
    own = [one for one in groups if one.spec.task in order]
    tasks = sorted({one.task for one in own}, key=lambda task: order.index(task.partition(" ")[0]))
    cells: dict[tuple[str, str, str], dict[str, str]] = {}
    for one in sorted(own, key=lambda one: list(METHODS).index(one.spec.method)):
        row = cells.setdefault((one.spec.method, one.models, one.setting), {})
        row[one.task] = _beside(one)
    rows = [
        (METHODS[key[0]].paper or key[0], *key[1:], *(row.get(task, "") for task in tasks))
        for key, row in cells.items()
    ]
    beside = _BESIDE if any(one.published for one in own) else ""
    columns = ("method", "models", "setting", *tasks)
    return ReportTable("Methods by tasks (shape of Tables 2, 3 and 5 to 7)", columns, tuple(rows), beside)


def table4(groups: Sequence[RunGroup]) -> ReportTable:
    """Self-StreamICL by encoder, where runs differ in it."""
    own = [one for one in groups if one.spec.method == "self_stream_icl"]
    encoders = list(dict.fromkeys(one.spec.encoder for one in own))
    if len(encoders) < 2:
        return ReportTable("", (), ())
    heads: dict[str, list[RunGroup]] = {}
    for one in own:
        heads.setdefault(f"{one.task} {one.models} {one.setting_but(one.spec.encoder)}", []).append(one)
    measured = [{one.spec.encoder: one.metric.mean for one in reversed(some)} for some in heads.values()]
    rows = [
        (name, *(percent(known[name]) if name in known else "-" for known in measured)) for name in encoders
    ]
    paper = {name: row for name, row in published()["encoders"].items() if name != "models"}
    told = "; ".join(f"{name}: {_listed(row)}" for name, row in paper.items())
    models = ", ".join(published()["encoders"]["models"])
    note = _only_beside(own, f"The paper, DDXPlus, {models}: {told}.")
    return ReportTable("Self-StreamICL by encoder (shape of Table 4)", ("encoder", *heads), tuple(rows), note)


def table8(groups: Sequence[RunGroup]) -> ReportTable:
    """With and without a shift of the stream, where there are both."""
    rows = []
    for one in (each for each in groups if each.spec.shift):
        same = (one.spec.method, one.spec.models)
        plain = (
            each for each in groups
            if not each.spec.shift and (each.spec.method, each.spec.models) == same
            and alike(each, one, "shift")
        )  # fmt: skip
        still = next((percent(each.metric.mean) for each in plain), "-")
        rest = one.setting_but(f"by {one.spec.shift}")
        moved = percent(one.metric.mean)
        rows.append((one.task, one.spec.method, one.models, rest, one.spec.shift, still, moved))
    paper = published()["shifts"]
    figures = " with shifts ".join(f"{_listed(paper[name])};" for name in ("no shifts", "with shifts"))
    note = _only_beside(groups, f"The paper, Self-StreamICL on BIRD: {figures.rstrip(';')}.")
    columns = ("task", "method", "models", "setting", "shifted by", "no shifts %", "with shifts %")
    return ReportTable("Shifts of distribution (shape of Table 8)", columns, tuple(rows), note)


def table9(groups: Sequence[RunGroup]) -> ReportTable:
    """Who remembers and who answers, for each MAM-StreamICL and the groups that are like it."""
    rows = []
    for mam in (one for one in groups if one.spec.method == "mam_stream_icl"):
        models = mam.spec.models
        plain = [_like(groups, mam, "zero_shot", (model,)) for model in models]
        alone = [_like(groups, mam, "self_stream_icl", (model,)) for model in models]
        turned = [(model, *(other for other in models if other != model)) for model in models]
        written = [_like(groups, mam, "mam_one_author", team) for team in turned]
        shared = [percent(mam.metric.mean)] * len(models)
        rows.append((mam.task, mam.setting, "Zero-Shot", *plain, "no", "single"))
        rows.append((mam.task, mam.setting, "Self-StreamICL", *alone, "single", "single"))
        rows.append((mam.task, mam.setting, "MAM-StreamICL (ablation)", *written, "single", "multi"))
        rows.append((mam.task, mam.setting, "MAM-StreamICL", *shared, "multi", "multi"))
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        return ReportTable("", (), ())
    paper = {k: v for k, v in published()["sharing"].items() if k != "models"}
    told = "; ".join(f"{METHODS[name].paper} {_listed(row)}" for name, row in paper.items())
    note = _only_beside(groups, f"The paper, DDXPlus, GPT/Gemini/Claude: {told}.")
    several = (f"model {n + 1}" for n in range(widths.pop() - 5))
    columns = ("task", "setting", "method", *several, "memory", "inference")
    return ReportTable("Shared memory (shape of Table 9)", columns, tuple(rows), note)


def costs(groups: Sequence[RunGroup]) -> ReportTable:
    """Millions of tokens in and out per run, and dollars (Appendix E), where a model was used."""
    rows = []
    for one in groups:
        usage = one.usage
        if usage.calls:
            paper = _of(published()["tokens"], one.spec.method, one.spec.task) if one.published else ""
            tokens = f"{usage.prompt_tokens / 1e6:.3f}/{usage.completion_tokens / 1e6:.3f}"
            told = (one.task, one.spec.method, one.models, one.setting, str(usage.calls), tokens)
            rows.append((*told, str(paper or ""), f"{usage.cost:.4f}"))
    columns = ("task", "method", "models", "setting", "calls", "M tokens in/out", "paper (GPT-3.5)")
    title = "Tokens and cost of one run (shape of Table 10)"
    return ReportTable(title, (*columns, "US dollars"), tuple(rows))


def _like(groups: Sequence[RunGroup], mam: RunGroup, name: str, models: tuple[str, ...]) -> str:
    """The figure of another method under the same conditions; of teams, whoever comes first counts."""
    for one in groups:
        same = one.spec.models[:1] == models[:1] and sorted(one.spec.models) == sorted(models)
        if one.spec.method == name and same and alike(one, mam, "encoder"):
            if one.facets.get("encoder", mam.spec.encoder) == mam.spec.encoder:
                return percent(one.metric.mean)
    return "-"


def _beside(one: RunGroup) -> str:
    own, spec = percent(one.metric.mean), one.spec
    if not one.published:
        return own
    same = published_of_model(spec.models[0], spec.method, spec.task) if len(spec.models) == 1 else None
    paper = published_average(spec.method, spec.task) if same is None else same
    return own if paper is None else f"{own} ({paper:.2f})"


def _only_beside(groups: Sequence[RunGroup], note: str) -> str:
    """The paper's figures, where a run can be compared with them."""
    return note if any(one.spec.protocol == "streambench" for one in groups) else ""


def _listed(figures: Sequence[float]) -> str:
    return ", ".join(f"{figure:.2f}" for figure in figures)


@cache
def published() -> dict[str, Any]:
    """All tables; see the file."""
    file = resources.files("quire_streams.report").joinpath("published.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def published_average(method: str, task: str) -> float | None:
    """Table 2: percent, mean of the three models; None where the paper has none."""
    return cast("float | None", _of(published()["average"], method, task))


def published_of_model(model: str, method: str, task: str) -> float | None:
    """Tables 3 and 5 to 7: percent of one model, found by the beginning of its name."""
    for name, rows in published()["models"].items():
        if name.startswith(model) or model.startswith(name):
            return cast("float | None", _of(rows, method, task))
    return None


def _of(rows: dict[str, list[Any]], method: str, task: str) -> Any:
    tasks = published()["tasks"]
    return rows[method][tasks.index(task)] if method in rows and task in tasks else None
