"""Attacks on `quire serve` and `quire mcp`: a real server in a process of its own, over loopback."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from benchmarks.attacks import Attack, Outcome, mounted
from tests.library.conftest import write_pdf
from tests.library.walk import OLDER

from quire.store import Database

QUIRE = str(Path(sys.executable).parent / "quire")
PAPERS = Path(__file__).parents[2] / "examples" / "papers"
API = "/api/v1"
_SLOW = 5.0  # seconds: an answer that takes longer came through
_MUCH = 700.0  # megabytes above rest


@dataclass
class Server:
    """A running server: its address, folders, and what was seen of it."""

    folder: Path
    url: str
    pid: int
    rest: float = 0.0
    attempts: int = 0
    through: list[str] = field(default_factory=list)
    worst: float = 0.0
    worst_mb: float = 0.0

    def resident(self) -> float:
        """Megabytes of the server."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6

    def tried(
        self, name: str, statuses: Collection[int], ask: Callable[..., Any], *args: Any, **more: Any
    ) -> None:
        """One attempt, which must be answered with one of these statuses (none: any but 500) in time."""
        begun = time.monotonic()
        try:
            told = ask(*args, **more).status_code
        except httpx.HTTPError as error:  # dropped, which is as good as refused
            told = type(error).__name__
        took = time.monotonic() - begun
        self.attempts += 1
        self.worst, self.worst_mb = max(self.worst, took), max(self.worst_mb, self.resident() - self.rest)
        if took > _SLOW or (statuses and isinstance(told, int) and told not in statuses) or told == 500:
            self.through.append(f"{name}: {told} after {took:.1f} s")

    def must(self, name: str, good: bool) -> None:
        """One attempt that has already been made."""
        self.attempts += 1
        if not good:
            self.through.append(name)

    def outcome(self, notes: str = "") -> Outcome:
        """What came of all attempts."""
        if self.worst_mb > _MUCH:
            self.through.append(f"{self.worst_mb:.0f} MB above rest")
        return Outcome(self.attempts, tuple(self.through), self.worst, self.worst_mb, notes)


def started(folder: Path, *options: str) -> subprocess.Popen[str]:
    """A server of the library below a folder; of the example papers, if it is new."""
    library = folder / "library"
    environment = {
        **os.environ,
        "QUIRE_HOME": str(folder / "home"),
        "QUIRE_INDEX__ENCODERS": '["text_bm25_en"]',
    }
    if not library.exists():
        command = [QUIRE, "add", "--library", str(library), str(PAPERS)]
        subprocess.run(command, check=True, capture_output=True, env=environment)
    command = [QUIRE, "serve", "--library", str(library), "--port", "0", "--offline", *options]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """Serve a library of the example papers below a folder."""
    library = folder / "library"
    with started(folder, *options) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"(http://\S+)/", process.stdout.readline())
            assert found, "the server did not start"
            server = Server(library, found[1], process.pid)
            httpx.get(f"{found[1]}{API}/search", params={"q": "boats"}, timeout=60)
            server.rest = server.resident()
            yield server
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(15)
                process.kill()


def key(folder: Path, name: str, scope: str) -> dict[str, str]:
    """The head of a new key of that library."""
    command = [QUIRE, "serve", "key", "add", name, "--scope", scope, "--library", str(folder / "library")]
    environment = {**os.environ, "QUIRE_HOME": str(folder / "home")}
    made = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return {"Authorization": f"Bearer {made.stdout.strip()}"}


def doubling(levels: int) -> dict[str, Any]:
    """A schema of so many levels, each of which is looked at twice by the one before it."""
    names = [{"$ref": f"#/$defs/d{number + 1}"} for number in range(levels)]
    defs: dict[str, Any] = {f"d{number}": {"allOf": [name, name]} for number, name in enumerate(names)}
    return {"$defs": {**defs, f"d{levels}": {"type": "string"}}, "$ref": "#/$defs/d0"}


def deep(levels: int) -> dict[str, Any]:
    """A schema nested so deep."""
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


