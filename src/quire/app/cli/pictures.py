"""Commands that show where something stands: a page as a picture, or the evidence of a run."""

from __future__ import annotations

import io
import re
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import LAST, AsJson, LibraryDir, RunId, open_library
from quire.app.cli.output import emit, safe, write

if TYPE_CHECKING:
    from quire.build import Library
    from quire.types import Box, Evidence

_RUN = re.compile(rf"{LAST}|\d{{8}}-\d{{6}}(-[0-9a-f]*)?")
_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}

EvidenceNumber = Annotated[int, typer.Argument(metavar="[EVIDENCE]", min=1, help="Which evidence, from 1.")]


def page(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER|RUN", help="Paper: id, file name, title or DOI; or a run.")
    ],
    number: Annotated[
        int | None, typer.Argument(metavar="[NUMBER]", min=1, help="Page, or evidence of the run, from 1.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG or JPEG file to write.")] = Path(
        "page.png"
    ),
    box: Annotated[
        list[str] | None,
        typer.Option(help="Mark this box: x0,y0,width,height in points from the top left. Repeat for more."),
    ] = None,
    crop: Annotated[bool, typer.Option(help="Show only the first box, not the whole page.")] = False,
    dpi: Annotated[int, typer.Option(min=36, max=600, help="Resolution.")] = 150,
    library: LibraryDir = None,
    as_json: AsJson = False,
) -> None:
    """Render a page as a picture, with the evidence marked: `quire page RUN` marks that of an answer."""
    boxes = [parse_box(text) for text in box or ()]
    kind = _FORMATS.get(output.suffix.lower())
    if kind is None:
        raise typer.BadParameter(f"{output} is neither a .png nor a .jpg file.", param_hint="--output")
    lib = open_library(library)
    if _RUN.fullmatch(paper):
        shown = evidence(lib, paper, number or 1)
        paper, number, boxes = shown.paper_id, shown.page, boxes or ([shown.bbox] if shown.bbox else [])
    if number is None:
        raise typer.BadParameter("Which page? Give its number after the paper.", param_hint="NUMBER")
    cropped = boxes[0] if crop and boxes else None
    png = lib.render(paper, number, box=cropped, marks=() if cropped else boxes, dpi=dpi)
    picture = png if kind == "PNG" else _as_jpeg(png)
    write(output, picture)
    result = {"file": output, "bytes": len(picture)}
    emit(result, as_json, lambda out: out.print(f"Wrote {safe(output)} ({len(picture) // 1024} kB)."))


def open_(
    run_id: RunId = LAST,
    number: EvidenceNumber = 1,
    library: LibraryDir = None,
    as_json: AsJson = False,
) -> None:
    """Open the page that an answer stands on, with the evidence marked, in your viewer of pictures."""
    lib = open_library(library)
    shown = evidence(lib, run_id, number)
    png = lib.render(shown.paper_id, shown.page, marks=[shown.bbox] if shown.bbox else [])
    file = Path(tempfile.mkdtemp(prefix="quire-")) / f"evidence-{number}.png"
    write(file, png)
    opened = webbrowser.open(file.as_uri())
    told = f"{'Opened' if opened else 'No viewer was found; the picture is'} {safe(file)}"
    emit({"file": file, "opened": opened}, as_json, lambda out: out.print(told, soft_wrap=True))


def evidence(lib: Library, run_id: str, number: int) -> Evidence:
    """A piece of evidence of a stored run that stands on a page; `number` counts from 1.

    Raises:
        RunError: there is no such run, or no such piece that is on a page.
    """
    from quire.ask import runs
    from quire.errors import RunError

    run = runs.load(lib.folder, run_id)
    found = run.answer.evidence
    if number > len(found):
        count = f"{len(found)} piece{'' if len(found) == 1 else 's'} of evidence"
        raise RunError(f"The run {run.run_id} has {count}.", hint=f"See `quire show {run.run_id}`.")
    if found[number - 1].page < 1:
        raise RunError("This evidence is the paper's own data and stands on no page.")
    return found[number - 1]


def parse_box(text: str) -> Box:
    """`x0,y0,width,height` as a Box; square brackets and blanks are forgiven."""
    from quire.app.links import box_of

    if (box := box_of(text)) is None:
        raise typer.BadParameter(f"`{text}` is not x0,y0,width,height.")
    return box


def _as_jpeg(png: bytes) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").save(out, "JPEG", quality=90)
    return out.getvalue()
