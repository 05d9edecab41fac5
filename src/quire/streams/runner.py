"""The loop: recall, solve, judge, learn. One instance after the other, in a folder that can be resumed.

    result = run(spec, setup, folder, progress=print)

`folder` gets `run.json` (the specification), `records.jsonl` (one line per step) and `memory.sqlite`. Calling
`run` again with the same specification goes on after the last record and ends as if nothing had happened.
Steps of a method without memory do not depend on each other and run `workers` at a time, in the same order
of records.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from quire.agents.stream.methods import ROUTERS, Method, method
from quire.agents.stream.routers import Router
from quire.agents.stream.solver import Solver
from quire.errors import (
    ENDS_A_RUN,
    EncoderUnavailable,
    MemoryStoreError,
    OfflineError,
    QuireError,
    RunError,
    SettingsError,
)
from quire.memory import ADMISSIONS, MEMORIES, READERS, RENDERERS, Encoder, LessonWriter, MemoryStore, Parts
from quire.memory.packing import approximate_tokens
from quire.memory.protocol import Memory
from quire.streams.encoders import AheadEncoder
from quire.streams.feedback import Ask, Feedback, read_feedback
from quire.streams.order import ordered
from quire.streams.record import Record, RecordFile
from quire.streams.spec import RunSpec
from quire.tasks.judging import Judge
from quire.types import Attempt, Instance, Usage, Verdict

# What ails the set-up, not the sample: the run stops and can be resumed, instead of recording wrong answers.
_STOPS: tuple[type[QuireError], ...] = (
    *ENDS_A_RUN,
    EncoderUnavailable,
    MemoryStoreError,
    OfflineError,
    SettingsError,
)


@dataclass(frozen=True, slots=True)
class Setup:
    """The live things of a run: one solver per model of the specification, in its order."""

    judge: Judge
    solvers: Sequence[Solver]
    encoder: Encoder
    shots: int
    writer: LessonWriter | None = None
    ask: Ask | None = None
    workers: int = 4


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: steps done and in all, the metric so far, what it took."""

    done: int
    total: int
    metric: float
    usage: Usage


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    spec: RunSpec
    records: tuple[Record, ...]


def run(spec: RunSpec, setup: Setup, folder: Path, progress: Callable[[Progress], None] | None = None) -> Run:
    """Run a specification to its end, or resume it.

    Raises:
        RunError: the folder holds a run of another specification or other data.
        ModelError: a model cannot be reached or paid; run again to go on.
    """
    row = method(spec.method)
    if row.router == "one" and len(setup.solvers) != 1:
        raise SettingsError(
            f"Method `{row.name}` runs on one model, not {len(setup.solvers)}.",
            hint="Use a mam_ method, or `quire stream sweep` for one run per model.",
        )
    _claim(folder, spec)
    stream = ordered(setup.judge.instances(), spec.seed, spec.shift, spec.limit)
    file = RecordFile(folder / "records.jsonl")
    with MemoryStore(folder / "memory.sqlite") as store:
        encoder = AheadEncoder(setup.encoder, [instance.key for instance in stream])
        loop = _Loop(spec, row, setup, _memory(spec, row, replace(setup, encoder=encoder), store), stream)
        try:
            records = loop.resume(file.read())
            tally = _Tally(len(stream))
            for record in records:
                tally.add(record)
            for record in loop.rest(len(records)):
                file.append(record)
                records.append(record)
                loop.deliver(record)
                tally.add(record)
                if progress:
                    progress(tally.progress())
        finally:
            file.close()
    return Run(spec, tuple(records))


def load_run(folder: Path) -> Run:
    """A run from its folder, finished or not.

    Raises:
        RunError: there is none.
    """
    return Run(RunSpec.read(folder / "run.json"), tuple(RecordFile(folder / "records.jsonl").read()))


class _Loop:
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


def _memory(spec: RunSpec, row: Method, setup: Setup, store: MemoryStore) -> Memory:
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


def _claim(folder: Path, spec: RunSpec) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "run.json"
    if not path.exists():
        spec.write(path)
    elif RunSpec.read(path) != spec:
        raise RunError(f"{folder} holds another run.", hint="Give another folder or remove it.")


class _Tally:
    """Running sums: adding up all records at every step would cost more than the steps."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done, self._right, self._usage = 0, 0.0, Usage()

    def add(self, record: Record) -> None:
        self._done += 1
        self._right += record.value or 0.0
        self._usage += record.attempt.usage

    def progress(self) -> Progress:
        return Progress(self._done, self._total, self._right / self._done, self._usage)
