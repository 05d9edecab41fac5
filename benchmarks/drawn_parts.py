"""Tables, figures and footnotes, as the layouts of `drawn_styles.py` set them."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from drawn_papers import Grid
from drawn_press import Block, Press, Type, broken, tokens


@dataclass(frozen=True, slots=True)
class Captions:
    """How captions are written: "Table 1: ..." above the table, "Fig. 2. ..." below the figure."""

    table: str = "Table {}:"
    figure: str = "Figure {}:"
    kind: Type = Type(size=9)
    label_face: str = "n"
    table_above: bool = True
    own_line: bool = False  # the table's label stands in a line of its own
    roman: bool = False

    def runs(self, pattern: str, number: int, text: str) -> list[tuple[str, str]]:
        """Label and text."""
        shown = ("", "I", "II", "III", "IV", "V")[number] if self.roman and "{}" in pattern else str(number)
        return [(pattern.format(shown), self.label_face), (" " + text, "")]


def height_of(runs: list[tuple[str, str]], kind: Type, width: float) -> float:
    """What a paragraph takes."""
    return len(broken(tokens(runs, kind), kind, width)) * kind.lead * kind.size


def width_of(text: str, kind: Type) -> float:
    """The width of a text in one line."""
    words = tokens([(text, "")], kind)
    return sum(p.width for t in words for p in t) + 0.25 * kind.size * (len(words) - 1)


def table_block(
    press: Press, grid: Grid, captions: Captions, rules: str, size: float = 8, *, spans: bool = False
) -> Block:
    """A table with its caption. `rules`: "book", "grid", "head", "none"."""
    runs = captions.runs(captions.table, grid.number, grid.caption)
    if captions.own_line:
        label, runs = runs[:1], [(grid.caption, "")]
    step = 1.35 * size
    note = Type(size=size - 1)

    def measure(width: float) -> float:
        own = height_of(runs, captions.kind, width) + (captions.kind.size * 1.2 if captions.own_line else 0)
        body = len(grid.head) * step + sum(_row_height(row[0], size, width) for row in grid.rows) + 6
        return own + body + 8 + (height_of([(grid.note, "")], note, width) + 2 if grid.note else 0)

    def draw(x: float, y: float, width: float) -> None:
        def caption(at: float) -> float:
            own = 0.0
            if captions.own_line:
                own = press.at(label, captions.kind, x, at, width)
            return own + press.at(runs, captions.kind, x, at + own, width)

        if captions.table_above:
            y += caption(y) + 5
        y = _body(press, grid, rules, size, step, x, y, width)
        if grid.note:
            y += 2
            y += press.at([(grid.note, "")], note, x, y, width)
        if not captions.table_above:
            caption(y + 5)

    return Block(measure, draw, spans)


def _row_height(label: str, size: float, width: float) -> float:
    """A row is as high as its label, which may be broken."""
    return (
        height_of([(label, "")], Type(size=size, align="left", hyphens=False), _FIRST * width - 4)
        + 0.15 * size
    )


_FIRST = 0.36  # of a table's width is its first column


def _head_rows(
    press: Press, grid: Grid, rules: str, cell: Type, step: float, lefts: list[float], y: float, width: float
) -> float:
    x, first = lefts[0], lefts[1] - lefts[0]
    each = (width - first) / (len(lefts) - 1)
    for number, row in enumerate(grid.head):
        at = 0
        for text, span in row:
            span_width = (first if at == 0 else each) + each * (span - 1)
            face = replace(cell, face="b" if rules != "book" else "n", align="center" if span > 1 else "left")
            if text:
                press.at([(text, "")], face, lefts[at] + 2, y, span_width - 4)
            if span > 1 and rules != "none":
                press.rule(lefts[at] + 2, lefts[at] + span_width - 4, y + step - 1, 0.4)
            at += span
        y += step
        if rules == "grid" and number == len(grid.head) - 1:
            press.rule(x, x + width, y)
    return y


def _body(
    press: Press, grid: Grid, rules: str, size: float, step: float, x: float, y: float, width: float
) -> float:
    columns = len(grid.head[-1])
    first = _FIRST * width
    each = (width - first) / (columns - 1)
    lefts = [x] + [x + first + k * each for k in range(columns - 1)]
    cell = Type(size=size, align="left", hyphens=False)
    top = y
    if rules in ("book", "head", "grid"):
        press.rule(x, x + width, y, 0.8)
    y += 2
    y = _head_rows(press, grid, rules, cell, step, lefts, y, width)
    if rules in ("book", "head"):
        press.rule(x, x + width, y + 1)
    y += 2
    for texts in grid.rows:
        for left, text in zip(lefts, texts, strict=True):
            press.at([(text, "")], cell, left + 2, y, first - 4)
        y += _row_height(texts[0], size, width)
        if rules == "grid":
            press.rule(x, x + width, y)
    if rules == "book":
        press.rule(x, x + width, y + 1, 0.8)
    if rules == "grid":
        for left in [*lefts, x + width]:
            press.bar(left, top, y)
    return y + 2


def side_by_side(press: Press, one: Block, other: Block) -> Block:
    """Two floats next to each other."""

    def draw(x: float, y: float, width: float) -> None:
        half = (width - 16) / 2
        one.draw(x, y, half)
        other.draw(x + half + 16, y, half)

    return Block(lambda width: max(b.measure((width - 16) / 2) for b in (one, other)), draw, one.spans)


def halves(grid: Grid) -> tuple[Grid, Grid]:
    """A table and its continuation."""
    cut = len(grid.rows) // 2
    return replace(grid, rows=grid.rows[:cut], note=""), replace(
        grid, caption="(continued)", rows=grid.rows[cut:]
    )


def figure_block(
    press: Press, number: int, text: str, captions: Captions, rng: random.Random, *, spans: bool = False
) -> Block:
    """A plot of lines with labelled axes, its caption below."""
    tall = rng.uniform(90, 150)
    runs = captions.runs(captions.figure.replace("{}", str(number)), number, text)
    series = [[rng.random() for _ in range(9)] for _ in range(rng.randint(1, 3))]

    def draw(x: float, y: float, width: float) -> None:
        canvas, height = press.canvas, press.sheet.height
        left, right, foot = x + 34, x + min(width, 330) - 10, y + tall - 26
        canvas.setLineWidth(0.7)
        canvas.line(left, height - foot, right, height - foot)
        canvas.line(left, height - foot, left, height - y)
        canvas.setFont("Helvetica", 7)
        for k in range(5):
            canvas.drawString(left + k * (right - left) / 5, height - foot - 9, str(k * 10))
            canvas.drawRightString(left - 4, height - foot + k * (foot - y) / 5, f"0.{k * 2}")
        canvas.drawString((left + right) / 2, height - foot - 19, "Time (d)")
        for values in series:
            for k in range(8):
                a, b = left + k * (right - left) / 8, left + (k + 1) * (right - left) / 8
                canvas.line(
                    a, height - foot + values[k] * (foot - y), b, height - foot + values[k + 1] * (foot - y)
                )
        press.at(runs, captions.kind, x, y + tall, width)

    return Block(lambda width: tall + height_of(runs, captions.kind, width) + 4, draw, spans)


def note_block(press: Press, paragraphs: list[list[tuple[str, str]]], kind: Type, *, rule: bool) -> Block:
    """Footnotes of one column."""

    def draw(x: float, y: float, width: float) -> None:
        if rule:
            press.rule(x, x + 0.3 * width, y - 3, 0.4)
        for runs in paragraphs:
            y += press.at(runs, kind, x, y, width)

    return Block(lambda width: sum(height_of(r, kind, width) for r in paragraphs) + 4, draw)