def schemas(folder: Path) -> Outcome:
    """Answer schemas that double, nest, point elsewhere or mean nothing, by REST and by /v1."""
    wide = {"properties": {str(number): {"allOf": [{}] * 9} for number in range(500)}}
    unevaluated = {**doubling(24), "unevaluatedProperties": False}
    tried = [doubling(n) for n in (12, 16, 20, 24, 60)] + [deep(n) for n in (40, 90, 900)]
    tried += [
        wide,
        unevaluated,
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}] * 2},
        {"type": 5},
        {"$ref": "http://x"},
    ]
    with serving(folder) as server, httpx.Client(base_url=server.url, timeout=60) as web:
        for number, schema in enumerate(tried):
            asked = {"question": "How many pages does it have?", "answer_schema": schema}
            server.tried(
                f"REST, schema {number}",
                (
                    200,
                    422,
                ),
                web.post,
                f"{API}/ask",
                json=asked,
            )
            form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
            chat = {"messages": [{"role": "user", "content": "How many pages?"}], "response_format": form}
            server.tried(
                f"/v1, schema {number}",
                (
                    200,
                    400,
                    422,
                ),
                web.post,
                "/v1/chat/completions",
                json=chat,
            )
        return server.outcome()


def bodies(folder: Path) -> Outcome:
    """Hundreds of megabytes from who may not send them; forms and JSON where they do not belong."""
    serving_folder = folder
    with serving(serving_folder) as server:
        reader = key(folder, "reader", "read")
        form = {"Content-Type": "multipart/form-data; boundary=x"}
        plain = {"Content-Type": "application/json"}

        def sent(path: str, headers: dict[str, str], megabytes: int) -> Any:
            parts = (b"x" * 1_000_000 for _ in range(megabytes))
            return httpx.post(f"{server.url}{API}{path}", content=parts, headers=headers, timeout=60)

        for path, headers in (
            ("/session", form),
            ("/session", plain),
            ("/papers", form),
            ("/papers", form | reader),
            ("/ask", plain | reader),
            ("/ask", form | reader),
        ):
            refused = (401, 403, 413, 415)
            name = f"{path} {headers['Content-Type'][:9]}"
            server.tried(name, refused, sent, path, headers, 300)
            users = [
                threading.Thread(target=server.tried, args=(name, refused, sent, path, headers, 100))
                for _ in range(4)
            ]
            for user in users:
                user.start()
            for user in users:
                user.join()
        return server.outcome()


def unknown_words(folder: Path) -> Outcome:
    """Queries of unknown words, very long ones, and pages of other sites that begin them."""
    words = " ".join(f"spermatz{a}{b}" for a in "abcdefghijklm" for b in "nopqrstuvwxyz")
    with serving(folder) as server, httpx.Client(base_url=server.url, timeout=60) as web:
        for length in (500, 2000, 9000, 11_000, 60_000):
            for path in ("/search", f"{API}/search", "/memory", "/ask"):
                asked = (words * 40)[:length]
                server.tried(
                    f"{path} {length}",
                    (
                        200,
                        422,
                        400,
                    ),
                    web.get,
                    path,
                    params={"q": asked},
                )
            asked = (words * 40)[:length]
            server.tried(
                f"ask {length}",
                (
                    200,
                    422,
                ),
                web.post,
                f"{API}/ask",
                json={"question": asked},
            )
            called = {"name": "ask", "arguments": {"question": (words * 200)[: length * 5]}}
            server.tried(f"mcp ask {length * 5}", (200,), _mcp, web, called)
        for site in ("cross-site", "same-site"):
            for path in ("/search?q=x", f"{API}/search?q=x", "/memory?q=x", f"{API}/papers"):
                for more in ({}, {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}):
                    headers = {"Sec-Fetch-Site": site, **more}
                    server.tried(f"{site} {path}", (403,), web.get, path, headers=headers)
        return server.outcome()


def _mcp(web: httpx.Client, params: dict[str, Any]) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return web.post("/mcp", json=body, headers={"Accept": "application/json, text/event-stream"})


