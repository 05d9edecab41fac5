"""What was measured: questions asked, evaluations opened and compared, what installed packages add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.app.server.context import ServerContext, ToRead
from quire.app.server.pages.rendering import html, views
from quire.app.server.plugged import parts
from quire.ask import runs as stored
from quire.errors import RunError

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
        sections=[part.section() for part in parts()],
        asked=stored.listed(here.library.folder, runs),
        more=runs * 2 if stored.count(here.library.folder) > runs else 0,
    )


@router.get("/measure/compare")
def compare(here: ToRead, run: Annotated[Sequence[str], Query()] = ()) -> HTMLResponse:
    """Evaluations side by side, each against the first."""
    from quire.eval.report.summary import compare as compared

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


@router.get("/measure/{run}")
def evaluation(here: ToRead, run: str) -> HTMLResponse:
    """One evaluation: figures, kinds, every question."""
    from quire.eval.record import STATUSES
    from quire.eval.report import terminal
    from quire.eval.report.summary import summarise

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
    from quire.eval.report import terminal
    from quire.eval.report.summary import summarise

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


def _evaluation(here: ServerContext, name: str) -> Any:
    from quire.eval.run import evaluations_folder, named_run

    return named_run(evaluations_folder(here.library.folder), name)


def _evaluations(here: ServerContext) -> list[Any]:
    from quire.eval.run import evaluations_folder, readable_runs, run_folders

    return readable_runs(run_folders(evaluations_folder(here.library.folder)))
