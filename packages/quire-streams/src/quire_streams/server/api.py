"""Streams over REST: the runs that are kept, and the report of them."""

from __future__ import annotations

from starlette.responses import Response

from quire.app.server.api.measure import Compared, report_page_response, runs_named, summaries
from quire.app.server.api.shapes import Limit, Offset, routes
from quire.app.server.context import ToRead
from quire.app.server.http_errors import Json
from quire_streams.report.report import report
from quire_streams.runs import streams as kept

router = routes("measure")


@router.get("/streams")
def streams(here: ToRead, limit: Limit = 50, offset: Offset = 0) -> Response:
    """The runs of streams in the user's data folder, the latest first, with their figures."""
    shown, total = summaries(kept(), limit, offset)
    return Json({"streams": shown, "total": total})


@router.get("/streams/{stream}")
def stream(here: ToRead, stream: str, compare: Compared = []) -> Response:  # noqa: B006
    """The report of one run or several: metrics with intervals, curves, gain, cost."""
    runs = runs_named(kept(), stream, *compare)
    return Json({"runs": [run.name for run in runs], **report(runs).document()})


@router.get("/streams/{stream}/page", response_class=Response)
def stream_page(here: ToRead, stream: str, compare: Compared = []) -> Response:  # noqa: B006
    """The same as a page of its own."""
    return report_page_response(report(runs_named(kept(), stream, *compare)).html())
