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

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from quire.errors import SettingsError, TaskError
from quire.eval.record import Record
from quire.eval.run import (
    Run,
    RunSpec,
    Tell,
    claim_folder,
    digest_instances,
    known_records,
    unjudged_steps,
    write_records,
)
from quire.memory import MemoryStore
from quire.types import Instance
from quire_streams.methods.methods import METHODS
from quire_streams.runs.encoders import AheadEncoder
from quire_streams.runs.loop import Loop, Setup, open_memory


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


def run(spec: RunSpec, setup: Setup, folder: Path, progress: Tell | None = None) -> Run:
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
    instances = setup.judge.instances()
    digest = digest_instances(instances)
    claim_folder(folder, spec, digest)
    stream = ordered(instances, spec.seed, spec.shift, spec.limit, spec.order)
    known = known_records(folder, stream)
    with MemoryStore(folder / "memory.sqlite") as store:
        encoder = AheadEncoder(setup.encoder, [instance.key for instance in stream])
        loop = Loop(spec, row, setup, open_memory(spec, row, replace(setup, encoder=encoder), store), stream)
        for record in known:
            loop.deliver(record)
        records = write_records(folder, known, _again(spec, known), len(stream), loop.rest, progress)
    return Run(spec, records, digest, folder.name)


def settled(run: Run) -> bool:
    """Whether going on with a run that has all of its records would ask nothing again."""
    return not _again(run.spec, run.records)


def _again(spec: RunSpec, records: Sequence[Record]) -> list[int]:
    return unjudged_steps(records) if METHODS[spec.method].stateless else []
