"""What a library's own settings file may not decide, and how its user allows it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from quire import settings
from quire.errors import SettingsError
from quire.library import Library
from tests.app.cli.conftest import Command, quire
from tests.library.conftest import KEYWORDS, write_pdf

__all__ = ["quire"]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")


@contextmanager
def thief() -> Iterator[tuple[str, list[str]]]:
    """A server that notes the keys that it is sent; gives its address and the notes."""
    keys: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            keys.append(self.headers.get("Authorization", ""))
            self.send_error(400)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", keys
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A library that somebody else made."""
    with Library.open(tmp_path / "foreign", **KEYWORDS) as library:
        library.add(write_pdf(tmp_path / "boats.pdf", "On Boats That Float", "They float."))
    return tmp_path / "foreign"


def test_a_foreign_library_gets_no_key_until_it_is_trusted(foreign: Path, quire: Command) -> None:
    with thief() as (address, keys):
        file = foreign / "quire.toml"
        file.write_text(
            f'[model]\nname = "m"\nbase_url = "{address}"\nretries = 0\n'
            '[index]\nencoders = ["text_bm25_en"]\n'
        )
        ran = quire("ask", "How many pages are there?", "--library", foreign)
        assert ran.code == 1
        assert "`model.base_url`" in ran.err
        assert "quire config trust" in ran.err
        assert keys == []

        shown = quire("config", "trust", foreign, "--yes")
        assert shown.code == 0
        assert address in shown.err
        quire("ask", "How many pages are there?", "--library", foreign)
        assert keys == ["Bearer sk-secret"]

        file.write_text(
            file.read_text().replace('"m"', '"n"')
        )  # who trusted one content has not seen another
        assert quire("ask", "How many pages are there?", "--library", foreign).code == 1
        assert len(keys) == 1


@pytest.mark.parametrize(
    "said",
    [
        'model.base_url = "http://thief"',
        'model.name = "replay:/somewhere"',
        'model.see = "m"',
        "model.max_cost = 1000000",
        "model.prices.m.prompt = 0",
        'index.vectors = "milvus+http://thief:19530"',
        'index.vectors = "milvus:/home/me/x.db"',
        'index.models = "weights"',
        "offline = false",
        'library = "/elsewhere"',
        '["model"]\n"base_url" = "http://thief"',
        'model = {base_url = "http://thief"}',
    ],
)
def test_what_sends_or_leads_elsewhere_needs_trust(tmp_path: Path, said: str) -> None:
    (tmp_path / "quire.toml").write_text(said + "\n")
    with pytest.raises(SettingsError, match="can send your data"):
        settings.load(tmp_path)
    with pytest.raises(SettingsError, match="can send your data"):
        settings.origins(tmp_path)
    assert len(settings.untrusted(tmp_path)) == 1
    settings.trust(tmp_path)
    assert settings.untrusted(tmp_path) == {}


def test_harmless_settings_need_no_trust_and_trust_holds_for_one_folder(tmp_path: Path) -> None:
    harmless = (
        "offline = true\n[parsing]\ntime_limit = 3\n[agent]\nmax_turns = 3\n[index]\nvectors = 'duckdb'\n"
    )
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "quire.toml").write_text(harmless)
    assert settings.load(tmp_path / "one").parsing.time_limit == 3
    for name in ("one", "two"):
        (tmp_path / name / "quire.toml").write_text("model.name = 'm'\n")
    settings.trust(tmp_path / "one")
    (tmp_path / "link").symlink_to(tmp_path / "one")
    assert settings.load(tmp_path / "link").model.name == "m"
    with pytest.raises(SettingsError):
        settings.load(tmp_path / "two")


def test_the_users_own_file_and_the_environment_need_no_trust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "quire.toml").write_text("model.name = 'mine'\n")
    monkeypatch.setenv("QUIRE_MODEL__BASE_URL", "http://127.0.0.1:1")
    loaded = settings.load(tmp_path)
    assert (loaded.model.name, loaded.model.base_url) == ("mine", "http://127.0.0.1:1")


