"""Behind a real nginx: nobody is taken for this machine's user, and the settings of the guide work."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from quire.app.server.keys import Keys
from tests.app.conftest import copied
from tests.app.server.loopback import serving
from tests.app.server.test_access import API, bearer

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
GUIDE = (Path(__file__).parents[3] / "docs" / "serve.md").read_text("utf-8")
LOCATION = re.search(r"```nginx\n.*?(location / \{.*?\n    \})", GUIDE, re.S)
PLAIN = "location / { proxy_pass http://127.0.0.1:8765; }"
HOST = "location / { proxy_pass http://127.0.0.1:8765; proxy_set_header Host $host; }"

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def nginx(served: str, location: str, folder: Path) -> Iterator[str]:
    """A real nginx before a server; gives nginx's address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/log; events {{}}\n"
        f"http {{ access_log off; {paths} server {{ listen 127.0.0.1:{port};"
        f" {location.replace('http://127.0.0.1:8765', served)} }} }}\n"
    )
    with subprocess.Popen([str(NGINX), "-e", f"{folder}/log", "-c", f"{folder}/nginx.conf"]) as proxy:
        try:
            end = time.monotonic() + 10
            while time.monotonic() < end and not _listens(port):
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            proxy.terminate()


@pytest.mark.parametrize("location", [PLAIN, HOST, LOCATION[1] if LOCATION else ""])
def test_who_comes_through_a_proxy_is_not_this_machines_user(
    filled: Path, tmp_path: Path, location: str
) -> None:
    folder = copied(filled, tmp_path / "library")
    keys = Keys(tmp_path / "home", folder)
    with (
        serving(folder, keys, index__encoders=("text_bm25_en",)) as served,
        nginx(served, location, tmp_path) as proxy,
    ):
        assert httpx.get(f"{served}{API}/papers").status_code == 200  # nobody is asked for a key at home
        for host in ("localhost", "127.0.0.1", "papers.example"):
            told = httpx.get(f"{proxy}{API}/papers", headers={"Host": host})
            assert told.status_code in (401, 421), host


def test_the_settings_of_the_guide_work(filled: Path, tmp_path: Path) -> None:
    assert LOCATION is not None
    folder = copied(filled, tmp_path / "library")
    keys = Keys(tmp_path / "home", folder)
    secret = keys.add("ann", "ask")
    with (
        serving(folder, keys, names=("papers.example",), index__encoders=("text_bm25_en",)) as served,
        nginx(served, LOCATION[1], tmp_path) as proxy,
        httpx.Client(base_url=proxy, headers={"Host": "papers.example"}) as web,
    ):
        assert web.get("/", headers={"Accept": "text/html"}).headers["location"].startswith("/keys-help")
        origin = {"Origin": "http://papers.example"}
        assert web.post(f"{API}/session", json={"key": secret}, headers=origin).status_code == 200
        asked = {"question": "What is the DOI of the paper?", "papers": ["paper-boats.pdf"]}
        told = web.post(f"{API}/ask", json=asked, headers=bearer(secret), timeout=60)
        assert told.json()["answer"]["value"] == "10.5555/ksc.2024.001"
        assert httpx.get(f"{served}{API}/papers").status_code == 401
