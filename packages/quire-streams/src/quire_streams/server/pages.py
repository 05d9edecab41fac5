"""The pages of streams: tables and plots of a task's runs, and the list of tasks on the page `Measure`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.responses import HTMLResponse

from quire.app.server.context import ToRead
from quire.app.server.pages.rendering import html, render, views
from quire.app.server.plugged import ServerPart
from quire.errors import RunError
from quire.eval.report.page import svg
from quire.eval.run import Run, readable_runs, run_folders
from quire_streams.report.report import report
from quire_streams.runs import streams
from quire_streams.server.api import router as api

router = views()

_TEMPLATES = Path(__file__).parent / "templates"


@router.get("/measure/streams/{task}")
def stream(here: ToRead, task: str) -> HTMLResponse:
    """The tables and plots of a task's streams."""
    found = [run for run in _stream_runs() if run.spec.task == task]
    if not found:
        raise RunError(f"No stream of `{task[:80]}` was run.", hint="See /measure for those that were.")
    made = report(found)
    plots = [svg(drawing) for drawing in made.drawings()]
    values: dict[str, Any] = {"task": task, "runs": len(found), "tables": made.tables, "plots": plots}
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
    return readable_runs(sorted(run_folders(streams())))


PART = ServerPart(api, router, section)
