"""Random tables: cells with spans as facts, and the same as LaTeX.

    table = draw_table(Voice("en", rng), rng, columns=5, rows=8)
    table.latex("booktabs"), table.grid(), table.cells

A head of one or two levels, a stub column, rows that are grouped or merged, numbers in several formats, a note.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from prose import Voice, escaped


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and the slots it covers."""

    text: str
    row: int
    col: int
    rowspan: int = 1
    colspan: int = 1


@dataclass(slots=True)
class Table:
    """Cells in reading order; the first `head_rows` rows are the head."""

    columns: int
    rows: int
    head_rows: int
    cells: list[Cell] = field(default_factory=list)
    groups: set[int] = field(default_factory=set)  # rows that are one label over the whole width

    def grid(self) -> list[list[str]]:
        """Rows of texts; a span is repeated into every slot that it covers."""
        out = [["" for _ in range(self.columns)] for _ in range(self.rows)]
        for c in self.cells:
            for r in range(c.row, c.row + c.rowspan):
                for k in range(c.col, c.col + c.colspan):
                    out[r][k] = c.text
        return out

    def facts(self) -> list[dict[str, Any]]:
        """The cells as plain data."""
        return [
            {"row": c.row, "col": c.col, "rowspan": c.rowspan, "colspan": c.colspan, "text": c.text, "head": c.row < self.head_rows}
            for c in self.cells
        ]  # fmt: skip

    def lines(self, style: str) -> list[str]:
        """The rows as LaTeX with the rules of `style`: booktabs, grid, lines or open."""
        at = {(c.row, c.col): c for c in self.cells}
        covered = {
            (r, k)
            for c in self.cells
            for r in range(c.row, c.row + c.rowspan)
            for k in range(c.col, c.col + c.colspan)
        }
        out = []
        for row in range(self.rows):
            parts, col = [], 0
            while col < self.columns:
                cell = at.get((row, col))
                if cell is None:
                    parts.append("" if (row, col) in covered or style else "")
                    col += 1
                    continue
                parts.append(_latex(cell, style, self.columns, head=row < self.head_rows))
                col += cell.colspan
            out.append(" & ".join(parts) + r" \\" + self._rule(row, style))
        return out

    def _rule(self, row: int, style: str) -> str:
        if row == self.head_rows - 1:
            return {"booktabs": r" \midrule", "grid": r" \hline", "lines": r" \hline", "open": r"[2pt]"}[
                style
            ]
        if row < self.head_rows:
            wide = [c for c in self.cells if c.row == row and c.colspan > 1]
            rule = r"\cmidrule(lr)" if style == "booktabs" else r"\cline"
            return (
                ""
                if style == "open"
                else " " + "".join(f"{rule}{{{c.col + 1}-{c.col + c.colspan}}}" for c in wide)
            )
        if style == "grid":
            return (
                r" \hline"
                if not any(c.row <= row < c.row + c.rowspan - 1 for c in self.cells)
                else rf" \cline{{2-{self.columns}}}"
            )
        return ""

    def spec(self, style: str) -> str:
        """The column specification."""
        if style == "grid":
            return "|l|" + "c|" * (self.columns - 1)
        return "@{}l" + ("r" if self.rows % 2 else "c") * (self.columns - 1) + "@{}"

    def ends(self, style: str) -> tuple[str, str]:
        """The rules over and under the table."""
        return {"booktabs": (r"\toprule", r"\bottomrule"), "open": ("", "")}.get(
            style, (r"\hline", r"\hline" if style == "lines" else "")
        )

    def latex(self, style: str) -> str:
        """A whole tabular."""
        top, foot = self.ends(style)
        return "\n".join(
            [rf"\begin{{tabular}}{{{self.spec(style)}}}", top, *self.lines(style), foot, r"\end{tabular}"]
        )


def _latex(cell: Cell, style: str, columns: int, head: bool) -> str:
    text = escaped(cell.text)
    if head and style in ("booktabs", "lines") and cell.text and columns % 2:
        text = rf"\textbf{{{text}}}"
    if cell.rowspan > 1:
        text = rf"\multirow{{{cell.rowspan}}}{{*}}{{{text}}}"
    if cell.colspan > 1:
        align = "l" if cell.colspan == columns else "c"
        edges = ("|" if cell.col == 0 else "", "|") if style == "grid" else ("", "")
        return rf"\multicolumn{{{cell.colspan}}}{{{edges[0]}{align}{edges[1]}}}{{{text}}}"
    return text


def _value(rng: random.Random, kind: str) -> str:
    number = rng.uniform(0, 99)
    return {
        "plain": f"{number:.2f}", "whole": f"{rng.randint(1, 9999)}", "error": f"{number:.1f} ± {number / 9:.1f}",
        "share": f"{rng.randint(1, 300)} ({number:.1f}%)", "range": f"{number:.1f}–{number + 5:.1f}", "word": rng.choice(["yes", "no", "n/a", "–"]),
    }[kind]  # fmt: skip


def draw_table(voice: Voice, rng: random.Random, columns: int, rows: int) -> Table:
    """A table with `rows` rows under its head."""
    two = columns >= 5 and columns % 2 == 1 and rng.random() < 0.55
    table = Table(columns, rows + 1 + two, 1 + two)
    stub = rng.choice(["", voice.one("topics")[:14]])
    heads = rng.sample(voice.words["heads"], min(len(voice.words["heads"]), max(2, columns - 1)))
    if two:
        table.cells.append(Cell(stub, 0, 0, 2, 1))
        for k, name in enumerate(rng.sample(voice.words["groups"], 2)):
            span = (columns - 1) // 2
            table.cells.append(Cell(name, 0, 1 + k * span, 1, span))
    else:
        table.cells.append(Cell(stub, 0, 0))
    table.cells += [
        Cell(
            heads[(k - 1) % len(heads)] if not two else heads[(k - 1) % ((columns - 1) // 2) % len(heads)],
            table.head_rows - 1,
            k,
        )
        for k in range(1, columns)
    ]
    kinds = [rng.choice(["plain", "plain", "whole", "error", "share", "range"]) for _ in range(columns)]
    grouped = rng.random() < 0.25 and rows >= 6
    row = table.head_rows
    while row < table.rows:
        if grouped and (row - table.head_rows) % 4 == 0 and row + 1 < table.rows:
            table.cells.append(Cell(voice.one("groups"), row, 0, 1, columns))
            table.groups.add(row)
            row += 1
            continue
        table.cells.append(Cell(voice.one("stubs"), row, 0))
        table.cells += [
            Cell(_value(rng, kinds[k] if rng.random() < 0.93 else "word"), row, k) for k in range(1, columns)
        ]
        row += 1
    return table
