"""Questions over REST: as JSON, as events, in conversations; runs and verdicts."""

from __future__ import annotations

import json
from typing import Any

from starlette.testclient import TestClient

from quire.app.server.api import shapes
from tests.app.conftest import FOLDS, FOLDS_AGAIN, tell_of_folds

API = "/api/v1"
QUESTION = "How many pages does the paper have?"


def events(text: str) -> list[tuple[str, Any]]:
    """The events of a stream."""
    parts = [part for part in text.split("\n\n") if "data: " in part]
    lines = [dict(line.split(": ", 1) for line in part.splitlines()) for part in parts]
    return [(each["event"], json.loads(each["data"])) for each in lines]


def a_paper(web: TestClient) -> str:
    return str(web.get(f"{API}/papers").json()["papers"][0]["id"])


def test_an_answer_comes_with_links_to_its_evidence_and_is_stored(web: TestClient) -> None:
    run = web.post(f"{API}/ask", json={"question": QUESTION, "papers": [a_paper(web)]}).json()
    assert run["answer"]["status"] == "answered"
    assert all(each["link"].startswith(("/read/", "/papers/")) for each in run["view"]["evidence"])
    assert web.get(f"{API}/runs/{run['run_id']}").json()["answer"] == run["answer"]
    assert web.get(f"{API}/runs").json()["runs"][0]["run_id"] == run["run_id"]


def test_steps_come_as_events_and_can_be_followed_again(web: TestClient) -> None:
    asked = {"question": QUESTION, "papers": [a_paper(web)]}
    told = events(web.post(f"{API}/ask", json=asked, headers={"Accept": "text/event-stream"}).text)
    kinds = [kind for kind, _ in told]
    assert kinds[0] == "asked"
    assert kinds[-2:] == ["answer", "done"]
    assert "step" in kinds
    again = events(web.get(f"{API}/asks/{told[0][1]['id']}/events").text)
    assert again == told
    assert events(web.get(f"{API}/asks/{told[0][1]['id']}/events?after=1").text) == told[2:]
    assert web.get(f"{API}/asks/{told[0][1]['id']}/events?after=999").text == ""


def test_a_conversation_keeps_its_papers_and_survives_a_restart(web: TestClient) -> None:
    thread = web.post(f"{API}/threads", json={"papers": [a_paper(web)]}).json()
    run = web.post(f"{API}/ask", json={"question": QUESTION, "thread": thread["id"]}).json()
    assert run["question"]["only"] == thread["papers"]
    web.patch(f"{API}/threads/{thread['id']}", json={"papers": []})
    more = web.post(f"{API}/ask", json={"question": "Who are its authors?", "thread": thread["id"]}).json()
    assert more["question"]["only"] == thread["papers"]  # "its" points back to what the last answer was of
    kept = web.get(f"{API}/threads/{thread['id']}").json()
    assert kept["title"] == QUESTION
    assert [turn["state"] for turn in kept["turns"]] == ["answered", "answered"]
    assert [turn["run"] for turn in kept["turns"]] == [run["run_id"], more["run_id"]]
    assert web.delete(f"{API}/threads/{thread['id']}").status_code == 200
    assert web.get(f"{API}/threads/{thread['id']}").status_code == 404
    assert web.get(f"{API}/runs/{run['run_id']}").status_code == 200


def test_a_verdict_is_learned_from_and_can_be_forgotten(web: TestClient) -> None:
    asked = {"question": QUESTION, "papers": [a_paper(web)]}
    run = web.post(f"{API}/ask", json=asked).json()
    judged = web.post(f"{API}/runs/{run['run_id']}/verdict", json={"label": "right"}).json()
    (item,) = web.get(f"{API}/memory").json()["items"]
    assert item["id"] == judged["item"]
    again = web.post(f"{API}/ask", json=asked).json()
    assert again["method"] == "remembered"
    assert web.get(f"{API}/runs/{again['run_id']}").json()["view"]["used"][0]["id"] == item["id"]
    assert web.get(f"{API}/memory/stats").json()["helped"] == 0
    assert web.delete(f"{API}/memory/{item['id']}").json() == {"forgotten": item["id"]}
    assert web.get(f"{API}/memory").json()["items"] == []
    assert [one["id"] for one in web.get(f"{API}/memory/forgotten").json()["items"]] == [item["id"]]
    assert web.post(f"{API}/memory/{item['id']}/restore").json() == {"restored": item["id"]}
    assert web.get(f"{API}/memory").json()["items"] == [item]
    assert web.delete(f"{API}/memory/{item['id']}").status_code == 200
    assert web.delete(f"{API}/memory/{item['id']}?for_good=true").json() == {"forgotten": item["id"]}
    assert web.get(f"{API}/memory/forgotten").json()["items"] == []
    assert web.post(f"{API}/memory/{item['id']}/restore").status_code >= 400


