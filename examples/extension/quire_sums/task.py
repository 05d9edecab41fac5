"""Sums of two numbers, one JSON line each: `{"id": "1", "sum": "2 + 3", "answer": 5}`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from quire.types import Experience, Instance
from quire_streams.tasks import Result, Sample


class Sums:
    """Small sums, to show what a task is."""

    name = "sums"
    shots = 2
    metric = "accuracy"

    def load(self, data: Path) -> Sequence[Sample]:
        """One sample per line of `sums.jsonl`."""
        lines = (data / "sums.jsonl").read_text(encoding="utf-8").splitlines()
        return [self._sample(json.loads(line)) for line in lines]

    def _sample(self, row: dict[str, str]) -> Sample:
        told = f"What is {row['sum']}?"
        instance = Instance(self.name, row["id"], told, "Add.", told, told, "Answer with the number alone.")
        answer = str(row["answer"])
        return Sample(instance, answer, answer)

    def examples(self, data: Path) -> Sequence[Experience]:
        """None: the few-shot method shows nothing here."""
        return ()

    def parse(self, reply: str, instance: Instance) -> str:
        """The last number of the reply."""
        found = re.findall(r"-?\d{1,18}", reply)
        return found[-1] if found else ""

    def score(self, sample: Sample, output: str) -> Result:
        """1 if it is the sum."""
        return Result(float(output == sample.gold))
