"""Long work: in turn, cancelled, failed, taken up after a restart."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from quire.app.server.asks import AskBody
from quire.app.server.jobs import Job, Jobs, Running, Work
from quire.app.server.store import NotFound, Store
from quire.errors import LibraryLocked, TaskError
from quire.store import WriterLock
from tests.app.server.conftest import Serve, finished
from tests.library.conftest import write_pdf

Begin = Callable[..., Jobs]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Start the jobs of one store with these kinds of work; again, as a new server would."""
    begun: list[tuple[Jobs, Store]] = []

    def start(**works: Work) -> Jobs:
        store = Store(tmp_path / "serve.sqlite")
        jobs = Jobs(store, works, dict.fromkeys(works, "lane"))
        jobs.start()
        begun.append((jobs, store))
        return jobs

    yield start
    for jobs, store in begun:
        jobs.stop()
        store.close()


def ended(jobs: Jobs, job: Job, seconds: float = 10.0) -> Job:
    end = time.monotonic() + seconds
    while (now := jobs.job(job.id)).state in ("waiting", "running"):
        assert time.monotonic() < end, now
        time.sleep(0.01)
    return now


def waits(task: Running) -> None:
    """Work without end, until it is wanted no more."""
    while True:
        task.report({"stage": "waiting"})
        time.sleep(0.01)


def test_one_after_the_other_with_result_and_typed_failure(begin: Begin) -> None:
    def fails(task: Running) -> None:
        raise TaskError("Line 3 is malformed.", hint="Mend it.")

    jobs = begin(
        doubles=lambda task: {"twice": 2 * task.spec["number"]}, fails=fails, breaks=lambda task: 1 / 0
    )
    made = [jobs.submit("doubles", {"number": n}) for n in range(3)]
    assert [ended(jobs, job).result for job in made] == [{"twice": 0}, {"twice": 2}, {"twice": 4}]
    failed = ended(jobs, jobs.submit("fails", {}))
    assert (failed.state, failed.error) == (
        "failed",
        {"type": "TaskError", "message": "Line 3 is malformed.", "hint": "Mend it."},
    )
    assert ended(jobs, jobs.submit("breaks", {})).state == "failed"
    assert ended(jobs, jobs.submit("doubles", {"number": 7})).result == {"twice": 14}  # the lane lives on
    with pytest.raises(NotFound):
        jobs.job("nothing")


def test_running_and_waiting_jobs_are_cancelled(begin: Begin) -> None:
    jobs = begin(waits=waits)
    first, second = jobs.submit("waits", {}), jobs.submit("waits", {})
    assert jobs.cancel(second.id).state == "cancelled"
    while jobs.job(first.id).state != "running":
        time.sleep(0.01)
    jobs.cancel(first.id)
    assert ended(jobs, first).state == "cancelled"
    assert jobs.cancel(first.id).state == "cancelled"


def test_what_a_stopped_server_left_is_taken_up(begin: Begin) -> None:
    jobs = begin(work=waits)
    job, later = jobs.submit("work", {}), jobs.submit("work", {})
    while jobs.job(job.id).state != "running":
        time.sleep(0.01)
    jobs.stop()
    again = begin(work=lambda task: task.job.id)
    assert [ended(again, each).result for each in (job, later)] == [job.id, later.id]


def test_work_that_ends_its_server_each_time_is_given_up(begin: Begin) -> None:
    store = begin(work=waits)._store
    with store.transaction() as db:
        columns = "id, kind, state, created, attempts, spec"
        db.execute(f"INSERT INTO jobs ({columns}) VALUES ('x', 'work', 'running', '', 3, '{{}}')")
    given_up = begin(work=waits).job("x")
    assert given_up.state == "failed"
    assert "ended 3 times" in str(given_up.error)


class FullDisk(Store):
    """A store whose disk takes nothing while `full`."""

    full = False

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        with super().transaction() as db:
            if self.full:
                raise sqlite3.OperationalError("database or disk is full")
            yield db


def test_a_full_disk_does_not_end_a_lane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.app.server.jobs._PAUSE", 0.01)
    store = FullDisk(tmp_path / "serve.sqlite")

    def fills(task: Running) -> None:
        store.full = True
        raise OSError(28, "No space left on device")

    jobs = Jobs(
        store, {"fills": fills, "work": lambda task: "done"}, dict.fromkeys(("fills", "work"), "lane")
    )
    first, second = jobs.submit("fills", {}), jobs.submit("work", {})
    jobs.start()
    while not store.full:
        time.sleep(0.01)
    time.sleep(0.05)
    assert jobs.job(first.id).state == "running"
    store.full = False
    failed = ended(jobs, first)
    assert failed.state == "failed"
    assert "No space left" in str(failed.error)
    assert ended(jobs, second).result == "done"
    jobs.stop()
    store.close()


