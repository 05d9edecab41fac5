"""What is kept beside the records of a run: by its processes, and by its judge in its own hand.

`sessions.jsonl` in the run's folder has one line when a process begins, one when it ends the run or fails,
and one about what all models took meanwhile, failed requests too, as their gateway counted it:

    {"walls": {"landlock": 7, "seccomp": true, "threads": 0, "network": false, "processes": false}, "from": 0}
    {"finished": 300}
    {"failed": "The judge has stopped. Resume the run."}
    {"spent": [{"role": "answer", "model": "gpt-4o", "requests": 301, "failed": 1, "usage": {...}}]}

`ROOT/.judged/NAME.jsonl`, which no run can open, has what its judge said, written before the process that
solves hears of it. The first line of each process tells how much there is to ask, the others what was judged:

    {"instances": 576, "closed": {}}
    {"id": "7", "slot": "answer", "value": 1.0, "parts": {}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import IO, Any

from quire import jsontext
from quire.errors import QuireError, RunError
from quire.eval.record import RECORDS, Record
from quire.eval.run import Run, RunSpec, load_run
from quire.llm import Meter
from quire_streams.wall import Walls

FILE = "sessions.jsonl"
_LONGEST = 1 << 20  # characters of a line


def begin(folder: Path, walls: Walls | None) -> None:
    """A process goes on with the run behind these walls (None: behind none)."""
    _append(folder, {"walls": asdict(walls) if walls else None, "from": steps(folder)})


def steps(folder: Path) -> int:
    """How many records there are."""
    records = folder / RECORDS
    return records.read_bytes().count(b"\n") if records.is_file() else 0


def finish(folder: Path, steps: int) -> None:
    """The run has all of its records."""
    _append(folder, {"finished": steps})


def fail(folder: Path, error: QuireError) -> None:
    """The process ended with this error."""
    with suppress(OSError):  # its solver may have put something else there
        _append(folder, {"failed": str(error)})


def spend(folder: Path, meter: Meter) -> None:
    """What the process took of models, if anything."""
    if accounts := meter.ledger:
        rows = [{"role": role, "model": name, **asdict(each)} for (role, name), each in accounts.items()]
        _append(folder, {"spent": rows})


def walls_of(folder: Path) -> list[Walls | None]:
    """The walls of every process that worked on the run; None: a process without a wall."""
    return [walls_from(row["walls"]) for row in _read_rows(folder / FILE) if "walls" in row]


def failure_of(folder: Path) -> str:
    """What ended the run the last time; "" where that is not known."""
    rows = list(_read_rows(folder / FILE))
    return str(rows[-1]["failed"]) if rows and "failed" in rows[-1] else ""


def walls_from(row: Any) -> Walls | None:
    """The walls of a row; None where it describes none."""
    kinds = {each.name: type(each.default) for each in fields(Walls)}
    if not isinstance(row, dict) or not row.keys() <= kinds.keys():
        return None
    return Walls(**row) if all(type(value) is kinds[name] for name, value in row.items()) else None


def finished(folder: Path, spec: RunSpec) -> Run | None:
    """The run of this specification, if a process before brought it to its end."""
    ends = [row["finished"] for row in _read_rows(folder / FILE) if "finished" in row]
    try:
        done = load_run(folder) if ends else None
    except QuireError:
        return None  # running it tells what is wrong
    return done if done and done.records and done.spec == spec and len(done.records) == ends[-1] else None


def _append(folder: Path, row: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                row = jsontext.loads(line, largest=_LONGEST)
            except ValueError:
                continue  # a line that was cut off by a kill
            if isinstance(row, dict):
                yield row


_FOLDER = ".judged"


def open_judged(root: Path, name: str) -> IO[bytes]:
    """The file for the judge of a run, kept where the run goes on and begun anew where it begins."""
    path = _judged_path(root, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    records = root / name / RECORDS
    goes_on = records.is_file() and records.stat().st_size > 0
    if goes_on and not path.exists():
        path.touch()  # begun before there were such files: nothing to compare with
        path.write_bytes(b'{"before": true}\n')
    return path.open("ab" if goes_on else "wb")


def check_judged(root: Path, spec: RunSpec, run: Run) -> None:
    """Compare the records of a run that came to its end with what its judge said.

    Raises:
        RunError: there are not as many records as questions, or one has another value than the judge gave.
    """
    rows = list(_read_rows(_judged_path(root, spec.name)))
    heads = [row for row in rows if "instances" in row]
    if any("before" in row for row in rows) or not heads:
        return
    total = heads[-1]["instances"]
    expected = min(spec.limit, total) if spec.limit else total
    if run.spec != spec or [record.step for record in run.records] != list(range(expected)):
        raise RunError(f"The run has {len(run.records)} records of {expected} questions.", hint=_HINT)
    if len({record.instance for record in run.records}) < expected:
        raise RunError("The run has several records of one question.", hint=_HINT)
    said = {row["id"]: row for row in rows if row.get("slot") == "answer"}
    for record in run.records:
        if not _agrees(record, said.get(record.instance), heads[-1]["closed"].get(record.instance, "")):
            raise RunError(f"Record {record.step} is not what the judge said of it.", hint=_HINT)


_HINT = "Its solver tampers with its records: remove the run's folder, and do not trust the solver."


def _agrees(record: Record, said: dict[str, Any] | None, closed: str) -> bool:
    if closed or record.closed:
        # Whether a paper is missing only the solver's side knows; reports count these apart.
        return record.value is None and record.closed in (closed, "missing")
    if record.attempt.error and not record.value:
        return True  # a failure is no success, whatever was judged before it
    return said is not None and (record.value, dict(record.parts)) == (said["value"], said["parts"])


def _judged_path(root: Path, name: str) -> Path:
    return root / _FOLDER / f"{name}.jsonl"
