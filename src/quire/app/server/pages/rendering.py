"""Templates to HTML, escaped and strict about names that are not there; routes whose errors are pages, too.

router = views()

@router.get("/memory")
def memory(here: ToRead) -> HTMLResponse:
    return html("Memory", "memory.html", items=...)
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from quire.app.markdown import MarkLink, to_html
from quire.app.run_view import FOUND, EvidenceView, RunView, link, one_line
from quire.app.server.responses import Refused, status_of
from quire.ask.personal.learning import OFFLINE
from quire.errors import QuireError
from quire.eval.report.page import TEMPLATES, svg, templates
from quire.types import Call, Hit, Observation, Step

_TEMPLATES = Path(__file__).parent / "templates"
_AUTHORS = 3  # named before "and others"
_LONGEST_ARGUMENT = 4000  # characters


def html(
    view: str, template: str, status: int = 200, folder: Path = _TEMPLATES, **values: Any
) -> HTMLResponse:
    """The page of a view ("Library", "Ask", ... as in its navigation, or "")."""
    text = render(template, folder, view=view, **values)
    return HTMLResponse(text.encode("utf-8", "replace"), status)  # half characters come from models


def render(template: str, folder: Path = _TEMPLATES, **values: Any) -> str:
    """A template of that folder, or of quire's own, filled in."""
    return _environment(folder).get_template(template).render(**values)


def written(view: RunView) -> Markup | None:
    """The answer of a language model as it wrote it, with its marks of evidence; None for any other."""
    if view.run.model in ("", OFFLINE) or not isinstance(view.value, str) or not view.value.strip():
        return None
    return to_html(view.value, places(view.evidence), whole=True)


def places(evidence: Sequence[EvidenceView]) -> dict[int, MarkLink]:
    """What marks of evidence lead to."""
    return {one.mark: MarkLink(one.number, one.link) for one in reversed(evidence)}


def draft(text: str, evidence: Sequence[EvidenceView]) -> Markup:
    """What a language model is writing, as HTML; its marks lead to what was looked up."""
    return to_html(text, places(evidence))


def action(call: Call) -> str:
    """An action as it would be written."""
    given = ", ".join(f"{name}={_told(value)}" for name, value in call.arguments.items())
    return f"{call.name}({given})"


def thought(step: Step) -> str:
    """What was thought before a step."""
    if step.opening:
        return "Looked up before anything else."
    return step.thought or ("" if step.call else "The reply could not be understood.")


def dollars(cost: float) -> str:
    """A cost; models of one's own machine have none, of others it may not be known."""
    return f"${cost:.4f}" if cost > 0 else "no known cost"


def seen_in_short(observation: Observation) -> str:
    """What came back, in a few words."""
    if observation.kind == "rows":
        count = len(observation.rows)
        return f"{count} row{'' if count == 1 else 's'} came back"
    kinds = {"error": "An error", "image": "A picture", "warning": "A warning"}
    return "The answer" if observation.kind == "final" else f"{kinds.get(observation.kind, 'Text')} came back"


def names(authors: Sequence[str], most: int = _AUTHORS) -> Markup:
    """The first authors, one after the other, whichever way each name is written."""
    shown = Markup(", ").join(Markup("<bdi>{}</bdi>").format(name) for name in authors[:most])
    return shown + (f" and {len(authors) - most} more" if len(authors) > most else "")


def quoted(text: str) -> str:
    """A remark whose names stand in backticks, as on paper."""
    return re.sub(r"`([^`]*)`", r"“\1”", text)


def shortened(text: str, length: int) -> str:
    """A text of so many characters at most, cut at a space."""
    return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"


def seconds(value: float) -> str:
    """A time as people read it."""
    if value >= 60:
        return f"{value // 60:.0f} min {value % 60:.0f} s"
    return f"{value:.1f} s" if value >= 1 else f"{value:.2f} s"


def day(stamp: str) -> str:
    """Date and minute of an ISO time in UTC, which it says."""
    return f"{stamp[:16].replace('T', ' ')} UTC" if stamp else ""


def marked(hit: Hit) -> Markup:
    """The passage of a hit, the words that match marked."""
    parts, at = [], 0
    for start, end in sorted(hit.spans):
        if at <= start < end:
            parts += [escape(hit.text[at:start]), Markup("<mark>{}</mark>").format(hit.text[start:end])]
            at = end
    return Markup("").join([*parts, escape(hit.text[at:])])


def case_address(evidence: Mapping[str, Any]) -> str:
    """Where the page opens at the evidence of an evaluation's record."""
    return link(str(evidence["paper_id"]), int(evidence["page"]), evidence.get("bbox"))


def _told(value: Any) -> str:
    return shortened(json.dumps(value, ensure_ascii=False, default=str), _LONGEST_ARGUMENT)


@cache
def _environment(folder: Path) -> Environment:
    made = templates(folder, _TEMPLATES, TEMPLATES)
    filters: list[Callable[..., Any]] = [written, draft, action, thought, dollars, seen_in_short, names]
    filters += [one_line, quoted, shortened, seconds, day, marked, svg]
    made.filters.update({each.__name__: each for each in filters})
    made.globals.update(case_address=case_address, link=link, FOUND=FOUND)
    made.tests["mapping"] = lambda value: isinstance(value, Mapping)
    return made


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        """What answers a request."""
        answer = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await answer(request)
            except QuireError as error:
                return _error_page(error)
            except RequestValidationError:
                told = "This address does not say what is wanted."
                return _error_page(Refused(422, "RequestError", told, "Go back and choose again."))

        return answered


def views() -> APIRouter:
    """A router of views."""
    return APIRouter(route_class=PageRoute)


def _error_page(error: QuireError) -> Response:
    return html("", "error.html", status_of(error), message=error.message, hint=error.hint)