def slow_sql(folder: Path) -> Outcome:
    """Sixty statements that take all their time: /health and searches are answered all the same."""
    slow = "SELECT count(*) FROM range(10000000) a, range(10000000) b"
    with serving(folder) as server, httpx.Client(base_url=server.url, timeout=60) as web:

        def leave() -> None:
            with contextlib.suppress(httpx.HTTPError):
                httpx.post(f"{server.url}{API}/sql", json={"sql": slow}, timeout=6)

        users = [threading.Thread(target=leave) for _ in range(60)]
        for user in users:
            user.start()
        time.sleep(1)
        for _ in range(10):
            server.tried("health", (200,), web.get, f"{API}/health")
            server.tried("papers", (200,), web.get, f"{API}/papers")
            time.sleep(0.3)
        for user in users:
            user.join()
        return server.outcome()


def keys_and_connections(folder: Path) -> Outcome:
    """Wrong keys from the address of a right one; 1400 half heads, dripping bodies and open streams."""
    with serving(folder) as server:
        right = key(folder, "ann", "ask")
        for number in range(40):
            wrong = {"Authorization": f"Bearer quire_{number}"}
            httpx.get(f"{server.url}{API}/papers", headers=wrong)
        server.tried("right key", (200,), httpx.get, f"{server.url}{API}/papers", headers=right)
        host, port = server.url.removeprefix("http://").split(":")
        head = "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        whole = "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        ways = ("GET / HTTP/1.1\r\nHost: loc", whole + "GET / HT", head + "Content-Length: 900\r\n\r\n{", "")
        for way in ways:
            with contextlib.ExitStack() as stack:
                for number in range(900):
                    made = stack.enter_context(socket.create_connection((host, int(port)), timeout=10))
                    with contextlib.suppress(OSError):
                        made.sendall(way.encode())
                    if number % 100 == 99:
                        again = httpx.Client(timeout=30)
                        name = f"among {number + 1} of {way[:9]!r}"
                        server.tried(name, (200,), again.get, f"{server.url}{API}/papers", headers=right)
                        again.close()
        return server.outcome()


def strangers(folder: Path) -> Outcome:
    """A library whose rows and links lead to the user's files."""
    with serving(folder) as server:
        library = server.folder
    precious = folder / "precious"
    precious.mkdir()
    (precious / "thesis.pdf").write_text("years of work")
    attempts, through = 0, []
    old = "2020-01-01T00:00:00+00:00"
    for known in (False, True):  # a stranger's file, and one that this user has served before
        if not known:
            shutil.rmtree(folder / "home" / "served", ignore_errors=True)
        papers = (str(precious), "../../../precious", "..", "")
        with contextlib.closing(sqlite3.connect(library / "serve.sqlite")) as db, db:
            for newer in ("notes", "shelf", "labels"):  # as an older server left it
                db.execute(f"DROP TABLE {newer}")
            db.execute("ALTER TABLE threads DROP COLUMN removed")
            db.execute("CREATE TABLE trash (paper, title, file_name, removed)")
            db.execute("PRAGMA user_version = 2")
            for number, paper in enumerate(papers):
                db.execute("INSERT INTO trash VALUES (?, 't', 'f.pdf', ?)", (paper, old))
                note = {"id": paper, "title": "", "file_name": "", "removed": old[:19], "added": old[:19]}
                (library / "trash").mkdir(exist_ok=True)
                (library / "trash" / f"{number}.note").write_text(json.dumps({**note, "places": {}}))
            columns = "id, kind, state, created, spec"
            sql = f"INSERT OR REPLACE INTO jobs ({columns}) VALUES (?, 'add', 'waiting', ?, ?)"
            db.execute(sql, ("f" * 32, old, json.dumps({"batch": str(precious)})))
        with serving(folder):
            time.sleep(1)
        attempts += len(papers) + 1
        if (precious / "thesis.pdf").read_text() != "years of work":
            through.append(f"rows, {known=}")
    for place in ("serve/uploads", "serve/trash", "serve.lock", "serve.sqlite-wal"):
        link = library / place
        if link.is_dir():
            shutil.rmtree(link)
        link.unlink(missing_ok=True)
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(precious if "/" in place else precious / "thesis.pdf")
        with contextlib.suppress(AssertionError, httpx.HTTPError), serving(folder):
            time.sleep(0.3)
        attempts += 1
        if [each.name for each in precious.iterdir()] != ["thesis.pdf"] or (
            (precious / "thesis.pdf").read_text() != "years of work"
        ):
            through.append(f"link {place}")
        link.unlink()
    return Outcome(attempts, tuple(through))


