"""Papers: list, add, show, remove, restore; their pages and files; searches and SQL over what they say."""

from __future__ import annotations

import hashlib
from datetime import UTC
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Body as Sent
from fastapi import Depends, File, Query, Request, UploadFile
from pydantic import Field
from starlette.responses import FileResponse, Response

from quire.app import finding
from quire.app.arguments import Body, PaperName, unknown
from quire.app.run_view import box_of, link
from quire.app.server.api import shapes
from quire.app.server.api.shapes import PaperState, routes
from quire.app.server.context import ServerContext, ToRead, ToWrite
from quire.app.server.jobs import Job
from quire.app.server.responses import Json, Refused
from quire.app.server.shelf import PaperFilter, Shelf
from quire.errors import PaperNotFound
from quire.jsontext import plain
from quire.library import Paper
from quire.types import LONGEST_QUESTION, Box

router = routes("papers", "/papers")

PageNumber = Annotated[int, Field(ge=1, le=1_000_000)]
_MOST_MARKS = 50
_MOST_PLACES = 2000
_PNG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}}


class PaperQuery(PaperFilter):
    """The papers that are wanted."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    offset: Annotated[int, Field(ge=0, le=10_000_000)] = 0


@router.get("", response_model=shapes.Papers)
def listed(here: ToRead, wanted: Annotated[PaperQuery, Query()]) -> Response:
    """The papers, each with what was made of it (stars, tags), and how many there are."""
    shelf, counts = Shelf(here.library, here.desk), here.library.counts()
    found = shelf.chosen(wanted)
    shown = [
        {**plain(PaperState.of(paper, counts.get(paper.id))), "shelf": shelf.shelved(paper.id)}
        for paper in found[wanted.offset : wanted.offset + wanted.limit]
    ]
    return Json({"papers": shown, "total": len(found)})


async def _files_alone(request: Request) -> None:
    for name in await request.form():
        if name != "files":
            raise Refused(422, "RequestError", unknown(name, ["files"]))


@router.post("", status_code=202, response_model=shapes.Accepted)
def add(
    here: ToWrite, files: Annotated[list[UploadFile], File()], _: Annotated[None, Depends(_files_alone)]
) -> Response:
    """Take PDFs in. They are on disk when this answers; the job reads them."""
    batch = here.uploads.receive([(each.filename or "", each.file) for each in files])
    return accepted(here.jobs.submit("add", {"batch": batch}, id=batch))


class Names(Body):
    """Papers by id, file name, title or DOI."""

    papers: Annotated[list[PaperName], Field(max_length=10_000)] = []


@router.post("/refresh", status_code=202, response_model=shapes.Accepted)
def refresh(here: ToWrite, names: Annotated[Names | None, Sent()] = None) -> Response:
    """Parse papers again that an older quire parsed: all, or those named."""
    ids = [here.library.paper(name).id for name in (names.papers if names else ())]
    return accepted(here.jobs.submit("refresh", {"papers": ids}))


@router.post("/retry", status_code=202, response_model=shapes.Accepted)
def retry(here: ToWrite, names: Annotated[Names | None, Sent()] = None) -> Response:
    """Read failed files once more: all, or those named; and encode what waits."""
    ids = [here.library.any_paper(name).id for name in (names.papers if names else ())]
    return accepted(here.jobs.submit("retry", {"papers": ids}))


@router.get("/removed", response_model=shapes.RemovedPapers)
def removed(here: ToRead) -> Response:
    """The papers that were removed within 30 days, the latest first."""
    told = [
        {
            **{name: getattr(one, name) for name in ("id", "title", "file_name")},
            **{name: getattr(one, name).replace(tzinfo=UTC) for name in ("removed", "until")},
        }
        for one in here.library.removed()
    ]
    return Json({"papers": told})


@router.get("/{paper}", response_model=shapes.WholePaper)
def shown(here: ToRead, paper: str) -> Response:
    """One paper with its metadata, outline, tables, figures, references, pages and BibTeX."""
    return _whole(here, paper)


def _whole(here: ServerContext, paper: str) -> Response:
    found = here.library.contents(paper)
    counts = here.library.counts().get(found.paper.id)
    return Json({**plain(found), "paper": PaperState.of(found.paper, counts)})


Correction = (
    Annotated[str, Field(max_length=20_000)] | int | list[Annotated[str, Field(max_length=20_000)]] | None
)


@router.patch("/{paper}", response_model=shapes.WholePaper)
def edit(here: ToWrite, paper: str, changes: Annotated[dict[str, Correction], Sent()]) -> Response:
    """Correct metadata by column; null takes a correction back, "" says that there is none."""
    found = here.library.paper(paper)
    here.library.edit(found.id, changes)
    return _whole(here, found.id)


@router.delete("/{paper}", response_model=shapes.RemovedPaper)
def remove(here: ToWrite, paper: str) -> Response:
    """Remove a paper; for 30 days it can be restored. What could not be read, while its file is there."""
    found = here.library.any_paper(paper)
    here.library.remove(found.id)
    if found.state == "failed" and found.source_path.lower().endswith(".pdf"):
        here.uploads.lost[found.id] = Path(found.source_path)
    return Json({"removed": PaperState.of(found)})


@router.post("/{paper}/restore", status_code=202, response_model=shapes.Accepted)
def restore(here: ToWrite, paper: str) -> Response:
    """Take a removed paper in again."""
    if paper not in [*here.uploads.lost, *(one.id for one in here.library.removed())]:
        raise PaperNotFound(f"No removed paper `{paper[:80]}` is kept.", hint="Add its file again.")
    return accepted(here.jobs.submit("restore", {"paper": paper}))


@router.get("/{paper}/file", response_class=FileResponse)
def file(here: ToRead, paper: str) -> Response:
    """The PDF itself, for download; it may run nothing here."""
    found = here.library.paper(paper)
    headers = {"Content-Security-Policy": shapes.FILE_POLICY, "Cache-Control": "private, no-cache"}
    return FileResponse(
        here.library.file(found.id),
        media_type="application/pdf",
        filename=found.file_name,
        headers=headers,
        content_disposition_type="attachment",
    )


@router.get("/{paper}/pages/{page}.png", response_class=Response, responses=_PNG)
def picture(
    here: ToRead,
    request: Request,
    paper: str,
    page: PageNumber,
    dpi: Annotated[int, Query(ge=36, le=300)] = 110,
    box: Annotated[str, Query(max_length=200, description="Only this part: x,y,width,height.")] = "",
    mark: Annotated[list[str], Query(max_length=_MOST_MARKS, description="Boxes to mark.")] = [],  # noqa: B006
) -> Response:
    """A page as a picture."""
    cut = parse_box(box) if box else None
    marks = [parse_box(each) for each in mark]
    found = here.library.paper(paper)
    key = f"{found.sha256} {page} {dpi} {cut} {marks}"
    tag = f'"{hashlib.sha256(key.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=0, must-revalidate"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    png = here.pictures.get(tag, lambda: here.library.render(found.id, page, box=cut, marks=marks, dpi=dpi))
    return Response(png, media_type="image/png", headers=headers)


@router.get("/{paper}/pages/{page}/text", response_model=shapes.PageText)
def text(here: ToRead, paper: str, page: PageNumber) -> Response:
    """The text of a page in reading order."""
    return Json({"text": here.library.page_text(paper, page)})


@router.get("/{paper}/pages/{page}/words", response_model=shapes.PageWords)
def words(here: ToRead, paper: str, page: PageNumber) -> Response:
    """The words and links of a page with their boxes in points, origin top left, and the page's size."""
    found = here.library.paper(paper)
    told = here.pictures.get(f"words {found.sha256} {page}", lambda: _words(here, found, page))
    return Response(told, media_type="application/json")


