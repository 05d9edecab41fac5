"""Every view as the server makes it, without a browser: nothing inline or unescaped, errors as pages."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from quire import Library
from quire.app.memory_view import curve
from quire.app.run_view import box_of
from quire.app.server.pages import STATIC
from quire.eval.report.plots import Circle
from quire.memory.verdicts import Point
from quire.types import Box
from tests.app.server.conftest import KEYWORDS, Serve
from tests.library.conftest import write_pdf

API = "/api/v1"
EVIL = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>"


def page(web: TestClient, address: str, status: int = 200) -> str:
    """A view, which must be a page that runs and loads nothing but the server's own files."""
    answer = web.get(address, headers={"Accept": "text/html"})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    text = answer.text
    assert text.startswith("<!doctype html>")
    tags = re.findall(r"<[a-z][^>]*>", re.sub(r'"[^"]*"', lambda held: held[0].replace(">", " "), text))
    for tag in tags:
        assert not re.search(r"\s(on\w+|style)\s*=", re.sub(r'"[^"]*"', '""', tag)), tag
        assert not tag.startswith("<script") or 'src="/static/' in tag
        assert not re.search(r'(?:src|href|action)="(?:https?:|//|javascript:)', tag), tag
    return text


def first(web: TestClient) -> str:
    return str(web.get(f"{API}/papers").json()["papers"][0]["id"])


def ask(web: TestClient, question: str, papers: list[str] | None = None) -> str:
    run = web.post(f"{API}/ask", json={"question": question, "papers": papers or []}).json()
    return str(run["run_id"])


def test_every_view_is_a_page_of_its_own(web: TestClient) -> None:
    paper = first(web)
    run = ask(web, "How many pages does the paper have?", [paper])
    web.post(f"{API}/runs/{run}/verdict", json={"label": "right"})
    assert "4 papers" in page(web, "/")
    assert page(web, "/?q=boats").count('class="paper ') == 1
    assert "<mark>" in page(web, "/search?q=soaking")
    assert "Outline" in page(web, f"/papers/{paper}")
    assert 'class="found"' in page(web, f"/read/{paper}/1?box=10,20,30,40")
    assert "What do you want to know?" in page(web, f"/ask?paper={paper}")
    assert "How many pages" in page(web, f"/runs/{run}")
    assert "How many pages" in page(web, "/memory")
    assert "How many pages" in page(web, "/measure")


def test_an_empty_library_says_what_to_do(serve: Serve) -> None:
    web = serve(empty=True)
    assert "Drop PDFs here" in page(web, "/")
    assert "Add some PDFs" in page(web, "/ask")
    assert "Nothing is remembered yet" in page(web, "/memory")
    assert "None yet" in page(web, "/measure")


@pytest.mark.parametrize(
    "address", ["/papers/nothing", "/read/nothing/1", "/runs/nothing", "/ask/nothing", "/measure/nothing"]
)
def test_what_is_not_there_is_told_on_a_page(web: TestClient, address: str) -> None:
    assert "To the library" in page(web, address, 404)
    assert "To the library" in page(web, f"/read/{first(web)}/999", 404)


def test_nothing_that_a_stranger_wrote_becomes_markup(serve: Serve, tmp_path: Path) -> None:
    evil = write_pdf(tmp_path / "evil.pdf", EVIL, "Abstract", f"We study {EVIL} at length.", "1 Introduction")
    web = serve(empty=True)
    names = [(f"{EVIL}.pdf", evil.read_bytes()), ("x.pdf", b"%PDF-1.4 " + EVIL.encode())]
    sent = web.post(f"{API}/papers", files=[("files", (name, data)) for name, data in names])
    while web.get(sent.headers["location"]).json()["state"] in ("waiting", "running"):
        pass
    run = ask(web, f"What is {EVIL}?")
    body = {"label": "wrong", "answer": EVIL, "note": EVIL}
    assert web.post(f"{API}/runs/{run}/verdict", json=body).status_code == 200
    paper = next(one["id"] for one in web.get(f"{API}/papers").json()["papers"] if one["state"] != "failed")
    addresses = ["/", "/ask", "/memory", "/measure", f"/runs/{run}", f"/papers/{paper}", f"/read/{paper}/1"]
    escaped = {"q": EVIL, "to": EVIL, "box": EVIL, "run": EVIL, "paper": EVIL}
    told = str(web.build_request("GET", "/", params=escaped).url.query, "ascii")
    for address in addresses:
        text = page(web, f"{address}?{told}")
        assert "<img src=x" not in text
        assert "<script>" not in text
    assert "onerror=alert(1)" in unescape(page(web, f"/runs/{run}"))  # it is shown, as text
    page(web, f"/search?{told}")
    page(web, f"/keys-help?{told}")
    page(web, f"/measure/compare?{told}", 404)
    page(web, "/papers/%3Cscript%3Enothing", 404)


