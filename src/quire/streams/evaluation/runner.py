"""Ask every question of a set, score every answer, and go on where a killed run stood.

    records = evaluate(items, library.ask, folder, spec, Panel(judge), workers=4, progress=show)

Contract: `answer(question)` gives a Trajectory; it never sees the evaluator. Questions are independent, so
they run `workers` at a time, and the records come back in the order of the items whatever the order they were
answered in. A question that crashes is one failed record with its reason; what ails the set-up (no model, no
money) stops the run, which can then be resumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quire.errors import (
    ENDS_A_RUN,
    LibraryDamaged,
    OfflineError,
    QuireError,
    ScoringError,
    SettingsError,
)
from quire.scoring.evaluators import Evaluator
from quire.scoring.judging import Panel
from quire.scoring.scores import passed
from quire.streams.evaluation.record import ASKED, EvalFile, EvalRecord, Status, of_trajectory, packed
from quire.streams.evaluation.spec import RECORDS, EvalSpec, claim
from quire.tasks.questions.items import Item
from quire.types import Question, Score, Trajectory, Usage

Answering = Callable[[Question], Trajectory]

_STOPS: tuple[type[QuireError], ...] = (*ENDS_A_RUN, LibraryDamaged, OfflineError, SettingsError)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: `accuracy` of the questions so far, `seconds_left` a guess, None at first."""

    done: int
    total: int
    accuracy: float | None
    usage: Usage
    seconds_left: float | None
    last: EvalRecord


def evaluate(
    items: Sequence[Item],
    answer: Answering,
    folder: Path,
    spec: EvalSpec,
    judge: Panel | None = None,
    *,
    workers: int = 1,
    again: frozenset[str] = frozenset(),
    progress: Callable[[Progress], None] | None = None,
) -> tuple[EvalRecord, ...]:
    """Run an evaluation to its end, or resume it: what the folder has is not asked again.

    `again` names statuses that are asked again when a run is resumed, such as "failed".

    Raises:
        RunError: the folder holds a run of another specification.
        ModelError: a model cannot be reached or paid; what is done is kept.
    """
    claim(folder, spec)
    chosen = items[: spec.limit] if spec.limit else items
    file = EvalFile(folder / RECORDS)
    done = {key: record for key, record in file.read().items() if record.status not in again}
    todo = [item for item in chosen if item.question.id not in done]
    clock = _Clock(len(chosen), [done[i.question.id] for i in chosen if i.question.id in done])
    try:
        for record in _answered(todo, answer, judge, workers):
            file.append(record)
            done[record.id] = record
            if progress:
                progress(clock.tick(record))
    finally:
        file.close()
    return tuple(done[item.question.id] for item in chosen)


def _answered(
    items: Sequence[Item], answer: Answering, judge: Panel | None, workers: int
) -> Iterator[EvalRecord]:
    """The records as they come. What stops the run is raised after the answers that are still coming."""
    waiting = iter(items)
    stopped: BaseException | None = None
    with ThreadPoolExecutor(max(1, workers)) as pool:
        running: set[Future[EvalRecord]] = set()
        try:
            while True:
                while stopped is None and len(running) < 2 * workers and (item := next(waiting, None)):
                    running.add(pool.submit(one, item, answer, judge))
                if not running:
                    break
                ready, running = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    if future.cancelled():
                        continue
                    if (error := future.exception()) is None:
                        yield future.result()
                    elif stopped is None:
                        stopped = error
                        for other in running:
                            other.cancel()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    if stopped is not None:
        raise stopped


def one(item: Item, answer: Answering, judge: Panel | None = None) -> EvalRecord:
    """Ask and score one question. This is the border: what goes wrong inside becomes a failed record."""
    if item.evaluator is None:
        return _record(item, "impossible", item.problem)
    if item.missing:
        return _record(item, "missing", f"The library does not have: {', '.join(item.missing)}.")
    started = time.perf_counter()
    try:
        trajectory = answer(item.question)
    except _STOPS:
        raise
    except Exception as error:
        return _record(item, "failed", _told(error), seconds=time.perf_counter() - started)
    fields = of_trajectory(trajectory)
    said = trajectory.answer
    if said.status == "abstained":
        return _record(item, "abstained", said.note or "No answer was given.", value=0.0, **fields)
    if said.status == "failed":
        return _record(item, "failed", said.note or "The run failed.", **fields)
    status, score = judged(item.evaluator, said.value, judge)
    return _record(item, status, score.reason, value=score.value, **fields)


def judged(evaluator: Evaluator, value: Any, judge: Panel | None = None) -> tuple[Status, Score]:
    """An answer's status and score; a scorer that crashes is a failure, never a 0."""
    try:
        score = evaluator(value, judge=judge)
    except Exception as error:  # the other half of the border around one sample
        return "failed", Score(None, f"It could not be scored: {_told(error)}")
    if score.value is None:
        return "unknown", score
    return ("right" if passed(score) else "wrong"), score


def _record(item: Item, status: Status, reason: str, **fields: Any) -> EvalRecord:
    question = item.question
    known = {
        k: v for k, v in (item.evaluator.parameters if item.evaluator else {}).items() if k != "question"
    }
    return EvalRecord(
        id=question.id,
        status=status,
        question=question.text,
        reason=reason,
        gold=packed(known),
        tags=question.tags,
        answer_format=question.answer_format,
        papers=question.anchor_papers,
        **fields,
    )


def _told(error: Exception) -> str:
    if isinstance(error, ScoringError):
        return str(error)
    return str(error) if isinstance(error, QuireError) else f"{type(error).__name__}: {error}"


class _Clock:
    """Keeps the running figures."""

    def __init__(self, total: int, before: Sequence[EvalRecord]) -> None:
        self._total, self._started, self._new = total, time.monotonic(), 0
        self._done, self._right, self._counted = 0, 0, 0
        self._usage = Usage()
        for record in before:
            self._count(record)

    def tick(self, record: EvalRecord) -> Progress:
        self._count(record)
        self._new += record.status in ASKED
        pace = (time.monotonic() - self._started) / self._new if self._new else None
        left = None if pace is None else pace * (self._total - self._done)
        accuracy = self._right / self._counted if self._counted else None
        return Progress(self._done, self._total, accuracy, self._usage, left, record)

    def _count(self, record: EvalRecord) -> None:
        self._done += 1
        self._right += record.status == "right"
        self._counted += record.status in ASKED - {"unknown"}
        self._usage += record.usage
