"""Rows to an observation: laid out, cut at row borders, and told what was left out and how to see it.

show_rows(rows, Observations(max_rows=2), more="Use OFFSET.").text
{"title": "A"}
{"title": "B"}

Rows 1 to 2 of 7 are shown. Use OFFSET.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quire.environment.observations.layouts import LAYOUTS
from quire.models.tokens import estimate_tokens
from quire.settings import Observations
from quire.types import Observation

_SHORTEST_CELL = 80  # characters that a shortened cell keeps at least


def show_rows(
    rows: Sequence[Mapping[str, Any]], settings: Observations, *, total: int | None = None, more: str = ""
) -> Observation:
    """An observation that shows the first rows within `max_rows` and `max_tokens`.

    `total` is the number of rows of the whole result where `rows` is only its beginning; `more` says how
    to see the rest. The observation's own `rows` are all rows given, uncut.
    """
    count = max(total or 0, len(rows))
    shortened = False
    first = list(rows[: settings.max_rows])
    laid = LAYOUTS.load(settings.format)(first)
    kept = _fitting(laid.rows, settings.max_tokens)
    if not kept and first:
        first = [_shorten(first[0], settings.max_tokens)]
        shortened = True
        laid = LAYOUTS.load(settings.format)(first)
        kept = 1
    parts = (*laid.head, *laid.rows[:kept], *laid.foot)
    text = "\n".join(part.rstrip("\n") if settings.format != "plain" else part for part in parts)
    return Observation("rows", f"{text}\n\n{_told(kept, count, shortened, more)}", rows=tuple(rows))


def _fitting(texts: Sequence[str], max_tokens: int) -> int:
    used = 0
    for number, text in enumerate(texts):
        used += estimate_tokens(text)
        if used > max_tokens:
            return number
    return len(texts)


def _told(kept: int, count: int, shortened: bool, more: str) -> str:
    rows = f"{count} row{'' if count == 1 else 's'}"
    if shortened:
        cells = "its long cells are cut; use substr(column, start, length) to read on"
        return f"Row 1 of {rows} is shown; {cells}." + (f" {more}" if count > 1 and more else "")
    if kept == count:
        return f"In total {rows}."
    return f"Rows 1 to {kept} of {count} are shown. {more}".rstrip()


def _shorten(row: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
    """The row with its longest cells cut until it fits."""
    texts = {key: value if isinstance(value, str) else str(value) for key, value in row.items()}
    room = max(max_tokens * 3, _SHORTEST_CELL)  # characters; a token has rarely fewer than 3
    while sum(len(text) for text in texts.values()) > room:
        longest = max(texts, key=lambda key: len(texts[key]))
        text = texts[longest]
        if len(text) <= _SHORTEST_CELL:
            break
        keep = max(len(text) - (sum(len(each) for each in texts.values()) - room), _SHORTEST_CELL // 2)
        texts[longest] = text[:keep]
    return {
        key: value
        if texts[key] == str(value)
        else f"{texts[key]}... [+{len(str(value)) - len(texts[key])} characters]"
        for key, value in row.items()
    }
