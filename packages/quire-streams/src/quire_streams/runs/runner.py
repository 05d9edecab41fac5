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
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quire.ask.routers import ROUTERS, Router
from quire.errors import PaperNotFound, QuireError, SettingsError, TaskError
from quire.eval.record import Record
from quire.eval.result import SETUP, Result, attempted, judged
from quire.eval.run import (
    Run,
    RunSpec,
    Tell,
    claim_folder,
    digest_instances,
    known_records,
    made_ahead,
    unjudged_steps,
    write_records,
)
from quire.eval.scorers.scores import is_right
from quire.llm import spending
from quire.memory import MemoryStore, TextEncoder
from quire.memory.rendering import LessonWriter
from quire.types import Attempt, Instance, Verdict
from quire_streams.memories import ADMISSIONS, MEMORIES, READERS, RENDERERS, Parts, StreamMemory
from quire_streams.methods import METHODS, StreamMethod
from quire_streams.methods.styles import Solver
from quire_streams.runs.encoders import AheadEncoder
from quire_streams.tasks.judging import GoldKeeper

Ask = Callable[[Instance, Attempt], Verdict]


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the solver's side hears of how right an answer was, and when. `ask` is called for human feedback.

    The measured score of a run is always the judge's; feedback is only what is learnt from. Draws depend on
    the seed and the instance, so a resumed run hears the same.
    """

    noise: float = 0.0
    share: float = 1.0
    delay: int = 0
    human: bool = False
    ask: Ask | None = None

    def verdict(self, instance: Instance, attempt: Attempt, result: Result, seed: int) -> Verdict:
        """What is said of this attempt. Of an attempt without an answer: that it is wrong."""
        if self.human:
            return self.ask(instance, attempt) if self.ask else Verdict("unknown")
        dice = random.Random(f"feedback/{seed}/{instance.id}")
        heard, flipped = dice.random() < self.share, dice.random() < self.noise
        if not heard or result.value is None:
            return Verdict("unknown", source="metric")
        right = is_right(result.value) != flipped
        return Verdict("right" if right else "wrong", source="metric")


def read_feedback(text: str, ask: Ask | None = None) -> Feedback:
    """From its name, or several joined by `+`: `noisy:0.1+delayed:50`.

        exact       at once, as judged
        noisy:P     flipped with probability P
        sparse:P    only with probability P, else nobody says anything
        delayed:N   after N further steps
        human       a person says so

    Raises:
        SettingsError: an unknown kind or a number out of range.
    """
    values: dict[str, float] = {}
    for part in text.split("+"):
        kind, _, number = part.strip().partition(":")
        values[kind] = 0.0 if kind in ("exact", "human") and not number else _number(kind, number)
    delay = int(values.get("delayed", 0))
    return Feedback(values.get("noisy", 0.0), values.get("sparse", 1.0), delay, "human" in values, ask)


_HIGHEST = {"noisy": 1.0, "sparse": 1.0, "delayed": 1e9}


def _number(kind: str, number: str) -> float:
    try:
        value, high = float(number), _HIGHEST[kind]
    except (ValueError, KeyError) as error:
        raise SettingsError(
            f"Unknown feedback `{':'.join(filter(None, (kind, number)))}`.",
            hint="Choose from exact, noisy:P, sparse:P, delayed:N, human.",
        ) from error
    if not 0.0 <= value <= high:
        raise SettingsError(f"Feedback `{kind}:{number}`: the number must be from 0 to {high:g}.")
    return value


@dataclass(frozen=True, slots=True)
class Setup:
    """The live things of a run: one solver per model of the specification, in its order."""

    judge: GoldKeeper
    solvers: Sequence[Solver]
    encoder: TextEncoder
    shots: int
    writer: LessonWriter | None = None
    ask: Ask | None = None
    workers: int = 4


class Loop:
    """The parts of one run, put together."""

    def __init__(
        self, spec: RunSpec, row: StreamMethod, setup: Setup, memory: StreamMemory, stream: Sequence[Instance]
    ) -> None:
        self._spec, self._row, self._setup, self._memory, self._stream = spec, row, setup, memory, stream
        self._router: Router = ROUTERS.load(row.router)(len(setup.solvers), spec.seed)
        self._feedback: Feedback = read_feedback(spec.feedback, setup.ask)
        self._waiting: deque[Record] = deque()
        self._learned = memory.learned()

    def rest(self, steps: Sequence[int]) -> Iterator[Record]:
        """The records of these steps; each is learnt from when the next one is asked for."""
        free = self._row.stateless
        made = made_ahead(self._step, steps, self._setup.workers) if free else map(self._step, steps)
        for record in made:
            yield record
            self.deliver(record)

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
        made = Record(step, instance.id, group, Attempt(""), None, Verdict("unknown"), 0)
        made = replace(made, protocol=self._spec.protocol, closed=instance.closed)
        if made.closed:
            return made
        try:
            attempt, result, verdict = self._try(instance, turn.answers, "answer")
        except PaperNotFound:
            return replace(made, closed="missing")
        made = replace(made, attempt=attempt, answerer=turn.answers, verdict=verdict, judging=result.usage)
        made = replace(made, value=result.value, parts=dict(result.parts))
        if turn.learns != turn.answers:
            learner, taught, verdict = self._try(instance, turn.learns, "learner")
            made = replace(made, learner=learner, verdict=verdict, judging=made.judging + taught.usage)
        return self._taught(made, instance)

    def _taught(self, record: Record, instance: Instance) -> Record:
        """With the lesson of the attempt that goes into memory, where the method draws one."""
        writer = self._setup.writer
        if writer is None or record.verdict.label == "unknown":
            return record
        text, error = "", ""
        with spending() as spent:
            try:
                text = writer.write(instance, record.learnt, record.verdict)
            except SETUP:
                raise
            except QuireError as failure:
                error = str(failure)
            except Exception as failure:  # the border again: a lesson that fails is none
                error = f"{type(failure).__name__}: {failure}"
        record = replace(record, teaching=spent.usage, lesson_error=error)
        if record.learner:
            return replace(record, learner=replace(record.learner, lesson=text))
        return replace(record, attempt=replace(record.attempt, lesson=text))

    def _try(self, instance: Instance, model: int, slot: str) -> tuple[Attempt, Result, Verdict]:
        """An attempt and what is said of it; the agent's run may hold too much to be kept."""
        solver = self._setup.solvers[model]
        shots = self._memory.recall(instance, solver.name)
        attempt = attempted(lambda: solver.solve(instance, shots), solver.name)
        attempt = replace(attempt, shots=tuple(shot.experience.id for shot in shots))
        result = judged(attempt, lambda output: self._setup.judge.submit(instance.id, output, slot))
        verdict = self._feedback.verdict(instance, attempt, result, self._spec.seed)
        return replace(attempt, trajectory=None), result, verdict


def open_memory(spec: RunSpec, row: StreamMethod, setup: Setup, store: MemoryStore) -> StreamMemory:
    """The memory that a method's row asks for, in this store."""
    parts = Parts(
        store=store,
        space="run",
        encoder=setup.encoder,
        admit=ADMISSIONS[row.admit],
        may_read=READERS[row.readers],
        render=RENDERERS[row.render],
        examples=setup.judge.examples,
        k=spec.k or setup.shots,
        budget=spec.budget,
    )
    memory: StreamMemory = MEMORIES.load(row.memory)(parts)
    return memory


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
    instances = setup.judge.instances
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
