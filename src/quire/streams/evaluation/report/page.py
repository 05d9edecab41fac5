"""A report as one HTML file that needs nothing else: style, script, plots and pictures are inside.

Contract: no request to any host: the page's own policy (CSP) forbids every source but data pictures, and
admits its one script and style by their hash, so that nothing injected would run. All texts of questions,
papers and models are escaped (`markup.py`). Pictures come through `picture(paper, page, box)`, which gives a
PNG or None, and stop at `picture_bytes` in all (wrong answers come first), so that the file stays small.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from quire.errors import RunError
from quire.streams.evaluation.record import ASKED, STATUSES, EvalRecord
from quire.streams.evaluation.report import plots, terminal
from quire.streams.evaluation.report.markup import Markup, join, tag
from quire.streams.evaluation.report.question import Picture, Pictures, question_details
from quire.streams.evaluation.runs import EvalRun
from quire.streams.evaluation.summary import Summary, Tally, tally

__all__ = ["Picture", "report_page"]


def report_page(
    runs: Sequence[EvalRun], picture: Picture | None = None, *, picture_bytes: int = 15_000_000
) -> str:
    """The page of one or several runs.

    Raises:
        RunError: no run was given.
    """
    if not runs:
        raise RunError("A report needs at least one run.")
    pictures = Pictures(picture, picture_bytes)
    title = "Evaluation of " + ", ".join(dict.fromkeys(run.spec.questions for run in runs))
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", style),
    )
    parts = [tag("h1", title), *_beside(runs), *(_run(run, pictures, len(runs) > 1) for run in runs)]
    body = tag("body", tag("main", *parts), tag("script", script))
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _beside(runs: Sequence[EvalRun]) -> list[Markup]:
    """Several runs side by side, and each against the first."""
    if len(runs) == 1:
        return []
    costs = _costs(runs)
    unit = "US dollars" if costs else "seconds"
    points = [
        # Names of runs begin alike; method and model tell them apart in few letters.
        plots.Point(
            f"{i}. {run.spec.method} {run.spec.model}", _each(run.summary, cost=costs), run.summary.overall
        )
        for i, run in enumerate(runs, 1)
    ]
    named = tag("ol", *(tag("li", run.name) for run in runs))
    lines = [tag("p", terminal.comparison_line(runs[0], other)) for other in runs[1:]]
    plot = _figure(plots.cost_against_accuracy(points, unit), f"Accuracy against {unit} per question.")
    return [tag("h2", "The runs compared"), named, *lines, plot]


def _run(run: EvalRun, pictures: Pictures, several: bool) -> Markup:
    summary = run.summary
    spec = run.spec
    told = [spec.method and f"method {spec.method}", spec.model and f"model {spec.model}"]
    told += [spec.judge and f"judge {spec.judge}", f"questions {spec.questions} (sha256 {spec.digest[:12]})"]
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
    shown += [(str(overall.counts[status]), status) for status in STATUSES]
    if summary.seconds is not None and summary.turns is not None:
        shown += [
            (f"{summary.seconds:.2f} s", "per question"),
            (f"{summary.turns:.1f}", "turns per question"),
            (f"{summary.usage.prompt_tokens + summary.usage.completion_tokens}", "tokens in all"),
            (f"${summary.usage.cost:.4f}", "in all"),
        ]
    return tag("ul", *(tag("li", tag("b", value), name) for value, name in shown), class_="figures")


def _plots(run: EvalRun, summary: Summary) -> Markup:
    costs = _costs([run])
    unit = "US dollars" if costs else "seconds"
    points = [plots.Point("all", _each(summary, cost=costs), summary.overall)]
    for kind, counted in summary.kinds.items():
        asked = [record for record in run.records if kind in record.tags and record.status in ASKED]
        spent = [record.usage.cost if costs else record.seconds for record in asked]
        points.append(plots.Point(kind, sum(spent) / max(1, len(spent)), counted))
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
        _figure(plots.accuracy_by_kind({"all": summary.overall, **summary.kinds}), "Accuracy per kind."),
        _figure(plots.cost_against_accuracy(points[:16], unit), f"Accuracy against {unit} per question."),
        _figure(plots.reliability_of_abstention(run.records), abstention),
    )


def _kinds(summary: Summary) -> Markup:
    head = tag("tr", *(tag("th", name) for name in ("kind", "accuracy", "95% interval", *STATUSES)))
    rows = [_kind(name, counted) for name, counted in [("all", summary.overall), *summary.kinds.items()]]
    return tag("table", tag("thead", head), tag("tbody", *rows))


def _kind(name: str, counted: Tally) -> Markup:
    cells = [terminal.percent(counted.accuracy.mean), terminal.interval(counted)]
    cells += [str(counted.counts[status]) for status in STATUSES]
    return tag("tr", tag("td", name), *(tag("td", cell) for cell in cells))


def _questions(run: EvalRun, pictures: Pictures) -> Markup:
    order = {
        status: place for place, status in enumerate(("wrong", "failed", "unknown", "abstained", "right"))
    }
    sorted_records: list[EvalRecord] = sorted(run.records, key=lambda r: (order.get(r.status, 9), r.id))
    kinds = sorted({name for record in run.records for name in record.tags})
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


def _figure(plot: Markup, caption: str) -> Markup:
    return tag("figure", plot, tag("figcaption", caption))


def _costs(runs: Sequence[EvalRun]) -> bool:
    return any(run.summary.usage.cost for run in runs)


def _each(summary: Summary, *, cost: bool) -> float:
    asked = sum(summary.overall.counts[status] for status in ASKED)
    return summary.usage.cost / max(1, asked) if cost else summary.seconds or 0.0


def _asset(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
