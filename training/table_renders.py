"""Render known tables in many styles: truth for the trees that read rows and columns.

    python -m training.table_renders --jats DIR ... --out DIR [--styles 3] [--chromium PATH]

Each `table` of the articles (NAME.xml) is laid out by a browser with random type, rules, spaces, alignment
and widths, one to a page. Writes PDFs and `renders.jsonl`: {"name", "class" (the publisher), "box" (in
points), "cells": [{"text", "row", "col", "row_end", "col_end", "box"}]}. Needs playwright and chromium.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from training.papers import publisher

POINTS = 0.75  # of a pixel as browsers count them
MOST = 60  # rows of a table that is laid out
FONTS = tuple(f"DejaVu {face}" for face in ("Serif", "Sans", "Serif Condensed", "Sans Condensed"))


@dataclass(frozen=True)
class Slot:
    """A cell of a known table; the ends of its spans are included."""

    text: str
    row: int
    col: int
    row_end: int
    col_end: int
    head: bool
    markup: str


def markup(cell: ET.Element) -> str:
    """A cell as HTML, with its paragraphs, lists, breaks and scripts."""
    out = [html.escape(cell.text or "")]
    for part in cell:
        inner = markup(part)
        if part.tag in ("sup", "sub"):
            out.append(f"<{part.tag}>{inner}</{part.tag}>")
        elif part.tag in ("p", "list"):
            out.append(f"<div>{inner}</div>")
        elif part.tag == "list-item":
            out.append(f"<div>\u2022 {inner}</div>")
        elif part.tag == "break":
            out.append("<br>")
        else:
            out.append(inner)
        out.append(html.escape(part.tail or ""))
    return "".join(out)


def slots(table: ET.Element) -> list[Slot]:
    """The cells of a table in XML."""
    heads = {tr for part in table.iter("thead") for tr in part.iter("tr")}
    taken: set[tuple[int, int]] = set()
    found = []
    for row, tr in enumerate(list(table.iter("tr"))[:MOST]):
        col = 0
        for cell in tr:
            while (row, col) in taken:
                col += 1
            high, wide = int(cell.get("rowspan") or 1), int(cell.get("colspan") or 1)
            taken |= {(r, c) for r in range(row, row + high) for c in range(col, col + wide)}
            text = " ".join("".join(cell.itertext()).split())
            found.append(Slot(text, row, col, row + high - 1, col + wide - 1, tr in heads, markup(cell)))
            col += wide
    return found


def known(folder: Path) -> Iterator[tuple[str, str, list[Slot]]]:
    """The tables of articles: name, publisher, cells."""
    for xml in sorted(folder.glob("*.xml")):
        for k, table in enumerate(ET.parse(xml).getroot().iterfind(".//table-wrap//table")):
            cells = slots(table)
            if len({c.row for c in cells}) > 1 and sum(len(c.text) for c in cells) < 6000:
                yield f"{xml.stem}-{k}", publisher(xml), cells


def style(rng: random.Random) -> dict[str, Any]:
    """A way to lay out a table."""
    size = rng.choice([9, 10, 10.5, 11, 12, 13])
    return {
        "font": rng.choice(FONTS),
        "size": size,
        "leading": rng.choice([1.05, 1.15, 1.2, 1.3, 1.45]),
        "above": rng.choice([0, 0, 0.5, 1, 2, 3, 5]),
        "aside": size * rng.choice([0.16, 0.22, 0.3, 0.45, 0.7, 1.2]),
        "rules": rng.choice(["book", "book", "book", "none", "grid", "rows", "head", "stripes"]),
        "upright": rng.choice(["top", "top", "top", "middle", "baseline", "bottom"]),
        "values": rng.choice(["left", "center", "center", "right"]),
        "heads": rng.choice(["left", "center", "center"]),
        "width": rng.choice([250, 330, 400, 520, 680, 900]),
        "hang": rng.random() < 0.25,
        "hyphens": rng.random() < 0.5,
        "full": rng.random() < 0.6,
        "bold": rng.random() < 0.5,
        "spanned": rng.random() < 0.7,
        "justified": rng.random() < 0.25,
    }


def page_of(cells: Sequence[Slot], s: dict[str, Any]) -> str:
    """A table as a page of HTML."""
    last = max(c.row for c in cells)
    first_body = min((c.row for c in cells if not c.head), default=1)
    rows: list[str] = []
    for row in range(last + 1):
        own = [c for c in cells if c.row == row]
        rows.append("<tr>" + "".join(_cell(c, s, first_body, last) for c in own) + "</tr>")
    width = f"width:{s['width']}px;" if s["full"] else f"max-width:{s['width']}px;"
    hyphens = "auto" if s["hyphens"] else "manual"
    return f"""<html lang="en"><style>
