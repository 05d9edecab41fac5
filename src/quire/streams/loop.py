"""Step by step through a stream: recall, solve, judge, and learn each verdict when it is due."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from quire.agents.stream.methods import ROUTERS, Method
from quire.agents.stream.routers import Router
from quire.errors import (
    ENDS_A_RUN,
    EncoderUnavailable,
    MemoryStoreError,
    OfflineError,
    QuireError,
    RunError,
    SettingsError,
)
from quire.memory import ADMISSIONS, MEMORIES, READERS, RENDERERS, MemoryStore, Parts
from quire.memory.packing import approximate_tokens
from quire.memory.protocol import Memory
from quire.streams.feedback import Feedback, read_feedback
from quire.streams.record import Record
from quire.streams.setup import Setup
from quire.streams.spec import RunSpec
from quire.types import Attempt, Instance, Verdict

# What ails the set-up, not the sample: the run stops and can be resumed, instead of recording wrong answers.
_STOPS: tuple[type[QuireError], ...] = (
    *ENDS_A_RUN,
    EncoderUnavailable,
    MemoryStoreError,
    OfflineError,
    SettingsError,
)


class Loop:
    """The parts of one run, put together."""

    def __init__(
        self, spec: RunSpec, row: Method, setup: Setup, memory: Memory, stream: Sequence[Instance]
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

    def rest(self, done: int) -> Iterator[Record]:
        """The records still to come."""
        if not self._row.stateless:
            yield from (self._step(step) for step in range(done, len(self._stream)))
            return
        with ThreadPoolExecutor(self._setup.workers) as pool:
            ahead: deque[Future[Record]] = deque()
            todo = iter(range(done, len(self._stream)))
            try:
                for step in todo:
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
            if due.learner is None:
                self._router.reward(due.answerer, due.verdict)
            if due.step not in self._learned:
                self._memory.learn(self._stream[due.step], due.learnt, due.verdict, due.step)

    def _step(self, step: int) -> Record:
        instance = self._stream[step]
        turn = self._router.turn(step)
        attempt, value, parts, verdict = self._try(instance, turn.answers, "answer")
        learner = None
        if turn.learns != turn.answers:
            learner, _, _, verdict = self._try(instance, turn.learns, "learner")
        group = instance.fields[self._spec.shift] if self._spec.shift else ""
        return Record(step, instance.id, group, attempt, value, verdict, turn.answers, parts, learner)

    def _try(self, instance: Instance, model: int, slot: str) -> _Tried:
        solver = self._setup.solvers[model]
        shots = self._memory.recall(instance, solver.name)
        try:
            attempt = solver.solve(instance, shots)
        except _STOPS:
            raise
        except Exception as error:  # the border around one sample: it counts as an error, the run goes on
            attempt = Attempt("", model=solver.name, error=f"{type(error).__name__}: {error}")
        attempt = replace(attempt, shots=tuple(shot.experience.id for shot in shots))
        result = self._setup.judge.submit(instance.id, attempt.output, slot)
        verdict = self._feedback.verdict(instance, attempt, result, self._spec.seed)
        return attempt, result.value, dict(result.parts), verdict


_Tried = tuple[Attempt, float | None, dict[str, float | None], Verdict]


def open_memory(spec: RunSpec, row: Method, setup: Setup, store: MemoryStore) -> Memory:
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
        writer=setup.writer,
        k=spec.k or setup.shots,
        budget=spec.budget,
    )
    memory: Memory = MEMORIES.load(row.memory)(parts)
    return memory
