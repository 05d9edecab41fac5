"""What a run's judge said, in its own hand: `ROOT/.judged/NAME.jsonl`, which no run can open.

    with judged.opened(root, spec.name) as tally:      # its number goes to the judge's process alone
        ...
    judged.check(root, spec, run)                      # RunError where the records say something else

The first line of each process tells how much there is to ask: `{"instances": 576, "closed": {}}`, the others
what was judged: `{"id": "7", "slot": "answer", "value": 1.0, "parts": {}}`. The judge writes them before the
process that solves hears of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from quire import jsontext
from quire.errors import RunError
from quire.eval.record import RECORDS, Record
from quire.eval.run import Run, RunSpec

_FOLDER = ".judged"
_LONGEST = 1 << 20  # characters of a line


def opened(root: Path, name: str) -> IO[bytes]:
    """The file for the judge of a run, kept where the run goes on and begun anew where it begins."""
    path = _path(root, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    records = root / name / RECORDS
    goes_on = records.is_file() and records.stat().st_size > 0
    if goes_on and not path.exists():
        path.touch()  # begun before there were such files: nothing to compare with
        path.write_bytes(b'{"before": true}\n')
    return path.open("ab" if goes_on else "wb")


def check(root: Path, spec: RunSpec, run: Run) -> None:
    """Compare the records of a run that came to its end with what its judge said.

    Raises:
        RunError: there are not as many records as questions, or one has another value than the judge gave.
    """
    rows = list(_rows(_path(root, spec.name)))
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
    if said is None:
        return False
    return bool(record.value == said["value"] and dict(record.parts) == said["parts"])


def _path(root: Path, name: str) -> Path:
    return root / _FOLDER / f"{name}.jsonl"


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                yield jsontext.loads(line, largest=_LONGEST)
            except ValueError:
                continue  # cut off by a kill
