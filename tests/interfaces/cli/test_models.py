from __future__ import annotations

import json
from pathlib import Path

from tests.interfaces.cli.conftest import Command
from tests.interfaces.conftest import copied


def test_models_are_listed_with_their_sizes(quire: Command) -> None:
    rows = json.loads(quire("models", "list", "--json").out)
    assert {row["name"] for row in rows} >= {"all-MiniLM-L6-v2", "bge-large-en-v1.5"}
    assert all(row["size"] > 0 for row in rows)


def test_nothing_is_fetched_offline(quire: Command, tmp_path: Path) -> None:
    ran = quire("models", "download", "bge-large-en-v1.5", "--offline", "--library", tmp_path)
    assert ran.code == 1
    assert "OfflineError" in ran.err


def test_summaries_are_estimated_first_and_written_by_the_model(
    quire: Command, filled: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "library"
    copied(filled, folder)
    dry = quire("summarize", "--model", "echo", "--dry-run", "--library", folder, "--json")
    assert json.loads(dry.out)["estimate"]["papers"] == 4
    assert "model" in quire("summarize", "--library", folder).err


def test_vectors_move_there_and_back(quire: Command, filled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    copied(filled, folder)
    asked = ("search", "keel boat", "--library", folder, "--json", "--limit", 3)
    before = json.loads(quire(*asked).out)
    assert (
        quire("vectors", "move", "--to", f"milvus:{tmp_path / 'vectors.db'}", "--library", folder).code == 0
    )
    moved = json.loads(quire(*asked).out)
    assert [hit["key"] for hit in moved] == [hit["key"] for hit in before]
    assert quire("check", "--library", folder).code == 0
    assert quire("vectors", "move", "--to", "duckdb", "--library", folder).code == 0
    assert [hit["key"] for hit in json.loads(quire(*asked).out)] == [hit["key"] for hit in before]
    assert quire("vectors", "move", "--to", "redis:x", "--library", folder).code == 1


def test_config_tells_where_a_setting_comes_from(quire: Command, filled: Path) -> None:
    rows = json.loads(quire("config", "--library", filled, "--json").out)
    assert rows["index.encoders"]["from"].endswith("quire.toml")
    assert rows["parsing.max_pages"]["from"] == "default"
