"""Parallel reading of PDFs in child processes: a crash, a hang or a flood of memory costs one file.

    with Readers(settings.parsing) as readers:
        for job, result in readers.run(jobs):      # in the order in which they finish
            ...

`Reading` is what `quire add` wants of whoever reads; `quire.library.cluster` does it on other machines.
A child reads several files and is replaced after `_RECYCLED` of them, after growing past `_FAT` MB, and after
anything that went wrong.
"""

from __future__ import annotations

import io
import json
import pickle
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol, Self

from quire import errors
from quire.errors import DocumentError, DocumentLimit, QuireError
from quire.library.parse_child import ChildAnswer, Failure, Parsed, Whole
from quire.search.dense import Encoded
from quire.settings import Parsing
from quire.worker import Child, ChildDied, ChildLate

_MODULE = "quire.library.parse_child"
_RECYCLED = 50
_FAT = 400
_ALLOWED_MODULES = (
    "quire.store.rows",
    "quire.store.schema",
    "quire.search.batch",
    "quire.types.document",
)
_ALLOWED = {
    ("quire.library.parse_child", "ChildAnswer"),
    ("quire.library.parse_child", "Failure"),
    ("quire.library.parse_child", "Parsed"),
    ("datetime", "date"),
    ("quire.library.parse_child", "Whole"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.numeric", "_frombuffer"),
    ("numpy._core.multiarray", "_reconstruct"),
}


@dataclass(frozen=True, slots=True)
class ParseJob:
    """A PDF to read, by the settings' parser or the one named. `origin` is handed back untouched.

    It comes back with the vectors that were made where it was read.
    """

    path: Path
    paper_id: str
    file_name: str
    password: str | None
    origin: Any = None
    parser: str = ""
    vectors: tuple[Encoded, ...] = ()


class PaperReaders(Protocol):
    """Whoever reads PDFs, here or elsewhere. Leaving its context ends whatever still runs."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def run(self, jobs: Iterable[ParseJob]) -> Iterator[tuple[ParseJob, Parsed | DocumentError]]:
        """Read every job; results come as they are ready. Jobs are drawn only when they can be read soon."""
        ...


class _AllowedUnpickler(pickle.Unpickler):
    """The child has read hostile bytes, so its answer may name only plain values of ours."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ALLOWED or (
            module in _ALLOWED_MODULES and name.isidentifier() and name[:1].isupper()
        ):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")


@dataclass
class _Worker:
    """A child and what it is reading."""

    child: Child
    read: int = 0
    job: ParseJob | None = None
    deadline: float = 0.0


