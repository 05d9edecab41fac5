"""The shapes of the paper's tables (StreamBench, arXiv 2406.08747), with its own figures beside them.

A table for which the runs are missing has no rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.agents.stream.methods import METHODS, PAPER_METHODS
from quire.streams.report import published
from quire.streams.report.groups import Group
from quire.streams.report.table import Table, percent

_SYNTHETIC = "Synthetic samples were drawn by a rule; the paper's figures are of collected ones."


def paper_tables(groups: Sequence[Group]) -> list[Table]:
    """All of them, in the paper's order."""
    return [table2(groups), *table3(groups), table4(groups), table8(groups), table9(groups), costs(groups)]


def table2(groups: Sequence[Group]) -> Table:
    """Methods by tasks, the mean over single models; the paper's figure in brackets."""
    order = published.published()["tasks"]
    found = {g.task: order.index(g.spec.task) for g in groups if g.spec.task in order}
    tasks = sorted(found, key=lambda task: found[task])
    rows = []
    for name in PAPER_METHODS:
        cells = [_beside(_mean(groups, name, task), published.average(name, task)) for task in tasks]
        if any(not cell.startswith("-") for cell in cells):
            rows.append((METHODS[name].paper, *cells))
    title = "Methods by tasks (shape of Table 2; the paper's figure in brackets)"
    return Table(title, ("method", *tasks), tuple(rows), _SYNTHETIC * any("(" in task for task in tasks))


def table3(groups: Sequence[Group]) -> list[Table]:
    """One table per model."""
    made = []
    for model in dict.fromkeys(g.spec.models[0] for g in groups if len(g.spec.models) == 1):
        own = [g for g in groups if g.spec.models == (model,) and _plain(g)]
        tasks = list(dict.fromkeys(g.task for g in own))
        rows = []
        for name in dict.fromkeys(g.spec.method for g in own):
            cells = [_beside(_mean(own, name, task), published.of_model(model, name, task)) for task in tasks]
            rows.append((METHODS[name].paper or name, *cells))
        made.append(Table(f"{model} (shape of Table 3)", ("method", *tasks), tuple(rows)))
    return made


def table4(groups: Sequence[Group]) -> Table:
    """Self-StreamICL by encoder, where runs differ in it."""
    own = [g for g in groups if g.spec.method == "self_stream_icl"]
    encoders = list(dict.fromkeys(g.spec.encoder for g in own))
    if len(encoders) < 2:
        return Table("", (), ())
    heads = list(dict.fromkeys((g.task, g.spec.models) for g in own))
    rows = [(name, *(_cell(own, name, *head) for head in heads)) for name in encoders]
    paper = {name: row for name, row in published.published()["encoders"].items() if name != "models"}
    told = "; ".join(f"{name}: {_listed(row)}" for name, row in paper.items())
    note = f"The paper, DDXPlus, {', '.join(published.published()['encoders']['models'])}: {told}."
    columns = ("encoder", *(f"{task} {'+'.join(models)}" for task, models in heads))
    return Table("Self-StreamICL by encoder (shape of Table 4)", columns, tuple(rows), note)


def table8(groups: Sequence[Group]) -> Table:
    """With and without a shift of the stream, where there are both."""
    shifted = [g for g in groups if g.spec.shift]
    rows = []
    for one in shifted:
        plain = next((g for g in groups if _same_but_shift(g, one)), None)
        rows.append(
            (
                one.task, one.spec.method, "+".join(one.spec.models), one.spec.shift,
                percent(plain.metric.mean) if plain else "-", percent(one.metric.mean),
            )
        )  # fmt: skip
    paper = published.published()["shifts"]
    still, moved = (_listed(paper[name]) for name in ("no shifts", "with shifts"))
    note = f"The paper, Self-StreamICL on BIRD: {still}; with shifts {moved}."
    columns = ("task", "method", "models", "shifted by", "no shifts %", "with shifts %")
    return Table("Shifts of distribution (shape of Table 8)", columns, tuple(rows), note)


