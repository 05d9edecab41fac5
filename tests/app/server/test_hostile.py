"""Hostile files and texts: names that lead elsewhere, bombs, markup, too much of everything."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from quire.app.server.works import UploadLimits, safe_name
from tests.app.server.conftest import Serve, finished
from tests.library.conftest import write_pdf

API = "/api/v1"


def pdf(objects: list[bytes]) -> bytes:
    """A PDF of these objects, the first of which is the catalog."""
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return out + end % (len(objects) + 1, table, len(objects) + 1, len(out))


def one_page(content: bytes, box: bytes = b"0 0 300 300") -> bytes:
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>" % box,
            b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(content), content),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
    )


def sent(web: TestClient, *files: tuple[str, bytes]) -> Any:
    return web.post(f"{API}/papers", files=[("files", (*each, "application/pdf")) for each in files])


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd.pdf"),
        ("C:\\temp\\..\\a.pdf", "a.pdf"),
        ("....", "unnamed.pdf"),
        (".hidden.pdf", "hidden.pdf"),
        ("a\x00b\x1b[31m\u202egpj.pdf", "a b [31m gpj.pdf"),
        ("", "unnamed.pdf"),
        ("ü" * 500, "ü" * 60 + ".pdf"),
        ("~root", "~root.pdf"),
        ("@list.txt", "@list.txt.pdf"),
    ],
)
def test_a_name_is_cut_down_to_a_name(name: str, kept: str) -> None:
    assert safe_name(name) == kept


@pytest.mark.parametrize(
    "id",
    ["..%2f..%2fserve.sqlite", "%2e%2e", "..%5c..", "x%00y", "*", "a" * 5000, "%f0%9f%98%80", "%ed%a0%80"],
)
def test_ids_lead_nowhere(web: TestClient, id: str) -> None:
    places = ("papers/{}", "papers/{}/file", "runs/{}", "threads/{}", "jobs/{}", "memory/{}", "quizzes/{}")
    for place in (*places, "evaluations/{}", "streams/{}", "asks/{}/events", "papers/{}/pages/1.png"):
        answer = web.get(f"{API}/{place.format(id)}")
        assert answer.status_code in (404, 422), (place, answer.text)
    assert web.delete(f"{API}/papers/{id}").status_code == 404
    assert web.post(f"{API}/papers/{id}/restore").status_code == 404


def test_what_is_no_pdf_or_too_much_is_not_taken(serve: Serve, tmp_path: Path) -> None:
    web = serve(empty=True, limits=UploadLimits(files=3, file_bytes=200_000, total_bytes=400_000))
    good = write_pdf(tmp_path / "a.pdf", "On Boats").read_bytes()
    assert sent(web, ("a.pdf", good), ("b.pdf", b"<script>")).json()["error"]["type"] == "NotAPdf"
    told = sent(web, ("talk/notes.docx", b"PK")).json()["error"]
    assert told["message"] == "notes.docx is no PDF."
    assert "soffice --headless --convert-to pdf notes.docx" in told["hint"]
    assert sent(web, ("a.pdf", good + b"x" * 200_000)).json()["error"]["type"] == "DocumentLimit"
    assert sent(web, *[("a.pdf", good)] * 4).json()["error"]["type"] == "DocumentLimit"
    assert sent(web, ("a.pdf", good + b"x" * 500_000)).status_code == 413

    def endless() -> Any:
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n%PDF-'
        for _ in range(1000):
            yield b"x" * 10_000

    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    assert web.post(f"{API}/papers", content=endless(), headers=kind).status_code == 413
    assert web.get(f"{API}/papers").json()["total"] == 0
    assert web.get(f"{API}/jobs").json()["jobs"] == []
    assert not list((tmp_path / "library" / "serve" / "uploads").glob("*"))


def test_bombs_cost_themselves_alone(serve: Serve, tmp_path: Path) -> None:
    web = serve(empty=True, settings={"parsing__time_limit": 12, "parsing__memory_limit": 512})
    pack = zlib.compressobj(9)
    inflating = b"".join(pack.compress(b"0 0 m 9 9 l S\n" * 80_000) for _ in range(40)) + pack.flush()
    vast = one_page(zlib.compress(b"BT /F 12 Tf 9 9 Td (vast) Tj ET"), b"0 0 14400 14400")
    good = write_pdf(tmp_path / "a.pdf", "On Boats").read_bytes()
    job = finished(web, sent(web, ("bomb.pdf", one_page(inflating)), ("vast.pdf", vast), ("a.pdf", good)))
    outcomes = {file["file_name"]: file["outcome"] for file in job["result"]["files"]}
    assert outcomes["a.pdf"] == "added"
    for paper in web.get(f"{API}/papers").json()["papers"]:
        picture = web.get(f"{API}/papers/{paper['id']}/pages/1.png", params={"dpi": 300})
        assert picture.status_code in (200, 404, 422)
        assert len(picture.content) < 20_000_000
    assert web.get(f"{API}/health").status_code == 200


def test_markup_stays_text(serve: Serve, tmp_path: Path) -> None:
    web = serve(empty=True)
    evil = "<script>alert(1)</script> & <img src=x onerror=alert(2)>"
    file = write_pdf(tmp_path / "a.pdf", evil, "Text of boats.")
    finished(web, sent(web, ("<b>a.pdf", file.read_bytes())))
    listed = web.get(f"{API}/papers")
    assert listed.headers["content-type"] == "application/json"
    (paper,) = listed.json()["papers"]
    assert paper["file_name"] == "<b>a.pdf"
    for place in ("/", f"/papers/{paper['id']}", f"/read/{paper['id']}/1"):
        page = web.get(place)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text


def test_deep_and_long_json_is_refused(web: TestClient) -> None:
    kind = {"Content-Type": "application/json"}
    for body in (
        b"[" * 100_000,
        b'{"question": ' + b"[" * 2000 + b"]" * 2000 + b"}",
        b'{"question": "\xff"}',
    ):
        assert web.post(f"{API}/ask", content=body, headers=kind).status_code in (400, 422)
    long = json.dumps({"question": "x" * 3_000_000})
    assert web.post(f"{API}/ask", content=long, headers=kind).status_code == 413
    lone = b'{"question": "\\ud800 boats"}'
    assert web.post(f"{API}/ask", content=lone, headers=kind).status_code in (200, 422)
