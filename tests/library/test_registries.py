"""What registries say of papers: servers of this machine that answer as they do."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from quire.errors import DocumentError, OfflineError, UnknownNameError
from quire.library import Library
from quire.library.registries import REGISTRIES, Registries
from tests.app.cli.conftest import Command, quire
from tests.library.conftest import EXAMPLES, KEYWORDS

__all__ = ["quire"]
TITLE = "Paper Boats: How Hull Folds Change Soaking Time"
DOI = "10.1000/boats"
CROSSREF = {
    "DOI": DOI.upper(), "title": ["Paper Boats: How <i>Hull</i> Folds Change Soaking Time"],
    "author": [{"given": "Maria", "family": "Example"}, {"given": "Jonas", "family": "Sample"},
               {"given": "Li", "family": "Specimen"}],
    "issued": {"date-parts": [[2025, 3]]}, "container-title": ["Annals of Ponds &amp; Lakes"],
    "volume": "7", "issue": "2", "page": "11–19", "publisher": "Kitchen Press",
}  # fmt: skip
OPENALEX = {
    "doi": f"https://doi.org/{DOI}", "title": TITLE, "publication_year": 2025,
    "authorships": [{"author": {"display_name": "Maria Example"}}],
    "primary_location": {"source": {"display_name": "Annals of Ponds & Lakes"}},
    "biblio": {"volume": "7", "issue": "2", "first_page": "11", "last_page": "19"},
}  # fmt: skip
SCHOLAR = {
    "paperId": "x", "title": TITLE, "year": 2025, "authors": [{"name": "Maria Example"}], "venue": "",
    "journal": {"name": "Annals of Ponds & Lakes", "volume": "7", "pages": "11 - 19"},
    "externalIds": {"DOI": DOI, "ArXiv": "2401.00001"},
}  # fmt: skip
STRANGER = {"DOI": "10.1/x", "title": ["Paper Planes"], "issued": {"date-parts": [[None]]}}


class Web(BaseHTTPRequestHandler):
    asked: list[tuple[str, str]] = []
    busy = 0
    broken = b""

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["User-Agent"]))
        parts = urlsplit(self.path)
        path, query = unquote(parts.path), parse_qs(parts.query)
        title = next(iter(query.get("query.bibliographic", query.get("search", query.get("query", [""])))))
        answer: Any = None
        if path == f"/crossref/works/{DOI}":
            answer = {"status": "ok", "message": CROSSREF}
        elif path == "/crossref/works":
            answer = {"message": {"items": [STRANGER, CROSSREF] if title == TITLE else []}}
        elif path == f"/openalex/works/doi:{DOI}":
            answer = OPENALEX
        elif path == "/openalex/works":
            answer = {"meta": {"count": 1}, "results": [OPENALEX]}
        elif path == f"/scholar/graph/v1/paper/DOI:{DOI}":
            answer = SCHOLAR
        elif path == "/scholar/graph/v1/paper/search":
            answer = {"total": 1, "data": [SCHOLAR]} if title == TITLE else {"total": 0}
        status = 200 if answer is not None else 404
        if Web.busy:
            Web.busy -= 1
            status = 429
        content = Web.broken or json.dumps(answer or "Resource not found.").encode()
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def web() -> Iterator[str]:
    Web.asked, Web.busy, Web.broken = [], 0, b""
    with ThreadingHTTPServer(("127.0.0.1", 0), Web) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def settings(web: str) -> dict[str, Any]:
    return {
        **KEYWORDS,
        "fetch__crossref": f"{web}/crossref",
        "fetch__openalex": f"{web}/openalex",
        "fetch__semantic_scholar": f"{web}/scholar",
        "fetch__mailto": "me@example.org",
        "fetch__pause": 0.0,
    }


@pytest.fixture
def boats(web: str, tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", **settings(web)) as library:
        library.add(EXAMPLES / "paper-boats.pdf")
        yield library


@pytest.mark.parametrize("source", list(REGISTRIES))
def test_a_paper_without_doi_is_found_by_its_title(boats: Library, source: str) -> None:
    registries = Registries(boats.settings, boats.folder / "cache")
    found = registries.proposed(source, boats.told("paper-boats.pdf"))
    assert found
    then = {name: new for name, (_, new) in found.changes.items()}
    assert (then["doi"], then["pub_year"], then["volume"]) == (DOI, 2025, "7")
    assert (then["journal"], then["first_page"], then["last_page"]) == ("Annals of Ponds & Lakes", "11", "19")
    assert "title" not in then, "it is the same but for its tags"
    assert found.changes["pub_year"] == (2024, 2025)
    assert all("me@example.org" in agent for _, agent in Web.asked)
    assert "mailto=me%40example.org" in Web.asked[0][0]
    asked = len(Web.asked)
    again = registries.proposed(source, boats.told("paper-boats.pdf"))
    assert again == found
    assert len(Web.asked) == asked, "answers are kept"


@pytest.mark.parametrize("source", list(REGISTRIES))
def test_a_doi_is_asked_first_and_what_the_user_said_is_left_alone(boats: Library, source: str) -> None:
    boats.edit("paper-boats.pdf", {"doi": DOI, "year": 1999})
    found = Registries(boats.settings, boats.folder / "cache").proposed(source, boats.told("paper-boats.pdf"))
    assert found
    assert not {"pub_year", "doi"} & set(found.changes)
    assert len(Web.asked) == 1


def test_a_stranger_of_the_same_title_is_not_taken(boats: Library) -> None:
    boats.edit("paper-boats.pdf", {"authors": "Somebody Else", "year": 1999})
    registries = Registries(boats.settings, boats.folder / "cache")
    assert registries.proposed("crossref", boats.told("paper-boats.pdf")) is None
    boats.edit("paper-boats.pdf", {"title": "Quite Another Paper"})
    assert registries.proposed("crossref", boats.told("paper-boats.pdf")) is None


def test_who_is_asked_too_often_is_waited_for_once(boats: Library) -> None:
    registries = Registries(boats.settings, boats.folder / "cache")
    Web.busy = 1
    assert registries.proposed("crossref", boats.told("paper-boats.pdf"))
    Web.busy = 2
    with pytest.raises(DocumentError, match="429"):
        registries.proposed("openalex", boats.told("paper-boats.pdf"))


NONSENSE = [b"<html>", b"[[[", b'{"message": 3}', b'{"message": {"items": [{"issued": 7}]}}', b"7"]


@pytest.mark.parametrize("broken", NONSENSE)
def test_nonsense_is_told_or_nothing(boats: Library, broken: bytes) -> None:
    Web.broken = broken
    registries = Registries(boats.settings, boats.folder / "cache")
    told = boats.told("paper-boats.pdf")
    for source in REGISTRIES:
        found = None
        with contextlib.suppress(DocumentError):  # of no other kind
            found = registries.proposed(source, told)
        assert found is None


def test_offline_refuses_and_a_wrong_name_is_told(boats: Library, web: str) -> None:
    offline = Library.open(boats.folder, **settings(web), offline=True)
    with pytest.raises(OfflineError, match="crossref"):
        Registries(offline.settings, boats.folder / "cache").proposed(
            "crossref", boats.told("paper-boats.pdf")
        )
    assert Web.asked == []
    with pytest.raises(UnknownNameError, match="openalex"):
        Registries(boats.settings, boats.folder / "cache").proposed("scopus", boats.told("paper-boats.pdf"))


def test_the_command_shows_the_difference_and_takes_it_only_if_told(
    boats: Library, web: str, quire: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings(web).items():
        if name.startswith("fetch"):
            monkeypatch.setenv(f"QUIRE_{name.upper()}", str(value))
    ran = quire("fetch-metadata", "--library", boats.folder)
    assert "- 2024" in ran.err
    assert "+ 2025" in ran.err
    assert "0 of 1 papers corrected." in ran.out
    assert boats.paper("paper-boats.pdf").year == 2024
    assert "1 of 1" in quire("fetch-metadata", "paper-boats.pdf", "--yes", "--library", boats.folder).out
    assert boats.paper(DOI).year == 2025
    assert "says the same" in quire("fetch-metadata", "--from", "crossref", "--library", boats.folder).err
    told = json.loads(quire("fetch-metadata", "--json", "--library", boats.folder).out)
    assert told[0]["taken"] is False
    assert quire("fetch-metadata", "--offline", "--from", "openalex", "--library", boats.folder).code == 1