def table9(groups: Sequence[Group]) -> Table:
    """Who remembers and who answers, per task that has MAM-StreamICL."""
    rows = []
    for mam in (g for g in groups if g.spec.method == "mam_stream_icl" and _plain(g)):
        single = [
            [_one(groups, name, mam.spec.task, (model,)) for model in mam.spec.models]
            for name in ("zero_shot", "self_stream_icl")
        ]
        rows.append((mam.task, "Zero-Shot", *single[0], "no", "single"))
        rows.append((mam.task, "Self-StreamICL", *single[1], "single", "single"))
        ablation = [_authored(groups, mam, model) for model in mam.spec.models]
        rows.append((mam.task, "MAM-StreamICL (ablation)", *ablation, "single", "multi"))
        shared = [percent(mam.metric.mean)] * len(mam.spec.models)
        rows.append((mam.task, "MAM-StreamICL", *shared, "multi", "multi"))
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        return Table("", (), ())
    count = widths.pop() - 4
    paper = {k: v for k, v in published.published()["sharing"].items() if k != "models"}
    note = "The paper, DDXPlus, GPT/Gemini/Claude: " + "; ".join(
        f"{METHODS[name].paper} {_listed(row)}" for name, row in paper.items()
    )
    columns = ("task", "method", *(f"model {n + 1}" for n in range(count)), "memory", "inference")
    return Table("Shared memory (shape of Table 9)", columns, tuple(rows), note)


def costs(groups: Sequence[Group]) -> Table:
    """Millions of tokens in and out per run, and dollars (Appendix E), where a model was used."""
    rows = []
    for one in groups:
        usage = one.usage
        if usage.calls:
            rows.append(
                (
                    one.task, one.spec.method, "+".join(one.spec.models), str(usage.calls),
                    f"{usage.prompt_tokens / 1e6:.3f}/{usage.completion_tokens / 1e6:.3f}",
                    published.tokens(one.spec.method, one.spec.task), f"{usage.cost:.4f}",
                )
            )  # fmt: skip
    columns = ("task", "method", "models", "calls", "M tokens in/out", "paper (GPT-3.5)", "US dollars")
    return Table("Tokens and cost of one run (shape of Table 10)", columns, tuple(rows))


def _authored(groups: Sequence[Group], mam: Group, model: str) -> str:
    for one in groups:
        same = one.spec.task == mam.spec.task and set(one.spec.models) == set(mam.spec.models)
        if one.spec.method == "mam_one_author" and same and one.spec.models[0] == model:
            return percent(one.metric.mean)
    return "-"


def _one(groups: Sequence[Group], name: str, task: str, models: tuple[str, ...]) -> str:
    for one in groups:
        if (one.spec.method, one.spec.task, one.spec.models) == (name, task, models) and _plain(one):
            return percent(one.metric.mean)
    return "-"


def _mean(groups: Sequence[Group], name: str, task: str) -> float | None:
    found = [g.metric.mean for g in groups if g.spec.method == name and g.task == task and _plain(g)]
    return 100 * sum(found) / len(found) if found else None


def _cell(groups: Sequence[Group], encoder: str, task: str, models: tuple[str, ...]) -> str:
    for one in groups:
        if (one.spec.encoder, one.task, one.spec.models) == (encoder, task, models):
            return percent(one.metric.mean)
    return "-"


def _same_but_shift(other: Group, one: Group) -> bool:
    mine = (one.spec.task, one.spec.method, one.spec.models, one.spec.limit, one.spec.feedback)
    return not other.spec.shift and mine == (
        other.spec.task, other.spec.method, other.spec.models, other.spec.limit, other.spec.feedback,
    )  # fmt: skip


def _plain(one: Group) -> bool:
    return one.spec.feedback == "exact" and not one.spec.shift


def _beside(own: float | None, paper: float | None) -> str:
    first = "-" if own is None else f"{own:.1f}"
    return first if paper is None else f"{first} ({paper:.2f})"


def _listed(figures: Sequence[float]) -> str:
    return ", ".join(f"{figure:.2f}" for figure in figures)
