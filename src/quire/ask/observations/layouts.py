"""Rows as text: JSON Lines, a markdown table, an HTML table, or plain columns.

Each layout is a function of the rows and gives (head, one text per row, foot), so that whoever cuts the
rows to a length can do it at row borders.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from quire.registry import Registry

Rows = Sequence[Mapping[str, Any]]

LAYOUTS = Registry(
    "observation format",
    {
        "json": "quire.ask.observations.layouts:json_lines",
        "markdown": "quire.ask.observations.layouts:markdown",
        "html": "quire.ask.observations.layouts:html_table",
        "plain": "quire.ask.observations.layouts:plain",
    },
)


class Laid(NamedTuple):
    """A layout's text in parts: joined by line breaks they are the whole."""

    head: tuple[str, ...]
    rows: tuple[str, ...]
    foot: tuple[str, ...]


def json_lines(rows: Rows) -> Laid:
    """One JSON object per line."""
    return Laid((), tuple(json.dumps(dict(row), ensure_ascii=False, default=str) for row in rows), ())


def markdown(rows: Rows) -> Laid:
    """A markdown table; bars inside cells are escaped and line breaks become <br>."""
    columns = list(rows[0]) if rows else []
    head = (_bar(columns), _bar(["---"] * len(columns)))
    return Laid(head, tuple(_bar([row.get(c) for c in columns]) for row in rows), ())


def _bar(cells: Sequence[Any]) -> str:
    texts = [_text(cell).replace("|", "\\|").replace("\n", "<br>") for cell in cells]
    return f"| {' | '.join(texts)} |"


def html_table(rows: Rows) -> Laid:
    """An HTML table with every cell escaped."""
    columns = list(rows[0]) if rows else []
    head = "<tr>" + "".join(f"<th>{html.escape(column)}</th>" for column in columns) + "</tr>"
    body = tuple(
        "<tr>" + "".join(f"<td>{html.escape(_text(row.get(c)))}</td>" for c in columns) + "</tr>"
        for row in rows
    )
    return Laid(("<table>", head), body, ("</table>",))


def plain(rows: Rows) -> Laid:
    """`column: value` lines, a blank line after each row."""
    return Laid(
        (), tuple("".join(f"{key}: {_text(each)}\n" for key, each in row.items()) for row in rows), ()
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