body{{margin:20px;font:{s["size"]}px/{s["leading"]} '{s["font"]}';width:{s["width"]}px}}
table{{border-collapse:collapse;{width}}}
sub,sup{{line-height:0;font-size:70%}}
td{{padding:{s["above"]}px {s["aside"]:.1f}px;vertical-align:{s["upright"]};hyphens:{hyphens};
  overflow-wrap:break-word}}
</style><body><table>{"".join(rows)}</table></body></html>"""


def _cell(c: Slot, s: dict[str, Any], body: int, last: int) -> str:
    css = []
    side = s["heads"] if c.row < body else s["values"] if c.col else "left"
    css.append(f"text-align:{'justify' if side == 'left' and s['justified'] else side}")
    if c.row < body and s["bold"]:
        css.append("font-weight:bold")
    if c.col == 0 and s["hang"] and c.row >= body:
        css.append(f"text-indent:-1em;padding-left:{1 + s['aside'] / s['size']:.2f}em")
    line = "0.7px solid black"
    book = s["rules"] in ("book", "head", "rows", "stripes")
    if s["rules"] == "grid":
        css.append(f"border:{line}")
    if book and c.row == 0 and s["rules"] != "head":
        css.append(f"border-top:{line}")
    if book and (c.row_end == body - 1 or (c.row_end == last and s["rules"] != "head")):
        css.append(f"border-bottom:{line}")
    if s["rules"] == "rows" and c.row >= body:
        css.append(f"border-bottom:{line}")
    if s["rules"] == "stripes" and c.row % 2:
        css.append("background:#ddd")
    spans = f' rowspan="{c.row_end - c.row + 1}" colspan="{c.col_end - c.col + 1}"'
    inner = c.markup
    if c.row_end < body - 1 and c.col_end > c.col and s["spanned"] and book:
        inner = f'<div style="border-bottom:{line}">{inner}</div>'
    return f'<td{spans} style="{";".join(css)}">{inner}</td>'


_BOXES = """() => {
  const t = document.querySelector('table').getBoundingClientRect();
  const cells = [...document.querySelectorAll('td')].map(d => {
    const range = document.createRange(); range.selectNodeContents(d);
    const b = range.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; });
  return {box: [t.left, t.top, t.right, t.bottom], cells}; }"""


def render(page: Page, cells: Sequence[Slot], s: dict[str, Any], path: Path) -> dict[str, Any]:
    """Write one PDF; where its table and cells stand."""
    page.set_content(page_of(cells, s))
    found = page.evaluate(_BOXES)
    wide, high = found["box"][2] + 40, found["box"][3] + 40
    page.set_viewport_size({"width": int(wide), "height": int(high)})
    page.pdf(path=str(path), width=f"{int(wide)}px", height=f"{int(high) + 10}px", print_background=True)

    def points(box: Sequence[float]) -> list[float]:
        return [round(v * POINTS, 2) for v in box]

    boxed = [
        asdict(c) | {"box": points(b)}
        for c, b in zip(sorted(cells, key=lambda c: (c.row, c.col)), found["cells"], strict=True)
    ]
    return {"box": points(found["box"]), "cells": [c for c in boxed if c["text"]]}


def main() -> None:
    """Render all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jats", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--styles", type=int, default=3, help="of each table")
    parser.add_argument("--chromium", help="the browser's program")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play, (options.out / "renders.jsonl").open("w", encoding="utf-8") as out:
        page = play.chromium.launch(executable_path=options.chromium).new_page()
        page.emulate_media(media="print")
        for folder in options.jats:
            for name, house, cells in known(folder):
                for k in range(options.styles):
                    own = f"{name}-{k}"
                    facts = render(page, cells, style(random.Random(own)), options.out / f"{own}.pdf")
                    out.write(json.dumps({"name": own, "class": house, **facts}) + "\n")


if __name__ == "__main__":
    main()
