"""Tables for people: aligned where they fit, else a block for each row; complete where they are piped."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_NARROW = 80  # columns of a terminal
_NEEDED = 9  # columns that a cell needs to be read
_ROWS = 40  # of a table that nobody asked to see whole


def listing(
    out: Console, heads: Sequence[str], rows: Sequence[Sequence[str]], *, everything: bool = True
) -> None:
    """Print rows of cells, which are `rich` markup; without `everything` a terminal sees the first 40."""
    from rich.table import Table

    shown = rows if everything or not out.is_terminal else rows[:_ROWS]
    if out.width < max(_NARROW, _NEEDED * len(heads)):
        for row in shown:
            _block(out, heads, row)
    else:
        table = Table(*heads, box=None, pad_edge=False)
        for row in shown:
            table.add_row(*row)
        out.print(table)
    if len(shown) < len(rows):
        out.print(f"[dim]{len(rows) - len(shown)} more; --all shows them.[/]")


def _block(out: Console, heads: Sequence[str], row: Sequence[str]) -> None:
    """One row: its first cell, then each other on a line of its own, under its head."""
    from rich.padding import Padding

    out.print(f"[bold]{row[0]}[/]")
    for head, cell in zip(heads[1:], row[1:], strict=True):
        if cell:
            out.print(Padding(f"[dim]{head}:[/] {cell}", (0, 0, 0, 2), expand=False))


def passage(text: Text, *, cells: bool) -> list[Text | Table]:
    """A text in pieces to print: rows of a table (`cells` apart by " | ", or HTML) as small tables."""
    from rich.text import Text as Plain

    if not cells:
        return list(text.split("\n"))
    if "<table" in text.plain.lower() or "<tr" in text.plain.lower():
        grid = _rows_of_html(text.plain)
        return [_small(grid)] if grid else [Plain(_line(text.plain))]
    pieces: list[Text | Table] = []
    rows: list[list[Text]] = []
    for line in text.split("\n"):
        if " | " in line.plain:
            rows.append(list(line.split(" | ")))
            continue
        if rows:
            pieces.append(_small(rows))
            rows = []
        pieces.append(line)
    return [*pieces, _small(rows)] if rows else pieces


class _Rows(HTMLParser):
    """The text of the cells of a table, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows = self.rows or [[]]
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def _rows_of_html(html: str) -> list[list[Text]]:
    from rich.text import Text as Plain

    reader = _Rows()
    reader.feed(html)
    return [[Plain(_line(cell)) for cell in row] for row in reader.rows if row]


def _line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def _small(rows: Sequence[Sequence[Text]]) -> Table:
    from rich import box
    from rich.table import Table

    width = max(map(len, rows))
    table = Table(*[""] * width, show_header=False, box=box.SIMPLE, show_edge=False, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    return table