def test_the_form_for_a_key_leads_nowhere_else(web: TestClient) -> None:
    assert 'data-to="/ask?paper=1"' in page(web, "/keys-help?to=%2Fask%3Fpaper%3D1")
    for elsewhere in ("https://example.org", "//example.org", "/\\example.org", "javascript:alert(1)"):
        answer = web.get("/keys-help", params={"to": elsewhere})
        assert 'data-to="/"' in answer.text


def test_a_browser_without_a_key_is_shown_where_to_bring_one(serve: Serve) -> None:
    web = serve(client="192.0.2.7", bound="0.0.0.0", base="http://192.0.2.1:8765")
    came = web.get("/ask?paper=1", headers={"Accept": "text/html"}, follow_redirects=False)
    assert (came.status_code, came.headers["location"]) == (303, "/keys-help?to=%2Fask%3Fpaper%3D1")
    assert web.get("/static/base.css").status_code == 200
    assert web.get(f"{API}/papers").status_code == 401


def test_every_key_that_is_bound_is_in_the_list_and_the_other_way_round() -> None:
    bound = set()
    for script in STATIC.glob("*.js"):
        for block in re.findall(r"^bind\(\{(.*?)\n?\}\);", script.read_text(), re.DOTALL | re.MULTILINE):
            bound |= set(re.findall(r'(?:^|[\s,{])"([^"]{1,9})": ', block))
            bound |= set(re.findall(r"(?:^|[\s,{])(\w+): (?=\(|\w)", block))
    keys = (STATIC.parent / "templates" / "keys.html").read_text()
    listed = set(re.findall(r'^    \("(.+?)", ".+"\),$', keys, re.MULTILINE))
    assert bound - {"="} == listed - {"Enter"}  # = is + without Shift; Enter is the browser's own


def test_boxes_that_are_none_mark_nothing() -> None:
    assert box_of("1,2,3,4") == Box(1, 2, 3, 4)
    for text in ("", "1,2,3", "1,2,3,4,5", "a,b,c,d", "nan,0,1,1", "1,2,3,inf"):
        assert box_of(text) is None


def test_the_learning_curve_is_drawn_from_its_points() -> None:
    points = [Point(i, "r", "", i % 2 == 0, i == 3, 0.5, i / 4) for i in range(1, 5)]
    dots = [shape for shape in curve(points).shapes if isinstance(shape, Circle)]
    assert [(dot.ring, dot.radius) for dot in dots] == [(False, 3), (True, 3), (False, 5), (True, 3)]
    assert dots[2].told == "Answer 3: wrong, with the memory; 75% lately"
    assert dots[0].y > dots[1].y > dots[2].y > dots[3].y
    assert [shape for shape in curve([]).shapes if isinstance(shape, Circle)] == []


def test_evaluations_and_streams_are_opened_and_compared(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    web = serve()
    rows = [{"id": f"q{i}", "question": EVIL, "answer": "1", "kind": EVIL} for i in range(2)]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        _, one = library.evaluate(file)
        _, two = library.evaluate(file, limit=1)
    listed = page(web, "/measure")
    assert one.name in listed
    text = page(web, f"/measure/{one.name}")
    assert "<script>alert" not in text
    assert page(web, f"/measure/compare?run={one.name}&run={two.name}").count("<tr>") == 3
    page(web, f"/measure/compare?run={one.name}", 404)
    shutil.copytree(one, tmp_path / "home" / "streams" / one.name)  # an evaluation is a stream of papers
    assert "/measure/streams/papers" in page(web, "/measure")
    assert "<svg" in page(web, "/measure/streams/papers")
    page(web, "/measure/streams/nothing", 404)
