"""What processes did with a run: which walls stood around each, and whether one of them reached the end.

`sessions.jsonl` in the run's folder, one line when a process begins, one when it ends the run, and one about
what all models took meanwhile, failed requests too, as their gateway counted it:

    {"walls": {"landlock": 7, "seccomp": true, "threads": 0, "network": false, "processes": false}, "from": 0}
    {"finished": 300}
    {"spent": [{"role": "answer", "model": "gpt-4o", "requests": 301, "failed": 1, "usage": {...}}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from quire import jsontext
from quire.errors import QuireError, RunError
from quire.eval.record import RECORDS
from quire.eval.run import Run, RunSpec, load_run
from quire.llm import Meter
from quire.types import Usage
from quire_streams.wall import Walls

FILE = "sessions.jsonl"
_LONGEST = 1 << 20  # characters of a line


def begin(folder: Path, walls: Walls | None) -> None:
    """A process goes on with the run behind these walls (None: behind none)."""
    records = folder / RECORDS
    done = records.read_bytes().count(b"\n") if records.is_file() else 0
    _append(folder, {"walls": row_of(walls), "from": done})


def finish(folder: Path, steps: int) -> None:
    """The run has all of its records."""
    _append(folder, {"finished": steps})


def spend(folder: Path, meter: Meter) -> None:
    """What the process took of models, if anything."""
    if accounts := meter.ledger:
        rows = [{"role": role, "model": name, **asdict(each)} for (role, name), each in accounts.items()]
        _append(folder, {"spent": rows})


def spent(folder: Path) -> Usage:
    """What all processes of the run took together."""
    try:
        rows = [each["usage"] for row in _rows(folder) for each in row.get("spent", ())]
        return sum((Usage(**row) for row in rows), Usage())
    except (KeyError, TypeError) as error:
        raise RunError(f"{folder / FILE} does not say what the run took.") from error


def row_of(walls: Walls | None) -> dict[str, Any] | None:
    """Walls, for JSON."""
    return asdict(walls) if walls else None


def walls_of(folder: Path) -> list[Walls | None]:
    """The walls of every process that worked on the run; None: a process without a wall."""
    return [walls_from(row["walls"]) for row in _rows(folder) if "walls" in row]


def walls_from(row: Any) -> Walls | None:
    """The walls of a row; None where it describes none."""
    kinds = {each.name: type(each.default) for each in fields(Walls)}
    if not isinstance(row, dict) or not row.keys() <= kinds.keys():
        return None
    return Walls(**row) if all(type(value) is kinds[name] for name, value in row.items()) else None


def finished(folder: Path, spec: RunSpec) -> Run | None:
    """The run of this specification, if a process before brought it to its end."""
    ends = [row["finished"] for row in _rows(folder) if "finished" in row]
    try:
        done = load_run(folder) if ends else None
    except QuireError:
        return None  # running it tells what is wrong
    return done if done and done.records and done.spec == spec and len(done.records) == ends[-1] else None


def _append(folder: Path, row: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    path = folder / FILE
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else ():
        try:
            row = jsontext.loads(line, largest=_LONGEST)
        except ValueError:
            continue  # a line that was cut off: the process that wrote it told nothing
        if isinstance(row, dict):
            yield row
