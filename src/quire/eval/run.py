"""A run in its folder: what it is, what was asked, one record per step; and going on where it stands.

`run.json` holds the specification, `stream.json` a digest of what is asked, `records.jsonl` the records.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from quire import jsontext
from quire.errors import RunError
from quire.eval.record import RECORDS, Record, RecordFile
from quire.eval.spec import RunSpec
from quire.types import Instance, Usage


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Where a run stands: steps done and in all, the metric so far, what it took."""

    done: int
    total: int
    metric: float
    usage: Usage


class RunTally:
    """Running sums over the records of a run of `total` steps."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done, self._asked, self._right, self._usage = 0, 0, 0, Usage()

    def add(self, record: Record) -> None:
        """Count a step."""
        self._done += 1
        self._asked += record.asked
        self._right += record.right
        self._usage += record.usage

    def progress(self) -> RunProgress:
        """Where the run stands, after at least one step."""
        return RunProgress(self._done, self._total, self._right / max(1, self._asked), self._usage)


_STREAM = "stream.json"
Tell = Callable[[RunProgress], None]


@dataclass(frozen=True, slots=True)
class Run:
    """A run, finished or not. `stream` is a digest of what is asked, `name` that of its folder."""

    spec: RunSpec
    records: tuple[Record, ...]
    stream: str = ""
    name: str = field(default="", compare=False)


def load_run(folder: Path) -> Run:
    """A run from its folder, finished or not.

    Raises:
        RunError: there is none.
    """
    spec = RunSpec.read(folder / "run.json")
    return Run(spec, tuple(RecordFile(folder / RECORDS).read()), _known(folder), folder.name)


def claim_folder(folder: Path, spec: RunSpec, digest: str) -> None:
    """Make the folder this run's.

    Raises:
        RunError: it holds a run of another specification or other data.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "run.json"
    if not path.exists():
        (folder / _STREAM).write_text(json.dumps({"digest": digest}) + "\n", encoding="utf-8")
        spec.write(path)
    elif RunSpec.read(path) != spec:
        raise RunError(
            f"{folder} holds another run, of other data or settings.",
            hint="Give another folder or remove it.",
        )
    elif _known(folder) not in ("", digest):
        raise RunError(
            f"The data is not what it was when the run in {folder} began.",
            hint="Give the data that the run began with, or another folder.",
        )


def digest_instances(instances: Sequence[Instance]) -> str:
    """Of what solvers see, in the order of the file: runs over other data are other runs."""
    seen = hashlib.sha256()
    for one in instances:
        seen.update(json.dumps([one.id, one.key, one.input, one.closed]).encode())
    return seen.hexdigest()[:16]


def known_records(folder: Path, stream: Sequence[Instance]) -> list[Record]:
    """The records that are there.

    Raises:
        RunError: one is of another instance than stands at its step now.
    """
    records = RecordFile(folder / RECORDS).read()
    for record, instance in zip(records, stream, strict=False):
        if record.instance != instance.id:
            raise RunError(
                f"Step {record.step} was `{record.instance}`, the data now has `{instance.id}` there.",
                hint="Give the data that the run began with, or another folder.",
            )
    return records


def unjudged_steps(records: Sequence[Record]) -> list[int]:
    """The steps that are worth asking again, where none depends on another."""
    return [record.step for record in records if record.unjudged]


def write_records(
    folder: Path,
    known: Sequence[Record],
    again: Sequence[int],
    total: int,
    made: Callable[[Sequence[int]], Iterator[Record]],
    tell: Tell | None,
) -> tuple[Record, ...]:
    """All records: those that are `known` but for the steps `again`, and the rest as they are made.

    Each is on the disk before the next one is asked for.
    """
    records = {record.step: record for record in known}
    tally = RunTally(total)
    for record in known:
        if record.step not in again:
            tally.add(record)
    with closing(RecordFile(folder / RECORDS)) as file:
        for record in made([*again, *range(len(known), total)]):
            file.append(record)
            records[record.step] = record
            tally.add(record)
            if tell:
                tell(tally.progress())
    return tuple(records[step] for step in sorted(records))


def made_ahead(make: Callable[[int], Record], steps: Sequence[int], workers: int) -> Iterator[Record]:
    """The records of steps that do not depend on each other, in order, `workers` at a time."""
    with ThreadPoolExecutor(workers) as pool:
        ahead: deque[Future[Record]] = deque()
        try:
            for step in steps:
                ahead.append(pool.submit(make, step))
                if len(ahead) > 2 * workers:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _known(folder: Path) -> str:
    """The digest of the run's stream; "" where none was kept."""
    try:
        return str(jsontext.read(folder / _STREAM, largest=10_000)["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