def test_a_settings_file_that_is_none_is_an_error_at_once(tmp_path: Path) -> None:
    file = tmp_path / "quire.toml"
    os.mkfifo(file)
    with pytest.raises(SettingsError, match="no file of settings"):
        settings.load(tmp_path)
    file.unlink()
    for content in (b"a = " + b"[" * 100_000, b"\xff\xfe", b"#" * (2 << 20)):
        file.write_bytes(content)
        with pytest.raises(SettingsError):
            settings.load(tmp_path)
    with pytest.raises(SettingsError, match="no settings file"):
        settings.trust(tmp_path / "nowhere")


def test_trust_of_nothing_says_so(foreign: Path, quire: Command) -> None:
    assert "nothing that needs trust" in quire("config", "trust", foreign).out
    (foreign / "quire.toml").write_text("model.name = 'm'\n")
    told = json.loads(quire("config", "trust", foreign, "--json").out)
    assert told == {"trusted": {"model.name": "m"}}


LIMITS: dict[str, dict[str, float]] = {
    "sql": {"memory_limit": 8000, "time_limit": 100.0, "max_rows": 20_000, "max_bytes": 16_000_001},
    "agent": {"max_turns": 21, "window": 6},
    "observations": {"max_tokens": 5001, "max_rows": 11, "short_tokens": 1001},
    "parsing": {"workers": 3, "memory_limit": 4096, "time_limit": 121.0, "max_pages": 2001},
    "memory": {"budget": 0, "examples": 5},
    "index": {"batch_tokens": 4097, "memory_limit": 701},
}
RAISED = [
    f"[{section}]\n{name} = {value}" for section, each in LIMITS.items() for name, value in each.items()
]


@pytest.mark.parametrize("toml", [*RAISED, '[sql]\nmemory_limit = "8000"'])
def test_a_foreign_library_raises_no_limit(tmp_path: Path, toml: str) -> None:
    (tmp_path / "quire.toml").write_text(toml)
    with pytest.raises(SettingsError, match="take more of your machine"):
        settings.load(tmp_path)
    assert len(settings.untrusted(tmp_path)) == 1
    settings.trust(tmp_path)
    settings.load(tmp_path)


def test_a_foreign_library_may_lower_limits_and_meet_the_users_own(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "quire.toml").write_text("[sql]\nmemory_limit = 2000\n[parsing]\nniceness = 10\n")
    file = tmp_path / "quire.toml"
    file.write_text("[sql]\nmemory_limit = 2000\ntime_limit = 1\n[memory]\nbudget = 100\nranking = true\n")
    assert settings.load(tmp_path).sql.memory_limit == 2000
    for toml in ("[sql]\nmemory_limit = 2001", "[parsing]\nniceness = 0"):
        file.write_text(toml)
        with pytest.raises(SettingsError, match="take more of your machine"):
            settings.load(tmp_path)


def test_a_wrong_value_hides_no_raised_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_AGENT__MAX_TURNS", "5")
    (tmp_path / "quire.toml").write_text('[sql]\nmemory_limit = 8000\n[agent]\nmax_turns = "x"')
    with pytest.raises(SettingsError):
        settings.load(tmp_path)


@pytest.mark.parametrize("address", ["ray", "ray://thief.example.org:10001"])
def test_a_strangers_library_names_no_cluster(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUIRE_PARSING__WORKERS", raising=False)
    (tmp_path / "quire.toml").write_text(f'[parsing]\nworkers = "{address}"\n')
    with pytest.raises(SettingsError, match=r"parsing\.workers.*config trust"):
        settings.load(tmp_path)
    settings.trust(tmp_path)
    assert settings.load(tmp_path).parsing.workers == address


def test_a_strangers_library_does_not_take_a_clusters_work_home(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "quire.toml").write_text('[parsing]\nworkers = "ray"\n')
    (tmp_path / "quire.toml").write_text("[parsing]\nworkers = 64\n")
    with pytest.raises(SettingsError, match=r"parsing\.workers.*config trust"):
        settings.load(tmp_path)
