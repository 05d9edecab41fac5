"""Commands that look into a library without asking a question: search, sql, schema, page, open."""

from __future__ import annotations

import io
import re
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import LAST, Among, Here, Online, RunId
from quire.app.cli.output import console, count, listing, passage, safe, write

if TYPE_CHECKING:
    from rich.console import Console

    from quire.build import Library
    from quire.types import Box, Evidence, Hit


def search(
    here: Online,
    query: Annotated[str, typer.Argument(help="What to look for, in words.")],
    among: Among,
    part: Annotated[
        str, typer.Option("--in", help="Only in: text, tables, figures, headings or titles.")
    ] = "",
    why: Annotated[bool, typer.Option("--why", help="Say what moved each hit up or down.")] = False,
    collection: Annotated[
        str | None, typer.Option(help="One collection of one column, e.g. text_bm25_en.")
    ] = None,
    table: Annotated[str, typer.Option(help="Search the cells of one column of this table.")] = "",
    column: Annotated[
        str, typer.Option(help="That column; default: the table's first, or the passages.")
    ] = "",
    filter_: Annotated[
        str, typer.Option("--filter", help="Milvus expression, e.g. 'page_number in [1, 2]'.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Number of hits.")] = 5,
    words: Annotated[int, typer.Option(min=1, max=1000, help="Words of a passage, at most.")] = 100,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Rank by what verdicts taught, too.")
    ] = True,
) -> None:
    """Find what answers a question: sentences, rows of tables, captions, headings, titles, each in its place.

    With --table, --column, --collection or --filter, the cells of one column by keywords and vectors.
    """
    lib = here.open()
    hits = lib.search(
        query,
        papers=among.chosen(lib),
        part=part,
        why=why,
        collection=collection,
        table=table,
        column=column,
        filter=filter_,
        limit=limit,
        words=words,
        memory=memory,
    )
    for note in hits.notes:
        typer.echo(note, err=True)
    here.emit(hits, lambda out: show_hits(out, lib, hits))


def show_hits(out: Console, lib: Library, hits: Sequence[Hit]) -> None:
    """Print hits for people, the matched words marked."""
    from rich.padding import Padding
    from rich.text import Text

    from quire.app.run_view import title_of
    from quire.app.run_view import where as where_on

    if not hits:
        out.print("Nothing found. Try other words, or `quire status` to see what the library holds.")
    for rank, hit in enumerate(hits, 1):
        where = safe(where_on(hit.page, hit.page_label)) if hit.page > 0 else f"{hit.table}.{hit.column}"
        section = f" · {safe(hit.section)}" if hit.section else ""
        out.print(f"[bold]{rank}.[/] [cyan]{safe(title_of(hit, lib))}[/] · {where}{section}")
        box = f" · box {', '.join(f'{edge:.0f}' for edge in hit.bbox)}" if hit.bbox else ""
        out.print(f"   [dim]score {hit.score:.4f} · {hit.paper_id}{box}[/]")
        for reason in hit.why:
            out.print(f"   [dim]{safe(reason)}[/]")
        for piece in passage(Text.from_markup(_marked(hit)), cells=hit.table in ("tables", "cells")):
            out.print(Padding(piece, (0, 0, 0, 3), expand=False))
        out.print()


def _marked(hit: Hit) -> str:
    """The text as markup: its matching words marked, and the words that speak underlined."""
    start = hit.text.find(hit.quote) if hit.quote else -1
    speaks = range(start, start + len(hit.quote)) if start >= 0 else range(0)
    cuts = sorted(
        {0, len(hit.text), speaks.start, speaks.stop, *(edge for span in hit.spans for edge in span)}
    )
    parts = []
    for begin, end in zip(cuts, cuts[1:], strict=False):
        style = "bold yellow" if any(a <= begin < b for a, b in hit.spans) else ""
        style = f"{style} underline".strip() if begin in speaks else style
        text = safe(hit.text[begin:end])
        parts.append(f"[{style}]{text}[/]" if style else text)
    return "".join(parts)


