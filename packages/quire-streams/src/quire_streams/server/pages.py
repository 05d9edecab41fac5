"""What quire's server shows of streams: routes of its API, a page for each task, a part of `Measure`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from quire.app.server.api.measure import Compared, report_page_response, runs_named, summaries
from quire.app.server.api.shapes import Limit, Offset, routes
from quire.app.server.context import ServerPart, ToRead
from quire.app.server.pages.rendering import html, render, views
from quire.app.server.responses import Json
from quire.errors import RunError
from quire.eval.report.page import svg
from quire.eval.run import Run, readable_runs, run_folders
from quire_streams.report import report
from quire_streams.runs import streams as runs_folder

api = routes("measure")


@api.get("/streams")
def streams(here: ToRead, limit: Limit = 50, offset: Offset = 0) -> Response:
    """The runs of streams in the user's data folder, the latest first, with their figures."""
    shown, total = summaries(runs_folder(), limit, offset)
    return Json({"streams": shown, "total": total})


@api.get("/streams/{stream}")
def stream(here: ToRead, stream: str, compare: Compared = []) -> Response:  # noqa: B006
    """The report of one run or several: metrics with intervals, curves, gain, cost."""
    runs = runs_named(runs_folder(), stream, *compare)
    return Json({"runs": [run.name for run in runs], **report(runs).document()})


@api.get("/streams/{stream}/page", response_class=Response)
def stream_page(here: ToRead, stream: str, compare: Compared = []) -> Response:  # noqa: B006
    """The same as a page of its own."""
    return report_page_response(report(runs_named(runs_folder(), stream, *compare)).html())


router = views()

_TEMPLATES = Path(__file__).parent / "templates"


@router.get("/measure/streams/{task}")
def streams_of_task(here: ToRead, task: str) -> HTMLResponse:
    """The tables and plots of a task's streams."""
    found = [run for run in _stream_runs() if run.spec.task == task]
    if not found:
        raise RunError(f"No stream of `{task[:80]}` was run.", hint="See /measure for those that were.")
    made = report(found)
    plots = [svg(drawing) for drawing in made.drawings()]
    values: dict[str, Any] = {"task": task, "runs": len(found), "plots": plots}
    values |= {"tables": made.tables, "notes": made.notes}
    return html("Measure", "stream.html", folder=_TEMPLATES, **values)


def section() -> Markup:
    """The tasks of which streams were run."""
    found: dict[str, list[Run]] = {}
    for run in _stream_runs():
        found.setdefault(run.spec.task, []).append(run)
    rows = [
        {
            "task": task,
            "runs": len(some),
            "methods": sorted({run.spec.method for run in some}),
            "models": sorted({model for run in some for model in run.spec.models}),
        }
        for task, some in sorted(found.items())
    ]
    return Markup(render("streams.html", folder=_TEMPLATES, streams=rows))


def _stream_runs() -> list[Run]:
    return readable_runs(sorted(run_folders(runs_folder())))


PART = ServerPart(api, router, section)
