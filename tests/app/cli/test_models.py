from __future__ import annotations

import json
from pathlib import Path

import pytest

from quire.llm import finding
from tests.app.cli.conftest import Command
from tests.app.conftest import copied
from tests.hostile_http import hostile, said


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
    last = quire("config", "--library", filled).out.splitlines()[-1]
    assert "quire.toml" in last
    assert "QUIRE_AGENT__MAX_TURNS=10" in last


def test_models_that_could_be_used_are_found_and_one_line_tells_how(
    quire: Command, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MISTRAL_API_KEY", "secret")
    asking = ("ask", "How long does the keel boat float?", "--no-memory", "--library", filled)
    with hostile(said({"data": [{"id": "llama3.1:8b", "owned_by": "library"}]})) as server:
        monkeypatch.setattr(finding, "PORTS", {server.port: "Ollama"})
        line = f"QUIRE_MODEL__BASE_URL=http://127.0.0.1:{server.port}/v1 QUIRE_MODEL__NAME=llama3.1:8b"
        told = quire("models", "find").out
        listed = json.loads(quire("models", "find", "--json").out)
        assert line in quire(*asking).out.splitlines()[-1]
        asked = len(server.asked)
        assert "QUIRE_MODEL" not in quire(*asking, "--offline").out
        assert "line" not in json.loads(quire(*asking, "--json").out)
        assert "QUIRE_MODEL" not in quire(*asking, "--model", "offline").out
        assert len(server.asked) == asked
    assert line in told
    assert "secret" not in told
    assert [row["server"] for row in listed] == ["Ollama", "Mistral"]
    monkeypatch.setattr(finding, "PORTS", {})
    monkeypatch.delenv("MISTRAL_API_KEY")
    nothing = quire("models", "find").out
    assert "No language model" in nothing
    assert "set OPENAI_API_KEY" in nothing  # what to do
    assert "QUIRE_MODEL" not in quire(*asking).out
