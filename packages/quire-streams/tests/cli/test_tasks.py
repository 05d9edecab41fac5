"""Commands about the data of tasks, against a real local server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.app.cli.conftest import Command

from quire_streams.tasks import fetching
from quire_streams.tasks.fetching import DataSource, Publication
from tasks.datasets import hotpotqa
from tasks.server import serving


def test_the_list_says_what_it_is_how_large_and_how_to_get_it(quire: Command) -> None:
    rows = {row["name"]: row for row in json.loads(quire("tasks", "list", "--json").out)}
    assert rows["toolbench"]["licence"] == "MIT"
    assert rows["toolbench"]["editions"]["original"] == {
        "files": 1, "bytes": 623783, "all_sizes_known": True,
    }  # fmt: skip
    assert rows["papers"]["editions"] == {}
    told = quire("tasks", "list").out
    assert "quire tasks fetch ddxplus --edition original" in told
    assert "needs a language model" in told
    assert "CC BY-SA 4.0" in told
    assert "quire tasks fetch papers" not in told


def test_fetched_data_can_be_streamed(
    quire: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (hotpotqa(tmp_path / "made") / "dev_distractor_500.jsonl").read_bytes()
    with serving() as place:
        place.files["/rows"] = rows
        file = DataSource(f"{place.url}/rows", "test.jsonl", bytes=len(rows), editions=("streambench",))
        toy = Publication("Questions.", "none", "https://example.org", "nothing", (file,))
        monkeypatch.setattr(fetching, "publications", lambda: {"hotpotqa": toy})
        ran = quire("tasks", "fetch", "hotpotqa", "-o", tmp_path / "own")
        assert ran.code == 0, ran.err
        assert "1 file" in ran.err
        assert f"quire stream run --task hotpotqa --data {tmp_path / 'own'}" in ran.err.replace("\n", "")
        place.codes["/rows"] = 404
        again = quire("tasks", "fetch", "hotpotqa", "-o", tmp_path / "own", "--json")
        assert json.loads(again.out) == {"files": [str(tmp_path / "own" / "test.jsonl")]}
        refused = quire("tasks", "fetch", "hotpotqa", "-o", tmp_path / "new", "--offline")
        assert refused.code != 0
        assert f"{place.url}/rows" in refused.err.replace("\n", "")
    done = quire("tasks", "import", "hotpotqa", tmp_path / "own", "-o", tmp_path / "copy")
    assert done.code == 0, done.err


def test_libraries_are_not_installed_offline(quire: Command) -> None:
    refused = quire("tasks", "environment", "--small", "--offline")
    assert refused.code != 0
    assert "package index" in refused.err
