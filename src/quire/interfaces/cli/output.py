"""What a command prints: one JSON document, or text for people. Progress and errors go to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from quire import jsontext
from quire.interfaces.plain import plain

if TYPE_CHECKING:
    from rich.console import Console

    from quire.types import ResultSet


def console() -> Console:
    """Standard output for people."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def messages() -> Console:
    """Standard error, for progress and warnings."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def emit(value: Any, as_json: bool, show: Callable[[Console], None]) -> None:
    """Print `value` as the one JSON document, or call `show` for people."""
    if as_json:
        sys.stdout.write(jsontext.dumps(plain(value), indent=1) + "\n")
    else:
        show(console())


def safe(text: object) -> str:
    """Text from PDFs or models, made safe for a terminal: no control characters, no rich markup."""
    from rich.markup import escape

    return escape("".join(c if c == "\n" or c.isprintable() else " " for c in str(text)))


def result_table(result: ResultSet) -> Any:
    """A `rich` table of a SQL result."""
    from rich.table import Table

    table = Table(
        *(safe(name) for name in result.columns),
        show_lines=any("\n" in str(c) for r in result.rows for c in r),
    )
    for row in result.rows:
        table.add_row(*("" if cell is None else safe(cell) for cell in row))
    return table