def odd_requests(folder: Path) -> Outcome:
    """Unknown arguments, odd origins, half letters, redirects, streams without end."""
    with serving(folder) as server, httpx.Client(base_url=server.url, timeout=30) as web:
        for origin in ("http://[::1", "http://[", "//", "null", "\x7f", "http://evil.example"):
            headers = {"Origin": origin}
            server.tried(f"origin {origin!r}", (403,), web.post, f"{API}/threads", json={}, headers=headers)
        unheard = (("/ask", {"question": "Why?", "paper": "x"}), ("/sql", {"sql": "SELECT 1", "rows": 2}))
        for path, body in unheard:
            server.tried(f"unknown in {path}", (422,), web.post, API + path, json=body)
        for path in ("/search?q=boats&paper=x", "/papers?title=x", "/jobs?state=x"):
            server.tried(f"unknown in {path}", (422,), web.get, API + path)
        told = _mcp(web, {"name": "ask", "arguments": {"question": "Why?", "paper": "x"}})
        server.must("mcp, unknown argument", "did you mean" in told.text)
        json_ = {"Content-Type": "application/json"}
        for path, body in (
            ("/v1/chat/completions", b'{"messages": [{"role": "user", "content": "a \\ud800"}]}'),
            (f"{API}/ask", b'{"question": "a \\ud800"}'),
            (f"{API}/threads", b'{"title": "\\udfff"}'),
            (f"{API}/sql", b'{"sql": "SELECT \'\\ud800\'"}'),
            ("/mcp", b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}'),
            ("/v1/chat/completions", b"[" * 900_000),
        ):
            server.tried(f"half a letter in {path}", (), web.post, path, content=body, headers=json_)
        for to in ("/\t/evil.test/", "//evil.test", "/\\evil.test", "https://evil.test", "/\r/evil.test"):
            page = web.get("/keys-help", params={"to": to}).text
            server.must(f"redirect to {to!r}", 'data-to="/"' in page)
        for _ in range(20):
            accept = {"Accept": "text/event-stream"}
            server.tried("GET /mcp", (405,), web.get, "/mcp", headers=accept)
        return server.outcome()


