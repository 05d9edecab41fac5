"""Templates to HTML: escaped, and strict about names that are not there.

return html(request, "library.html", "Library", papers=papers)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from quire.interfaces.links import link
from quire.interfaces.server.pages.keys import GROUPS
from quire.types import Call, Evidence, Hit, Observation, Step, Trajectory

_TEMPLATES = Path(__file__).parent / "templates"
_AUTHORS = 3  # named before "and others"
_LONGEST_ARGUMENT = 4000  # characters


@dataclass(frozen=True, slots=True)
class State:
    """Which of the honest states a run ended in, and what is said of it."""

    name: str
    title: str
    lead: str = ""


def html(view: str, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """The page of a view ("Library", "Ask", ... as in its navigation, or "")."""
    made = _environment().get_template(template)
    text = made.render(view=view, key_groups=GROUPS, **values)
    return HTMLResponse(text.encode("utf-8", "replace"), status)  # half characters come from models


def state(run: Trajectory) -> State:
    """What came out of a run, in words that promise nothing more."""
    answer = run.answer
    if answer.status == "answered":
        if not answer.evidence:
            return State("value bare", "Answer, but no page was named for it")
        return State("value", "Answer")
    if answer.status == "failed":
        return State("failed", "It failed", "There is no answer: something went wrong on the way.")
    if run.method == "remembered":
        return State(
            "nothing", "The papers do not say it", "That was your verdict, and they are as they were."
        )
    if answer.evidence:
        return State("evidence-only", "Evidence, but no sure answer")
    return State("nothing", "Nothing found", "The papers do not seem to say this.")


def action(call: Call) -> str:
    """An action as it would be written."""
    given = ", ".join(f"{name}={_told(value)}" for name, value in call.arguments.items())
    return f"{call.name}({given})"


def thought(step: Step) -> str:
    """What was thought before a step; the same as in `static/ask.js`."""
    if step.opening:
        return "Looked up before anything else."
    return step.thought or ("" if step.call else "The reply could not be understood.")


def dollars(cost: float) -> str:
    """A cost; models of one's own machine have none, of others it may not be known."""
    return f"${cost:.4f}" if cost > 0 else "no known cost"


def seen_in_short(observation: Observation) -> str:
    """What came back, in a few words; the same as in `static/ask.js`."""
    if observation.kind == "rows":
        count = len(observation.rows)
        return f"{count} row{'' if count == 1 else 's'} came back"
    kinds = {"error": "An error", "image": "A picture", "warning": "A warning"}
    return "The answer" if observation.kind == "final" else f"{kinds.get(observation.kind, 'Text')} came back"


def names(authors: Sequence[str]) -> str:
    """The first authors."""
    shown = ", ".join(authors[:_AUTHORS])
    return f"{shown} and {len(authors) - _AUTHORS} more" if len(authors) > _AUTHORS else shown


def one_line(text: str) -> str:
    """A text without breaks."""
    return " ".join(text.split())


def shortened(text: str, length: int) -> str:
    """A text of so many characters at most, cut at a space."""
    return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"


def seconds(value: float) -> str:
    """A time as people read it."""
    if value >= 60:
        return f"{value // 60:.0f} min {value % 60:.0f} s"
    return f"{value:.1f} s" if value >= 1 else f"{value:.2f} s"


def day(stamp: str) -> str:
    """Date and minute of an ISO time."""
    return stamp[:16].replace("T", " ")


def read_address(placed: Evidence | Hit) -> str:
    """Where the page opens at a place."""
    return link(placed.paper_id, placed.page, placed.bbox)


def marked(hit: Hit) -> Markup:
    """The passage of a hit, the words that match marked."""
    parts, at = [], 0
    for start, end in sorted(hit.spans):
        if at <= start < end:
            parts += [escape(hit.text[at:start]), Markup("<mark>{}</mark>").format(hit.text[start:end])]
            at = end
    return Markup("").join([*parts, escape(hit.text[at:])])


def as_text(value: Any) -> str:
    """A JSON value as people read it."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def gold(parameters: Any) -> str:
    """What an evaluator compares with, without how."""
    known = parameters if isinstance(parameters, Mapping) else {"gold": parameters}
    return as_text(known.get("gold", known))


def case_address(evidence: Mapping[str, Any]) -> str:
    """Where the page opens at the evidence of an evaluation's record."""
    return link(str(evidence["paper_id"]), int(evidence["page"]), evidence.get("bbox"))


def _told(value: Any) -> str:
    return shortened(json.dumps(value, ensure_ascii=False, default=str), _LONGEST_ARGUMENT)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: tuple[Callable[..., Any], ...] = (
        state,
        action,
        thought,
        dollars,
        seen_in_short,
        names,
        one_line,
        shortened,
        seconds,
        day,
        read_address,
        as_text,
        case_address,
        gold,
        marked,
    )
    made.filters.update({each.__name__: each for each in filters})
    made.tests["mapping"] = lambda value: isinstance(value, Mapping)
    return made