def sql(
    here: Here,
    statement: Annotated[
        str, typer.Argument(help="One SELECT over the parsed views; `-` reads it from standard input.")
    ],
    output_format: Annotated[
        str | None,
        typer.Option("--format", "-f", help="table, csv, jsonl or parquet; default by --output's ending."),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
) -> None:
    """Ask the parsed views in SQL (read-only, in a limited child process)."""
    lib = here.open()
    result = lib.sql(sys.stdin.read() if statement == "-" else statement)
    if here.as_json:
        rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
        found = {"columns": result.columns, "types": result.types, "rows": rows}
        here.emit({**found, "truncated": result.truncated}, "")
        return
    from quire.store import export

    kind = output_format or (output.suffix.lstrip(".") if output else "table")
    if kind == "table" and output is None:
        cells = [["" if cell is None else safe(cell) for cell in row] for row in result.rows]
        listing(console(), [safe(name) for name in result.columns], cells)
    else:
        export.write(result, kind, output)
        if output is not None:
            typer.echo(f"Wrote {count(len(result.rows), 'row')} to {output}.", err=True)
    if result.truncated:
        cut = f"Cut at {len(result.rows)} rows; see the settings sql.max_rows and sql.max_bytes."
        typer.echo(cut, err=True)


def schema(here: Here) -> None:
    """Print the documented schema of the parsed views."""
    from quire.store import schema as description

    def show(out: Console) -> None:
        for table in description.TABLES:
            out.print(f"\n[bold cyan]{table.name}[/]  {safe(table.doc)}")
            for column in table.columns:
                out.print(f"  [bold]{column.name}[/] [dim]{safe(column.type)}[/]  {safe(column.doc)}")

    here.emit(description.TABLES, show)


_RUN = re.compile(rf"{LAST}|\d{{8}}-\d{{6}}(-[0-9a-f]*)?")
_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}


def page(
    here: Here,
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
) -> None:
    """Render a page as a picture, with the evidence marked: `quire page RUN` marks that of an answer."""
    boxes = [parse_box(text) for text in box or ()]
    kind = _FORMATS.get(output.suffix.lower())
    if kind is None:
        raise typer.BadParameter(f"{output} is neither a .png nor a .jpg file.", param_hint="--output")
    lib = here.open()
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
    here.emit(result, f"Wrote {safe(output)} ({len(picture) // 1024} kB).")


def open_(
    here: Here,
    run_id: RunId = LAST,
    number: Annotated[int, typer.Argument(metavar="[EVIDENCE]", min=1, help="Which evidence, from 1.")] = 1,
) -> None:
    """Open the page that an answer stands on, with the evidence marked, in your viewer of pictures."""
    lib = here.open()
    shown = evidence(lib, run_id, number)
    png = lib.render(shown.paper_id, shown.page, marks=[shown.bbox] if shown.bbox else [])
    file = Path(tempfile.mkdtemp(prefix="quire-")) / f"evidence-{number}.png"
    write(file, png)
    opened = webbrowser.open(file.as_uri())
    told = f"{'Opened' if opened else 'No viewer was found; the picture is'} {safe(file)}"
    here.emit({"file": file, "opened": opened}, told)


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
        told = f"{count(len(found), 'piece')} of evidence"
        raise RunError(f"The run {run.run_id} has {told}.", hint=f"See `quire show {run.run_id}`.")
    if found[number - 1].page < 1:
        raise RunError("This evidence is the paper's own data and stands on no page.")
    return found[number - 1]


def parse_box(text: str) -> Box:
    """`x0,y0,width,height` as a Box; square brackets and blanks are forgiven."""
    from quire.app.run_view import box_of

    if (box := box_of(text)) is None:
        raise typer.BadParameter(f"`{text}` is not x0,y0,width,height.")
    return box


def _as_jpeg(png: bytes) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").save(out, "JPEG", quality=90)
    return out.getvalue()
