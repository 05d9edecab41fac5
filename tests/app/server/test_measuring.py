"""Quizzes, evaluations and streams over REST; health and metrics."""

from __future__ import annotations

from starlette.testclient import TestClient

from tests.app.server.conftest import finished

API = "/api/v1"


def test_a_quiz_is_made_evaluated_and_read(web: TestClient) -> None:
    quiz = finished(web, web.post(f"{API}/quiz", json={"each": 1}))["result"]
    assert quiz["questions"] > 2
    rows = web.get(f"{API}/quizzes/{quiz['quiz']}").text.splitlines()
    assert len(rows) == quiz["questions"]
    job = finished(web, web.post(f"{API}/evaluations", json={"quiz": quiz["quiz"], "limit": 3}))
    (row,) = web.get(f"{API}/evaluations").json()["evaluations"]
    assert (row["id"], row["steps"]) == (job["result"]["evaluation"], 3)
    found = web.get(f"{API}/evaluations/{row['id']}").json()
    assert len(found["runs"][0]["questions"]) == 3
    page = web.get(f"{API}/evaluations/{row['id']}/page")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("sandbox")
    assert "script-src 'unsafe-inline'" in policy  # of which the page itself admits its own script alone
    assert "sha256-" in page.text.partition("</head>")[0]
    assert web.get(f"{API}/evaluations/..%2f..").status_code == 404
    assert web.get(f"{API}/quizzes/..%2fserve").status_code == 404
    assert web.get(f"{API}/streams/nothing").status_code == 404


def test_health_and_metrics_say_what_is_there(web: TestClient) -> None:
    assert web.get(f"{API}/health").json()["status"] == "ok"
    web.get(f"{API}/papers/nothing")
    text = web.get("/metrics").text
    assert 'quire_requests_total{method="GET",route="/api/v1/papers/{paper}",status="404"} 1' in text
    assert 'quire_papers{state="failed"} 0' in text
    assert "nothing" not in text
