"""Who may come in: attacks that the door has to hold."""

from __future__ import annotations

import hmac
from typing import Any

import pytest
from starlette.testclient import TestClient

from quire.app.server.access import Rates
from quire.app.server.keys import Keys
from tests.app.server.conftest import Serve

API = "/api/v1"
AWAY = {"bound": "0.0.0.0", "client": "203.0.113.9", "base": "http://192.0.2.1:8765"}


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "localhost.evil.example", "192.0.2.7", ""]
)
def test_a_name_pointed_at_this_machine_is_refused(serve: Serve, host: str) -> None:
    answer = serve(empty=True).get(f"{API}/papers", headers={"Host": host})
    assert (answer.status_code, answer.json()["error"]["type"]) == (421, "HostRefused")


def test_names_of_this_machine_and_those_that_were_given_are_let_in(serve: Serve, keys: Keys) -> None:
    web = serve(empty=True)
    for host in ("localhost:8765", "127.0.0.1:1", "[::1]:8765"):
        assert web.get(f"{API}/papers", headers={"Host": host}).status_code == 200
    web = serve(empty=True, names=("papers.example",))
    given = web.get(f"{API}/papers", headers={"Host": "papers.example"})
    assert given.status_code == 401  # by another name come others, through a proxy of the user's: with a key
    secret = keys.add("ann", "read")
    assert web.get(f"{API}/papers", headers={"Host": "papers.example", **bearer(secret)}).status_code == 200


@pytest.mark.parametrize("name", ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via", "X-Real-IP"])
def test_what_a_proxy_passes_on_needs_a_key(serve: Serve, name: str) -> None:
    assert serve(empty=True).get(f"{API}/papers", headers={name: "203.0.113.9"}).status_code == 401


def test_keys_are_wanted_of_all_as_soon_as_there_is_one_or_another_name(serve: Serve, keys: Keys) -> None:
    web = serve(empty=True)
    assert web.get(f"{API}/papers").status_code == 200
    secret = keys.add("ann", "read")
    assert web.get(f"{API}/papers").json()["error"]["type"] == "KeyNeeded"
    assert web.get(f"{API}/papers", headers=bearer("none")).json()["error"]["type"] == "KeyRefused"
    assert web.get(f"{API}/papers", headers=bearer(secret)).status_code == 200
    keys.remove("ann")
    assert web.get(f"{API}/papers").status_code == 200
    assert serve(empty=True, names=("papers.example",)).get(f"{API}/papers").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:8765"},
        {"Cookie": "quire_key=whatever"},
        {"Origin": "http://[::1"},
        {"Origin": "\x00\x7f//"},
    ],
)
def test_another_sites_page_changes_nothing(serve: Serve, headers: dict[str, str]) -> None:
    web = serve(empty=True)
    answer = web.post(f"{API}/threads", json={"title": "forged"}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["type"]) == (403, "OriginRefused")
    assert web.get(f"{API}/threads").json()["total"] == 0


NAVIGATED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


