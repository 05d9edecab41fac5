"""The page of questions that were answered: figures, plots, and behind each question what led there.

All texts of questions, papers and models are escaped (`page.py`). Pictures come through
`picture(paper, page, box)`, which gives a PNG or None, and stop at `picture_bytes` in all (wrong answers come
first), so that the file stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quire.errors import RunError
from quire.eval.record import CLOSED, STATUSES, Record
from quire.eval.report import charts, terminal
from quire.eval.report.page import render
from quire.eval.report.plots import Plot
from quire.eval.report.question import Picture, Pictures, describe_question
from quire.eval.report.summary import StatusTally, Summary, summarise, tags, tally
from quire.eval.run import Run


def report_page(
    runs: Sequence[Run], picture: Picture | None = None, *, picture_bytes: int = 15_000_000
) -> str:
    """The page of one or several runs.

    Raises:
        RunError: no run was given.
    """
    if not runs:
        raise RunError("A report needs at least one run.")
    pictures = Pictures(picture, picture_bytes)
    title = "Evaluation of " + ", ".join(dict.fromkeys(run.spec.data for run in runs))
    shown = [describe_run(run, pictures) for run in runs]
    beside = _beside(runs) if len(runs) > 1 else None
    return render("answers.html", title=title, beside=beside, runs=shown, statuses=STATUSES)


def _beside(runs: Sequence[Run]) -> dict[str, Any]:
    """Several runs side by side, and each against the first."""
    costs = _costs(runs)
    unit = "US dollars" if costs else "seconds"
    points = [
        # Names of runs begin alike; method and model tell them apart in few letters.
        charts.CostPoint(
            f"{i}. {terminal.method_of(run)} {'+'.join(run.spec.models)}",
            _each(summary, cost=costs),
            summary.overall,
        )
        for i, (run, summary) in enumerate(((run, summarise(run.records)) for run in runs), 1)
    ]
    lines = [terminal.comparison_line(runs[0], other) for other in runs[1:]]
    plot = (charts.cost_against_accuracy(points, unit), f"Accuracy against {unit} per question.")
    return {"lines": lines, "plot": plot}


def describe_run(run: Run, pictures: Pictures | None = None) -> dict[str, Any]:
    """What `evaluated.html` shows of a run."""
    pictures = pictures or Pictures(None, 0)
    summary, spec = summarise(run.records), run.spec
    method, models = terminal.method_of(run), "+".join(spec.models)
    told = [method and f"method {method}", models and f"model {models}", f"protocol {spec.protocol}"]
    told += [spec.judge_model and f"judge {spec.judge_model}", f"questions {spec.data} ({run.stream})"]
    records = _worst_first(run.records)
    return {
        "name": run.name,
        "told": ", ".join(part for part in told if part),
        "figures": _figures(summary),
        "plots": _plots(run, summary),
        "kinds": _kinds(summary, STATUSES),
        "outcomes": [status for status in STATUSES if any(one.status == status for one in records)],
        "tags": sorted({name for record in records for name in tags(record)}),
        "questions": [describe_question(record, pictures) for record in records],
    }


def _figures(summary: Summary) -> list[tuple[str, str]]:
    overall = summary.overall
    shown = [(terminal.percent(overall.accuracy.mean), f"accuracy ({terminal.interval(overall)})")]
    shown.append((terminal.percent(overall.of_all), f"of all {overall.total}"))
    shown += [(str(overall.counts[status]), status) for status in STATUSES]
    if summary.seconds is not None and summary.turns is not None:
        shown += [
            (f"{summary.seconds:.2f} s", "per question"),
            (f"{summary.turns:.1f}", "turns per question"),
            (f"{summary.usage.prompt_tokens + summary.usage.completion_tokens}", "tokens in all"),
            (f"${summary.usage.cost:.4f}", "in all"),
        ]
    return shown


def _plots(run: Run, summary: Summary) -> list[tuple[Plot, str]]:
    costs = _costs([run])
    unit = "US dollars" if costs else "seconds"
    points = [charts.CostPoint("all", _each(summary, cost=costs), summary.overall)]
    for kind, counted in summary.kinds.items():
        asked = [record for record in run.records if kind in tags(record) and record.asked]
        spent = [record.usage.cost if costs else record.attempt.seconds for record in asked]
        points.append(charts.CostPoint(kind, sum(spent) / max(1, len(spent)), counted))
    given = [record for record in run.records if record.status in ("right", "wrong")]
    sure = tally(given).accuracy
    rightly = f", {sure.mean:.1%} of these rightly" if sure.n else ""
    abstention = (
        f"Of {summary.overall.accuracy.n} answerable questions {sure.n} were answered{rightly}; "
        f"{summary.overall.counts['abstained']} were abstained from. The ring is this run; to the left of it "
        "only the answers with the highest confidence are given. A curve that rises to the left means that "
        "the confidence can be relied on."
    )
    return [
        (charts.accuracy_by_kind({"all": summary.overall, **summary.kinds}), "Accuracy per kind."),
        (charts.cost_against_accuracy(points[:16], unit), f"Accuracy against {unit} per question."),
        (charts.reliability_of_abstention(run.records), abstention),
    ]


def _kinds(summary: Summary, statuses: Sequence[str]) -> list[list[str]]:
    """A row for all and for each kind: its name, accuracy, interval, and how many came out in each status."""

    def row(name: str, counted: StatusTally) -> list[str]:
        figures = [terminal.percent(counted.accuracy.mean), terminal.interval(counted)]
        return [name, *figures, *(str(counted.counts[status]) for status in statuses)]

    return [row("all", summary.overall), *(row(name, counted) for name, counted in summary.kinds.items())]


def _worst_first(records: Sequence[Record]) -> list[Record]:
    """Records in the order in which they are looked at."""
    order = {name: place for place, name in enumerate(("wrong", "failed", "unknown", "abstained", "right"))}
    return sorted(records, key=lambda one: (order.get(one.status, 9), one.instance))


def _costs(runs: Sequence[Run]) -> bool:
    return any(record.usage.cost for run in runs for record in run.records)


def _each(summary: Summary, *, cost: bool) -> float:
    asked = sum(summary.overall.counts[status] for status in STATUSES if status not in CLOSED)
    return summary.usage.cost / max(1, asked) if cost else summary.seconds or 0.0
