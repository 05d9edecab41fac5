"""Tiny data sets in the published layouts, made on the spot: 20 instances of each task."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SIZE = 20


def spider(folder: Path) -> Path:
    """Single questions on one small database."""
    _database(folder / "database" / "zoo" / "zoo.sqlite")
    rows = [
        {"db_id": "zoo", "question": f"Which animals weigh more than {n} kilos?", "query": _heavier(n)}
        for n in range(SIZE)
    ]
    return _write(folder, {"dev.json": rows, "tables.json": [_TABLES]})


def cosql(folder: Path) -> Path:
    """Ten dialogues of two turns."""
    _database(folder / "database" / "zoo" / "zoo.sqlite")
    rows = [
        {
            "database_id": "zoo",
            "interaction": [
                {"utterance": f"Which animals weigh more than {n} kilos?", "query": _heavier(n)},
                {"utterance": f"How many are those above {n}?", "query": _count(n)},
            ],
        }
        for n in range(SIZE // 2)
    ]
    return _write(folder, {"dev.json": rows, "tables.json": [_TABLES]})


def bird(folder: Path) -> Path:
    """Questions with evidence."""
    _database(folder / "dev_databases" / "zoo" / "zoo.sqlite")
    rows = [
        {
            "question_id": n,
            "db_id": "zoo",
            "question": f"How many heavy animals of class {n}?",
            "evidence": f"heavy means kilos > {n}",
            "SQL": _count(n),
        }
        for n in range(SIZE)
    ]
    return _write(folder, {"dev.json": rows, "dev_tables.json": [_TABLES]})


def ds1000(folder: Path) -> Path:
    """Problems whose tests need no library."""
    rows = [
        {
            "prompt": f"Problem:\nAdd {n} to x; call it result.\nA:\n<code>\nx = 1\n</code>\nBEGIN SOLUTION",
            "reference_code": f"result = x + {n}",
            "code_context": _CONTEXT.replace("NUMBER", str(n)),
            "metadata": {
                "problem_id": n,
                "library": "Python",
                "test_case_cnt": 2,
                "perturbation_type": "Origin",
            },
        }
        for n in range(SIZE)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "ds1000.jsonl").write_text(lines, encoding="utf-8")
    return folder


def toolbench(folder: Path) -> Path:
    """Two APIs: one compared exactly, one with free text."""
    adding = 'API_name: add_date\nDescription: Add days to a date. {{"date" : string, "days" : integer, }}'
    finding = 'API_name: search\nDescription: Look an entity up. {{"entity" : string, }}'
    dates = [
        {
            "query": f"Which day is {n} days after 2020-01-01?",
            "action": "add_date",
            "action_input": json.dumps({"date": "2020-01-01", "days": n}),
            "api_descriptions": adding,
        }
        for n in range(SIZE // 2)
    ]
    people = [
        {
            "query": f"Who was {name}?",
            "action": "search",
            "action_input": json.dumps({"entity": name}),
            "api_descriptions": finding,
        }
        for name in _PEOPLE
    ]
    return _write(folder, {"tool_test.json": {"add_date": dates, "search": people}})


def ddxplus(folder: Path) -> Path:
    """Patients with three illnesses, in the prepared layout."""
    names = ("Cold", "Measles", "Gout")
    conditions = {
        name: {"condition_name": name, "symptoms": {f"E_{n}": {}}, "antecedents": {}}
        for n, name in enumerate(names)
    }
    evidences = {
        f"E_{n}": {"name": f"E_{n}", "question_en": question, "data_type": "B", "default_value": 0}
        for n, question in enumerate(("Do you sneeze?", "Do you have spots?", "Does your toe hurt?"))
    }
    rows = [
        {
            "PATIENT_PROFILE": f"Sex: F, age: {n}\n- {evidences[f'E_{n % 3}']['question_en']} yes",
            "PATHOLOGY": names[n % 3],
        }
        for n in range(SIZE)
    ]
    _write(folder, {"release_conditions.json": conditions, "release_evidences.json": evidences})
    for split, part in (("test", rows), ("validate", rows[:3])):
        lines = "".join(json.dumps(row) + "\n" for row in part)
        (folder / f"{split}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def hotpotqa(folder: Path) -> Path:
    """Questions whose answers stand in the paragraphs."""
    rows = [
        {
            "_id": f"q{n}",
            "question": f"Who painted picture {n}?",
            "answer": f"Painter {n}",
            "type": "bridge",
            "level": "easy",
            "context": [[f"Picture {n}", [f"Picture {n} was painted by Painter {n}.", " It hangs in Rome."]]],
        }
        for n in range(SIZE)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "dev_distractor_500.jsonl").write_text(lines, encoding="utf-8")
    other = {**rows[0], "_id": "t0", "question": "Who carved statue 1?", "answer": "Carver 1"}
    (folder / "train.jsonl").write_text(json.dumps(other) + "\n", encoding="utf-8")
    return folder


def papers(folder: Path) -> Path:
    """Questions about one paper, `numbers.pdf`, whose answers are numbers."""
    rows = [
        {"id": f"p{n}", "question": f"Which number stands beside sample {n}?", "answer": 100 + n,
         "format": "an integer", "papers": ["numbers.pdf"]}
        for n in range(SIZE)
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    return folder


MAKERS: Mapping[str, Callable[[Path], Path]] = {
    "spider": spider,
    "cosql": cosql,
    "bird": bird,
    "ds1000": ds1000,
    "toolbench": toolbench,
    "ddxplus": ddxplus,
    "hotpotqa": hotpotqa,
    "papers": papers,
}

_TABLES: Mapping[str, Any] = {
    "db_id": "zoo",
    "table_names_original": ["animal"],
    "column_names_original": [[-1, "*"], [0, "name"], [0, "kilos"]],
    "column_types": ["text", "text", "number"],
    "primary_keys": [1],
    "foreign_keys": [],
}
_PEOPLE = "Ada Bertrand Cleopatra Dionysus Einstein Frida Galileo Hypatia Ibsen Juvenal".split()
_CONTEXT = '''
def generate_test_case(number):
    return number, number + NUMBER

exec_context = """
x = test_input
[insert]
"""

def test_execution(solution):
    code = exec_context.replace("[insert]", solution)
    for number in range(2):
        test_input, expected = generate_test_case(number)
        test_env = {"test_input": test_input}
        exec(code, test_env)
        assert test_env["result"] == expected
'''


def _heavier(kilos: int) -> str:
    return f"SELECT name FROM animal WHERE kilos > {kilos} ORDER BY name"


def _count(kilos: int) -> str:
    return f"SELECT count(*) FROM animal WHERE kilos > {kilos}"


def _database(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE animal (name TEXT PRIMARY KEY, kilos REAL)")
        db.executemany("INSERT INTO animal VALUES (?, ?)", [(f"animal {n}", n) for n in range(SIZE + 2)])
    db.close()


def _write(folder: Path, files: Mapping[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder
