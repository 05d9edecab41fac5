"""Papers over REST: list, add, show, remove, restore; pages and files."""

from __future__ import annotations

import json
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

from starlette.testclient import TestClient

from quire.store import WriterLock
from tests.app.server.conftest import Serve, finished
from tests.library.conftest import write_pdf

API = "/api/v1"


def test_papers_are_listed_searched_and_sorted(web: TestClient) -> None:
    every = web.get(f"{API}/papers", params={"sort": "title"}).json()
    titles = [paper["title"] for paper in every["papers"]]
    assert every["total"] == len(titles) > 1
    assert titles == sorted(titles, key=str.lower)
    word = titles[0].split()[-1]
    some = web.get(f"{API}/papers", params={"q": word.upper()}).json()
    assert titles[0] in [paper["title"] for paper in some["papers"]]
    assert web.get(f"{API}/papers", params={"state": "failed"}).json()["total"] == 0
    assert "source_path" not in every["papers"][0]


def test_a_paper_shows_what_it_consists_of(web: TestClient) -> None:
    listed = web.get(f"{API}/papers").json()["papers"][0]
    found = web.get(f"{API}/papers/{listed['id']}").json()
    assert found["paper"]["counts"] == listed["counts"]
    assert found["paper"]["counts"]["sections"] == len(found["sections"]) > 0
    assert found["pages"][0] == {**found["pages"][0], "number": 1}
    assert found["bibtex"].startswith("@")


def test_pages_come_as_picture_text_and_words(web: TestClient) -> None:
    id = web.get(f"{API}/papers").json()["papers"][0]["id"]
    first = web.get(f"{API}/papers/{id}/pages/1.png")
    assert first.content.startswith(b"\x89PNG")
    again = web.get(f"{API}/papers/{id}/pages/1.png", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    text = web.get(f"{API}/papers/{id}/pages/1/text").json()["text"]
    words = web.get(f"{API}/papers/{id}/pages/1/words").json()
    assert words["words"][0]["text"] in text
    assert 0 <= words["words"][0]["box"][0] < words["width"]
    assert web.get(f"{API}/papers/{id}/pages/999.png").status_code == 404


def test_an_upload_becomes_a_paper_and_can_be_removed_and_restored(serve: Serve, tmp_path: Path) -> None:
    web = serve(empty=True)
    pdf = write_pdf(tmp_path / "a.pdf", "On the Rowing of Boats", "Boats are rowed with oars.")
    sent = {"files": ("../../on boats.pdf", pdf.read_bytes(), "application/pdf")}
    job = finished(web, web.post(f"{API}/papers", files=sent))
    assert [file["outcome"] for file in job["result"]["files"]] == ["added"]
    (paper,) = web.get(f"{API}/papers").json()["papers"]
    assert paper["file_name"] == "on boats.pdf"
    assert web.delete(f"{API}/papers/{paper['id']}").status_code == 200
    assert web.get(f"{API}/papers").json()["total"] == 0
    (gone,) = web.get(f"{API}/papers/removed").json()["papers"]
    assert (gone["id"], gone["title"], gone["until"] > gone["removed"]) == (paper["id"], paper["title"], True)
    assert "Removed lately (1)" in web.get("/").text
    finished(web, web.post(f"{API}/papers/{paper['id']}/restore"))
    assert "Removed lately" not in web.get("/").text
    (back,) = web.get(f"{API}/papers").json()["papers"]
    assert (back["id"], back["file_name"]) == (paper["id"], "on boats.pdf")
    assert web.post(f"{API}/papers/{paper['id']}/restore").status_code == 404


def test_a_failed_file_comes_back_though_the_library_was_locked(serve: Serve, tmp_path: Path) -> None:
    web = serve(empty=True)
    finished(web, web.post(f"{API}/papers", files={"files": ("a.pdf", b"%PDF-1.4 a", "application/pdf")}))
    (paper,) = web.get(f"{API}/papers").json()["papers"]
    web.delete(f"{API}/papers/{paper['id']}")
    with WriterLock(tmp_path / "library"):
        answer = web.post(f"{API}/papers/{paper['id']}/restore")
        while web.get(answer.headers["location"]).json()["progress"].get("stage") != "waiting":
            time.sleep(0.02)
    assert [each["file_name"] for each in finished(web, answer)["result"]["files"]] == ["a.pdf"]
    (back,) = web.get(f"{API}/papers").json()["papers"]
    assert (back["id"], back["state"]) == (paper["id"], "failed")
    assert web.post(f"{API}/papers/{paper['id']}/restore").status_code == 404


def test_the_page_shows_the_latest_of_many_removed_papers(serve: Serve, tmp_path: Path) -> None:
    web = serve(empty=True)
    trash = tmp_path / "library" / "trash"
    trash.mkdir()
    for number in range(53):
        id = str(uuid.UUID(int=number))
        time_of = f"{datetime.now(UTC) - timedelta(minutes=number):%Y-%m-%d %H:%M:%S}"
        note = {"id": id, "title": f"T{number}.", "file_name": "a.pdf", "removed": time_of, "added": time_of}
        (trash / f"{id}.pdf").write_bytes(b"%PDF-")
        (trash / f"{id}.note").write_text(json.dumps({**note, "places": {}}))
    page = web.get("/").text
    assert "Removed lately (53)" in page
    assert "T49." in page
    assert "T50." not in page
    assert "and 3 more: <code>quire restore</code>" in page
    assert "Removed lately" not in web.get("/", params={"q": "boats"}).text


def test_the_file_is_a_download_that_runs_nothing(web: TestClient) -> None:
    id = web.get(f"{API}/papers").json()["papers"][0]["id"]
    file = web.get(f"{API}/papers/{id}/file")
    assert file.content.startswith(b"%PDF-")
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.headers["content-security-policy"].startswith("sandbox")
    assert file.headers["x-content-type-options"] == "nosniff"


def test_metadata_are_corrected_and_taken_back(serve: Serve, tmp_path: Path) -> None:
    web = serve(empty=True)
    pdf = write_pdf(tmp_path / "a.pdf", "On the Rowing of Boats", "Boats are rowed with oars.")
    sent = {"files": ("boats.pdf", pdf.read_bytes(), "application/pdf")}
    finished(web, web.post(f"{API}/papers", files=sent))
    (paper,) = web.get(f"{API}/papers").json()["papers"]
    place = f"{API}/papers/{paper['id']}"
    found = web.patch(place, json={"title": "On Sails", "year": 1974, "authors": ["Ada Quill"]}).json()
    assert (found["paper"]["title"], found["paper"]["year"]) == ("On Sails", 1974)
    told = {one["field"]: one for one in web.get(place).json()["metadata"]}
    assert (told["title"]["corrected"], told["title"]["read"]) == (True, "On the Rowing of Boats")
    assert web.patch(place, json={"title": None}).json()["paper"]["title"] == "On the Rowing of Boats"
    for wrong in ({"bibtex": "x"}, {"year": "soon"}):
        assert web.patch(place, json=wrong).status_code == 400
    assert web.patch(f"{API}/papers/none", json={"title": "x"}).status_code == 404
