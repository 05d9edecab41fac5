"""Rows to an observation: laid out, cut at row borders, and told what was left out and how to see it.

    show_rows(rows, Observations(max_rows=2), more="Add OFFSET {next}.").text
    {"title": "A"}
    {"title": "B"}

    Rows 1 to 2 of 7 are shown. Add OFFSET 2.

A layout is a function of the rows and gives (head, one text per row, foot), so that whoever cuts the rows
to a length can do it at row borders.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from quire.library.ids import ID
from quire.llm.messages import estimate_tokens
from quire.settings import Observations
from quire.types import Observation

SeenRow = Mapping[str, Any]  # of an observation, by the names of its columns


class Laid(NamedTuple):
    """A layout's text in parts: joined by line breaks they are the whole."""

    head: tuple[str, ...]
    rows: tuple[str, ...]
    foot: tuple[str, ...]


def _json_lines(rows: Sequence[SeenRow]) -> Laid:
    """One JSON object per line."""
    return Laid((), tuple(json.dumps(dict(row), ensure_ascii=False, default=str) for row in rows), ())


def _markdown(rows: Sequence[SeenRow]) -> Laid:
    """A markdown table; bars inside cells are escaped and line breaks become <br>."""
    columns = list(rows[0]) if rows else []
    head = (_bar(columns), _bar(["---"] * len(columns)))
    return Laid(head, tuple(_bar([row.get(c) for c in columns]) for row in rows), ())


def _bar(cells: Sequence[Any]) -> str:
    texts = [_text(cell).replace("|", "\\|").replace("\n", "<br>") for cell in cells]
    return f"| {' | '.join(texts)} |"


def _html_table(rows: Sequence[SeenRow]) -> Laid:
    """An HTML table with every cell escaped."""
    columns = list(rows[0]) if rows else []
    body = tuple(_tr("td", [_text(row.get(c)) for c in columns]) for row in rows)
    return Laid(("<table>", _tr("th", columns)), body, ("</table>",))


def _tr(tag: str, texts: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(text)}</{tag}>' for text in texts)}</tr>"


def _plain(rows: Sequence[SeenRow]) -> Laid:
    """`column: value` lines, a blank line after each row."""
    told = ("".join(f"{key}: {_text(each)}\n" for key, each in row.items()) for row in rows)
    return Laid((), tuple(told), ())


def _text(value: Any) -> str:
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None else str(value)


_LAYOUTS: Mapping[str, Callable[[Sequence[SeenRow]], Laid]] = {
    "json": _json_lines,
    "markdown": _markdown,
    "html": _html_table,
    "plain": _plain,
}
_MOST = 200  # rows that are looked at for being short
_SHORTEST_CELL = 80  # characters that a shortened cell keeps at least


def show_rows(
    rows: Sequence[SeenRow],
    settings: Observations,
    *,
    total: int | None = None,
    more: str = "",
    hidden: Sequence[str] = (),
) -> Observation:
    """An observation that shows the first rows within `max_rows` and `max_tokens`.

    More than `max_rows` are shown as long as all together are short: within `short_tokens`.
    `total` is the number of rows of the whole result where `rows` is only its beginning; `more` says how
    to see the rest, with `{count}` for the rows shown and `{next}` for those already gone through. Columns in
    `hidden` are not shown, unless nothing else is there. Where there are more rows than can be shown, those
    without any text in their text columns are passed over. The observation's own `rows` are all rows, uncut.
    """
    count = max(total or 0, len(rows))
    layout = _LAYOUTS[settings.format]
    short = layout([_without(row, hidden) for row in rows[:_MOST]]).rows
    chosen, passed = _chosen(rows, max(settings.max_rows, _fitting(short, settings.short_tokens)))
    shown = [_without(row, hidden) for row in chosen]
    shortened = False
    laid = layout(shown)
    kept = _fitting(laid.rows, settings.max_tokens)
    if not kept and shown:
        shown = [_shorten(shown[0], settings.max_tokens)]
        shortened = True
        laid = layout(shown)
        kept = 1
    parts = (*laid.head, *laid.rows[:kept], *laid.foot)
    text = "\n".join(part.rstrip("\n") if settings.format != "plain" else part for part in parts)
    if kept < len(chosen):
        passed = 0
    told = _tell_cut(kept, count, shortened, more.format(count=kept, next=kept + passed), passed)
    return Observation("rows", f"{text}\n\n{told}", rows=tuple(rows))


def _chosen(rows: Sequence[SeenRow], most: int) -> tuple[list[SeenRow], int]:
    """The first rows that say something, and how many before the last of them say nothing."""
    if len(rows) <= most:
        return list(rows), 0
    telling = [(place, row) for place, row in enumerate(rows) if not _says_nothing(row)][:most]
    if not telling:
        return list(rows[:most]), 0
    return [row for _, row in telling], telling[-1][0] + 1 - len(telling)


def _says_nothing(row: SeenRow) -> bool:
    """Whether all text columns of the row, and there is one, are empty; ids are no text."""
    texts = [value for value in row.values() if value is None or isinstance(value, str)]
    told = [text for text in texts if text is None or not ID.fullmatch(text)]
    return "" in told and not any((text or "").strip() for text in told)


def _without(row: SeenRow, hidden: Sequence[str]) -> SeenRow:
    return {key: value for key, value in row.items() if key not in hidden} or row


def _fitting(texts: Sequence[str], max_tokens: int) -> int:
    used = 0
    for number, text in enumerate(texts):
        used += estimate_tokens(text)
        if used > max_tokens:
            return number
    return len(texts)


def _tell_cut(kept: int, count: int, shortened: bool, more: str, passed: int) -> str:
    rows = f"{count} row{'' if count == 1 else 's'}"
    if shortened:
        cells = "its long cells are cut; use substr(column, start, length) to read on"
        return f"Row 1 of {rows} is shown; {cells}." + (f" {more}" if count > 1 and more else "")
    if kept == count:
        return f"In total {rows}."
    if passed:
        return f"{kept} of {count} rows are shown; {passed} without text were passed over. {more}".rstrip()
    return f"Rows 1 to {kept} of {count} are shown; {count - kept} more are there. {more}".rstrip()


def _shorten(row: SeenRow, max_tokens: int) -> dict[str, Any]:
    """The row with its longest cells cut until it fits."""
    whole = {key: str(value) for key, value in row.items()}
    texts = dict(whole)
    room = max(max_tokens * 3, _SHORTEST_CELL)  # characters; a token has rarely fewer than 3
    while (excess := sum(map(len, texts.values())) - room) > 0:
        longest = max(texts, key=lambda key: len(texts[key]))
        length = len(texts[longest])
        if length <= _SHORTEST_CELL:
            break
        texts[longest] = texts[longest][: max(length - excess, _SHORTEST_CELL // 2)]
    cut = {key: f"{text}... [+{len(whole[key]) - len(text)} characters]" for key, text in texts.items()}
    return {key: value if texts[key] == whole[key] else cut[key] for key, value in row.items()}
