"""A real server on a loopback port: killed, kept waiting, crowded."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.testclient import TestClient

from quire import Library
from quire.app.server import guarding, serving
from quire.app.server.api import service
from quire.app.server.jobs import Stopped
from quire.errors import LibraryLocked, SettingsError
from quire.store import WriterLock
from quire.types import ResultSet
from tests.app.server.conftest import Serve
from tests.library.conftest import write_pdf

API = "/api/v1"
QUIRE = Path(sys.executable).parent / "quire"


@contextlib.contextmanager
def process(folder: Path, home: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`quire serve` in a process of its own; gives it and its address."""
    environment = {**os.environ, "QUIRE_HOME": str(home), "QUIRE_INDEX__ENCODERS": '["text_bm25_en"]'}
    command = [str(QUIRE), "serve", "--library", str(folder), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"(http://\S+)/", server.stdout.readline())
            assert found
            yield server, found[1]
        finally:
            server.kill()


@pytest.fixture
def live(serve: Serve) -> Iterator[tuple[str, TestClient]]:
    """The application of a test client on a real port, too."""
    web = serve(empty=True)
    listening = socket.create_server(("127.0.0.1", 0))
    server = serving.server(web.app)  # type: ignore[arg-type]
    server.config.lifespan = "off"  # the test client has begun it
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    web.app.state.loop = server.servers[0].get_loop()  # type: ignore[attr-defined]
    yield f"http://127.0.0.1:{listening.getsockname()[1]}", web
    server.should_exit = True
    thread.join(10)
    listening.close()


def test_a_killed_server_loses_nothing_that_it_accepted(filled: Path, tmp_path: Path) -> None:
    folder, home = tmp_path / "library", tmp_path / "home"
    subprocess.run(["cp", "-r", str(filled), str(folder)], check=True)
    files = [write_pdf(tmp_path / f"{n}.pdf", f"On Boats, part {n}", "Boats are rowed.") for n in range(3)]
    with process(folder, home) as (server, url), httpx.Client(base_url=url + API, timeout=60) as web:
        thread = web.post("/threads", json={"title": "kept"}).json()["id"]
        asked = {"question": "How many papers are there?", "thread": thread}
        run = web.post("/ask", json=asked).json()["run_id"]
        verdict = {"label": "wrong", "answer": "seven"}
        assert web.post(f"/runs/{run}/verdict", json=verdict).status_code == 200
        sent = web.post("/papers", files=[("files", (f.name, f.read_bytes())) for f in files])
        assert sent.status_code == 202
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
    with process(folder, home) as (server, url), httpx.Client(base_url=url + API, timeout=60) as web:
        end = time.monotonic() + 60
        while (job := web.get(sent.headers["location"].removeprefix(API)).json())["state"] != "done":
            assert time.monotonic() < end, job
            time.sleep(0.1)
        assert [file["outcome"] for file in job["result"]["files"]] == ["added"] * 3
        total = web.get("/papers").json()["total"]
        assert web.get(f"/threads/{thread}").json()["turns"][0]["run"] == run
        assert web.get(f"/runs/{run}").status_code == 200
        assert [item["answer"] for item in web.get("/memory").json()["items"] if item["kind"] != "answer"]
        # Idle it holds no lock: the command line changes the library, and the server sees it.
        time.sleep(0.5)
        with Library.open(folder, index__encoders=("text_bm25_en",)) as library:
            library.remove("0.pdf")
        assert web.get("/papers").json()["total"] == total - 1
        with pytest.raises(LibraryLocked), serving.only_server(folder):
            pass
        server.send_signal(signal.SIGTERM)
        server.wait(10)


def test_without_keys_nothing_listens_to_others(tmp_path: Path) -> None:
    with (
        Library.open(tmp_path / "library", create=True) as library,
        pytest.raises(SettingsError, match="keys"),
    ):
        serving.run(library, "0.0.0.0", 0)