def test_another_sites_page_may_lead_to_a_page_and_begin_nothing_that_costs(web: TestClient) -> None:
    for path in ("/", "/ask?q=boats", "/keys-help"):
        assert web.get(path, headers=NAVIGATED).status_code == 200
    for path in ("/search?q=boats", f"{API}/search?q=boats", f"{API}/papers", "/memory?q=boats", "/measure"):
        assert web.get(path, headers=NAVIGATED).status_code == 403, path
    for headers in ({**NAVIGATED, "Sec-Fetch-Dest": "iframe"}, {"Sec-Fetch-Site": "cross-site"}):
        assert web.get("/", headers=headers).status_code == 403
    assert web.get("/", headers={"Origin": "http://evil.example"}).status_code == 403
    assert web.get("/search?q=boats", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_a_form_of_another_site_has_the_wrong_kind_of_body(serve: Serve) -> None:
    web = serve(empty=True)
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        sent = web.post(f"{API}/threads", content=b'{"title": "forged"}', headers={"Content-Type": kind})
        assert sent.status_code == 415
    assert web.post(f"{API}/threads", json={}, headers={"Origin": "http://localhost:8765"}).status_code == 201


def test_from_elsewhere_nobody_comes_without_a_key(serve: Serve) -> None:
    web = serve(empty=True, **AWAY)
    assert web.get(f"{API}/papers").json()["error"]["type"] == "KeyNeeded"
    assert web.get(f"{API}/papers", headers=bearer("quire_guess")).json()["error"]["type"] == "KeyRefused"
    assert web.get("/metrics").status_code == 401
    assert web.get(f"{API}/openapi.json").status_code == 401
    assert web.get(f"{API}/health").status_code == 200


@pytest.mark.parametrize(
    ("scope", "method", "path", "body", "status"),
    [
        ("read", "GET", "/papers", None, 200),
        ("read", "POST", "/sql", {"sql": "SELECT 1"}, 200),
        ("read", "POST", "/ask", {"question": "x"}, 403),
        ("read", "POST", "/threads", {}, 403),
        ("ask", "POST", "/threads", {}, 201),
        ("ask", "DELETE", "/memory/x", None, 403),
        ("ask", "POST", "/papers/refresh", {}, 403),
        ("ask", "POST", "/jobs/x/cancel", None, 403),
        ("write", "POST", "/jobs/x/cancel", None, 404),
        ("write", "POST", "/papers/refresh", {}, 202),
    ],
)
def test_a_key_is_good_for_its_scope_and_no_more(
    serve: Serve, keys: Keys, scope: str, method: str, path: str, body: Any, status: int
) -> None:
    web = serve(empty=True, **AWAY)
    headers = bearer(keys.add("ann", scope))
    assert web.request(method, API + path, json=body, headers=headers).status_code == status


def test_every_route_that_changes_something_asks_for_more_than_reading(serve: Serve, keys: Keys) -> None:
    web = serve(empty=True, **AWAY)
    headers = bearer(keys.add("ann", "read"))
    allowed = {(f"{API}/sql", "post"), (f"{API}/session", "post"), (f"{API}/session", "delete")}
    allowed.add(("/v1/embeddings", "post"))  # gives what a search makes of its query, and keeps nothing
    for path, operations in web.get(f"{API}/openapi.json", headers=headers).json()["paths"].items():
        for method in set(operations) - {"get"}:
            if (path, method) in allowed:
                continue
            place = path.replace("{", "").replace("}", "")
            answer = web.request(method, place, headers=headers)
            assert answer.status_code == 403, f"{method} {path}: {answer.status_code}"


def test_a_revoked_key_is_refused_at_once_and_one_of_another_library_always(
    serve: Serve, keys: Keys, tmp_path: Any
) -> None:
    web = serve(empty=True, **AWAY)
    secret = keys.add("ann", "read")
    assert web.get(f"{API}/papers", headers=bearer(secret)).status_code == 200
    Keys(tmp_path / "home", tmp_path / "library").remove("ann")  # as another process does
    assert web.get(f"{API}/papers", headers=bearer(secret)).status_code == 401
    other = Keys(tmp_path / "home", tmp_path / "elsewhere").add("bob", "write")
    assert web.get(f"{API}/papers", headers=bearer(other)).status_code == 401


def test_keys_are_kept_as_digests_and_compared_in_constant_time(
    keys: Keys, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = [keys.add(name, "read") for name in ("ann", "bob", "eve")]
    kept = (tmp_path / "home" / "keys.json").read_text()
    assert not any(secret in kept or secret.removeprefix("quire_") in kept for secret in secrets)
    assert (tmp_path / "home" / "keys.json").stat().st_mode & 0o077 == 0
    compared: list[str] = []
    really = hmac.compare_digest

    def watched(first: str, second: str) -> bool:
        compared.append(first)
        return really(first, second)

    monkeypatch.setattr(hmac, "compare_digest", watched)
    assert keys.holder(secrets[0]) is not None
    assert len(compared) == 3  # all of them, wherever the right one stands


def test_who_guesses_keys_has_to_wait(serve: Serve, keys: Keys) -> None:
    web = serve(empty=True, **AWAY)
    secret = keys.add("ann", "read")
    told = [web.get(f"{API}/papers", headers=bearer(f"quire_{n}")).status_code for n in range(25)]
    assert (told[0], told[-1]) == (401, 429)
    assert web.get(f"{API}/papers", headers=bearer(secret)).status_code == 200  # of the same address
    entered = web.post(f"{API}/session", json={"key": secret}, headers={"Origin": AWAY["base"]})
    assert entered.status_code == 200


def test_buckets_fill_up_again_and_are_few() -> None:
    now = [0.0]
    rates = Rates(burst=2, per_second=1, clock=lambda: now[0])
    assert [rates.take("ann") for _ in range(3)] == [True, True, False]
    assert rates.take("bob")
    now[0] = 1.0
    assert [rates.take("ann") for _ in range(2)] == [True, False]
    for number in range(20_000):
        rates.take(str(number))
    assert len(rates._buckets) <= 10_000


def test_a_browser_comes_in_with_a_key_in_a_cookie_that_no_script_reads(serve: Serve, keys: Keys) -> None:
    web = serve(empty=True, **AWAY)
    secret = keys.add("ann", "ask")
    origin = {"Origin": AWAY["base"]}
    entered = web.post(f"{API}/session", json={"key": secret}, headers=origin)
    assert {"HttpOnly", "SameSite=strict"} <= set(entered.headers["set-cookie"].split("; "))
    assert web.get(f"{API}/session").json() == {"name": "ann", "scope": "ask"}
    assert web.post(f"{API}/threads", json={}, headers=origin).status_code == 201
    assert web.post(f"{API}/threads", json={}).status_code == 403  # the cookie alone is not enough
    web.delete(f"{API}/session", headers=origin)
    assert web.get(f"{API}/papers").status_code == 401


@pytest.mark.parametrize("proof", [{"Origin": "https://192.0.2.1:8765"}, {"X-Forwarded-Proto": "https"}])
def test_behind_tls_the_cookie_is_for_tls_alone(serve: Serve, keys: Keys, proof: dict[str, str]) -> None:
    web = serve(empty=True, **AWAY)
    body = {"key": keys.add("ann", "ask")}
    assert "Secure" in web.post(f"{API}/session", json=body, headers=proof).headers["set-cookie"]
    plain = web.post(f"{API}/session", json=body, headers={"Origin": AWAY["base"]})
    assert "Secure" not in plain.headers["set-cookie"]


@pytest.mark.parametrize(
    "to",
    ["/\t/evil.test/", "//evil.test/", "/\\evil.test", "/\n/evil.test", "https://evil.test", "\t//evil.test"],
)
def test_after_coming_in_one_stays_here(serve: Serve, to: str) -> None:
    page = serve(empty=True, **AWAY).get("/keys-help", params={"to": to}).text
    assert 'data-to="/"' in page


def test_after_coming_in_one_is_where_one_wanted(serve: Serve) -> None:
    web = serve(empty=True, **AWAY)
    sent = web.get("/ask?q=boats&paper=ü", headers={"Accept": "text/html"}, follow_redirects=True)
    assert 'data-to="/ask?q=boats&amp;paper=%C3%BC"' in sent.text


def test_every_answer_carries_the_policy(serve: Serve) -> None:
    web = serve(empty=True)
    for path in (f"{API}/papers", f"{API}/nothing", "/nothing", f"{API}/papers/x/pages/1.png"):
        headers = web.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
    assert (
        "access-control-allow-origin" not in web.get(f"{API}/papers", headers={"Origin": "http://x"}).headers
    )


def test_the_log_names_no_question(web: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        web.get(f"{API}/search", params={"q": "secret disease"})
        web.post(f"{API}/ask", json={"question": "secret disease"})
    told = [record.getMessage() for record in caplog.records if record.name.startswith("quire")]
    assert told[0].startswith(f"GET '{API}/search' 200")
    assert not any("secret" in line for line in told)


def test_the_log_names_questions_if_asked_to(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "quire"):
        serve(log_questions=True).get(f"{API}/search", params={"q": "harmless"})
    assert "q=harmless" in caplog.text
