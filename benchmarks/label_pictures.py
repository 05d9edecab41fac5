r"""Pages with the label of every row drawn on them, to look at what the parser makes of a page.

    PYTHONPATH=.:benchmarks python benchmarks/label_pictures.py OUT a.pdf:1 b.pdf:7 ... [--model W.npz]

A colour stands for each label, and numbers tell the reading order. Floats, headers and footers have no
frame. Beside each picture, NAME-PAGE.txt holds the rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pypdfium2
from PIL import ImageDraw

from quire.pdf.assemble import lay_out
from quire.pdf.layout.rows import Row
from quire.pdf.line_classifier.model import LineClassifier, load, shipped
from quire.pdf.line_classifier.repair import repaired
from quire.pdf.parsers.pdfium import checked
from quire.pdf.pdfium.reader import open_pdf
from quire.pdf.raw import FileFacts
from quire.settings import Parsing

COLOURS = {
    "title": "red", "author": "orange", "affiliation": "gold", "abstract": "blue", "heading": "magenta",
    "runin": "purple", "para": "green", "text": "lightgreen", "float": "brown", "note": "tan",
    "ref": "navy", "ref2": "skyblue", "other": "grey",
}  # fmt: skip


def labelled(path: Path, classifier: LineClassifier) -> list[Row]:
    """The rows of a file with their labels, as the sections and the front matter get them."""
    with open_pdf(path) as pdf:
        pages, _ = checked(pdf, path, Parsing())
        info, outline = pdf.info(), pdf.outline()
    laid = lay_out(pages)
    rows = [row for flow in laid.flows for row in flow.rows]
    return repaired(classifier.label(rows, laid.pages, laid.profile, FileFacts("", info, outline)))


def draw(path: Path, number: int, items: list[Row], scale: float, out: Path) -> None:
    """One page with its rows framed."""
    picture = pypdfium2.PdfDocument(path)[number - 1].render(scale=scale).to_pil().convert("RGB")
    pen = ImageDraw.Draw(picture)
    mine = [item for item in items if item.page == number]
    for order, item in enumerate(mine):
        line, colour = item.line, COLOURS[item.label]
        box = [scale * (line.x0 - 1), scale * (line.y0 - 1), scale * (line.x1 + 1), scale * (line.y1 + 1)]
        pen.rectangle(box, outline=colour, width=2)
        pen.text((box[0] - 18, box[1]), str(order), fill=colour)
    picture.save(out / f"{path.stem}-{number}.png")
    texts = [f"{item.label:12s} {item.column:2d} {item.text}" for item in mine]
    (out / f"{path.stem}-{number}.txt").write_text("\n".join(texts), encoding="utf-8")


def main() -> None:
    """Label, draw, write."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("out", type=Path)
    arguments.add_argument("pages", nargs="+", help="FILE:PAGE")
    arguments.add_argument("--model", type=Path, help="weights; else those of the package")
    arguments.add_argument("--scale", type=float, default=1.3)
    options = arguments.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    classifier = load(options.model.read_bytes()) if options.model else shipped()
    known: dict[str, list[Row]] = {}
    for name, _, number in (page.rpartition(":") for page in options.pages):
        items = known.setdefault(name, labelled(Path(name), classifier))
        draw(Path(name), int(number), items, options.scale, options.out)


if __name__ == "__main__":
    main()