def test_a_disk_that_fills_before_a_job_begins_does_not_end_its_lane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("quire.app.server.jobs._PAUSE", 0.01)
    store = FullDisk(tmp_path / "serve.sqlite")
    jobs = Jobs(store, {"work": lambda task: "done"}, {"work": "lane"})
    job = jobs.submit("work", {})
    store.full = True
    monkeypatch.setattr(jobs, "_take_up", lambda: None)
    jobs.start()
    while "cannot be read or written" not in caplog.text:
        time.sleep(0.01)
    store.full = False
    assert ended(jobs, job).result == "done"
    jobs.stop()
    store.close()


def test_what_was_sent_to_a_job_that_was_given_up_is_kept_and_taken_in_later(
    serve: Serve, tmp_path: Path
) -> None:
    file = write_pdf(tmp_path / "a.pdf", "On Boats", "Boats are rowed.")
    web = serve(empty=True)
    here: Any = web.app.state.context  # type: ignore[attr-defined]
    with WriterLock(here.library.folder):  # so that the job does not begin
        sent = web.post("/api/v1/papers", files=[("files", ("a.pdf", file.read_bytes(), "application/pdf"))])
        job = sent.json()["job"]["id"]
        web.__exit__(None, None, None)
    with sqlite3.connect(tmp_path / "library" / "serve.sqlite") as db:
        db.execute("UPDATE jobs SET state = 'running', attempts = 3")
    db.close()
    for _ in range(2):
        web = serve(empty=True)
        assert "ended 3 times" in str(web.get(f"/api/v1/jobs/{job}").json()["error"])
    done = finished(web, web.post("/api/v1/papers/retry"))
    assert [(each["file_name"], each["outcome"]) for each in done["result"]["files"]] == [("a.pdf", "added")]
    assert not list((tmp_path / "library" / "serve" / "uploads").glob("*"))


def test_a_failed_file_is_read_again_alone(serve: Serve) -> None:
    web = serve(empty=True)
    files = [("files", (f"{name}.pdf", f"%PDF-1.4 {name}".encode(), "application/pdf")) for name in "ab"]
    finished(web, web.post("/api/v1/papers", files=files))
    one, two = web.get("/api/v1/papers?sort=title").json()["papers"]
    done = finished(web, web.post("/api/v1/papers/retry", json={"papers": [two["id"]]}))
    assert [each["file_name"] for each in done["result"]["files"]] == [two["file_name"]]
    assert len(finished(web, web.post("/api/v1/papers/retry"))["result"]["files"]) == 2
    assert web.post("/api/v1/papers/retry", json={"papers": ["none"]}).status_code == 404
    assert one["state"] == "failed"


def test_a_job_waits_for_another_process_that_changes_the_library(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.app.server.jobs._PAUSE", 0.01)
    tries: list[int] = []

    def locked_at_first(task: Running) -> str:
        tries.append(1)
        if len(tries) < 3:
            raise LibraryLocked("process 7 is changing it")
        return "done"

    jobs = begin(work=locked_at_first)
    assert ended(jobs, jobs.submit("work", {})).result == "done"


def test_a_question_that_waits_or_runs_is_stopped(web: TestClient) -> None:
    here: Any = web.app.state.context  # type: ignore[attr-defined]
    thread = here.threads.add("stopped")
    held, go_on = threading.Semaphore(0), threading.Event()

    def hold() -> None:
        held.release()
        go_on.wait(30)

    for _ in range(8):  # nobody answers meanwhile
        here.asks._pool.submit(hold)
        held.acquire(timeout=10)
    asking = here.asks.start(AskBody(question="Is it stopped?", thread=thread.id))
    assert web.post(f"/api/v1/asks/{asking.id}/cancel").json()["cancelled"]
    go_on.set()
    assert asking.ended.wait(10)
    assert asking.view is None
    while (turn := here.threads.thread(thread.id).turns[0]).state == "asking":
        time.sleep(0.01)
    assert turn.state == "cancelled"
    assert web.get("/api/v1/runs").json()["total"] == 0


async def _never() -> bool:
    return False


def test_who_waits_for_a_question_that_has_ended_does_not_wait(web: TestClient) -> None:
    here: Any = web.app.state.context  # type: ignore[attr-defined]
    asking = here.asks.start(AskBody(question="How many papers are there?"))
    assert asking.ended.wait(30)
    with ThreadPoolExecutor(1) as apart:  # a browser of other tests may have a loop in this thread
        apart.submit(lambda: asyncio.run(asyncio.wait_for(asking.wait(_never), 5))).result()