class Readers:
    """A handful of children that read PDFs."""

    def __init__(self, settings: Parsing) -> None:
        self.settings = settings
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all children."""
        while self._workers:
            self._workers.pop().child.close()

    def run(self, jobs: Iterable[ParseJob]) -> Iterator[tuple[ParseJob, Parsed | DocumentError]]:
        """Read every job; results come as they are ready. Jobs are drawn only when a child is free."""
        for job, result in self._run(jobs, {"do": "parse"}):
            yield job, error_of(result) if isinstance(result, Failure | Whole) else result

    def documents(
        self, jobs: Iterable[ParseJob], dpi: float = 0.0
    ) -> Iterator[tuple[ParseJob, Whole | DocumentError]]:
        """The documents themselves, and with `dpi` the pictures of their figures, as they are ready."""
        for job, result in self._run(jobs, {"do": "whole", "dpi": dpi}):
            yield job, error_of(result) if isinstance(result, Failure | Parsed) else result

    def _run(
        self, jobs: Iterable[ParseJob], kind: Mapping[str, Any]
    ) -> Iterator[tuple[ParseJob, Parsed | Whole | Failure | DocumentError]]:
        waiting = iter(jobs)
        more = True
        while True:
            while more and sum(d.job is not None for d in self._workers) < self.settings.children:
                job = next(waiting, None)
                more = job is not None
                if job is not None:
                    self._give(job, kind)
            if not any(worker.job for worker in self._workers):
                return
            for worker, result in self._finished():
                job = worker.job
                worker.job = None
                if job is not None:
                    yield job, result

    def _give(self, job: ParseJob, kind: Mapping[str, Any]) -> None:
        free = next((worker for worker in self._workers if worker.job is None), None)
        if free is None:
            free = _Worker(Child(_MODULE, [self.settings.model_dump_json()]))
            self._workers.append(free)
        free.job = job
        free.deadline = time.monotonic() + self.settings.time_limit
        task = {
            **kind,
            "path": str(job.path),
            "paper_id": job.paper_id,
            "file_name": job.file_name,
            "password": job.password,
            "parser": job.parser,
        }
        try:
            free.child.send(json.dumps(task).encode())
        except ChildDied:
            free.deadline = 0.0  # its answer will be that it died

    def _finished(self) -> Iterator[tuple[_Worker, Parsed | Whole | Failure | DocumentError]]:
        busy = [worker for worker in self._workers if worker.job]
        patience = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
        ready = wait([worker.child.connection for worker in busy], patience)
        for worker in busy:
            if worker.child.connection in ready:
                yield worker, self._received(worker)
            elif time.monotonic() >= worker.deadline:
                self._dismiss(worker)
                yield (
                    worker,
                    DocumentLimit(
                        f"It was not read within {self.settings.time_limit:g} seconds.",
                        hint="Raise the setting parsing.time_limit.",
                    ),
                )

    def _received(self, worker: _Worker) -> Parsed | Whole | Failure | DocumentError:
        worker.read += 1
        try:
            answer = unpickled(worker.child.receive(5.0))
        except (ChildDied, ChildLate) as error:
            self._dismiss(worker)
            return DocumentLimit(
                f"Reading it broke the process that did it ({error or 'it stopped half-way'}).",
                hint=f"Raise parsing.memory_limit ({self.settings.memory_limit} MB) if the file is in order.",
            )
        broken = isinstance(answer.result, Failure) and not answer.result.clean
        if worker.read >= _RECYCLED or answer.peak > _FAT or broken:
            self._dismiss(worker)
        return error_of(b"") if isinstance(answer.result, bytes) else answer.result

    def _dismiss(self, worker: _Worker) -> None:
        worker.child.close()
        self._workers.remove(worker)


def unpickled(message: bytes) -> ChildAnswer:
    """The answer in a message of the child.

    Raises:
        ChildDied: it is not one.
    """
    try:
        answer = _AllowedUnpickler(io.BytesIO(message)).load()
    except Exception as error:  # whatever a broken or hostile pickle raises
        raise ChildDied(f"its answer made no sense: {error}") from error
    if not isinstance(answer, ChildAnswer):
        raise ChildDied("its answer made no sense")
    return answer


def ask(child: Child, task: Mapping[str, Any], seconds: float) -> bytes:
    """Have a child do one task that gives bytes (rendering).

    Raises:
        DocumentError: it could not be done.
        ChildDied, ChildLate: the child is of no more use.
    """
    child.send(json.dumps(task).encode())
    answer = unpickled(child.receive(seconds))
    if isinstance(answer.result, bytes):
        return answer.result
    raise error_of(answer.result)


def start(settings: Parsing, arguments: Sequence[str] = ()) -> Child:
    """A child for tasks that are asked one at a time."""
    return Child(_MODULE, [settings.model_dump_json(), *arguments])


def error_of(result: Failure | Parsed | Whole | bytes) -> DocumentError:
    """What a child could not do, as an error of its own class, if that is one of documents."""
    if not isinstance(result, Failure):
        return DocumentError("It could not be parsed.")
    kind = getattr(errors, result.kind, DocumentError)
    if not (isinstance(kind, type) and issubclass(kind, QuireError)):
        kind = DocumentError
    made = kind(result.message, hint=result.hint)
    return made if isinstance(made, DocumentError) else DocumentError(made.message, hint=made.hint)
