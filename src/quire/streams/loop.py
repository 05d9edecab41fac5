"""Step by step through a stream: recall, solve, judge, and learn each verdict when it is due."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from quire.agents.stream.methods import ROUTERS, StreamMethod
from quire.agents.stream.routers import Router
from quire.errors import (
    ENDS_A_RUN,
    EncoderUnavailable,
    LibraryDamaged,
    MemoryStoreError,
    OfflineError,
    PaperNotFound,
    QuireError,
    RunError,
    SettingsError,
)
from quire.memory import ADMISSIONS, MEMORIES, READERS, RENDERERS, MemoryStore, Parts
from quire.memory.protocol import Memory
from quire.memory.rendering import approximate_tokens
from quire.models import spending
from quire.streams.feedback import Feedback, read_feedback
from quire.streams.record import Record
from quire.streams.setup import Setup
from quire.streams.spec import RunSpec
from quire.tasks.protocol import Result
from quire.types import Attempt, Instance, Usage, Verdict

# What ails the set-up, not the sample: the run stops and can be resumed, instead of recording wrong answers.
_STOPS: tuple[type[QuireError], ...] = (
    *ENDS_A_RUN,
    EncoderUnavailable,
    LibraryDamaged,
    MemoryStoreError,
    OfflineError,
    SettingsError,
)

# What the solver is not to blame for: the set-up, and a paper that is not in the library.
_NOT_ITS_OWN: tuple[type[QuireError], ...] = (*_STOPS, PaperNotFound)


class Loop:
    """The parts of one run, put together."""

    def __init__(
        self, spec: RunSpec, row: StreamMethod, setup: Setup, memory: Memory, stream: Sequence[Instance]
    ) -> None:
        self._spec, self._row, self._setup, self._memory, self._stream = spec, row, setup, memory, stream
        self._router: Router = ROUTERS.load(row.router)(len(setup.solvers), spec.seed)
        self._feedback: Feedback = read_feedback(spec.feedback, setup.ask)
        self._waiting: deque[Record] = deque()
        self._learned = memory.learned()

    def resume(self, records: list[Record]) -> list[Record]:
        """Bring memory and router to where the records stand."""
        for record, instance in zip(records, self._stream, strict=False):
            if record.instance != instance.id:
                raise RunError(
                    f"Step {record.step} was `{record.instance}`, the data now has `{instance.id}` there.",
                    hint="Give the data that the run began with, or another folder.",
                )
            self.deliver(record)
        return records

    def rest(self, steps: Sequence[int]) -> Iterator[Record]:
        """The records of these steps."""
        if not self._row.stateless:
            yield from map(self._step, steps)
            return
        with ThreadPoolExecutor(self._setup.workers) as pool:
            ahead: deque[Future[Record]] = deque()
            try:
                for step in steps:
                    ahead.append(pool.submit(self._step, step))
                    if len(ahead) > 2 * self._setup.workers:
                        yield ahead.popleft().result()
                while ahead:
                    yield ahead.popleft().result()
            finally:
                pool.shutdown(cancel_futures=True)

    def deliver(self, record: Record) -> None:
        """Learn every verdict that is due after this step."""
        self._waiting.append(record)
        while self._waiting and self._waiting[0].step + self._feedback.delay <= record.step:
            due = self._waiting.popleft()
            if due.closed:
                continue
            if due.learner is None:
                self._router.reward(due.answerer, due.verdict)
            if due.step not in self._learned:
                self._memory.learn(self._stream[due.step], due.learnt, due.verdict, due.step)

    def _step(self, step: int) -> Record:
        instance = self._stream[step]
        group = instance.fields[self._spec.shift] if self._spec.shift else ""
        turn = self._router.turn(step)
        unasked = Record(step, instance.id, group, Attempt(""), None, Verdict("unknown"), 0)
        if instance.closed:
            reason = self._setup.judge.submit(instance.id, "").reason if self._setup.cases else ""
            return self._told(replace(unasked, closed=instance.closed), reason)
        try:
            tried = self._try(instance, turn.answers, "answer")
        except PaperNotFound as error:
            return self._told(replace(unasked, closed="missing"), str(error))
        verdict, learner, judging = tried.verdict, None, tried.result.usage
        if turn.learns != turn.answers:
            taught = self._try(instance, turn.learns, "learner")
            verdict, learner, judging = taught.verdict, taught.attempt, judging + taught.result.usage
        value, parts = tried.result.value, dict(tried.result.parts)
        made = Record(step, instance.id, group, tried.attempt, value, verdict, turn.answers, parts, learner)
        made = self._taught(replace(made, judging=judging), instance)
        return self._told(made, tried.attempt.error or tried.result.reason)

    def _taught(self, record: Record, instance: Instance) -> Record:
        """With the lesson of the attempt that goes into memory, where the method draws one."""
        writer = self._setup.writer
        if writer is None or record.verdict.label == "unknown":
            return record
        text, error = "", ""
        with spending() as spent:
            try:
                text = writer.write(instance, record.learnt, record.verdict)
            except _STOPS:
                raise
            except QuireError as failure:
                error = str(failure)
            except Exception as failure:  # the border again: a lesson that fails is none
                error = f"{type(failure).__name__}: {failure}"
        record = replace(record, teaching=spent.usage, lesson_error=error)
        if record.learner:
            return replace(record, learner=replace(record.learner, lesson=text))
        return replace(record, attempt=replace(record.attempt, lesson=text))

    def _told(self, record: Record, reason: str) -> Record:
        """With a case for its readers, where the run keeps them."""
        run = record.attempt.trajectory
        learner = replace(record.learner, trajectory=None) if record.learner else None
        attempt = replace(record.attempt, trajectory=None)
        bare = replace(record, attempt=attempt, learner=learner, protocol=self._spec.protocol)
        if self._setup.cases is None:
            return bare
        return replace(bare, case=self._setup.cases[record.instance].answered(reason, run))

    def _try(self, instance: Instance, model: int, slot: str) -> _Tried:
        solver = self._setup.solvers[model]
        shots = self._memory.recall(instance, solver.name)
        with spending() as spent:
            try:
                attempt = solver.solve(instance, shots)
            except _NOT_ITS_OWN:
                raise
            except QuireError as error:
                attempt = Attempt("", model=solver.name, error=str(error))
            except Exception as error:  # the border around one sample: it counts as an error, the run goes on
                attempt = Attempt("", model=solver.name, error=f"{type(error).__name__}: {error}")
        usage = attempt.usage if spent.usage == Usage() else spent.usage  # what failed was billed too
        attempt = replace(attempt, usage=usage, shots=tuple(shot.experience.id for shot in shots))
        # A failure is no answer: not even one that is right where nothing is to be said.
        result = Result(0.0, reason=attempt.error)
        if not attempt.error:
            with spending() as spent:  # a judge in this process; one of its own tells in the result
                result = self._setup.judge.submit(instance.id, attempt.output, slot)
            result = replace(result, usage=result.usage + spent.usage)
        verdict = self._feedback.verdict(instance, attempt, result, self._spec.seed)
        return _Tried(attempt, result, verdict)


@dataclass(frozen=True, slots=True)
class _Tried:
    attempt: Attempt
    result: Result
    verdict: Verdict


def open_memory(spec: RunSpec, row: StreamMethod, setup: Setup, store: MemoryStore) -> Memory:
    """The memory that a method's row asks for, in this store."""
    parts = Parts(
        store=store,
        space="run",
        encoder=setup.encoder,
        admit=ADMISSIONS[row.admit],
        may_read=READERS[row.readers],
        render=RENDERERS[row.render],
        count=approximate_tokens,
        examples=tuple(setup.judge.examples()),
        k=spec.k or setup.shots,
        budget=spec.budget,
    )
    memory: Memory = MEMORIES.load(row.memory)(parts)
    return memory
