"""What was measured: questions asked, evaluations opened and compared, streams with tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query
from markupsafe import Markup
from starlette.responses import HTMLResponse

from quire.agents import runs as stored
from quire.errors import RunError
from quire.interfaces.server.context import Context, ToRead
from quire.interfaces.server.pages.rendering import html
from quire.interfaces.server.pages.views import views

router = views()

_ASKED = 50
_CHANGED = 200


@router.get("/measure")
def measure(here: ToRead, runs: Annotated[int, Query(ge=1, le=100_000)] = _ASKED) -> HTMLResponse:
    """All that was measured."""
    return html(
        "Measure",
        "measure.html",
        evaluations=[_row(run) for run in _evaluations(here)],
        streams=_streams(),
        asked=stored.listed(here.library.folder, runs),
        more=runs * 2 if stored.count(here.library.folder) > runs else 0,
    )


@router.get("/measure/compare")
def compare(here: ToRead, run: Annotated[Sequence[str], Query()] = ()) -> HTMLResponse:
    """Evaluations side by side, each against the first."""
    from quire.streams.report.summary import compare as compared

    found = [_evaluation(here, name) for name in run[:20]]
    if len(found) < 2:
        raise RunError("Fewer than two runs were marked.", hint="Mark two or more and compare again.")
    first, rows = found[0], []
    for one in found:
        row = _row(one) | {"difference": "–", "chance": "–", "changed": [], "tone": ""}
        if one is not first:
            try:
                told = compared(one.records, first.records)
            except RunError:
                row["difference"] = "no question in common"
            else:
                words = {each.instance: each.case.question for each in one.records if each.case}
                row["difference"] = f"{100 * told.result.difference:+.1f} points"
                row["chance"] = f"p = {told.result.p_value:.3f}"
                row["tone"] = (
                    ("better", "worse")[told.result.difference < 0] if told.result.p_value < 0.05 else ""
                )
                row["changed"] = [(words.get(id, id), was, now) for id, now, was in told.changed[:_CHANGED]]
        rows.append(row)
    return html("Measure", "compare.html", rows=rows)


@router.get("/measure/streams/{task}")
def stream(here: ToRead, task: str) -> HTMLResponse:
    """The tables and plots of a task's streams."""
    from quire.streams.report.painting import svg
    from quire.streams.report.report import report

    found = [run for run in _stream_runs() if run.spec.task == task]
    if not found:
        raise RunError(f"No stream of `{task[:80]}` was run.", hint="See /measure for those that were.")
    made = report(found)
    plots = [Markup(svg(drawing)) for drawing in made.drawings()]
    return html("Measure", "stream.html", task=task, runs=len(found), tables=made.tables, plots=plots)


@router.get("/measure/{run}")
def evaluation(here: ToRead, run: str) -> HTMLResponse:
    """One evaluation: figures, kinds, every question."""
    from quire.streams.record import STATUSES
    from quire.streams.report import terminal
    from quire.streams.report.summary import summarise

    found = _evaluation(here, run)
    summary = summarise(found.records)
    overall = summary.overall
    shown = [status for status in STATUSES if overall.counts[status]]
    kinds = [
        (name, terminal.percent(one.accuracy.mean), terminal.interval(one), [one.counts[s] for s in shown])
        for name, one in (("all", overall), *summary.kinds.items())
    ]
    row = _row(found)
    figures = [
        ("of the answerable right", row["accuracy"]),
        ("of all right", terminal.percent(overall.of_all)),
    ]
    figures += [(status, str(overall.counts[status])) for status in shown]
    figures += [("per question", row["seconds"]), ("cost", row["cost"])]
    order = {name: place for place, name in enumerate(("wrong", "failed", "unknown", "abstained", "right"))}
    return html(
        "Measure",
        "evaluation.html",
        run=found,
        facts=[found.name, row["by"]],
        figures=figures,
        kinds=kinds,
        statuses=shown,
        records=sorted(found.records, key=lambda one: (order.get(one.status, 9), one.instance)),
    )


def _row(run: Any) -> dict[str, Any]:
    """An evaluation in a line."""
    from quire.streams.report import terminal
    from quire.streams.report.summary import summarise

    summary = summarise(run.records)
    method = terminal.method_of(run)
    models = "+".join(run.spec.models)
    return {
        "id": run.name,
        "name": run.name,
        "data": run.spec.data,
        "by": models if method in ("", models) else f"{models}, {method}",
        "accuracy": terminal.percent(summary.overall.accuracy.mean),
        "interval": terminal.interval(summary.overall),
        "seconds": "–" if summary.seconds is None else f"{summary.seconds:.2f} s",
        "cost": f"${summary.usage.cost:.4f}" if summary.usage.cost else "–",
    }


def _evaluation(here: Context, name: str) -> Any:
    from quire.streams.stored import evaluations, named

    return named(evaluations(here.library.folder), name)


def _evaluations(here: Context) -> list[Any]:
    from quire.streams.stored import evaluations, folders, readable

    return readable(folders(evaluations(here.library.folder)))


def _stream_runs() -> list[Any]:
    from quire.streams.stored import folders, readable, streams

    return readable(sorted(folders(streams())))


def _streams() -> list[dict[str, Any]]:
    """The tasks of which streams were run."""
    found: dict[str, list[Any]] = {}
    for run in _stream_runs():
        found.setdefault(run.spec.task, []).append(run)
    return [
        {
            "task": task,
            "runs": len(some),
            "methods": sorted({run.spec.method for run in some}),
            "models": sorted({model for run in some for model in run.spec.models}),
        }
        for task, some in sorted(found.items())
    ]
