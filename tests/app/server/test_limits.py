"""What a request may bring and cost: arguments, schemas, lengths, bodies."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from quire.app.server import guarding
from quire.app.server.context import Kept
from quire.app.server.keys import Keys
from tests.app.server.conftest import Serve
from tests.app.server.test_access import API, AWAY, bearer
from tests.ask.test_answer_format import deep, doubling

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("POST", "/ask", {"question": "Why?", "paper": "x.pdf"}, "`paper`; did you mean `papers`?"),
        ("POST", "/ask", {"question": "Why?", "schema": {}}, "`schema`; did you mean `answer_schema`?"),
        ("POST", "/sql", {"sql": "SELECT 1", "limit": 3}, "`limit`; there are: sql."),
        ("POST", "/threads", {"paper": []}, "did you mean `papers`?"),
        ("GET", "/search?q=boats&paper=x.pdf", None, "did you mean `papers`?"),
        ("GET", "/papers?query=x", None, "`query`; there are: q, "),
        ("GET", "/schema?x=1", None, "there are: none"),
    ],
)
def test_what_nobody_would_hear_is_refused_by_name(
    web: TestClient, method: str, path: str, body: Any, said: str
) -> None:
    answer = web.request(method, API + path, json=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]["message"]


def test_a_field_beside_the_files_is_refused(web: TestClient) -> None:
    answer = web.post(f"{API}/papers", data={"file": "x"}, files={"files": ("a.pdf", b"%PDF-")})
    assert "did you mean `files`?" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "schema", [doubling(20, {"type": "string"}), deep(900), {"type": 5}, {"$ref": "http://x"}]
)
def test_schemas_that_cost_or_mean_nothing_are_refused(web: TestClient, schema: dict[str, Any]) -> None:
    answer = web.post(f"{API}/ask", json={"question": "How many pages?", "answer_schema": schema})
    assert (answer.status_code, answer.json()["error"]["type"]) == (422, "AnswerFormatError")


def test_questions_and_queries_have_a_length(web: TestClient) -> None:
    long = "boats " * 2000
    for answer in (
        web.post(f"{API}/ask", json={"question": long}),
        web.get(f"{API}/search", params={"q": long}),
        web.get("/search", params={"q": long}),
        web.get("/memory", params={"q": long}),
    ):
        assert answer.status_code == 422
    assert "10000" in web.post(f"{API}/ask", json={"question": long}).text


def never_read() -> Iterator[bytes]:
    raise AssertionError("the body was read")
    yield b""


@pytest.mark.parametrize("scope", ["", "read", "ask"])
def test_who_may_not_send_files_is_told_before_they_are_read(serve: Serve, keys: Keys, scope: str) -> None:
    web = serve(empty=True, **AWAY)
    headers = {"Content-Type": "multipart/form-data; boundary=x", "Content-Length": "600000000"}
    headers |= bearer(keys.add("ann", scope)) if scope else {}
    answer = web.post(f"{API}/papers", content=never_read(), headers=headers)
    assert answer.status_code == (403 if scope else 401)
    elsewhere = web.post(f"{API}/session", content=never_read(), headers=headers)
    assert elsewhere.status_code == 415


def test_json_ends_at_a_megabyte_and_without_a_key_sooner(serve: Serve, keys: Keys) -> None:
    web = serve(empty=True, **AWAY)
    secret = bearer(keys.add("ann", "write"))
    for size, headers in ((1_100_000, secret), (5000, {})):
        told = {**JSON, **headers, "Content-Length": str(size)}
        assert web.post(f"{API}/session", content=never_read(), headers=told).status_code == 413
        chunked = web.post(
            f"{API}/session", content=iter([b" " * 100] * (size // 100)), headers=JSON | headers
        )
        assert chunked.status_code == 413
    assert web.post(f"{API}/session", content=b"{}", headers=JSON).status_code == 422
    assert web.post(f"{API}/session", json={"key": "x"}).json()["error"]["type"] == "KeyRefused"


def test_one_key_cannot_have_all_requests(serve: Serve, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    web = serve(empty=True, **AWAY)
    secret, other = (bearer(keys.add(name, "read")) for name in ("ann", "bob"))
    monkeypatch.setattr(guarding, "_AT_ONCE", 0)
    assert web.get(f"{API}/papers", headers=secret).json()["error"]["type"] == "TooMany"
    monkeypatch.setattr(guarding, "_AT_ONCE", 1)
    for _ in range(3):  # what has ended is not counted
        assert web.get(f"{API}/papers", headers=other).status_code == 200


def test_a_disk_that_refuses_is_told(web: TestClient) -> None:
    here: Any = web.app.state.context  # type: ignore[attr-defined]
    here.store._db.execute("PRAGMA max_page_count = 1")
    full = [web.post(f"{API}/threads", json={"title": "x" * 500}) for _ in range(60)]
    assert full[-1].status_code == 507
    assert full[-1].json()["error"]["type"] == "LibraryError"


def test_what_two_make_at_once_after_a_failure_counts_once() -> None:
    kept = Kept(12)
    failing, fail, slow, made = (threading.Event() for _ in range(4))

    def fails() -> bytes:
        failing.set()
        fail.wait(5)
        raise OSError

    def makes() -> bytes:
        slow.set()
        made.wait(2)
        return b"12345"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(kept.get, "a", fails)
        failing.wait(5)
        second = pool.submit(kept.get, "a", makes)
        time.sleep(0.2)  # until it waits for the first
        fail.set()
        slow.wait(5)
        assert kept.get("a", lambda: b"12345") == b"12345"
        made.set()
        assert isinstance(first.exception(), OSError)
        assert second.result() == b"12345"
    kept.get("b", lambda: b"67890")
    assert kept.get("a", lambda: b"") == b"12345", "there is room for both"
