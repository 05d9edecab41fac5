"""Measuring: quizzes made of the library, evaluations of a file of questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import Body, PaperNames
from quire.app.server.api import shapes
from quire.app.server.api.papers import accepted
from quire.app.server.api.shapes import Limit, Offset, routes
from quire.app.server.context import ToRead, ToWrite
from quire.app.server.jobs import new_id
from quire.app.server.responses import Json
from quire.app.server.works import quiz_file, write_quiz
from quire.errors import RunError
from quire.eval.report.answers import report_page
from quire.eval.report.summary import report_document, summarise
from quire.eval.run import Run, evaluations_folder, load_run, named_run, run_folders

router = routes("measure")

# What the pages of reports need: their own style and script stand in them, and they admit those alone, by
# their hashes.
_REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; frame-ancestors 'none'"
)
Compared = Annotated[list[str], Query(max_length=20, description="Other runs to compare it with.")]


class QuizBody(Body):
    """Questions of the library's own rows: so many of each kind and paper, of these papers or all."""

    papers: PaperNames = []
    each: Annotated[int, Field(ge=1, le=100)] = 4
    seed: Annotated[int, Field(ge=0, le=1 << 31)] = 0


class EvaluationBody(Body):
    """Questions to ask and score: a quiz by its id, or rows as in `quire eval`'s own layout."""

    quiz: Annotated[str, Field(max_length=64)] = ""
    questions: Annotated[list[dict[str, Any]], Field(max_length=10_000)] = []
    limit: Annotated[int, Field(ge=0, le=100_000)] = 0


@router.post("/quiz", status_code=202, response_model=shapes.Accepted)
def quiz(here: ToWrite, body: QuizBody) -> Response:
    """Make a quiz; the job's result names it."""
    ids = [here.library.paper(name).id for name in body.papers]
    return accepted(here.jobs.submit("quiz", {"papers": ids, "each": body.each, "seed": body.seed}))


@router.get("/quizzes/{quiz}", response_class=Response)
def quiz_rows(here: ToRead, quiz: str) -> Response:
    """A quiz as JSON Lines, for `quire eval`."""
    return shapes.file(quiz_file(here.library, quiz).read_bytes(), "quiz.jsonl", "application/jsonl")


@router.post("/evaluations", status_code=202, response_model=shapes.Accepted)
def evaluate(here: ToWrite, body: EvaluationBody) -> Response:
    """Ask and score questions; the job's result names the evaluation."""
    id = new_id()
    if body.questions:
        name = f"sent-{id}"
        write_quiz(here.library, name, body.questions)
    else:
        name = body.quiz
        quiz_file(here.library, name)
    return accepted(here.jobs.submit("evaluate", {"quiz": name, "limit": body.limit}, id=id))


@router.get("/evaluations")
def evaluations(here: ToRead, limit: Limit = 50, offset: Offset = 0) -> Response:
    """The evaluations, the latest first, with their figures."""
    shown, total = summaries(evaluations_folder(here.library.folder), limit, offset)
    return Json({"evaluations": shown, "total": total})


@router.get("/evaluations/{evaluation}")
def evaluation(here: ToRead, evaluation: str, compare: Compared = []) -> Response:  # noqa: B006
    """One evaluation question by question, and what parts the others from it."""
    return Json(report_document(runs_named(evaluations_folder(here.library.folder), evaluation, *compare)))


@router.get("/evaluations/{evaluation}/page", response_class=Response)
def evaluation_page(here: ToRead, evaluation: str, compare: Compared = []) -> Response:  # noqa: B006
    """The same as a page of its own, to keep or send."""
    runs = runs_named(evaluations_folder(here.library.folder), evaluation, *compare)
    return report_page_response(report_page(runs))


def runs_named(root: Path, *names: str) -> list[Run]:
    """The runs of these names, which must have answers."""
    found = [named_run(root, name) for name in names]
    for run, name in zip(found, names, strict=True):
        if not run.records:
            raise RunError(f"`{name[:80]}` has no answers yet.")
    return found


def summaries(root: Path, limit: int, offset: int) -> tuple[list[dict[str, Any]], int]:
    """What a list shows of runs, without those that cannot be read, and how many runs there are."""
    found = run_folders(root)
    shown = [_summary(folder) for folder in found[offset : offset + limit]]
    return [each for each in shown if each], len(found)


def _summary(folder: Path) -> dict[str, Any] | None:
    try:
        run = load_run(folder)
    except RunError:
        return None
    spec = run.spec
    figures = summarise(run.records).as_json() if run.records else {}
    return {
        "id": folder.name,
        "task": spec.task,
        "method": spec.method,
        "models": spec.models,
        "data": Path(spec.data).name,
        "seed": spec.seed,
        "protocol": spec.protocol,
        "steps": len(run.records),
        "changed": int(folder.stat().st_mtime),
        **figures,
    }


def report_page_response(text: str) -> Response:
    """A report as a page that keeps its own style and script, and reaches nothing."""
    return Response(text, media_type="text/html", headers={"Content-Security-Policy": _REPORT_POLICY})
