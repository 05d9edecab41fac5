"""DS-1000: complete a data-science program. pass@1, by running the problem's own test.

Lai et al. 2022, https://github.com/xlang-ai/DS-1000; CC BY-SA 4.0. Layouts read: the simplified format,
`ds1000.jsonl` (or `.jsonl.gz` unpacked), and the configuration `ds_1000` of the StreamBench set on Hugging
Face, which has the same fields.

A record: {"prompt": "Problem: I have the following DataFrame ... BEGIN SOLUTION <code> ",
           "reference_code": "...", "code_context": "import pandas ... def test_execution(solution): ...",
           "metadata": {"problem_id": 0, "library": "Pandas", "test_case_cnt": 1}}

The prompt goes to the solver as it is; test and reference never do. Solutions run in an environment of their
own, closed off (`warm_python`); a problem whose library is not installed there cannot be judged (value None,
named in the reason).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.errors import TaskError
from quire.eval import files
from quire.eval.result import Result
from quire.types import Experience, Instance
from quire_streams.tasks import warm_python
from quire_streams.tasks.protocol import Sample, TaskRecord, WordedTask, fenced, hand_written, records
from quire_streams.tasks.warm_python import ProgramOutcome, WarmPython, find_isolation

_SECONDS = 60.0
_ENDS = re.compile(r"\n?\s{0,99}(?:</code>|^END SOLUTION).*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CodeGold:
    """The test program, the reference solution and the library that a problem is about."""

    context: str
    reference: str
    library: str


class Ds1000(WordedTask):
    """Programs to complete."""

    name = "ds1000"
    shots = 4
    metric = "pass@1"

    def __init__(self, python: str = "") -> None:
        super().__init__()
        self._python = python or warm_python.python()
        self._judged: dict[tuple[str, str], ProgramOutcome] = {}
        self._warm: dict[tuple[str, ...], WarmPython] = {}
        self._lock = threading.Lock()

    def load(self, data: Path) -> Sequence[Sample]:
        """Every problem."""
        path = files.need(data, "ds1000.jsonl", *files.hub("ds_1000", "test"))
        return [self._sample(one) for one in records(path)]

    def examples(self, data: Path) -> Sequence[Experience]:
        """Four hand-written pairs."""
        return hand_written(self.name, self.name)

    def parse(self, reply: str, instance: Instance) -> str:
        """The code block, with its indentation, up to an end mark."""
        return _ENDS.sub("", fenced(reply, "python", "py"))

    def score(self, sample: Sample, output: str) -> Result:
        """Run the test."""
        gold: CodeGold = sample.gold
        lacking = warm_python.missing(gold.library, gold.context, self._python)
        if lacking:
            return Result(None, reason=f"cannot run: {lacking} is not installed in {self._python}")
        if not output.strip():
            return Result(0.0, reason="no code")
        # The same code for the same problem has the same outcome, however many methods come to it.
        outcome = self._judged.get((gold.context, output)) or self._run(gold, output)
        self._judged[gold.context, output] = outcome
        if outcome.passed is None:
            return Result(None, reason=f"the test itself cannot run: {outcome.error}")
        return Result(float(outcome.passed), reason=outcome.error)

    def versions(self) -> Mapping[str, str]:
        """Versions of the libraries that judge, and how well the sandbox is closed."""
        return {**warm_python.versions(self._python), "sandbox": find_isolation()}

    def _run(self, gold: CodeGold, code: str) -> ProgramOutcome:
        modules = warm_python.modules(gold.library, gold.context)
        with self._lock:
            if modules not in self._warm:
                self._warm[modules] = WarmPython(self._python, modules, seconds=_SECONDS)
        return self._warm[modules].judge(gold.context, code)

    def _sample(self, one: TaskRecord) -> Sample:
        metadata = one.row.get("metadata")
        if not isinstance(metadata, dict) or "library" not in metadata:
            raise TaskError(f"{one.where}: field `metadata` must be an object with `library`.")
        prompt, library = one.text("prompt"), str(metadata["library"])
        id = f"{metadata.get('problem_id', one.number)!s:0>4}"
        fields = {"library": library, "perturbation": str(metadata.get("perturbation_type", ""))}
        instance = self.instance(id, prompt, fields, prompt=prompt, library=library)
        context, reference = one.text("code_context"), one.text("reference_code")
        return Sample(instance, CodeGold(context, reference, library), f"```python\n{reference}\n```")
