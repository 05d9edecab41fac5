from __future__ import annotations

from pathlib import Path

import pytest

from quire.errors import SettingsError
from quire.settings import load, origins


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("QUIRE_PARSING__WORKERS", raising=False)


def test_the_stronger_source_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "quire.toml").write_text("[parsing]\nworkers = 3\ntime_limit = 7\n")
    (tmp_path / "quire.toml").write_text("[parsing]\nworkers = 2\n")
    assert load(tmp_path).parsing.workers == 2
    assert load(tmp_path).parsing.time_limit == 7
    monkeypatch.setenv("QUIRE_PARSING__WORKERS", "5")
    assert load(tmp_path).parsing.workers == 5
    assert load(tmp_path, parsing__workers=6).parsing.workers == 6
    assert origins(tmp_path)["parsing.workers"] == "environment"
    assert origins(tmp_path)["parsing.time_limit"].endswith("quire.toml")


def test_lists_come_from_the_environment_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_INDEX__ENCODERS", '["text_bm25_en"]')
    assert load(tmp_path).index.encoders == ("text_bm25_en",)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[parsing]\nworker = 3\n", "parsing.worker"),
        ("[parsing]\nworkers = 0\n", "parsing.workers"),
        ("[parsing\n", "quire.toml"),
        ("[sql]\ntime_limit = 1e9\n", "sql.time_limit"),
        ("[sql]\ntime_limit = inf\n", "sql.time_limit"),
        ("[sql]\nmax_rows = 999999999999999999999999\n", "sql.max_rows"),
        ("[parsing]\nmemory_limit = 99999999999\n", "parsing.memory_limit"),
        ("[model]\nmax_cost = nan\n[model.prices.m]\nprompt = -5\n", "needs|sets"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, toml: str, said: str) -> None:
    (tmp_path / "quire.toml").write_text(toml)
    with pytest.raises(SettingsError, match=said):
        load(tmp_path)


def test_none_leaves_a_setting_alone(tmp_path: Path) -> None:
    assert load(tmp_path, parsing__workers=None) == load(tmp_path)


@pytest.mark.parametrize("value", [0, 257, "ray:", "ray://", "ray://host", "ray://a b:1", "http://h:1", True])
def test_workers_are_a_number_or_a_cluster(value: object, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"parsing\.workers.*ray://HOST:PORT"):
        load(tmp_path, parsing__workers=value)


@pytest.mark.parametrize("value", [3, "3", "ray", "ray://head.example.org:10001", "ray://[::1]:10001"])
def test_what_workers_may_be(value: object, tmp_path: Path) -> None:
    found = load(tmp_path, parsing__workers=value).parsing
    assert str(found.workers) == str(value)
    assert found.children == (3 if str(value) == "3" else 2)