def proxies(folder: Path) -> Outcome:
    """Through a real nginx, as it comes and with `Host $host`: nobody is at home."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not nginx:
        return Outcome(0, notes="nginx is not installed")
    with serving(folder) as server:
        for number, more in enumerate(
            ("", "proxy_set_header Host $host;", "proxy_set_header Host $http_host;")
        ):
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            paths = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
            (folder / "nginx.conf").write_text(
                f"daemon off; pid {folder}/pid; error_log {folder}/log; events {{}}\n"
                f"http {{ access_log off; {paths} server {{ listen 127.0.0.1:{port};"
                f" location / {{ proxy_pass {server.url}; {more} }} }} }}\n"
            )
            with subprocess.Popen([nginx, "-e", f"{folder}/log", "-c", f"{folder}/nginx.conf"]) as proxy:
                time.sleep(1)
                for host in ("localhost", "127.0.0.1", "evil.example", "[::1]"):
                    name, place = f"nginx {number}, {host}", f"http://127.0.0.1:{port}{API}/papers"
                    server.tried(name, (401, 421), httpx.get, place, headers={"Host": host})
                proxy.terminate()
        return server.outcome()


def coming_in(folder: Path) -> Outcome:
    """Hosts, origins and keys that let nobody in; a cookie that is of TLS behind TLS; markup in answers."""
    evil = "Boats ![x](http://evil/?q=1) <img src=http://evil/x> <svg onload=x> [click](http://evil) float."
    (folder / "papers").mkdir()
    pdf = write_pdf(folder / "papers" / "evil.pdf", "On Boats and Evil", evil, evil)
    with serving(folder, "--host-name", "papers.example") as server:
        right, place = key(folder, "ann", "write"), f"{server.url}{API}/papers"
        hosts = ("localhost", "papers.example", "evil.example", "localhost.evil", "127.0.0.1:1", "", "[::1]")
        origins = ("", "http://papers.example", "http://evil.example", "null", "https://papers.example.evil")
        keys = ("", "Bearer quire_x", "Bearer ", "Basic eDp5", "Bearer " + "x" * 5000, "Bearer \xff")
        for host, origin, shown in itertools.product(hosts, origins, keys):
            heads = {"Host": host, "Origin": origin, "Authorization": shown}
            given = [(name, value.encode("latin-1")) for name, value in heads.items() if value]
            refused = (400, 401, 403, 421, 429)
            server.tried(f"{host} {origin} {shown:.9}", refused, httpx.delete, f"{place}/x", headers=given)
        for proof in ({"Origin": "https://papers.example"}, {"X-Forwarded-Proto": "https"}):
            body = {"key": right["Authorization"].removeprefix("Bearer ")}
            heads = {"Host": "papers.example", **proof}
            came = httpx.post(f"{server.url}{API}/session", json=body, headers=heads)
            server.must(f"cookie {proof}", "Secure" in came.headers.get("set-cookie", ""))
        with httpx.Client(base_url=server.url, headers=right, timeout=60) as web:
            sent = web.post(f"{API}/papers", files={"files": ("evil.pdf", pdf.read_bytes())})
            server.must("the paper comes in", _ended(web, sent)["state"] == "done")
            for asked in ("What floats?", "What do boats do?", "How does the paper click?"):
                chat = {"messages": [{"role": "user", "content": asked}]}
                said = web.post("/v1/chat/completions", json=chat).json()["choices"][0]["message"]["content"]
                markup = re.search(r"!\[|(?<!\\)<[a-z!/]|(?<!\\)\]\(http://evil", said)
                server.must(f"{asked}: {said}", not markup)
        return server.outcome()


def _ended(web: httpx.Client, accepted: httpx.Response) -> dict[str, Any]:
    """The job that an answer names, when it has ended."""
    end = time.monotonic() + 120
    while True:
        job: dict[str, Any] = web.get(accepted.headers["location"]).json()
        if job["state"] in ("done", "failed", "cancelled") or time.monotonic() > end:
            return job
        time.sleep(0.1)


def full_disk(folder: Path) -> Outcome:
    """Uploads to a server whose disk is full: what was accepted comes in as soon as there is room."""
    (folder / "disk").mkdir()
    return mounted("server", "at_full_disk", "-t tmpfs -o size=96m none", folder / "disk", folder / "disk")


def at_full_disk(disk: str) -> None:
    """Within a mount of its own: prints what came of it."""
    place, filler, through = Path(disk), Path(disk) / "filler", []
    with serving(place) as server, httpx.Client(base_url=server.url, timeout=60) as web:
        for number in range(8):
            pdf = write_pdf(place / f"{number}.pdf", f"On the Boats of {number}", "They float.").read_bytes()
            with filler.open("wb") as file:
                room = os.statvfs(disk)
                left = max(0, room.f_bavail * room.f_bsize - number**2 * 4096)
                os.posix_fallocate(file.fileno(), 0, left or 1)
            sent = web.post(f"{API}/papers", files={"files": (f"{number}.pdf", pdf)})
            time.sleep(1)
            filler.unlink()
            if sent.status_code == 202:
                job = _ended(web, sent)
                if job["state"] == "failed":
                    job = _ended(web, web.post(f"{API}/papers/retry"))
                names = {paper["file_name"] for paper in web.get(f"{API}/papers").json()["papers"]}
                through += [] if f"{number}.pdf" in names else [f"{number}: {job}"]
            elif sent.status_code == 500 or "hint" not in sent.text:
                through.append(f"{number}: {sent.status_code} {sent.text[:200]}")
    print(json.dumps({"tried": 8, "through": through, "worst": 0.0}))


_KILLS = int(os.environ.get("QUIRE_ATTACK_KILLS", "100"))
_ACTS = ("add", "ask", "verdict", "migrate", "job")


def kills(folder: Path) -> Outcome:
    """Kill -9 of the server while it adds, answers, learns or migrates; what it accepted is kept."""
    dice, through, worst = random.Random(25), list[str](), 0.0
    accepted, runs, told = set[str](), list[str](), 0
    number = 0
    while number < _KILLS // 3 and not through:
        act = _ACTS[number % len(_ACTS)]
        begun = time.monotonic()
        with serving(folder) as server, httpx.Client(base_url=server.url, timeout=60) as web:
            worst = max(worst, time.monotonic() - begun)
            through += _lost(web, accepted, runs, told)
            question = {"question": f"How many papers are there besides {number}?"}
            run = web.post(f"{API}/ask", json=question).json()["run_id"]
            doomed = threading.Timer(dice.random() * (2 if act == "add" else 0.3), os.kill, (server.pid, 9))
            pdf = write_pdf(folder / f"{number}.pdf", f"On Ship {number}", "It floats.", pages=9)
            with contextlib.suppress(httpx.HTTPError):
                if act != "job":
                    doomed.start()
                if act in ("add", "job"):
                    sent = web.post(f"{API}/papers", files={"files": (pdf.name, pdf.read_bytes())})
                    accepted |= {pdf.name} if sent.status_code == 202 else set()
                    while act == "job" and web.get(sent.headers["location"]).json()["state"] == "waiting":
                        pass
                elif act == "ask":
                    runs.append(web.post(f"{API}/ask", json=question).json()["run_id"])
                elif act == "verdict":
                    body = {"label": "wrong", "answer": number}
                    told += web.post(f"{API}/runs/{run}/verdict", json=body).status_code == 200
            if act != "job":
                doomed.join()
            else:
                os.kill(server.pid, signal.SIGKILL)
        number += 1
        for _ in range(2 if act == "job" else act == "migrate"):
            if act == "migrate":
                with Database(folder / "library" / "library.duckdb").writing() as connection:
                    connection.execute(OLDER)
            with started(folder) as process:  # killed as it begins
                time.sleep(dice.random() * 4)
                process.kill()
            number += 1
    with serving(folder) as server, httpx.Client(base_url=server.url, timeout=60) as web:
        through += _lost(web, accepted, runs, told)
    said = subprocess.run(
        [QUIRE, "check", "--library", str(folder / "library")], capture_output=True, text=True, check=False
    )
    through += [said.stdout] if said.returncode else []
    return Outcome(number, tuple(through), worst, notes="worst: to start and to search")


def _lost(web: httpx.Client, accepted: set[str], runs: list[str], told: int) -> list[str]:
    """What a server no longer has of what it had accepted."""
    end = time.monotonic() + 120
    while any(job["state"] in ("waiting", "running") for job in web.get(f"{API}/jobs").json()["jobs"]):
        if time.monotonic() > end:
            return ["a job never ends"]
        time.sleep(0.1)
    _ended(web, web.post(f"{API}/papers/retry"))  # what was given up after three kills
    names = {
        paper["file_name"] for paper in web.get(f"{API}/papers", params={"limit": 1000}).json()["papers"]
    }
    lost = [f"{name} is lost" for name in sorted(accepted - names)]
    lost += [f"run {run}" for run in runs if web.get(f"{API}/runs/{run}").status_code != 200]
    learned = web.get(f"{API}/memory", params={"limit": 1000}).json()["items"]
    return lost + ([f"{len(learned)} verdicts, not {told}"] if len(learned) < told else [])


ATTACKS = (
    Attack("25.7", "schemas that double, nest and mean nothing", schemas),
    Attack("25.8", "hundreds of megabytes without a right to", bodies),
    Attack("25.9", "unknown words, long questions, other sites", unknown_words),
    Attack("25.9", "slow SQL beside everybody else", slow_sql),
    Attack("25.10", "wrong keys, half heads, dripping bodies", keys_and_connections),
    Attack("25.13", "rows and links of a stranger's library", strangers),
    Attack("25.15", "a plain reverse proxy", proxies),
    Attack("25.16", "hosts, origins, keys, cookies, markup", coming_in),
    Attack("25.17", "a full disk in a job", full_disk),
    Attack("25.row3", "kill -9 of the server", kills),
    Attack("25.20", "odd origins, arguments, letters, redirects", odd_requests),
)
