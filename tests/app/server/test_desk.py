"""What people keep on their papers, and what they take away: notes, stars, tags, conversations, exports."""

from __future__ import annotations

import io
import json
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from starlette.testclient import TestClient

from quire.app.server.desk import Threads
from quire.app.server.store import Store
from tests.app.conftest import copied
from tests.app.server.conftest import Serve, five_hundred

API = "/api/v1"
EVIL = "<script>alert(1)</script>"


def boats(web: TestClient) -> str:
    papers = web.get(f"{API}/papers", params={"q": "boats"}).json()["papers"]
    return str(papers[0]["id"])


def test_notes_are_kept_searched_changed_and_come_back(serve: Serve) -> None:
    web = serve()
    paper = boats(web)
    body = {
        "paper": paper,
        "page": 1,
        "boxes": [[72, 90, 200, 12]],
        "quote": "Paper boats sink",
        "text": EVIL,
    }
    note = web.post(f"{API}/notes", json=body).json()
    assert web.patch(f"{API}/notes/{note['id']}", json={"text": "really?"}).json()["text"] == "really?"
    again = serve()  # another process opens the same file
    (kept,) = again.get(f"{API}/notes", params={"q": "SINK really"}).json()["notes"]
    assert (kept["quote"], kept["boxes"]) == ("Paper boats sink", [[72, 90, 200, 12]])
    assert "really?" in web.get("/search", params={"q": "really"}).text
    gone = web.delete(f"{API}/notes/{note['id']}").json()
    assert web.get(f"{API}/notes").json()["notes"] == []
    back = {name: gone[name] for name in ("paper", "page", "boxes", "quote", "text")}
    assert web.post(f"{API}/notes", json=back).status_code == 201
    assert web.post(f"{API}/notes", json=body | {"page": 99}).status_code == 404
    assert web.post(f"{API}/notes", json=body | {"boxes": [[1, 2, 3]]}).status_code == 422


def test_highlights_that_speak_of_a_question_stand_beside_its_answer(web: TestClient) -> None:
    paper = boats(web)
    body = {"paper": paper, "page": 1, "quote": "Water creeps along their folds", "text": EVIL}
    web.post(f"{API}/notes", json=body)
    run = web.post(f"{API}/ask", json={"question": "Why does water creep along folds?"}).json()
    page = web.get(f"/runs/{run['run_id']}").text
    assert "From your notes and highlights" in page
    assert EVIL not in page
    other = web.post(f"{API}/ask", json={"question": "How many seedlings grew?"}).json()
    assert "From your notes" not in web.get(f"/runs/{other['run_id']}").text


def test_the_shelf_keeps_what_is_not_named_and_filters_the_list(serve: Serve) -> None:
    web = serve()
    paper = boats(web)
    web.put(f"{API}/papers/{paper}/shelf", json={"starred": True, "tags": ["folds", " folds ", EVIL, ""]})
    held = web.put(f"{API}/papers/{paper}/shelf", json={"read": True, "collections": ["Thesis"]}).json()
    assert held == {"starred": True, "read": True, "tags": [EVIL, "folds"], "collections": ["Thesis"]}
    for fits in (
        {"tag": "folds"},
        {"collection": "Thesis"},
        {"starred": "true"},
        {"q": "boats", "tag": EVIL},
    ):
        page = web.get("/", params=fits).text
        assert page.count('class="paper ') == 1, fits
        assert EVIL not in page
        (listed,) = web.get(f"{API}/papers", params=fits).json()["papers"]  # programs filter by the same
        assert (listed["id"], listed["shelf"]) == (paper, held)
    assert web.get(f"{API}/papers/{paper}/shelf").json() == held
    other = web.get(f"{API}/papers", params={"unread": "true", "author": "specimen", "year": "-2026"}).json()
    assert [one["shelf"]["tags"] for one in other["papers"]] == [[]] * other["total"] != []
    assert web.get(f"{API}/papers", params={"journal": "none"}).json()["total"] == 0
    web.patch(f"{API}/papers/{paper}", json={"conference_full": "Journal of Folds"})
    for journal, total in (("Journal of Folds", 1), ("folds journal", 1), ("folds letters", 0)):
        assert web.get(f"{API}/papers", params={"journal": journal}).json()["total"] == total
    assert web.get(f"{API}/papers", params={"year": "soon"}).status_code == 400
    refused = web.get(f"{API}/papers", params={"tags": "x"})
    assert (refused.status_code, "did you mean `tag`?" in refused.text) == (422, True)
    assert web.get("/", params={"unread": "true"}).text.count('class="paper ') == 3
    assert web.get("/", params={"tag": "none"}).text.count('class="paper ') == 0
    assert web.get("/", params={"year": "2023-2023"}).text.count('class="paper ') >= 1
    assert web.get("/", params={"year": "soon"}).text.count('class="paper ') == 0


