"""Reading a task's files, with errors that name the file, the line and the field."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from quire.errors import TaskError

FileRow = Mapping[str, Any]

# What packed data that is damaged or hostile makes its readers raise.
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, LookupError, RuntimeError, ValueError)
_SHARD = re.compile(r"(.*)-\d{5}-of-(\d{5})\.parquet")


def hub(config: str, split: str) -> tuple[str, ...]:
    """Where a split of the StreamBench set on Hugging Face may stand: alone, or in its folder of the hub."""
    alone = (f"{split}.jsonl", f"{split}*.parquet", f"{split}/*.parquet")
    return (*alone, *(f"{config}/{name}" for name in alone))


def find(data: Path, *names: str) -> Path | None:
    """The first of those files (glob patterns) in the folder, or None."""
    for name in names:
        matches = sorted(data.glob(name))
        if matches:
            return matches[0]
    return None


def need(data: Path, *names: str) -> Path:
    """The first of those files.

    Raises:
        TaskError: none is there; the message lists what was looked for.
    """
    found = find(data, *names)
    if found is None and data.is_file():
        raise TaskError(f"{data} is a file.", hint=f"Give the folder that holds it: {data.parent}.")
    if found is None:
        raise TaskError(
            f"{data} holds none of: {', '.join(names)}.",
            hint="Give the folder of the data set with --data, or get it with `quire tasks fetch`.",
        )
    return found


def mapping(path: Path) -> FileRow:
    """A JSON file that holds an object.

    Raises:
        TaskError: it is no JSON, or something else.
    """
    loaded = read_json(path)
    if not isinstance(loaded, dict):
        raise TaskError(f"{path} must hold a JSON object, not {_kind(loaded)}.")
    return loaded


def read_json(path: Path) -> Any:
    """A JSON file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path} is not JSON: {error}.") from error


def rows(path: Path) -> list[FileRow]:
    """Records of a .json (a list), .jsonl, .csv, .zip (of one CSV) or .parquet file.

    Raises:
        TaskError: the file is of another kind, is damaged or holds nothing; names the line or the record.
    """
    reader = _READERS.get(path.suffix)
    if reader is None:
        raise TaskError(f"{path}: cannot read files of this kind.", hint=f"Known: {', '.join(_READERS)}.")
    try:
        found = list(reader(path))
    except (UnicodeDecodeError, csv.Error, OSError) as error:
        raise TaskError(f"{path} cannot be read: {error}.", hint="Files must be text in UTF-8.") from error
    if not found:
        raise TaskError(f"{path} is empty.", hint="It must hold at least one record.")
    return found


def text(row: FileRow, field: str, where: str) -> str:
    """A field that must be a text.

    Raises:
        TaskError: it is missing or something else.
    """
    value = row.get(field)
    if not isinstance(value, str):
        raise TaskError(f"{where}: field `{field}` must be a text, not {type(value).__name__}.")
    return value


def located_rows(path: Path) -> Iterator[tuple[str, FileRow]]:
    """The records of a file of JSON Lines, or of one JSON list, each with where it stands.

    Raises:
        TaskError: the file is missing or malformed; names the line or the record.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise TaskError(f"There is no file {path}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{path} cannot be read as text: {error}.") from error
    whole: list[Any] | None = None
    if text.lstrip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):  # else it may be lines that begin so
            whole = json.loads(text)
    if whole == [] or (whole and any(isinstance(row, dict) for row in whole)):
        yield from _objects((f"{path}, record {number}", row) for number, row in enumerate(whole, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):  # not splitlines: U+2028 may stand in a text
        if line.strip():
            where = f"{path}, line {number}"
            try:
                loaded = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TaskError(f"{where} is not JSON: {error}.") from error
            yield from _objects([(where, loaded)])


def _objects(found: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, FileRow]]:
    for where, row in found:
        if not isinstance(row, dict):
            raise TaskError(f"{where} must be a JSON object, not {_kind(row)}.")
        yield where, row


def _json(path: Path) -> Sequence[FileRow]:
    loaded = read_json(path)
    if not isinstance(loaded, list):
        raise TaskError(f"{path} must hold a list of records.")
    return [row for _, row in _objects((f"{path}, record {n}", row) for n, row in enumerate(loaded, 1))]


def _kind(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
    return names.get(type(value), "nothing" if value is None else "an object")


def _csv(path: Path) -> list[FileRow]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _zip(path: Path) -> list[FileRow]:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as member:
            return list(csv.DictReader(io.TextIOWrapper(member, encoding="utf-8", newline="")))
    except UnicodeDecodeError:
        raise
    except DAMAGED as error:
        raise TaskError(f"{path} is not a zip file with one table in it.") from error


def _parquet(path: Path) -> list[FileRow]:
    import duckdb

    from quire.store.database import connected_to

    parts = [part.absolute() for part in _shards(path)]
    with connected_to(parts) as db:
        try:
            result = db.execute("SELECT * FROM read_parquet(?)", [[str(part) for part in parts]])
            names = [column[0] for column in result.description or ()]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
        except duckdb.Error as error:
            raise TaskError(f"{path} cannot be read: {error}") from error


def _shards(path: Path) -> list[Path]:
    """The file, or all parts that its name says it is one of."""
    match = _SHARD.fullmatch(path.name)
    if match is None:
        return [path]
    count = int(match[2])
    parts = [path.with_name(f"{match[1]}-{number:05d}-of-{match[2]}.parquet") for number in range(count)]
    if missing := [part.name for part in parts if not part.exists()]:
        raise TaskError(
            f"{path.parent} lacks {', '.join(missing)}.", hint="A set in parts needs all of them."
        )
    return parts


_READERS: Mapping[str, Callable[[Path], Iterable[FileRow]]] = {
    ".json": _json,
    ".jsonl": lambda path: (row for _, row in located_rows(path)),
    ".csv": _csv,
    ".zip": _zip,
    ".parquet": _parquet,
}
