"""The loop: recall, solve, judge, learn. One instance after the other, in a folder that can be resumed.

    result = run(spec, setup, folder, progress=print)

`folder` gets `run.json` (the specification), `stream.json` (a digest of what is asked), `records.jsonl` (one
line per step) and `memory.sqlite`. Calling `run` again with the same specification goes on after the last
record and ends as if nothing had happened.
Steps of a method without memory do not depend on each other: they run `workers` at a time, in the same order
of records, and those that failed or were never judged are asked again. With a memory they stay as they are:
what came after them was learnt without them.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from quire import jsontext
from quire.agents.stream.methods import METHODS
from quire.errors import RunError, SettingsError, TaskError
from quire.memory import MemoryStore
from quire.streams.encoders import AheadEncoder
from quire.streams.loop import Loop, open_memory
from quire.streams.progress import Progress, Tally
from quire.streams.record import RECORDS, Record, RecordFile
from quire.streams.setup import Setup
from quire.streams.spec import RunSpec
from quire.types import Instance


def ordered(
    instances: Sequence[Instance], seed: int, shift: str = "", limit: int = 0, order: str = "shuffled"
) -> list[Instance]:
    """The stream.

    The shuffle comes first and the limit second, so that a short run is a prefix of the long one. Seed 0 of
    the "published" order is not shuffled. A `shift` then brings instances of the same value together, the
    groups in the order of their values, each group in the order before.

    Raises:
        TaskError: the instances have no such field.
    """
    stream = list(instances)
    if seed or order != "published":
        random.Random(f"order/{seed}").shuffle(stream)
    if limit:
        stream = stream[:limit]
    if shift:
        known = sorted({name for one in stream for name in one.fields})
        if any(shift not in one.fields for one in stream):
            raise TaskError(f"Instances have no field `{shift}`.", hint=f"Fields: {', '.join(known)}.")
        stream.sort(key=lambda one: one.fields[shift])
    return stream


__all__ = ["Progress", "Run", "Setup", "load_run", "run", "settled"]


_STREAM = "stream.json"


@dataclass(frozen=True, slots=True)
class Run:
    """A run, finished or not. `stream` is a digest of what is asked, `name` that of its folder."""

    spec: RunSpec
    records: tuple[Record, ...]
    stream: str = ""
    name: str = field(default="", compare=False)


def run(spec: RunSpec, setup: Setup, folder: Path, progress: Callable[[Progress], None] | None = None) -> Run:
    """Run a specification to its end, or resume it.

    Raises:
        RunError: the folder holds a run of another specification or other data.
        ModelError: a model cannot be reached or paid; run again to go on.
    """
    row = METHODS[spec.method]
    if row.router == "one" and len(setup.solvers) != 1:
        raise SettingsError(
            f"Method `{row.name}` runs on one model, not {len(setup.solvers)}.",
            hint="Use a mam_ method, or `quire stream sweep` for one run per model.",
        )
    digest = _digest(setup.judge.instances())
    _claim(folder, spec, digest)
    stream = ordered(setup.judge.instances(), spec.seed, spec.shift, spec.limit, spec.order)
    file = RecordFile(folder / RECORDS)
    with MemoryStore(folder / "memory.sqlite") as store:
        encoder = AheadEncoder(setup.encoder, [instance.key for instance in stream])
        loop = Loop(spec, row, setup, open_memory(spec, row, replace(setup, encoder=encoder), store), stream)
        try:
            known = loop.resume(file.read())
            again = _again(spec, known)
            records = {record.step: record for record in known}
            tally = Tally(len(stream))
            for record in known:
                if record.step not in again:
                    tally.add(record)
            for record in loop.rest([*again, *range(len(known), len(stream))]):
                file.append(record)
                records[record.step] = record
                loop.deliver(record)
                tally.add(record)
                if progress:
                    progress(tally.progress())
        finally:
            file.close()
    done = tuple(records[step] for step in sorted(records))
    return Run(spec, done, digest, folder.name)


def settled(run: Run) -> bool:
    """Whether going on with a run that has all of its records would ask nothing again."""
    return not _again(run.spec, run.records)


def _again(spec: RunSpec, records: Sequence[Record]) -> list[int]:
    stateless = METHODS[spec.method].stateless
    return [record.step for record in records if stateless and record.unjudged]


def load_run(folder: Path) -> Run:
    """A run from its folder, finished or not.

    Raises:
        RunError: there is none.
    """
    spec = RunSpec.read(folder / "run.json")
    return Run(spec, tuple(RecordFile(folder / RECORDS).read()), _known(folder), folder.name)


def _claim(folder: Path, spec: RunSpec, digest: str) -> None:
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


def _known(folder: Path) -> str:
    """The digest of the run's stream; "" where none was kept."""
    try:
        return str(jsontext.read(folder / _STREAM, largest=10_000)["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _digest(instances: Sequence[Instance]) -> str:
    """Of what solvers see, in the order of the file: runs over other data are other runs."""
    seen = hashlib.sha256()
    for one in instances:
        seen.update(json.dumps([one.id, one.key, one.input, one.closed]).encode())
    return seen.hexdigest()[:16]
