"""PDFs from the network: a real server of this machine in place of arXiv, doi.org and publishers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from quire.errors import DocumentError, OfflineError
from quire.library import Library
from quire.library.fetching import Fetcher, remote
from quire.settings import load
from tests.hostile_http import ENDLESS, body, hostile
from tests.library.conftest import KEYWORDS, write_pdf

PAGE = b'<html><meta content="/files/paper.pdf?a=1&amp;b=2" name="citation_pdf_url"></html>'


class Web(BaseHTTPRequestHandler):
    pdf = b""
    asked: list[str] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/doi/10.1000/away":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return
        kind, body = {
            "/pdf/1706.03762": ("application/pdf", self.pdf),
            "/doi/10.1000/xyz": ("text/html", PAGE),
            "/files/paper.pdf?a=1&b=2": ("application/octet-stream", self.pdf),
            "/article": ("text/html", PAGE),
            "/login": ("text/html", b"<html>Please log in</html>"),
            "/just.pdf": ("application/pdf", self.pdf.ljust(1 << 20)),
            "/over.pdf": ("application/pdf", self.pdf.ljust((1 << 20) + 1)),
        }.get(self.path, ("", b""))
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    Web.pdf = write_pdf(tmp_path / "source.pdf", "On Boats That Float", "They float.").read_bytes()
    Web.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Web) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def opened(tmp_path: Path, web: str, *, offline: bool = False) -> Library:
    return Library.open(
        tmp_path / "library", offline=offline, fetch__arxiv=f"{web}/pdf/", fetch__doi=f"{web}/doi/",
        fetch__max_mb=1, **KEYWORDS,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("arxiv:1706.03762", "arxiv-1706.03762.pdf"),
        ("doi:10.48550/arXiv.1706.03762", "arxiv-1706.03762.pdf"),
        ("doi:10.1000/xyz", "doi-10.1000-xyz.pdf"),
        ("https://doi.org/10.1000/xyz", "doi-10.1000-xyz.pdf"),
        ("WEB/files/paper.pdf?a=1&b=2", "paper.pdf"),
        ("WEB/article", "article.pdf"),
    ],
)
def test_what_is_named_is_fetched(tmp_path: Path, web: str, name: str, file: str) -> None:
    with opened(tmp_path, web) as library, Fetcher(library.settings, tmp_path / "here") as fetcher:
        got = fetcher.fetch(name.replace("WEB", web))
        assert (got.name, got.read_bytes()) == (file, Web.pdf)
    assert not (tmp_path / "here").exists()


def test_a_fetched_paper_is_in_the_library(tmp_path: Path, web: str) -> None:
    with opened(tmp_path, web) as library:
        report = library.add(["arxiv:1706.03762", "doi:10.1000/none"])
        assert [file.outcome for file in report.files] == ["failed", "added"]
        assert "answers 404" in report.failed[0].reason
        assert library.paper("arxiv-1706.03762.pdf").pages == 1
        assert not (library.folder / "downloads").exists()


def test_offline_refuses_and_asks_nobody(tmp_path: Path, web: str) -> None:
    with opened(tmp_path, web, offline=True) as library:
        report = library.add("arxiv:1706.03762")
        assert "quire runs offline" in report.failed[0].reason
        with Fetcher(library.settings, tmp_path / "here") as fetcher, pytest.raises(OfflineError):
            fetcher.fetch(f"{web}/files/paper.pdf")
    assert Web.asked == []


def test_a_file_may_be_as_large_as_the_settings_say(tmp_path: Path, web: str) -> None:
    with opened(tmp_path, web) as library, Fetcher(library.settings, tmp_path / "here") as fetcher:
        assert fetcher.fetch(f"{web}/just.pdf").stat().st_size == 1 << 20


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("WEB/login", "gives no PDF but text/html"),
        ("WEB/over.pdf", "more than 1 MB"),
        ("WEB/none.pdf", "answers 404"),
        ("doi:10.1000/away", "answers 302|is no address|cannot be reached"),
        ("http://127.0.0.1:9/x.pdf", "cannot be reached"),
    ],
)
def test_what_is_no_pdf_is_told(tmp_path: Path, web: str, name: str, told: str) -> None:
    with opened(tmp_path, web) as library, Fetcher(library.settings, tmp_path / "here") as fetcher:
        with pytest.raises(DocumentError, match=told):
            fetcher.fetch(name.replace("WEB", web))


@pytest.mark.parametrize(
    ("text", "is_remote"),
    [
        ("arxiv:1706.03762v5", True), ("arXiv:hep-th/9901001", True), ("doi:10.1000/xyz", True),
        ("http://x.org/a.pdf", True), ("papers/arxiv.pdf", False), ("ftp://x.org/a.pdf", False),
        ("file:///etc/passwd", False), ("arxiv:", False),
    ],
)  # fmt: skip
def test_only_what_is_named_so_is_remote(text: str, is_remote: bool) -> None:
    assert remote(text) == is_remote


def test_only_what_the_user_names_may_be_on_this_machine(tmp_path: Path, web: str) -> None:
    """A page, and a redirect, that lead from one server of this machine to another."""
    page = f'<meta name="citation_pdf_url" content="{web}/files/paper.pdf?a=1&amp;b=2">'.encode()
    away = f"Location: {web}/files/paper.pdf?a=1&b=2"
    with opened(tmp_path, web) as library, Fetcher(library.settings, tmp_path / "here") as fetcher:
        for act in (body("302 Found", b"", away), body("200 OK", page, "Content-Type: text/html")):
            with hostile(act) as other, pytest.raises(DocumentError, match="not of the open internet"):
                fetcher.fetch(f"{other.url}/article")
        private = body("302 Found", b"", "Location: http://169.254.169.254/latest/meta-data")
        with hostile(private) as other, pytest.raises(DocumentError, match="not of the open internet"):
            fetcher.fetch(f"{other.url}/article")
    assert Web.asked == []


def test_a_redirect_on_the_same_site_is_followed_but_not_for_ever(tmp_path: Path, web: str) -> None:
    found = body("302 Found", b"", "Location: /there")
    with opened(tmp_path, web) as library, Fetcher(library.settings, tmp_path / "here") as fetcher:
        with hostile(found, body("200 OK", Web.pdf)) as other:
            assert fetcher.fetch(f"{other.url}/x.pdf").read_bytes() == Web.pdf
        with hostile(found) as other, pytest.raises(DocumentError, match="leads on without end"):
            fetcher.fetch(f"{other.url}/x.pdf")
        assert len(other.asked) == 8


@pytest.mark.parametrize("name", ENDLESS)
def test_a_download_ends_at_its_limits(tmp_path: Path, web: str, name: str) -> None:
    with hostile(ENDLESS[name]) as other:
        settings = load(tmp_path / "library", fetch__time_limit=0.4, fetch__max_mb=1)
        begun = time.monotonic()
        with Fetcher(settings, tmp_path / "here") as fetcher, pytest.raises(DocumentError):
            fetcher.fetch(f"{other.url}/x.pdf")
        assert time.monotonic() - begun < 20  # of no end; a busy machine is slow


@pytest.mark.parametrize("name", ["http://[::1", "http://[", "https://h:99999/x.pdf", "http://\ud800/x.pdf"])
def test_what_is_no_address_is_a_file_that_failed(tmp_path: Path, web: str, name: str) -> None:
    with opened(tmp_path, web) as library:
        assert "address" in library.add(name).failed[0].reason
