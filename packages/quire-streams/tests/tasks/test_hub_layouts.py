"""Every task reads the StreamBench set as published: JSON Lines, parquet, and the folders of the hub."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from quire.errors import TaskError
from quire.eval import files
from quire_streams.tasks.protocol import open_task
from quire_streams.tasks.toolbench import ApiCall
from tasks.datasets import MAKERS

_SQL = {"question_id": 0, "evidence": "", "difficulty": "easy"}
# The published fields: one test and one training row of every configuration.
ROWS: Mapping[str, tuple[str, str, Mapping[str, Any], Mapping[str, Any]]] = {
    "spider": (
        "spider", "train",
        {"question": "How many animals?", "SQL": "SELECT count(*) FROM animal", "db_id": "zoo", **_SQL},
        {"question": "Who is heavy?", "SQL": "SELECT 1", "db_id": "zoo", **_SQL},
    ),
    "cosql": (
        "cosql", "train",
        {"question": "Not heavy?", "SQL": "SELECT 1 FROM animal WHERE kilos < = 1", "db_id": "zoo", **_SQL},
        {"question": "And the rest?", "SQL": "SELECT 2", "db_id": "zoo", **_SQL},
    ),
    "bird": (
        "bird", "train",
        {"question": "How many?", "SQL": "SELECT count(*) FROM animal", "db_id": "zoo", **_SQL,
         "question_id": 7, "evidence": "all of them"},
        {"question": "Which?", "SQL": "SELECT 3", "db_id": "zoo", **_SQL},
    ),
    "ds1000": (
        "ds_1000", "",
        {"prompt": "Add 1 to x.", "reference_code": "result = x + 1", "code_context": "def f(s): 0",
         "metadata": {"problem_id": 3, "library": "Pandas", "perturbation_type": "Origin"}},
        {},
    ),
    "toolbench": (
        "toolbench", "",
        {"query": "Which day follows 2020-01-01?", "api_name": "add_date",
         "api_input": '{"date": "2020-01-01", "days": 1}'},
        {},
    ),
    "ddxplus": (
        "ddxplus", "validate",
        {"PATIENT_PROFILE": "Sex: F, age: 3", "PATHOLOGY": "Gout"},
        {"PATIENT_PROFILE": "Sex: M, age: 4", "PATHOLOGY": "Cold"},
    ),
    "hotpotqa": (
        "hotpotqa_distract", "train",
        {"id": "h1", "level": "hard", "question": "Who?", "answer": "Ann",
         "context": {"title": ["A", "B"], "sentences": [["Ann is here.", " She stays."], ["B."]]},
         "supporting_facts": {"title": ["A"], "sent_id": [0]}},
        {"id": "h2", "level": "easy", "question": "Where?", "answer": "Rome",
         "context": {"title": ["R"], "sentences": [["Rome."]]},
         "supporting_facts": {"title": ["R"], "sent_id": [0]}},
    ),
}  # fmt: skip


def _needed(task: str, folder: Path) -> None:
    """What the rows do not hold: databases, lists of conditions, documents of APIs."""
    folder.mkdir(parents=True, exist_ok=True)
    if "SQL" in ROWS[task][2]:
        path = folder / {"bird": "dev_databases"}.get(task, "database") / "zoo" / "zoo.sqlite"
        path.parent.mkdir(parents=True)
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE animal (name TEXT, kilos REAL)")
        db.close()
    elif task == "ddxplus":
        made = MAKERS["ddxplus"](folder / "other")
        for name in ("release_conditions.json", "release_evidences.json"):
            (made / name).rename(folder / name)
    elif task == "toolbench":
        (folder / "tool_metadata").mkdir()
        documents = {"add_date": "Add days.", "unused": "Nothing."}
        (folder / "tool_metadata" / "API_descriptions.json").write_text(json.dumps(documents))


def _parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.with_suffix(".tmp")
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with duckdb.connect() as db:
        db.execute(f"COPY (SELECT * FROM read_json('{lines}', format='nd')) TO '{path}' (FORMAT parquet)")
    lines.unlink()


def _published(folder: Path, task: str, layout: str) -> None:
    config, training, test, train = ROWS[task]
    for split, row in (("test", test), (training, train)):
        if split and layout == "jsonl":
            (folder / f"{split}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        elif split:
            place = folder / config if layout == "hub" else folder
            _parquet(place / f"{split}-00000-of-00001.parquet", [row])


@pytest.mark.parametrize("layout", ["jsonl", "parquet", "hub"])
@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_task_reads_the_published_rows(name: str, layout: str, tmp_path: Path) -> None:
    _needed(name, tmp_path)
    _published(tmp_path, name, layout)
    task = open_task(name)
    (sample,) = task.load(tmp_path)
    _, training, test, train = ROWS[name]
    assert test.get("question", test.get("query", "")) in sample.instance.input
    if name != "ds1000":  # its toy test needs a library
        assert task.score(sample, task.parse(sample.reply, sample.instance)).value == 1.0
    examples = task.examples(tmp_path)
    if training:
        assert [example.key for example in examples] == [train.get("question", train.get("PATIENT_PROFILE"))]
    else:
        assert len(examples) == task.shots  # written by hand


@pytest.mark.parametrize("name", ["spider", "cosql", "bird"])
def test_schemas_come_from_the_databases_where_none_are_published(name: str, tmp_path: Path) -> None:
    _needed(name, tmp_path)
    _published(tmp_path, name, "hub")
    (sample,) = open_task(name).load(tmp_path)
    assert "CREATE TABLE animal (name TEXT, kilos REAL);" in sample.instance.input
    for path in tmp_path.rglob("*.sqlite"):
        path.write_bytes(b"no database, only text of some length" * 40)
    moved = tmp_path.rename(tmp_path.with_name(f"{tmp_path.name}-again"))
    with pytest.raises(TaskError, match="no SQLite database"):
        open_task(name).load(moved)


def test_a_database_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    row = {**ROWS["spider"][2], "db_id": "../../secrets"}
    (tmp_path / "test.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(TaskError, match="no name of a database"):
        open_task("spider").load(tmp_path)


def test_bird_keeps_its_evidence_and_id(tmp_path: Path) -> None:
    _published(tmp_path, "bird", "parquet")
    (sample,) = open_task("bird").load(tmp_path)
    assert sample.instance.id == "0007"
    assert "Hint: all of them" in sample.instance.input


def test_documents_of_apis_are_told_or_asked_for(tmp_path: Path) -> None:
    _published(tmp_path, "toolbench", "hub")
    with pytest.raises(TaskError, match="API_descriptions.json of microsoft/simulated-trial-and-error"):
        open_task("toolbench").load(tmp_path)
    _needed("toolbench", tmp_path)
    (sample,) = open_task("toolbench").load(tmp_path)
    assert sample.instance.fields["documents"] == "API_name: add_date\nDescription: Add days."
    assert sample.gold == ApiCall("add_date", {"date": "2020-01-01", "days": 1})
    (tmp_path / "tool_metadata" / "API_descriptions.json").write_text("{}")
    with pytest.raises(TaskError, match="does not describe the API `add_date`"):
        open_task("toolbench").load(tmp_path)


def test_arguments_may_be_a_record_of_columns(tmp_path: Path) -> None:
    _needed("toolbench", tmp_path)
    rows = [
        {"query": "a?", "api_name": "add_date", "api_input": {"days": 1}},
        {"query": "b?", "api_name": "add_date", "api_input": {"date": "x"}},
    ]
    _parquet(tmp_path / "test-00000-of-00001.parquet", rows)
    samples = open_task("toolbench").load(tmp_path)
    assert [sample.gold.arguments for sample in samples] == [{"days": 1}, {"date": "x"}]


def test_a_set_in_parts_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    for number in range(2):
        context = {"title": ["A"], "sentences": [["a."]]}
        row = {"id": f"{number}", "question": f"Who is {number}?", "answer": "x", "context": context}
        _parquet(tmp_path / f"test-0000{number}-of-00002.parquet", [row])
    assert [one.instance.id for one in open_task("hotpotqa").load(tmp_path)] == ["0", "1"]
    (tmp_path / "test-00001-of-00002.parquet").unlink()
    with pytest.raises(TaskError, match="lacks test-00001-of-00002.parquet"):
        open_task("hotpotqa").load(tmp_path)


def test_a_broken_parquet_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "test-0.parquet").write_bytes(b"<html>")
    with pytest.raises(TaskError, match="cannot be read"):
        files.rows(tmp_path / "test-0.parquet")