def _words(here: ServerContext, paper: Paper, page: int) -> bytes:
    found = here.library.page_words(paper.id, page)
    contents = here.library.contents(paper.id)
    size = next((each for each in contents.pages if each.number == page), None)
    sizes = {"width": size.width, "height": size.height} if size else {"width": 0, "height": 0}
    links = here.library.page_links(paper.id, page)
    if not any(each.page for each in links):
        links += finding.cited(found, contents.references)
    words = [
        {"text": word.text, "box": _rounded(word.box), "glued": word.glued, "line": word.line}
        for word in found
    ]
    told = [{**each._asdict(), "box": _rounded(each.box)} for each in links]
    return bytes(Json({"page": page, **sizes, "words": words, "links": told}).body)


@router.get("/{paper}/find", response_model=shapes.FoundPlaces)
def find(
    here: ToRead,
    paper: str,
    q: Annotated[str, Query(min_length=1, max_length=2000, description="Words; letters and digits count.")],
    page: Annotated[int, Query(ge=0, le=1_000_000, description="Only there; 0: everywhere.")] = 0,
    box: Annotated[str, Query(max_length=200, description="Only in x,y,width,height of that page.")] = "",
) -> Response:
    """Where words stand on the pages, line by line."""
    found = here.library.paper(paper)
    within = parse_box(box) if box else None
    there = islice(finding.places(here.library, found, q, page, within), _MOST_PLACES)
    places = [{"page": number, "boxes": [_rounded(one) for one in boxes]} for number, boxes in there]
    return Json({"places": places, "truncated": len(places) >= _MOST_PLACES})


