"""What a command prints: one JSON document, or text for people. Progress and errors go to standard error."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import math
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire import jsontext

if TYPE_CHECKING:
    from rich.console import Console

    from quire.types import ResultSet


def plain(value: Any) -> Any:
    """The JSON form of any value that quire returns: dataclasses by field, bytes in base64."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON knows neither NaN nor infinity
    if isinstance(value, (uuid.UUID, Path)):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return value


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