def test_evidence_and_its_absence_can_be_judged(web: TestClient) -> None:
    paper = next(
        one["id"] for one in web.get(f"{API}/papers").json()["papers"] if "boats" in one["file_name"]
    )
    asked = {"question": "Why does a fold that is pressed longer soak faster?", "papers": [paper]}
    run = web.post(f"{API}/ask", json=asked).json()
    verdict = f"{API}/runs/{run['run_id']}/verdict"
    shown = web.get(f"/runs/{run['run_id']}").text
    assert "Answers it" in shown
    assert "Not in the papers" in shown
    assert web.post(verdict, json={"label": "right"}).status_code == 409
    first = web.post(verdict, json={"label": "right", "evidence": 1}).json()["item"]
    absent = web.post(verdict, json={"label": "right", "unanswerable": True}).json()["item"]
    assert first != absent
    again = web.post(f"{API}/ask", json=asked).json()
    assert (again["method"], again["answer"]["status"]) == ("remembered", "abstained")
    assert "The papers do not say it" in web.get(f"/runs/{again['run_id']}").text
    assert "The papers do not say it" in web.get("/memory").text


def test_a_past_answer_is_suggested_beside_an_abstention_and_can_be_used(web: TestClient) -> None:
    item = tell_of_folds(web.app.state.context.library)  # type: ignore[attr-defined]
    paper = next(
        one["id"] for one in web.get(f"{API}/papers").json()["papers"] if "boats" in one["file_name"]
    )
    asked = {"question": FOLDS_AGAIN, "papers": [paper]}
    run = web.post(f"{API}/ask", json=asked).json()
    assert run["answer"]["status"] == "abstained"
    beside = run["view"]["suggested"]
    assert (beside["id"], beside["question"], beside["answer"]) == (item, FOLDS, "tears fibres")
    assert beside["author"] == "ann"
    assert {each["found"] for each in beside["evidence"]} == {"verified"}
    assert all(each["link"].startswith("/read/") for each in beside["evidence"])
    shapes.Run.model_validate_json(json.dumps(run), strict=True)
    assert web.get(f"{API}/runs/{run['run_id']}").json()["view"]["suggested"] == beside
    accepted = {"label": "right", "suggested": True}
    assert web.post(f"{API}/runs/{run['run_id']}/verdict", json=accepted).json()["item"]
    again = web.post(f"{API}/ask", json=asked).json()
    assert (again["answer"]["value"], again["view"]["suggested"]) == ("tears fibres", None)
    assert web.post(f"{API}/runs/{again['run_id']}/verdict", json=accepted).status_code == 409


def test_what_cannot_be_done_is_told_with_its_type_and_status(web: TestClient) -> None:
    wrong = web.post(f"{API}/ask", json={"question": "x", "papers": ["no such paper"]})
    assert wrong.status_code == 404
    assert wrong.json()["error"]["type"] == "PaperNotFound"
    assert web.post(f"{API}/sql", json={"sql": "DROP TABLE pages"}).status_code == 403
    assert web.post(f"{API}/sql", json={"sql": "SELECT nothing FROM pages"}).status_code == 400
    assert web.get(f"{API}/runs/nothing").json()["error"]["type"] == "RunError"
    assert web.get(f"{API}/nothing").json()["error"]["type"] == "NotFound"
    assert web.post(f"{API}/ask", json={}).json()["error"]["type"] == "RequestError"