def test_who_sends_slowly_is_sent_away(live: tuple[str, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    url, _ = live
    monkeypatch.setattr(serving, "_HEAD_SECONDS", 0.3)
    monkeypatch.setattr(guarding, "_SILENCE", 0.3)
    with connected(url) as head:
        head.sendall(b"GET / HTTP/1.1\r\nHost: local")
        assert head.recv(100) == b""
    with connected(url) as body:
        body.sendall(
            b"POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\n\r\n{"
        )
        assert b" 408 " in body.recv(1000)


WHOLE = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_half_a_second_head_is_not_waited_for(
    live: tuple[str, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, _ = live
    monkeypatch.setattr(serving, "_HEAD_SECONDS", 0.3)
    with connected(url) as half:
        half.sendall(WHOLE + WHOLE[:30])
        while half.recv(10_000):
            pass


@pytest.mark.parametrize("sent", [WHOLE + WHOLE[:30], WHOLE[:30], b""])
def test_half_a_head_keeps_nobody_out(
    live: tuple[str, TestClient], monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    url, _ = live
    monkeypatch.setattr(serving, "_SILENT", 20)
    with contextlib.ExitStack() as stack:
        halves = [stack.enter_context(connected(url)) for _ in range(100)]
        for half in halves:
            with contextlib.suppress(OSError):  # it was dropped already
                half.sendall(sent)
        told = [httpx.get(f"{url}{API}/health", timeout=60).status_code for _ in range(20)]
        assert told == [200] * 20
        for half in halves[:80]:  # all but the last of them are dropped
            with contextlib.suppress(ConnectionResetError):
                while half.recv(10_000):
                    pass


def test_who_comes_before_a_crowd_is_heard_before_room_is_made(
    live: tuple[str, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, web = live
    monkeypatch.setattr(serving, "_SILENT", 20)
    go_on = threading.Event()
    web.app.state.loop.call_soon_threadsafe(go_on.wait, 60)  # type: ignore[attr-defined]
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(connected(url))
        first.sendall(WHOLE)
        for _ in range(100):
            stack.enter_context(connected(url))
        go_on.set()
        assert first.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_body_that_drips_is_dropped(live: tuple[str, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    url, _ = live
    monkeypatch.setattr(guarding, "_SILENCE", 0.4)
    head = b"POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with connected(url) as body:
        body.sendall(head + b"Content-Length: 1000\r\n\r\n")
        begun = time.monotonic()
        body.settimeout(0.1)
        told = b""
        while not told and time.monotonic() < begun + 5:
            body.sendall(b" ")
            with contextlib.suppress(TimeoutError):
                told = body.recv(1000)
        assert b" 408 " in told


def test_what_nobody_takes_ends(live: tuple[str, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    url, web = live
    monkeypatch.setattr(guarding, "_SILENCE", 0.3)
    monkeypatch.setattr(serving, "_HEAD_SECONDS", 0.3)

    async def endless() -> AsyncGenerator[bytes]:
        while True:
            yield b"x" * 100_000

    ended = threading.Event()
    monkeypatch.setattr(service, "_events", lambda jobs, id: _told_when_over(endless(), ended))
    job = web.app.state.context.jobs.submit("refresh", {})  # type: ignore[attr-defined]
    with connected(url) as reader:
        reader.sendall(f"GET {API}/jobs/{job.id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert ended.wait(10)


async def _told_when_over(parts: AsyncGenerator[bytes], ended: threading.Event) -> AsyncGenerator[bytes]:
    try:
        async for part in parts:
            yield part
    finally:
        ended.set()


def test_who_leaves_is_not_answered(live: tuple[str, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    url, web = live
    here: Any = web.app.state.context  # type: ignore[attr-defined]
    begun, over = threading.Event(), threading.Event()

    def answers(*_: Any, stop: Any, **__: Any) -> None:
        begun.set()
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if stop():
                over.set()
                raise Stopped
            time.sleep(0.02)

    monkeypatch.setattr(here.library, "ask", answers)
    body = b'{"question": "Why?"}'
    for accept in ("application/json", "text/event-stream"):
        begun.clear()
        over.clear()
        with connected(url) as asker:
            head = f"POST {API}/ask HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n"
            more = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            asker.sendall((head + more).encode() + body)
            assert begun.wait(10)
        assert over.wait(5), accept


def test_slow_queries_hold_up_nobody(live: tuple[str, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    url, web = live
    here: Any = web.app.state.context  # type: ignore[attr-defined]
    go_on = threading.Event()
    rows = ResultSet(("a",), ("INTEGER",), ((1,),))
    monkeypatch.setattr(here.library, "sql", lambda sql: rows if go_on.wait(20) else None)
    with ThreadPoolExecutor(60) as users:
        body = {"sql": "SELECT 1"}
        asked = [users.submit(httpx.post, f"{url}{API}/sql", json=body, timeout=60) for _ in range(60)]
        time.sleep(0.5)
        begun = time.monotonic()
        for path in ("/health", "/papers", "/search?q=boats"):
            assert httpx.get(f"{url}{API}{path}").status_code == 200
        assert time.monotonic() - begun < 10
        go_on.set()
        assert {each.result().status_code for each in asked} == {200}


def test_a_thousand_readers_of_events_come_and_go(live: tuple[str, TestClient]) -> None:
    url, web = live
    here: Any = web.app.state.context  # type: ignore[attr-defined]
    with WriterLock(here.library.folder):  # so that a job has to wait
        job = here.jobs.submit("refresh", {})
        with ThreadPoolExecutor(1) as apart:  # a browser of other tests may have a loop in this thread
            apart.submit(
                lambda: asyncio.run(_read_and_leave(url, f"{API}/jobs/{job.id}/events", 1000))
            ).result()
        end = time.monotonic() + 20
        while here.jobs.bell._ears and time.monotonic() < end:
            time.sleep(0.05)
    assert not here.jobs.bell._ears
    assert httpx.get(f"{url}{API}/health").status_code == 200


async def _read_and_leave(url: str, path: str, number: int) -> None:
    """So many readers who leave after the first event, some hundred at a time."""
    place = urlsplit(url)

    async def one() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        await reader.readuntil(b"event: progress")
        writer.close()

    for _ in range(0, number, 250):
        await asyncio.gather(*(one() for _ in range(250)))


@contextlib.contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    place = urlsplit(url)
    with socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=10) as made:
        yield made