def _rounded(box: Box) -> list[float]:
    return [round(edge, 2) for edge in box]


def accepted(job: Job) -> Response:
    """The answer to what became a job."""
    return Json({"job": job}, 202, {"Location": f"/api/v1/jobs/{job.id}"})


def parse_box(text: str) -> Box:
    """`x,y,width,height` in points as a box.

    Raises:
        Refused: it is none.
    """
    box = box_of(text)
    if box is None or not all(abs(edge) < 1e6 for edge in box):
        raise Refused(422, "RequestError", f"`{text[:80]}` is not x,y,width,height of a place on a page.")
    return box


search_router = routes("search")

Part = Literal["", "text", "tables", "figures", "headings", "titles"]


@search_router.get("/search", response_model=shapes.Found)
async def search(
    here: ToRead,
    request: Request,
    q: Annotated[str, Query(min_length=1, max_length=LONGEST_QUESTION)],
    papers: Annotated[list[str], Query(max_length=1000, description="Only these.")] = [],  # noqa: B006
    part: Annotated[Part, Query(alias="in")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    words: Annotated[int, Query(ge=1, le=1000, description="Of a passage, at most.")] = 100,
    why: bool = False,
) -> Response:
    """What answers the query best: passages around the sentence, row, caption or heading that speaks."""
    search = partial(here.library.search, q, papers=papers, part=part, limit=limit, words=words, why=why)
    hits = await here.searches.run(request, search)
    found = [{**plain(hit), "link": link(hit.paper_id, hit.page, hit.bbox)} for hit in hits]
    return Json({"hits": found, "notes": hits.notes})


class Statement(Body):
    """One SELECT over the parsed views."""

    sql: Annotated[str, Field(min_length=1, max_length=200_000)]


@search_router.post("/sql", response_model=shapes.Rows)
async def sql(here: ToRead, request: Request, statement: Statement) -> Response:
    """The rows of one read-only statement, run in a limited child process."""
    result = await here.queries.run(request, partial(here.library.sql, statement.sql))
    return Json({name: getattr(result, name) for name in ("columns", "types", "rows", "truncated")})


@search_router.get("/schema")
def schema(here: ToRead) -> Response:
    """The parsed views, described."""
    return Json({"tables": here.library.schema()})
