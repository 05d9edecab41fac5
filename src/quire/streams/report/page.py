"""A report as one page of HTML that loads nothing: tables and plots inside, every text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from quire.streams.evaluation.report.markup import Markup, join, tag
from quire.streams.report.drawing import Drawing
from quire.streams.report.painting import svg
from quire.streams.report.table import Table

_WIDE = "body { max-width: 78rem; } .plots { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }"
_WIDE += " .plots figure { flex: 1 1 26rem; max-width: 52rem; margin: .5rem 0; }"


def page(title: str, tables: Sequence[Table], drawings: Sequence[Drawing]) -> str:
    """The whole document."""
    style = resources.files("quire.streams.evaluation.report").joinpath("page.css")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Markup(style.read_text(encoding="utf-8") + _WIDE)),
    )
    figures = [tag("figure", svg(drawing)) for drawing in drawings]
    body = tag(
        "body", tag("h1", title), *[_table(table) for table in tables], tag("div", *figures, class_="plots")
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en")


def _table(table: Table) -> Markup:
    sides = [None if table.numeric(at) else "left" for at in range(len(table.columns))]
    head = tag("tr", *[tag("th", each, class_=side) for each, side in zip(table.columns, sides, strict=True)])
    rows = [
        tag("tr", *[tag("td", cell, class_=side) for cell, side in zip(row, sides, strict=True)])
        for row in table.rows
    ]
    note = tag("p", table.note, class_="soft") if table.note else None
    return tag(
        "section", tag("h2", table.title), join(tag("div", tag("table", head, *rows), class_="scroll")), note
    )
