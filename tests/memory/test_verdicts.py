"""The personal memory: what counts, what is forgotten, what cannot be poisoned."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from quire.errors import MemoryStoreError
from quire.memory import HashEncoder, MemoryStore, trash
from quire.memory.codes import SPACE, Codes
from quire.memory.items import JudgedAnswer
from quire.memory.same_question import maybe_same, same_question, told_apart
from quire.memory.verdicts import Ruling, Verdicts, curve
from quire.types import Box, Evidence

EVIDENCE = Evidence("p1", 2, Box(1, 2, 3, 4), "243.8", True)
ITEM = JudgedAnswer(
    "How long does it soak?",
    "",
    ("p1",),
    243.8,
    (EVIDENCE,),
    (("RetrieveFromDatabase", {"sql": "SELECT 1"}),),
    {"p1": "aa"},
    "ann",
    "run-1",
    "offline",
    "2026-01-05T10:00:00+00:00",
)
RIGHT, WRONG = Ruling("ann", "right"), Ruling("ann", "wrong")


@pytest.fixture
def verdicts() -> Verdicts:
    return Verdicts(MemoryStore(None))


def label(verdicts: Verdicts, id: str) -> str:
    return verdicts.found([id])[id].label


def test_an_item_comes_back_as_it_was_kept(verdicts: Verdicts) -> None:
    id = verdicts.judge(ITEM, RIGHT)
    kept = verdicts.found([id])[id]
    assert replace(kept, evidence=()) == replace(ITEM, evidence=(), id=id, label="right")
    assert replace(kept.evidence[0], verified=True) == EVIDENCE
    assert verdicts.asked("how long DOES it soak", ["p1"]) == [kept]


def test_of_one_person_the_newest_verdict_counts_and_all_are_kept(verdicts: Verdicts) -> None:
    for number in range(1000):
        id = verdicts.judge(ITEM, WRONG if number % 2 else RIGHT)
    assert verdicts.opinions(id) == (0, 1)
    assert label(verdicts, id) == "wrong"
    assert verdicts.counts() == {"items": 1, "retired": 0, "verdicts": 1000, "uses": 0}


def test_people_who_disagree_leave_it_unknown(verdicts: Verdicts) -> None:
    id = verdicts.judge(ITEM, RIGHT)
    verdicts.judge(replace(ITEM, author="bob"), Ruling("bob", "wrong"))
    assert verdicts.opinions(id) == (1, 1)
    assert label(verdicts, id) == "unknown"


def test_an_item_that_hurts_is_retired_and_one_person_votes_once_a_run(verdicts: Verdicts) -> None:
    id = verdicts.judge(ITEM, RIGHT)
    for run in ("a", "b"):
        verdicts.used(run, {id: "example"})
        for _ in range(3):
            verdicts.judge(replace(ITEM, run=run, question=f"Another {run}?"), WRONG)
        gone = verdicts.retire_misleading(run)
        assert verdicts.tally(id).hurt == (1 if run == "a" else 2)
    assert [item for item, _ in gone] == [id]
    assert label(verdicts, id) == "unknown"
    assert "misled" in verdicts.found([id])[id].retired


def test_the_learning_curve_has_a_point_a_run_by_its_newest_verdict(verdicts: Verdicts) -> None:
    for run, ruling in (("a", WRONG), ("b", WRONG), ("c", RIGHT), ("b", RIGHT)):
        id = verdicts.judge(replace(ITEM, run=run, question=f"{run}?"), ruling)
    verdicts.used("b", {id: "example"})
    points = curve(verdicts.store)
    assert [(one.number, one.run, one.right, one.used) for one in points] == [
        (1, "a", False, False),
        (2, "b", True, True),
        (3, "c", True, False),
    ]
    assert points[-1].so_far == points[-1].recent == 2 / 3
    verdicts.forget([id])
    assert [one.run for one in curve(verdicts.store)] == ["a", "c"]


def test_a_changed_paper_retires_what_rests_on_it(verdicts: Verdicts) -> None:
    id = verdicts.judge(ITEM, RIGHT)
    assert verdicts.resters({"p1": "aa"}) == []
    assert verdicts.resters({"p1": "bb"}) == verdicts.resters({}) == [id]


def test_what_is_forgotten_is_nowhere_and_stays_away(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with MemoryStore(path) as store:
        store.read("PRAGMA secure_delete = OFF")  # as where SQLite was built so: some systems turn it on
        verdicts = Verdicts(store)
        secret = replace(ITEM, question="Where does zebrafish-7731 live?", origin="ann")
        own = verdicts.judge(replace(secret, origin=""), Ruling("ann", "right", "zebrafish-7731"))
        verdicts.take(secret, RIGHT)
        lines = list(verdicts.export_lines())
        ids = [item.id for item in verdicts.listed()]
        assert len(ids) == 2
        verdicts.used("run-2", {own: "example"})
        assert verdicts.forget(ids) == 2
        assert verdicts.import_lines(lines) == 0  # not by an older export
        assert list(verdicts.export_lines()) == []
        assert verdicts.counts() == {"items": 0, "retired": 0, "verdicts": 0, "uses": 0}
    for file in tmp_path.iterdir():
        assert b"zebrafish-7731" not in file.read_bytes(), file
    with MemoryStore(path) as store:  # nor when the file is opened again
        assert Verdicts(store).listed() == []


def test_an_import_touches_nobody_elses_items(verdicts: Verdicts) -> None:
    own = verdicts.judge(ITEM, RIGHT)
    (line,) = verdicts.export_lines()
    poisoned = json.loads(line) | {"answer": 666}
    forged = json.loads(line) | {"id": own, "origin": "", "label": "right", "retired": "x", "answer": 666}
    before = verdicts.found([own])[own]
    assert verdicts.import_lines([json.dumps(poisoned), json.dumps(forged), line]) == 2
    assert verdicts.found([own])[own] == before
    assert verdicts.opinions(own) == (1, 0)
    others = [item for item in verdicts.listed() if item.id != own]
    assert [item.origin for item in others] == ["ann", "ann"]
    assert verdicts.import_lines([line]) == 0  # once


@pytest.mark.parametrize("broken", ["{", "[]", "{}", "null", '{"type": "quire memory"}', "[" * 100_000])
def test_a_broken_import_keeps_nothing(verdicts: Verdicts, broken: str) -> None:
    other = Verdicts(MemoryStore(None))
    other.judge(ITEM, RIGHT)
    with pytest.raises(MemoryStoreError, match="Line 2"):
        verdicts.import_lines([*other.export_lines(), broken])
    assert verdicts.listed() == []


def test_kill_9_while_learning_leaves_whole_items(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    script = (
        "import sys; from pathlib import Path; from dataclasses import replace\n"
        "from tests.memory.test_verdicts import *\n"
        "verdicts = Verdicts(MemoryStore(Path(sys.argv[1])))\n"
        "for number in range(10**9): verdicts.judge(replace(ITEM, question=f'{number}?'), RIGHT)\n"
    )
    learner = subprocess.Popen([sys.executable, "-c", script, str(path)], cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not _count(path):
        time.sleep(0.05)
    os.kill(learner.pid, signal.SIGKILL)
    learner.wait()
    with MemoryStore(path) as store:
        items = Verdicts(store).listed()
        assert items
        assert {item.label for item in items} == {"right"}
        assert all(item.papers == ITEM.papers for item in items)
        assert len(items) == Verdicts(store).counts()["verdicts"]


def test_kill_9_while_forgetting_leaves_each_item_whole_or_gone(tmp_path: Path) -> None:
    path, encoder = tmp_path / "memory.sqlite", HashEncoder()

    def held(store: MemoryStore) -> set[str]:
        codes = Codes(store, encoder.name, encoder.dim)
        found = codes.nearest(encoder.encode(["How long does it soak?"])[0], 400)
        return {id for id, _ in found}

    with MemoryStore(path) as store:
        verdicts = Verdicts(store)
        with store.transaction():
            asked = [replace(ITEM, question=f"How long does it soak, {number}?") for number in range(200)]
            ids = [verdicts.judge(item, RIGHT) for item in asked]
        Codes(store, encoder.name, encoder.dim).add(ids, encoder.encode([item.question for item in asked]))
        assert held(store) == set(ids)
    script = (
        "import sys; from pathlib import Path\n"
        "from tests.memory.test_verdicts import *\n"
        "verdicts = Verdicts(MemoryStore(Path(sys.argv[1])))\n"
        "for item in verdicts.listed(): verdicts.forget([item.id])\n"
    )
    forgetter = subprocess.Popen([sys.executable, "-c", script, str(path)], cwd=Path(__file__).parents[2])
    while _count(path) == len(ids) and forgetter.poll() is None:
        time.sleep(0.002)
    os.kill(forgetter.pid, signal.SIGKILL)
    forgetter.wait()
    with MemoryStore(path) as store:
        left = {item.id for item in Verdicts(store).listed()}
        assert left < set(ids)
        assert left == held(store)
        assert {id for (id,) in store.read("SELECT id FROM forgotten")} >= set(ids) - left


def test_a_memory_whose_labels_stood_elsewhere_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with MemoryStore(path) as store:
        verdicts = Verdicts(store)
        right, wrong = (verdicts.judge(replace(ITEM, question=f"{word}?"), RIGHT) for word in "ab")
        verdicts.judge(replace(ITEM, question="b?"), WRONG)
        gone = verdicts.judge(replace(ITEM, question="c?"), RIGHT)
        verdicts.forget([gone], keep=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:  # as version 7 had it
        values = "'library', id, '', '', question, '', '', label, '', '', 0, '', '' FROM items"
        columns = (
            "space, id, task, instance_id, key, fields, output, label, reason, source, step, model, created"
        )
        db.execute(f"INSERT INTO experiences ({columns}) SELECT {values}")
        db.execute(
            "UPDATE trash SET rows = json_set(json_remove(rows, '$.items[0].label'), '$.experiences',"
            " json_array(json_object('label', 'right')))"
        )
        db.execute("INSERT INTO trash VALUES ('damaged', '2999-01-01', 'd?', '{')")
        db.execute("ALTER TABLE items DROP COLUMN label")
        db.execute("PRAGMA user_version = 7")
    with MemoryStore(path) as store:
        verdicts = Verdicts(store)
        assert [label(verdicts, id) for id in (right, wrong)] == ["right", "wrong"]
        assert store.experiences(SPACE) == []
        trash.take_back(store, gone)
        assert label(verdicts, gone) == "right"


def test_no_question_reads_all_that_is_remembered(verdicts: Verdicts) -> None:
    store, encoder, asked = verdicts.store, HashEncoder(), list[str]()
    items = [replace(ITEM, question=f"How long does it soak, {number}?") for number in range(40)]
    codes = Codes(store, encoder.name, encoder.dim)
    codes.add(
        [verdicts.judge(item, RIGHT) for item in items], encoder.encode([one.question for one in items])
    )
    codes.sync()
    store._db.set_trace_callback(asked.append)
    near = [id for id, _ in codes.nearest(encoder.encode([ITEM.question])[0], 32)]
    verdicts.alike(items[0].question)
    verdicts.asked(items[0].question, ITEM.scope)
    verdicts.usable(near)
    verdicts.found(near)
    store._db.set_trace_callback(None)
    plans = [step for sql in asked for *_, step in store.read(f"EXPLAIN QUERY PLAN {sql}")]
    assert any("vector" in sql for sql in asked)
    assert [plan for plan in plans if plan.endswith("(space=?)") and "revisions" not in plan] == []


def _count(path: Path) -> int:
    try:
        with sqlite3.connect(path) as db:
            return int(db.execute("SELECT count(*) FROM items").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("how many patients were interviewed", "Number of patients interviewed?"),
        ("what share of the men smoked?", "What percentage of men smoked?"),
        ("Are any parameters added by the simple shortcuts", "Are parameters added by simple shortcuts?"),
    ],
)
def test_other_words_for_the_same(question: str, other: str) -> None:
    assert same_question(question, other, 0.9, "hash-512")
    assert not same_question(question, other, 0.9, "an encoder that nobody measured")
    assert not same_question(question, other, 0.1, "hash-512")


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("the batch size for stage 1?", "the batch size for stage 2?"),
        ("What is the highest score?", "What is the lowest score?"),
        ("Is BERT better than GPT?", "Is GPT better than BERT?"),
        ("Is the core softer than the skin?", "Is the skin softer than the core?"),
        ("Does it use dropout?", "Does it not use dropout?"),
        ("Why was the model trained?", "How was the model trained?"),
        ("average distance in km?", "maximum distance in km?"),
        ("What is the score on WTQ?", "What is the score on TabFact?"),
        ("How many authors are there?", "How many references are there?"),
        ("Was it measured?", "When was it measured?"),
        ("How was the glue dried?", "When was the glue dried?"),
        ("How large is M in the model?", "How large is the model?"),
        ("How was the glue dried?", "What was the glue dried with?"),
    ],
)
def test_one_word_tells_questions_apart(question: str, other: str) -> None:
    assert told_apart(question, other)
    assert told_apart(other, question)


@pytest.mark.parametrize(
    ("question", "other", "shown"),
    [
        ("Why does a pressed fold soak faster?", "What makes a pressed fold soak faster?", True),
        ("Why does it sink?", "Why does it never sink?", False),
        ("Why does it never sink?", "Why does it sink?", False),
        ("Why does it not sink?", "What lets it never sink?", True),
        ("What was the score before training?", "What was the score after training?", False),
        ("Which colour had the low boats?", "Which colour had the red boats?", True),
    ],
)
def test_what_a_person_may_be_shown_as_the_same(question: str, other: str, shown: bool) -> None:
    assert maybe_same(question, other, 0.61, "hash-512") == shown
    assert not maybe_same(question, other, 0.59, "hash-512")
    assert not maybe_same(question, other, 1.0, "an encoder that nobody measured")


def test_questions_are_compared_by_several_threads_at_once() -> None:
    kinds = ("paper", "card", "cloth", "foil")
    asked = [f"How many boats of {kind} were folded, and how long were they floating?" for kind in kinds]
    told = {one: told_apart(asked[0], one) for one in asked}
    with ThreadPoolExecutor(8) as pool:
        again = pool.map(lambda one: told_apart(asked[0], one), asked * 500)
        assert list(again) == [told[one] for one in asked * 500]
