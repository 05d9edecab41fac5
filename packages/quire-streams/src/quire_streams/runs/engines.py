"""Where the runs of a sweep go on: threads of this process, or a Ray cluster.

    for spec, end in ThreadEngine(2).run(InChild(folder), specs, tell):
        ...                                  # the walls around it, or what ended the run; first come first

A thread only waits for a process, so two threads keep two cores busy. On Ray a task starts and
follows the same process on its machine, so the wall is the same; folders, data and libraries must be on
storage that all machines share, and API keys in the environment that `ray start` was given: quire sends none.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from quire.errors import QuireError, RunError
from quire.eval.run import RunProgress, RunSpec
from quire_streams.runs.jobs import InChild
from quire_streams.wall import Walls

TellOf = Callable[[RunSpec, RunProgress], None]
End = Walls | None | QuireError  # the walls around a run that came to its end, or what ended it
Ended = tuple[RunSpec, End]

_LOOK = 0.3  # seconds between two looks at progress


class Engine(Protocol):
    """Does runs, several at a time."""

    def run(self, job: InChild, specs: Sequence[RunSpec], tell: TellOf) -> Generator[Ended, None, None]:
        """How each run ended, as they end. Closing the iterator stops the rest."""
        ...


@dataclass(frozen=True, slots=True)
class ThreadEngine:
    """Threads of this process."""

    workers: int = 4

    def run(self, job: InChild, specs: Sequence[RunSpec], tell: TellOf) -> Generator[Ended, None, None]:
        """How each run ended, as they end; `tell` is called from the threads."""
        pool = ThreadPoolExecutor(self.workers)
        futures = {pool.submit(_settled, job, spec, partial(tell, spec)): spec for spec in specs}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()
            job.stop()
            pool.shutdown()


@dataclass(frozen=True, slots=True)
class RayCluster:
    """A Ray cluster (extra `[ray]`): `auto` finds a running one, `local` starts one here for this sweep.

    Each run takes `cores` of the cluster.
    """

    address: str = "auto"
    workers: int = 0
    cores: float = 1

    def run(self, job: InChild, specs: Sequence[RunSpec], tell: TellOf) -> Generator[Ended, None, None]:
        """How each run ended, as they end; `tell` is called from this thread.

        Raises:
            SettingsError: Ray is not installed, or there is no cluster at that address.
        """
        from quire.library.cluster import connect

        ray, ours = connect(self.address, here="local", num_cpus=self.workers or None)
        board = ray.remote(num_cpus=0)(_Board).remote()
        task = ray.remote(num_cpus=self.cores, max_retries=0)(_on_ray)
        waiting = {task.remote(job, spec, number, board): spec for number, spec in enumerate(specs)}
        try:
            while waiting:
                ready, _ = ray.wait(list(waiting), timeout=_LOOK)
                for number, now in _news(ray, board):
                    tell(specs[number], now)
                for one in ready:
                    yield waiting.pop(one), _got(ray, one)
        finally:
            for one in waiting:
                ray.cancel(one, force=True)
            if ours:
                ray.shutdown()


class _Board:
    """An actor that keeps the last progress of each run until somebody looks."""

    def __init__(self) -> None:
        self._last: dict[int, RunProgress] = {}

    def put(self, number: int, now: RunProgress) -> None:
        """Note where a run stands."""
        self._last[number] = now

    def take(self) -> list[tuple[int, RunProgress]]:
        """What is new."""
        news, self._last = list(self._last.items()), {}
        return news


def _settled(job: InChild, spec: RunSpec, tell: Callable[[RunProgress], None]) -> End:
    try:
        return job(spec, tell)
    except QuireError as error:
        return error


def _on_ray(job: InChild, spec: RunSpec, number: int, board: Any) -> End:
    return _settled(job, spec, partial(board.put.remote, number))


def _news(ray: Any, board: Any) -> list[tuple[int, RunProgress]]:
    try:
        news: list[tuple[int, RunProgress]] = ray.get(board.take.remote())
    except ray.exceptions.RayError:
        return []  # runs go on without a board
    return news


def _got(ray: Any, one: Any) -> End:
    try:
        end: End = ray.get(one)
    except ray.exceptions.RayError as error:
        told = str(error).strip().splitlines() or [type(error).__name__]
        return RunError(f"Its Ray worker died: {told[-1]}", hint="Run it again to go on from there.")
    return end
