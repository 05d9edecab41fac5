"""Views beside papers and questions: the memory, what was measured, routes for programs, keys, the model."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import HTMLResponse

from quire.app.memory_view import curve, item_of, taught
from quire.app.server.context import ServerContext, ToRead, parts
from quire.app.server.pages.rendering import html, views
from quire.ask import runs as stored
from quire.errors import RunError
from quire.eval.record import STATUSES
from quire.eval.report import terminal
from quire.eval.report.answers import describe_run
from quire.eval.report.summary import compared, summarise
from quire.eval.run import Run, evaluations_folder, named_run, readable_runs, run_folders
from quire.memory import searches
from quire.types import LONGEST_QUESTION

router = views()


@router.get("/memory")
def memory(here: ToRead, q: Annotated[str, Query(max_length=LONGEST_QUESTION)] = "") -> HTMLResponse:
    """All items, the newest first; with `q` those most similar to a question."""
    remembered = here.library.memory
    verdicts, points = remembered.verdicts, remembered.curve()
    listed = remembered.similar(q, 50) if q else verdicts.listed()
    return html(
        "Memory",
        "memory.html",
        q=q,
        items=[item_of(remembered, item) for item in listed],
        counts=verdicts.counts(),
        taught=taught(searches.weights(verdicts.store), searches.aliases(verdicts.store)),
        plot=curve(points) if len(points) > 2 else None,
        forgotten=[(one.id, one.question, one.since, "") for one in remembered.forgotten()],
    )


_ASKED = 50
_CHANGED = 200


@router.get("/measure")
def measure(here: ToRead, runs: Annotated[int, Query(ge=1, le=100_000)] = _ASKED) -> HTMLResponse:
    """All that was measured."""
    return html(
        "Measure",
        "measure.html",
        evaluations=[_row(run) for run in readable_runs(run_folders(_folder(here)))],
        sections=[part.section() for part in parts()],
        asked=stored.listed(here.library.folder, runs),
        more=runs * 2 if stored.count(here.library.folder) > runs else 0,
    )


@router.get("/measure/compare")
def compare(here: ToRead, run: Annotated[Sequence[str], Query()] = ()) -> HTMLResponse:
    """Evaluations side by side, each against the first."""
    found = [named_run(_folder(here), name) for name in run[:20]]
    if len(found) < 2:
        raise RunError("Fewer than two runs were marked.", hint="Mark two or more and compare again.")
    rows = [_row(one) | _against(found[0], one) for one in found]
    return html("Measure", "compare.html", rows=rows)


def _against(first: Run, one: Run) -> dict[str, Any]:
    """How a run stands to the first, in a line, and where it came out otherwise."""
    row: dict[str, Any] = {"difference": "–", "chance": "–", "changed": [], "tone": ""}
    if one is first:
        return row
    told = compared(first, one)
    if "error" in told:
        return row | {"difference": "no question in common"}
    words = {each.instance: each.case.question for each in one.records if each.case}
    return {
        "difference": f"{100 * told['difference']:+.1f} points",
        "chance": f"p = {told['p_value']:.3f}",
        "tone": ("better", "worse")[told["difference"] < 0] if told["p_value"] < 0.05 else "",
        "changed": [
            (words.get(each["id"], each["id"]), each["from"], each["to"])
            for each in told["changed"][:_CHANGED]
        ],
    }


@router.get("/measure/{run}")
def evaluation(here: ToRead, run: str) -> HTMLResponse:
    """One evaluation: figures, kinds, every question."""
    found = named_run(_folder(here), run)
    return html("Measure", "evaluation.html", run=found, shown=describe_run(found), statuses=STATUSES)


def _row(run: Run) -> dict[str, Any]:
    """An evaluation in a line."""
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


def _folder(here: ServerContext) -> Path:
    return evaluations_folder(here.library.folder)


@router.get("/docs")
def docs(here: ToRead, request: Request) -> HTMLResponse:
    """All routes, by what they are about."""
    return html("", "docs.html", groups=groups(request.app.openapi()))


def groups(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The operations of an OpenAPI document by tag, with the fields of their bodies."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path, operations in document["paths"].items():
        for method, told in operations.items():
            takes: list[tuple[str, str, str, bool]] = [
                (one["name"], _kind(one["schema"]), one["in"], one.get("required", False))
                for one in told.get("parameters", ())
            ]
            for body in told.get("requestBody", {}).get("content", {}).values():
                name = str(body["schema"].get("$ref", "")).rpartition("/")[2]
                schema = document["components"]["schemas"][name] if name else body["schema"]
                wanted = schema.get("required", ())
                fields = schema.get("properties", {}).items()
                takes += [(field, _kind(kind), "body", field in wanted) for field, kind in fields]
            does = told.get("description") or told["summary"]
            one = {"method": method.upper(), "path": path, "does": does, "takes": takes}
            found[told.get("tags", ["other"])[0]].append(one)
    return dict(found)


def _kind(schema: dict[str, Any]) -> str:
    """A type in a word or two."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " or ".join(map(str, schema.get("enum") or [schema["const"]]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


@router.get("/keys-help")
def keys_help(to: Annotated[str, Query(max_length=2000)] = "/") -> HTMLResponse:
    """The form, and where one came from; an address of another server leads to the library.

    Browsers drop tabs and breaks from addresses and read a backslash as a slash: none of them is taken.
    """
    ours = re.match(r"/(?!/)", to) and to.isprintable() and "\\" not in to
    return html("", "keys-help.html", to=to if ours else "/")


@router.get("/model")
def model(here: ToRead) -> HTMLResponse:
    """Which model answers; what there is is looked for by the page, on demand."""
    return html("", "model.html", model=here.library.settings.model, answers=here.library.models_answer)
