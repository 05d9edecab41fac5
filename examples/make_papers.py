"""Write the demo's papers from `sources/*.yaml`: small PDFs with tables, figures, equations, references.

They are the tests' fixtures as well, so they are deterministic (`invariant`) and kept in the repository:

    python examples/make_papers.py [FOLDER]

The measurements in them are invented for the demo; the authors' names are placeholders.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from reportlab.graphics.charts.lineplots import LinePlot
from reportlab.graphics.shapes import Drawing, String
from reportlab.lib import colors, pagesizes
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

HERE = Path(__file__).parent
Block = Mapping[str, Any]

BODY = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=10, leading=12, alignment=TA_JUSTIFY, spaceAfter=4
)
TITLE = ParagraphStyle(
    "title", fontName="Times-Bold", fontSize=17, leading=20, alignment=TA_CENTER, spaceAfter=8
)
AUTHORS = ParagraphStyle("authors", fontName="Times-Roman", fontSize=11, leading=14, alignment=TA_CENTER)
HEAD = ParagraphStyle("head", fontName="Times-Bold", fontSize=12, leading=15, spaceBefore=8, spaceAfter=4)
SUBHEAD = ParagraphStyle("subhead", parent=HEAD, fontSize=10.5, leading=13, spaceBefore=6)
CAPTION = ParagraphStyle("caption", parent=BODY, fontSize=9, leading=11, spaceBefore=3, spaceAfter=8)
ENTRY = ParagraphStyle("entry", parent=BODY, fontSize=9, leading=11, leftIndent=16, firstLineIndent=-16)
EQUATION = ParagraphStyle("equation", parent=BODY, fontName="Times-Italic", alignment=TA_CENTER)


def table(block: Block) -> Table:
    """A table with three rules or with all of them; `spans` are [row, first column, last column]."""
    head = block["header_rows"]
    style: list[tuple[Any, ...]] = [
        ("FONT", (0, 0), (-1, -1), "Times-Roman", 9),
        ("FONT", (0, 0), (-1, head - 1), "Times-Bold", 9),
        ("ALIGN", (1, 0), (-1, -1), "CENTER"),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
    ]
    if block["rules"] == "all":
        style.append(("GRID", (0, 0), (-1, -1), 0.4, colors.black))
    else:
        style += [
            ("LINEABOVE", (0, 0), (-1, 0), 0.9, colors.black),
            ("LINEBELOW", (0, head - 1), (-1, head - 1), 0.5, colors.black),
            ("LINEBELOW", (0, -1), (-1, -1), 0.9, colors.black),
        ]
    for row, first, last in block["spans"]:
        style += [
            ("SPAN", (first, row), (last, row)),
            ("LINEBELOW", (first, row), (last, row), 0.4, colors.black),
        ]
    return Table(block["table"], style=style, hAlign="CENTER", spaceAfter=4)


def plot(block: Block) -> Drawing:
    """A small line plot with the names of its axes."""
    drawing = Drawing(220, 120)
    chart = LinePlot()
    chart.x, chart.y, chart.width, chart.height = 34, 28, 170, 82
    chart.data = [[tuple(point) for point in line] for line in block["plot"]]
    for index, colour in enumerate((colors.darkblue, colors.darkred)[: len(chart.data)]):
        chart.lines[index].strokeColor = colour
    drawing.add(chart)
    drawing.add(String(90, 4, block["x"], fontName="Times-Roman", fontSize=8))
    drawing.add(String(2, 112, block["y"], fontName="Times-Roman", fontSize=8))
    return drawing


def equation(block: Block) -> Table:
    """A displayed equation with its number at the right margin."""
    cells = [[Paragraph(block["equation"], EQUATION), f"({block['number']})"]]
    style = [("FONT", (1, 0), (1, 0), "Times-Roman", 10), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")]
    return Table(cells, colWidths=[190, 30], style=style)


MAKERS: dict[str, Callable[[Block], Flowable]] = {
    "heading": lambda block: Paragraph(block["heading"], HEAD),
    "subheading": lambda block: Paragraph(block["subheading"], SUBHEAD),
    "text": lambda block: Paragraph(block["text"], BODY),
    "caption": lambda block: Paragraph(block["caption"], CAPTION),
    "table": table,
    "plot": plot,
    "equation": equation,
    "space": lambda block: Spacer(1, block["space"]),
}


def story(paper: Block) -> list[Flowable]:
    """Everything that stands in the paper, in order."""
    body = [MAKERS[next(iter(block))](block) for block in paper["body"]]
    return [
        NextPageTemplate("later"),
        Paragraph(paper["title"], TITLE),
        Paragraph(paper["authors"], AUTHORS),
        Paragraph(paper["front"], AUTHORS),
        FrameBreak(),
        Paragraph("Abstract", HEAD),
        Paragraph(paper["abstract"], BODY),
        Paragraph(f"<b>Keywords:</b> {paper['keywords']}", BODY),
        *body,
        Paragraph("References", HEAD),
        *(Paragraph(entry, ENTRY) for entry in paper["references"]),
    ]


def write(paper: Block, target: Path) -> None:
    """Set one paper in its columns and write it to `target`."""
    size = pagesizes.letter if paper["page"] == "letter" else pagesizes.A4
    width, height = size
    margin, gap, top, columns = 54, 18, 140, paper["columns"]
    column = (width - 2 * margin - (columns - 1) * gap) / columns

    def decorate(canvas: Canvas, document: BaseDocTemplate) -> None:
        canvas.setFont("Times-Roman", 8)
        if document.page > 1:
            canvas.drawString(margin, height - 36, paper["running_head"])
        canvas.drawCentredString(width / 2, 30, str(document.page))

    def frames(under: float) -> list[Frame]:
        lefts = [margin + i * (column + gap) for i in range(columns)]
        return [Frame(left, 48, column, height - 48 - under, 0, 0, 0, 0) for left in lefts]

    head = Frame(margin, height - top, width - 2 * margin, top - 44, 0, 0, 0, 0)
    document = BaseDocTemplate(str(target), pagesize=size, invariant=1, title=paper["title"])
    first = PageTemplate("first", [head, *frames(top)], onPage=decorate)
    document.addPageTemplates([first, PageTemplate("later", frames(56), onPage=decorate)])
    document.build(story(paper))


def main() -> None:
    """Write every paper of `sources/` into the folder given, or into `papers/` beside this file."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "papers"
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((HERE / "sources").glob("*.yaml")):
        target = folder / f"{source.stem}.pdf"
        write(yaml.safe_load(source.read_text(encoding="utf-8")), target)
        print(target)


if __name__ == "__main__":
    main()
