"""A stored evaluation, finished or not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quire.errors import RunError
from quire.streams.evaluation.record import EvalFile, EvalRecord
from quire.streams.evaluation.spec import RECORDS, EvalSpec, read
from quire.streams.evaluation.summary import Summary, summarise


@dataclass(frozen=True, slots=True)
class EvalRun:
    """One evaluation as it stands on the disk."""

    name: str
    spec: EvalSpec
    records: tuple[EvalRecord, ...]

    @property
    def summary(self) -> Summary:
        """Its figures."""
        return summarise(self.records)


def load_run(folder: Path) -> EvalRun:
    """A run from its folder; records in the order of their ids, which is the same for every run.

    Raises:
        RunError: there is none, or it has no records yet.
    """
    spec = read(folder)
    records = EvalFile(folder / RECORDS).read()
    if not records:
        raise RunError(f"{folder} has no answers yet.", hint="Run `quire eval --resume` first.")
    return EvalRun(folder.name, spec, tuple(records[key] for key in sorted(records)))
