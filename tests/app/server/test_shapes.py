"""Answers have the shapes that the OpenAPI document tells, all fields and no others."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from starlette.testclient import TestClient

from quire.app.server.api import shapes
from tests.app.server.conftest import finished

API = "/api/v1"


def test_answers_are_shaped_as_the_document_tells(web: TestClient) -> None:
    def got(shape: type[BaseModel], path: str, **parameters: Any) -> Any:
        answer = web.get(API + path, params=parameters)
        assert answer.status_code == 200, answer.text
        shape.model_validate_json(answer.text, strict=True)
        return answer.json()

    paper = got(shapes.Papers, "/papers")["papers"][0]["id"]
    for each in web.get(f"{API}/papers").json()["papers"]:
        got(shapes.WholePaper, f"/papers/{each['id']}")
    got(shapes.PageWords, f"/papers/{paper}/pages/1/words")
    got(shapes.PageText, f"/papers/{paper}/pages/1/text")
    got(shapes.Found, "/search", q="boats", why=True)
    rows = web.post(f"{API}/sql", json={"sql": "SELECT title, pub_year FROM metadata"})
    shapes.Rows.model_validate_json(rows.text, strict=True)
    thread = web.post(f"{API}/threads", json={}).json()["id"]
    asked = {"question": "How many pages does it have?", "papers": [paper], "thread": thread}
    answered = web.post(f"{API}/ask", json=asked)
    shapes.Run.model_validate_json(answered.text, strict=True)
    run = answered.json()
    judged = web.post(f"{API}/runs/{run['run_id']}/verdict", json={"label": "wrong", "answer": 77})
    shapes.Judged.model_validate_json(judged.text, strict=True)
    got(shapes.Run, f"/runs/{run['run_id']}")
    got(shapes.Thread, f"/threads/{thread}")
    got(shapes.ThreadList, "/threads")
    got(shapes.MemoryItem, f"/memory/{got(shapes.Items, '/memory')['items'][0]['id']}")
    finished(web, web.post(f"{API}/papers/refresh", json={"papers": [paper]}))
    got(shapes.Job, f"/jobs/{got(shapes.JobList, '/jobs')['jobs'][0]['id']}")
    removed = web.delete(f"{API}/papers/{paper}")
    shapes.RemovedPaper.model_validate_json(removed.text, strict=True)
