"""Values as tables for a notebook: every text escaped; of long tables and long cells the beginning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_ROWS = 50
_LONGEST = 600  # characters of a cell


def table_html(heads: Sequence[str], rows: Sequence[Iterable[object]], caption: str = "") -> str:
    """Rows below their heads, as one table of HTML."""
    more = f"{len(rows) - _ROWS} more rows" if len(rows) > _ROWS else ""
    told = " · ".join(part for part in (caption, more) if part)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows[:_ROWS])
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    foot = f"<caption>{escape(told)}</caption>" if told else ""
    return f"<table>{foot}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return escape(text if len(text) <= _LONGEST else f"{text[:_LONGEST]} [...]")
