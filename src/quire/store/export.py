"""Results as files: CSV, JSON Lines, Parquet, or a plain text table. The caller writes them, never user SQL.

write(result, "csv", Path("out.csv"))      write(result, "jsonl", None)      # None: standard output
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quire import atomic, jsontext
from quire.errors import QueryError, UnknownNameError
from quire.types import ResultSet

_WIDEST = 60  # characters of a cell in a text table
_FORMULA = re.compile(r"\s*(?:[=@]|[-+](?!\s*[\d.,]+\s*%?\s*$))")


def as_csv(result: ResultSet) -> str:
    """A header line and one line per row; lists and structs as JSON, NULL as an empty field.

    What a spreadsheet would run as a formula gets an apostrophe before it; control characters become blanks.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_inert(name) for name in result.columns])
    writer.writerows([_inert(_field(value)) for value in row] for row in result.rows)
    return out.getvalue()


def as_jsonl(result: ResultSet) -> str:
    """One JSON object per row."""
    return "".join(
        jsontext.dumps(dict(zip(_unique(result.columns), row, strict=True))) + "\n" for row in result.rows
    )


def as_table(result: ResultSet) -> str:
    """Aligned columns for a terminal, long cells cut."""
    lines = [[_cell(c) for c in result.columns], *([_cell(v) for v in row] for row in result.rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(result.columns))]
    drawn = ["  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([drawn[0], "  ".join("-" * w for w in widths), *drawn[1:]]) + "\n"


def as_parquet(result: ResultSet) -> bytes:
    """A Parquet file with the columns' own types."""
    from quire.store.database import connected_to

    names = _unique(result.columns)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.parquet"
        columns = [[row[i] for row in result.rows] for i in range(len(names))]
        # A value goes in as JSON text and is cast to the type that it had: any type, without pyarrow.
        texts = [[None if v is None else _field(v) for v in column] for column in columns]
        quoted = ('"' + name.replace('"', '""') + '"' for name in names)
        selected = ", ".join(
            f"{_cast(kind)} AS {name}" for name, kind in zip(quoted, result.types, strict=True)
        )
        with connected_to([file]) as connection:
            # `file` is a name of ours, so it may stand in the statement.
            connection.execute(f"COPY (SELECT {selected}) TO '{file}' (FORMAT parquet)", texts)
        return file.read_bytes()


_TEXT: dict[str, Callable[[ResultSet], str]] = {"table": as_table, "csv": as_csv, "jsonl": as_jsonl}


def write(result: ResultSet, kind: str, path: Path | None) -> None:
    """Write a result as `kind` (table, csv, jsonl, parquet) to a file, or to standard output.

    Raises:
        UnknownNameError: there is no such kind.
        QueryError: the file cannot be written, or Parquet was asked for on a terminal.
    """
    if kind == "parquet":
        _put(as_parquet(result), path)
    elif kind in _TEXT:
        _put(_TEXT[kind](result).encode(), path)
    else:
        raise UnknownNameError(
            f"There is no output format `{kind}`.", hint=f"Choose from: {', '.join([*_TEXT, 'parquet'])}."
        )


def _put(content: bytes, path: Path | None) -> None:
    if path is None:
        if content[:4] == b"PAR1" and sys.stdout.isatty():
            raise QueryError("Parquet is not for the terminal.", hint="Name a file with --output.")
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        atomic.write(path, content)
    except OSError as error:
        raise QueryError(f"Cannot write {path}: {error.strerror}.", hint="Choose another place.") from error


def _field(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _inert(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = "".join(c if c in "\n\t" or c.isprintable() or c.isspace() and c > "\x9f" else " " for c in value)
    return f"'{text}" if _FORMULA.match(text) else text


def _cell(value: Any) -> str:
    text = "" if value is None else str(_field(value))
    text = "".join(c if c.isprintable() else " " for c in text)
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _unique(names: tuple[str, ...]) -> list[str]:
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return unique


def _cast(kind: str) -> str:
    nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP"))
    if kind == "BLOB":
        return "unnest([unhex(x) FOR x IN ?::VARCHAR[]])"
    if nested:
        return f"unnest(?::JSON[])::{kind}"
    return f"unnest(?)::{kind}" if kind != "UUID" else "unnest(?::UUID[])"
