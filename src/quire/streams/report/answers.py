"""The page of questions that were answered: figures, plots, and behind each question what led there.

All texts of questions, papers and models are escaped (`markup.py`). Pictures come through
`picture(paper, page, box)`, which gives a PNG or None, and stop at `picture_bytes` in all (wrong answers come
first), so that the file stays small.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.errors import RunError
from quire.streams.record import CLOSED, STATUSES, Record
from quire.streams.report import charts, terminal
from quire.streams.report.markup import Markup, join, tag
from quire.streams.report.page import figure, page
from quire.streams.report.question import Picture, Pictures, question_details
from quire.streams.report.summary import Summary, Tally, summarise, tags, tally
from quire.streams.runner import Run


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
    return page(title, *_beside(runs), *(_run(run, pictures, len(runs) > 1) for run in runs))


def _beside(runs: Sequence[Run]) -> list[Markup]:
    """Several runs side by side, and each against the first."""
    if len(runs) == 1:
        return []
    costs = _costs(runs)
    unit = "US dollars" if costs else "seconds"
    points = [
        # Names of runs begin alike; method and model tell them apart in few letters.
        charts.Point(
            f"{i}. {terminal.method_of(run)} {'+'.join(run.spec.models)}",
            _each(summary, cost=costs),
            summary.overall,
        )
        for i, (run, summary) in enumerate(((run, summarise(run.records)) for run in runs), 1)
    ]
    named = tag("ol", *(tag("li", run.name) for run in runs))
    lines = [tag("p", terminal.comparison_line(runs[0], other)) for other in runs[1:]]
    plot = figure(charts.cost_against_accuracy(points, unit), f"Accuracy against {unit} per question.")
    return [tag("h2", "The runs compared"), named, *lines, plot]


def _run(run: Run, pictures: Pictures, several: bool) -> Markup:
    summary, spec = summarise(run.records), run.spec
    method, models = terminal.method_of(run), "+".join(spec.models)
    told = [method and f"method {method}", models and f"model {models}", f"protocol {spec.protocol}"]
    told += [spec.judge_model and f"judge {spec.judge_model}", f"questions {spec.data} ({run.stream})"]
    return tag(
        "section",
        tag("h2", run.name) if several else None,
        tag("p", ", ".join(part for part in told if part), class_="soft"),
        _figures(summary),
        _plots(run, summary),
        tag("h3", "Kinds of questions"),
        tag("div", _kinds(summary), class_="scroll"),
        _questions(run, pictures),
    )


def _figures(summary: Summary) -> Markup:
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
    return tag("ul", *(tag("li", tag("b", value), name) for value, name in shown), class_="figures")


def _plots(run: Run, summary: Summary) -> Markup:
    costs = _costs([run])
    unit = "US dollars" if costs else "seconds"
    points = [charts.Point("all", _each(summary, cost=costs), summary.overall)]
    for kind, counted in summary.kinds.items():
        asked = [record for record in run.records if kind in tags(record) and record.asked]
        spent = [record.usage.cost if costs else record.attempt.seconds for record in asked]
        points.append(charts.Point(kind, sum(spent) / max(1, len(spent)), counted))
    given = [record for record in run.records if record.status in ("right", "wrong")]
    sure = tally(given).accuracy
    rightly = f", {sure.mean:.1%} of these rightly" if sure.n else ""
    abstention = (
        f"Of {summary.overall.accuracy.n} answerable questions {sure.n} were answered{rightly}; "
        f"{summary.overall.counts['abstained']} were abstained from. The ring is this run; to the left of it "
        "only the answers with the highest confidence are given. A curve that rises to the left means that "
        "the confidence can be relied on."
    )
    return join(
        figure(charts.accuracy_by_kind({"all": summary.overall, **summary.kinds}), "Accuracy per kind."),
        figure(charts.cost_against_accuracy(points[:16], unit), f"Accuracy against {unit} per question."),
        figure(charts.reliability_of_abstention(run.records), abstention),
    )


def _kinds(summary: Summary) -> Markup:
    head = tag("tr", *(tag("th", name) for name in ("kind", "accuracy", "95% interval", *STATUSES)))
    rows = [_kind(name, counted) for name, counted in [("all", summary.overall), *summary.kinds.items()]]
    return tag("table", tag("thead", head), tag("tbody", *rows))


def _kind(name: str, counted: Tally) -> Markup:
    cells = [terminal.percent(counted.accuracy.mean), terminal.interval(counted)]
    cells += [str(counted.counts[status]) for status in STATUSES]
    return tag("tr", tag("td", name), *(tag("td", cell) for cell in cells))


def _questions(run: Run, pictures: Pictures) -> Markup:
    order = {
        status: place for place, status in enumerate(("wrong", "failed", "unknown", "abstained", "right"))
    }
    sorted_records: list[Record] = sorted(run.records, key=lambda r: (order.get(r.status, 9), r.instance))
    kinds = sorted({name for record in run.records for name in tags(record)})
    tools = tag(
        "div",
        tag("input", type="search", placeholder="Find in questions", aria_label="Find in questions"),
        _choice("every outcome", [s for s in STATUSES if any(r.status == s for r in run.records)]),
        _choice("every kind", kinds),
        tag("span", class_="shown soft"),
        class_="tools",
    )
    listed = [question_details(record, pictures) for record in sorted_records]
    return tag("section", tag("h3", "Questions"), tools, *listed, class_="questions")


def _choice(every: str, names: Sequence[str]) -> Markup:
    options = [tag("option", every, value=""), *(tag("option", name, value=name) for name in names)]
    return tag("select", *options, aria_label=every)


def _costs(runs: Sequence[Run]) -> bool:
    return any(record.usage.cost for run in runs for record in run.records)


def _each(summary: Summary, *, cost: bool) -> float:
    asked = sum(summary.overall.counts[status] for status in STATUSES if status not in CLOSED)
    return summary.usage.cost / max(1, asked) if cost else summary.seconds or 0.0