def test_one_title_is_not_yet_one_paper(serve: Serve) -> None:
    web = serve()
    first, second = (each["id"] for each in web.get(f"{API}/papers").json()["papers"][:2])
    for id in (first, second):
        web.patch(f"{API}/papers/{id}", json={"title": "A Handbook of Folding: Chapters"})
    assert web.get("/").text.count("Called the same as <a") == 2
    for id in (first, second):
        web.patch(f"{API}/papers/{id}", json={"doi": "10.1234/folds"})
    assert web.get("/").text.count("The same paper as <a") == 2
    assert "The same paper as <a" in web.get(f"/papers/{first}").text


def test_words_are_found_on_their_page_line_by_line(web: TestClient) -> None:
    paper = boats(web)
    found = web.get(f"{API}/papers/{paper}/find", params={"q": "SOAKING  time"}).json()["places"]
    assert len(found) > 3
    assert all(place["page"] == 1 and len(place["boxes"]) >= 1 for place in found)
    words = web.get(f"{API}/papers/{paper}/pages/1/words").json()
    first = found[0]["boxes"][0]
    spoken = [
        word["text"]
        for word in words["words"]
        if word["box"][1] == first[1] and word["box"][0] >= first[0] - 1
    ]
    assert spoken[0].lower().startswith("soaking")
    assert web.get(f"{API}/papers/{paper}/find", params={"q": "mercury"}).json()["places"] == []


def test_a_highlight_is_the_evidence_of_a_verdict(web: TestClient) -> None:
    paper = next(
        one["id"]
        for one in web.get(f"{API}/papers").json()["papers"]
        if one["file_name"] == "paper-boats.pdf"
    )
    said = "Paper boats sink because water creeps along their folds"
    place = {"paper": paper, "page": 1, "boxes": [[72, 90, 200, 12], [72, 104, 80, 12]], "quote": said}
    note = web.post(f"{API}/notes", json=place).json()["id"]
    asked = {"question": "Why do paper boats go down in the end?", "papers": [paper]}
    run = web.post(f"{API}/ask", json=asked).json()["run_id"]
    assert 'data-verdict="highlight"' in web.get(f"/runs/{run}").text
    address = f"{API}/runs/{run}/verdict"
    assert web.post(address, json={"label": "right", "highlight": "none"}).status_code == 404
    assert web.post(address, json={"label": "right", "highlight": note}).status_code == 200
    again = web.post(f"{API}/ask", json=asked).json()["answer"]["evidence"]
    assert [(one["quote"], one["bbox"]) for one in again] == [(said, [72, 90, 200, 26])]
    assert web.post(address, json={"label": "right", "quote": said}).status_code == 400
    named = {"label": "right", "paper": "paper-boats.pdf", "quote": said}  # without a highlight of it
    assert web.post(address, json=named).status_code == 200
    (again,) = web.post(f"{API}/ask", json=asked).json()["answer"]["evidence"]
    assert (again["quote"], again["page"], again["verified"]) == (said, 1, True)


def test_conversations_are_listed_searched_renamed_and_restored(web: TestClient) -> None:
    thread = web.post(f"{API}/threads", json={}).json()["id"]
    asked = {"question": "How many boats were folded?", "thread": thread}
    web.post(f"{API}/ask", json=asked)
    web.post(f"{API}/ask", json={"question": "What does ST stand for?"})  # as the shell asks: no conversation
    page = web.get("/conversations").text
    assert "How many boats were folded?" in page
    assert "asked in the shell or by a program" in page
    web.patch(f"{API}/threads/{thread}", json={"title": "Fleet"})
    assert "Fleet" in web.get("/conversations", params={"q": "fleet boats"}).text
    web.delete(f"{API}/threads/{thread}")
    assert "Fleet</a>" not in web.get("/conversations").text
    assert web.get(f"{API}/threads/{thread}").status_code == 404
    assert web.post(f"{API}/threads/{thread}/restore").json()["title"] == "Fleet"
    assert "Fleet</a>" in web.get("/conversations").text


