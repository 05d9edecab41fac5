"""One line per step of a run, as JSON Lines that only grow.

A line is written whole before its verdict is learnt, so a run that was killed stands at a definite step. A
last line that was cut off is dropped on resume. The gold is in no record of a run that stands behind a wall:
it could be read from there. Runs in the open, like `quire eval`, keep a `Case` for their readers: gold,
reason, and the run itself as JSON values (pictures are left out, numbers that JSON does not have become
texts).
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from quire import jsontext
from quire.errors import RunError
from quire.eval.questions import QuestionItem
from quire.eval.scorers.scores import is_right
from quire.types import Attempt, Step, Trajectory, Usage, Verdict


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its gold, why it was judged so, and the answer with all that led there.

    `trajectory` is the whole run (see `packed`), None where nothing was asked.
    """

    question: str
    answer_format: str = ""
    papers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    gold: Any = None
    reason: str = ""
    answer: Any = None
    confidence: float = 0.0
    note: str = ""
    turns: int = 0
    evidence: tuple[Mapping[str, Any], ...] = ()
    trajectory: Mapping[str, Any] | None = None

    @classmethod
    def asked(cls, item: QuestionItem) -> Case:
        """A question before it is answered."""
        question = item.question
        known = item.evaluator.parameters if item.evaluator else {}
        gold = packed({name: value for name, value in known.items() if name != "question"})
        return cls(question.text, question.answer_format, question.anchor_papers, question.tags, gold)

    def answered(self, reason: str, run: Trajectory | None) -> Case:
        """The same with what came of it."""
        if run is None:
            return replace(self, reason=reason)
        answer = run.answer
        return replace(
            self,
            reason=reason,
            answer=packed(answer.value),
            confidence=answer.confidence,
            note=answer.note,
            turns=run.turns,
            evidence=tuple(packed(each) for each in answer.evidence),
            trajectory=packed(replace(run, steps=tuple(map(_without_rows, run.steps)))),
        )


def packed(value: Any) -> Any:
    """A value as JSON has it: dataclasses as objects, pictures left out, NaN and infinity as text."""
    return jsontext.as_json(value, _packed_leaf)


def _packed_leaf(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (bytes, bytearray)):
        return None
    return packed([*value]) if isinstance(value, Iterable) else str(value)


def _without_rows(step: Step) -> Step:
    """As it was shown: the rows behind an observation say the same again, ten times as long."""
    return replace(step, observation=step.observation and replace(step.observation, rows=()))


_LARGEST = 4 << 30  # bytes of the records of a run
RECORDS = "records.jsonl"  # the file's name in the folder of a run

CaseStatus = Literal["right", "wrong", "abstained", "failed", "unknown", "missing", "impossible"]
STATUSES: tuple[CaseStatus, ...] = (
    "right",
    "wrong",
    "abstained",
    "failed",
    "unknown",
    "missing",
    "impossible",
)
CLOSED: frozenset[CaseStatus] = frozenset({"missing", "impossible"})
ANSWERABLE: frozenset[CaseStatus] = frozenset({"right", "wrong", "abstained", "failed"})


@dataclass(frozen=True, slots=True)
class Record:
    """A step.

    `value` is the task's metric (None: could not be judged), `parts` its further figures. `group` is the
    value of the field that the stream was shifted by. `learner` is the attempt that was learnt from where it
    is not `attempt` itself, with its verdict in `verdict`. `closed` says why it was not asked ("" if it was).
    `judging` and `teaching` are what a judge and a writer of lessons took, `lesson_error` why there is none.
    Only `attempt.seconds` and what the case says of time may differ between two runs of one specification.
    """

    step: int
    instance: str
    group: str
    attempt: Attempt
    value: float | None
    verdict: Verdict
    answerer: int
    parts: Mapping[str, float | None] = field(default_factory=dict)
    learner: Attempt | None = None
    protocol: str = ""
    closed: str = ""
    case: Case | None = None
    judging: Usage = Usage()
    teaching: Usage = Usage()
    lesson_error: str = ""

    @property
    def right(self) -> bool:
        """Whether it counts as right."""
        return not self.attempt.error and is_right(self.value)

    @property
    def asked(self) -> bool:
        """Whether it counts in the metric: what cannot be asked does not."""
        return not self.closed

    @property
    def status(self) -> CaseStatus:
        """What came of it, in a word."""
        known: tuple[tuple[bool, CaseStatus], ...] = (
            (self.closed == "missing", "missing"),
            (bool(self.closed), "impossible"),
            (bool(self.attempt.error), "failed"),
            (self.right, "right"),
            (self.attempt.abstained, "abstained"),
            (self.value is None, "unknown"),
        )
        return next((status for fits, status in known if fits), "wrong")

    @property
    def learnt(self) -> Attempt:
        """The attempt that goes into memory."""
        return self.learner or self.attempt

    @property
    def usage(self) -> Usage:
        """All that the step took of models, the attempt that was learnt from and failed requests included."""
        learner = self.learner.usage if self.learner else Usage()
        return self.attempt.usage + learner + self.judging + self.teaching

    @property
    def unjudged(self) -> bool:
        """Whether it was asked and nothing says how good the answer was."""
        return not self.closed and (bool(self.attempt.error) or self.value is None)

    def essence(self) -> Record:
        """The record without times, for comparing runs."""
        learner = replace(self.learner, seconds=0.0) if self.learner else None
        return replace(self, attempt=replace(self.attempt, seconds=0.0), learner=learner, case=None)


def read_records(path: Path) -> list[Record]:
    """All whole records by step, the last of each; a line that was cut off is removed from the file.

    Raises:
        RunError: a line in the middle is not a record.
    """
    if not path.exists():
        return []
    if not path.is_file() or path.stat().st_size > _LARGEST:
        raise RunError(f"{path} is no file of records.", hint="Remove it.")
    raw = path.read_bytes()
    whole = raw[: raw.rfind(b"\n") + 1]
    if len(whole) < len(raw):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    records: dict[int, Record] = {}
    for number, line in enumerate(whole.decode("utf-8").split("\n")[:-1], start=1):
        try:
            record = jsontext.of_json(Record, jsontext.loads(line))
        except ValueError as error:
            raise RunError(f"{path}, line {number} is not a record: {error}.") from error
        records[record.step] = record
    return [records[step] for step in sorted(records)]


def append_records(path: Path, records: Iterable[Record]) -> Generator[Record, None, None]:
    """Write records as they come; each is given on when the operating system has it."""
    # A model can write half a character; as an escape of JSON it comes back as it was.
    with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False, default=_fields) + "\n")
            file.flush()
            yield record


def _fields(value: Any) -> dict[str, Any]:
    # dataclasses.asdict copies every leaf, which costs more than the rest of a step.
    return {field.name: getattr(value, field.name) for field in fields(value)}