def test_what_was_asked_in_the_shell_is_renamed_removed_and_taken_back(serve: Serve) -> None:
    web = serve()
    run = web.post(f"{API}/ask", json={"question": "What does ST stand for?"}).json()["run_id"]
    begun = {"run": run}
    thread = web.post(f"{API}/threads", json=begun).json()
    assert thread["id"] == web.post(f"{API}/threads", json=begun).json()["id"]
    assert (thread["title"], [turn["run"] for turn in thread["turns"]]) == ("What does ST stand for?", [run])
    web.patch(f"{API}/threads/{thread['id']}", json={"title": "Signs"})
    page = web.get("/conversations").text
    assert "Signs" in page
    assert "in the shell" not in page.partition('id="conversations"')[2]
    assert web.delete(f"{API}/threads/{thread['id']}").status_code == 200
    (removed,) = web.get(f"{API}/threads/removed").json()["threads"]
    assert (removed["title"], removed["removed"][:2]) == ("Signs", "20")
    assert f'data-restore="{thread["id"]}"' in web.get("/conversations").text
    assert web.post(f"{API}/threads/{thread['id']}/restore").json()["title"] == "Signs"
    assert web.get(f"{API}/threads/removed").json()["threads"] == []
    assert web.post(f"{API}/threads", json={"run": "none"}).status_code == 404
    web.delete(f"{API}/threads/{thread['id']}")
    again = web.post(f"{API}/threads", json=begun).json()  # one run, one conversation
    assert (again["id"], again["title"]) == (thread["id"], "Signs")
    assert web.get(f"{API}/threads/removed").json()["threads"] == []


def test_a_title_names_the_conversation_of_a_run_and_leaves_its_question(serve: Serve) -> None:
    web = serve()
    run = web.post(f"{API}/ask", json={"question": "What does ST stand for?"}).json()["run_id"]
    thread = web.post(f"{API}/threads", json={"run": run, "title": "Signs"}).json()
    assert thread["title"] == "Signs"
    assert [turn["question"] for turn in thread["turns"]] == ["What does ST stand for?"]


def test_two_who_ask_for_the_conversation_of_a_run_get_the_same(tmp_path: Path) -> None:
    with Store(tmp_path / "serve.sqlite") as store, ThreadPoolExecutor(2) as pool:
        threads = Threads(store)
        for number in range(20):
            made = pool.map(lambda run: threads.of_run(run, "Why?", "2026-01-01"), [f"r{number}"] * 2)
            assert len({each.id for each in made}) == 1


def test_a_state_that_is_not_known_is_shown_as_it_is(serve: Serve) -> None:
    web = serve()
    thread = web.post(f"{API}/threads", json={}).json()["id"]
    web.post(f"{API}/ask", json={"question": "How many boats were folded?", "thread": thread})
    web.app.state.context.store.change("UPDATE turns SET state = 'pondered'")  # type: ignore[attr-defined]
    page = web.get("/conversations")
    assert (page.status_code, "pondered" in page.text) == (200, True)


def test_a_run_that_could_not_be_read_is_listed_once_it_can(serve: Serve, tmp_path: Path) -> None:
    web = serve()
    run = web.post(f"{API}/ask", json={"question": "What does ST stand for?"}).json()["run_id"]
    file = tmp_path / "library" / "runs" / f"{run}.jsonl"
    told = file.read_text()
    file.write_text("x")
    assert "What does ST stand for?" not in web.get("/conversations").text
    file.write_text(told)
    assert "What does ST stand for?" in web.get("/conversations").text


def test_what_was_removed_for_good_does_not_come_back_as_asked_in_the_shell(serve: Serve) -> None:
    web = serve()
    thread = web.post(f"{API}/threads", json={}).json()["id"]
    web.post(f"{API}/ask", json={"question": "How many boats were folded?", "thread": thread})
    web.delete(f"{API}/threads/{thread}")
    web.app.state.context.store.change("UPDATE threads SET removed = '2020-01-01T00:00:00'")  # type: ignore[attr-defined]
    again = serve()
    page = again.get("/conversations").text
    assert "folded" not in page
    assert again.get(f"{API}/threads/removed").json()["threads"] == []
    assert again.post(f"{API}/threads/{thread}/restore").status_code == 404


def test_the_list_says_what_came_of_a_question_and_searches_all(web: TestClient, tmp_path: Path) -> None:
    thread = web.post(f"{API}/threads", json={}).json()["id"]
    asked = {"question": "Why was Napoleon banished to Elba?", "thread": thread}
    run = web.post(f"{API}/ask", json=asked).json()
    assert run["view"]["outcome"] in ("unspoken", "nothing")
    page = web.get("/conversations").text
    assert ">answered<" not in page
    assert " UTC</time>" in page
    file = tmp_path / "library" / "runs" / f"{run['run_id']}.jsonl"
    for number in range(120):  # the oldest of them is searched for
        other = f"20200101-{number:06}"
        told = file.read_text().replace(run["run_id"], other).replace("Napoleon", f"Nobody{number}x")
        file.with_name(f"{other}.jsonl").write_text(told)
    found = web.get("/conversations", params={"q": "nobody0x"}).text
    assert found.count("<li data-id") == 1
    assert "Show more" in web.get("/conversations").text


def test_a_conversation_is_exported_with_citations_in_every_form(web: TestClient) -> None:
    thread = web.post(f"{API}/threads", json={"title": f"Boats {EVIL}"}).json()["id"]
    question = "In Table 1, what is the soaking time of the keel boat at 160 g?"
    run = web.post(f"{API}/ask", json={"question": question, "thread": thread}).json()
    address = f"{API}/threads/{thread}/export"
    text = web.get(address, params={"form": "md", "style": "ieee"}).text
    assert "243.8" in text
    assert "[1, p. 1]" in text
    assert "## References" in text
    page = web.get(address, params={"form": "html"})
    assert page.headers["content-security-policy"].startswith("sandbox")
    assert page.headers["content-disposition"].startswith("attachment")
    assert "<script" not in page.text
    word = web.get(address, params={"form": "docx"}).content
    with zipfile.ZipFile(io.BytesIO(word)) as file:
        shown = "".join(ElementTree.fromstring(file.read("word/document.xml")).itertext())
    assert question in shown
    assert EVIL in shown
    one = f"{API}/runs/{run['run_id']}/export"
    assert "243.8" in web.get(one, params={"form": "text", "style": "vancouver"}).text
    bibtex = web.get(one, params={"form": "bib"}).text
    key = bibtex.partition("{")[2].partition(",")[0]
    assert bibtex.startswith("@")
    assert f"[@{key}, p. 1]" in web.get(one, params={"form": "text", "style": "keys"}).text
    assert web.get(one, params={"form": "pdf"}).status_code == 422
    refused = web.get(one, params={"style": "chicago"})
    assert refused.status_code == 422
    assert all(style in refused.text for style in ("apa", "ieee", "vancouver", "keys"))


def test_a_file_of_an_older_server_is_taken_over(serve: Serve, tmp_path: Path) -> None:
    web = serve()
    thread = web.post(f"{API}/threads", json={"title": "Old"}).json()["id"]
    store = web.app.state.context.store  # type: ignore[attr-defined]
    assert {"notes", "shelf", "labels"} <= {
        row["name"] for row in store.read("SELECT name FROM sqlite_master")
    }
    assert json.loads(web.get(f"{API}/threads/{thread}").text)["title"] == "Old"


def test_five_hundred_papers_are_listed_in_a_tenth_of_a_second(
    serve: Serve, filled: Path, tmp_path: Path
) -> None:
    five_hundred(copied(filled, tmp_path / "library"))
    web = serve()
    every = f"{API}/papers?limit=500"
    for address in ("/", "/?q=boats", "/?year=2023&sort=title", every, "/conversations", "/ask"):
        web.get(address)
        took = []
        for _ in range(3):
            begun = time.process_time()  # of this process: others keep the machine busy
            assert web.get(address).status_code == 200
            took.append(time.process_time() - begun)
        assert sorted(took)[1] < 0.1, address  # now and then the database is opened anew
    assert "500 papers" in web.get("/").text
