"""What memories promise to the letter: thresholds, orders, transactions, what hangs on an item."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quire.errors import MemoryStoreError
from quire.memory import HashEncoder, MemoryStore
from quire.memory.codes import SPACE
from quire.memory.searches import BOUND, Alias, Shown, aliases, fitted, meant, teach, weights
from quire.memory.store import content_id
from quire.memory.verdicts import RECENT, Ruling, Verdicts, curve
from quire.types import Experience, Verdict
from quire_streams.memories import ADMISSIONS, READERS, Authors, Parts, note
from quire_streams.memories.playbook import LessonIndex
from tests.memory.test_verdicts import ITEM, RIGHT, WRONG

KEPT = Experience("key", "t", "i", {"shot": "Q"}, "out", Verdict("right", "why", "metric"), 3, "m", "now")


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(None)


@pytest.fixture
def verdicts(store: MemoryStore) -> Verdicts:
    return Verdicts(store)


# ---- the file


def test_a_transaction_is_all_or_nothing_however_deep(store: MemoryStore) -> None:
    with pytest.raises(RuntimeError), store.transaction():  # noqa: PT012
        store.add("s", KEPT)
        with store.transaction():
            store.mark_learned("s", 1)
        raise RuntimeError
    assert store.experiences("s") == []
    assert store.learned("s") == frozenset()
    with store.transaction():
        store.add("s", KEPT)
    assert len(store.experiences("s")) == 1


def test_another_process_sees_a_transaction_only_when_it_has_ended(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "m.sqlite") as one, MemoryStore(tmp_path / "m.sqlite") as other:
        with one.transaction():
            one.add("s", KEPT)
            assert other.experiences("s") == []
        assert len(other.experiences("s")) == 1


def test_experiences_come_with_their_places_and_only_those_after_one(store: MemoryStore) -> None:
    ids = [store.add("s", replace(KEPT, key=f"k{n}")) for n in range(3)]
    store.add("other", KEPT)
    found = store.experiences("s")
    assert [seq for seq, _ in found] == sorted(seq for seq, _ in found)
    assert [one.id for _, one in found] == ids
    assert [one.key for _, one in store.experiences("s", after=found[0][0])] == ["k1", "k2"]
    assert store.state("s") == (found[-1][0], 0)
    assert found[0][1] == replace(KEPT, key="k0", id=ids[0])


def test_vectors_are_found_in_any_number(store: MemoryStore) -> None:
    ids = [store.add("s", replace(KEPT, key=str(n)), np.full(2, n, np.float32), "e") for n in range(1001)]
    found = store.vectors("s", "e", [*ids, "none"])
    assert [found[one][0] for one in ids] == list(range(1001))
    assert store.vectors("s", "another", ids) == store.vectors("t", "e", ids) == {}
    assert store.remove("s", ids[:2]) == 2
    assert len(store.vectors("s", "e", ids)) == 999


def test_revisions_count_changes_of_a_space(store: MemoryStore) -> None:
    one = store.add("s", KEPT)
    assert store.relabel("s", one, Verdict("wrong", "no", "human"))
    assert not store.relabel("s", "none", Verdict("wrong"))
    assert store.state("s")[1] == 2
    assert store.state("t") == (0, 0)
    assert store.experiences("s")[0][1].verdict == Verdict("wrong", "no", "human")
    assert [store.revise("t"), store.revise("t")] == [1, 2]


def test_a_step_is_noted_once_and_an_empty_output_is_not_kept(store: MemoryStore) -> None:
    parts = Parts(store, "s", HashEncoder(), ADMISSIONS["judged"], READERS["everyone"], str)
    note(parts, KEPT, 7)
    note(parts, replace(KEPT, key="other"), 7)
    note(parts, replace(KEPT, key="empty", output=""), 8)
    assert [each.key for _, each in store.experiences("s")] == ["key"]
    assert store.learned("s") == {7, 8}
    assert store.has_learned("s", 7)
    assert not store.has_learned("s", 9)
    assert [one.key for _, one in store.experiences("s")] == ["key"]


def test_ids_never_change() -> None:
    """They stand in files: what was forgotten by an earlier version must not come back under another id."""
    assert content_id(KEPT) == "8fa88e403c931626f4ba1421dc66fc84"
    assert ITEM.identified().id == "e8baabeb07786835949d218f115524f1"
    absent = replace(ITEM, origin="ann", answer=None, evidence=())
    assert absent.identified().id == "352d7bd3562647caf302f271359ad824"


# ---- lessons and authors


def shelf(store: MemoryStore, votes: list[tuple[int, int]]) -> LessonIndex:
    with store.transaction() as db:
        for number, (ups, downs) in enumerate(votes):
            db.execute(
                "INSERT INTO lessons"
                " (space, text, key, output, label, model, step, created, changed, ups, downs)"
                " VALUES ('s', ?, ?, 'o', 'right', ?, ?, 'now', 1, ?, ?)",
                (f"text {number}", f"key {number}", f"m{number % 2}", number, ups, downs),
            )
        store.revise("s")
    readable = lambda author, reader: author == reader or reader == "all"  # noqa: E731
    made = LessonIndex(Parts(store, "s", HashEncoder(16), ADMISSIONS["judged"], readable, str))
    made.refresh()
    return made


def test_a_lesson_misleads_from_two_more_votes_down_than_up(store: MemoryStore) -> None:
    made = shelf(store, [(0, 0), (0, 1), (0, 2), (3, 4), (3, 5), (5, 0)])
    assert made.usable("all").tolist() == [True, True, False, True, False, True]
    assert made.usable("m1").tolist() == [False, True, False, True, False, True]
    assert made.usefulness() == pytest.approx([1 / 2, 1 / 3, 1 / 4, 4 / 9, 4 / 10, 6 / 7])
    assert made.lessons[3].as_shot("t", 0.5).text == "Lesson: text 3"
    assert made.lessons[3].as_shot("t", 0.5).experience.id == f"lesson-{made.lessons[3].seq}"


def test_hundreds_of_lessons_keep_their_votes(store: MemoryStore) -> None:
    shelf_of = shelf(store, [(n, 0) for n in range(700)])
    assert shelf_of.usefulness() == pytest.approx([(n + 1) / (n + 2) for n in range(700)])
    assert len(shelf_of.usable("all")) == 700
    with store.transaction() as db:
        db.execute("UPDATE lessons SET downs = 2, changed = ? WHERE step = 0", (store.revise("s"),))
    shelf_of.refresh()
    assert shelf_of.usefulness()[1:] == pytest.approx([(n + 1) / (n + 2) for n in range(1, 700)])
    assert not shelf_of.usable("all")[0]
    assert shelf_of.usable("all")[1:].all()


def test_votes_outlast_the_lessons_that_come_later(store: MemoryStore) -> None:
    made = shelf(store, [(4, 0)] * 200)
    with store.transaction() as db:
        sql = (
            "INSERT INTO lessons (space, text, key, output, label, model, step, created, changed)"
            " VALUES ('s', ?, 'k', 'o', 'right', 'm', ?, 'now', ?)"
        )
        now = store.revise("s")
        db.executemany(sql, [(f"later {number}", 1000 + number, now) for number in range(200)])
    made.refresh()
    assert made.usefulness() == pytest.approx([5 / 6] * 200 + [1 / 2] * 200)


def test_authors_are_told_apart_beyond_the_first_block() -> None:
    authors = Authors(lambda author, reader: author == reader)
    for number in range(600):
        authors.append(f"m{number % 3}")
    flags = authors.readable("m1")
    assert flags is not None
    assert flags.tolist() == [number % 3 == 1 for number in range(600)]
    assert Authors(lambda author, reader: False).readable("m") is None  # nobody wrote, nothing is hidden


# ---- verdicts


def test_right_again_after_it_was_forgotten_or_retired_and_importable_again(verdicts: Verdicts) -> None:
    own = verdicts.judge(ITEM, RIGHT)
    lines = list(verdicts.export_lines())
    verdicts.forget([own])
    assert verdicts.found([own]) == {}
    assert verdicts.import_lines(lines) == 0
    assert verdicts.judge(ITEM, RIGHT) == own
    assert verdicts.import_lines(lines) == 1, "who says it again does not mind it"
    verdicts.retire([own], "old")
    assert (verdicts.found([own])[own].label, verdicts.found([own])[own].retired) == ("unknown", "old")
    assert verdicts.retire([own], "twice") == 0
    verdicts.judge(ITEM, RIGHT)
    assert (verdicts.found([own])[own].label, verdicts.found([own])[own].retired) == ("right", "")


def test_a_newer_right_answer_retires_the_older_of_the_same_question(verdicts: Verdicts) -> None:
    old = verdicts.judge(ITEM, RIGHT)
    other = verdicts.judge(replace(ITEM, question="Who made it?"), RIGHT)
    theirs = verdicts.judge(replace(ITEM, author="bob", answer=1), Ruling("bob", "right"))
    new = verdicts.judge(replace(ITEM, answer=7), RIGHT)
    found = verdicts.found([old, other, theirs, new])
    assert [found[one].label for one in (old, other, theirs, new)] == ["unknown", "right", "right", "right"]
    assert found[old].retired == f"a newer verdict answers the question otherwise: {new[:8]}"


def test_what_an_answer_rests_on_is_that_of_the_newest_verdict(verdicts: Verdicts) -> None:
    own = verdicts.judge(ITEM, RIGHT)
    assert verdicts.judge(replace(ITEM, papers={"p1": "aa", "p2": "bb"}), RIGHT) == own
    assert verdicts.resters({"p1": "aa"}) == [own]
    assert verdicts.resters({"p1": "aa", "p2": "bb"}) == []
    assert verdicts.judge(replace(ITEM, papers={"p1": "cc"}), RIGHT) == own
    assert verdicts.resters({"p1": "cc"}) == []
    assert dict(verdicts.found([own])[own].papers) == {"p1": "cc"}
    verdicts.retire([own], "old")
    assert verdicts.resters({}) == []


def test_an_imported_item_rests_on_its_papers_too(verdicts: Verdicts) -> None:
    other = Verdicts(MemoryStore(None))
    other.judge(ITEM, RIGHT)
    assert verdicts.import_lines(["", *other.export_lines(), "  "]) == 1
    (taken,) = verdicts.listed()
    assert verdicts.resters({"p1": "bb"}) == [taken.id]
    assert verdicts.resters({"p1": "aa"}) == []
    assert verdicts.tally(taken.id) == (0, 0)
    with pytest.raises(ValueError, match="origin"):
        verdicts.take(ITEM, RIGHT)


def test_several_items_are_usable_and_lessons_stand_for_wrong_ones(verdicts: Verdicts) -> None:
    right, wrong, silent = (
        verdicts.judge(replace(ITEM, question=f"Number {name}?"), ruling)
        for name, ruling in (("one", RIGHT), ("two", WRONG), ("three", WRONG))
    )
    before = verdicts.store.state(SPACE)
    verdicts.draw(wrong, "Look at the table.", "m")
    assert verdicts.store.state(SPACE) != before
    assert verdicts.usable([right, wrong, silent]) == {right: "", wrong: "Look at the table."}
    assert verdicts.usable([]) == {}
    assert [one.id for one in verdicts.listed()] == [silent, wrong, right]
    assert [one.id for one in verdicts.begins(right[:10])] == [right]
    assert verdicts.begins("x" + right[1:10]) == []


def test_how_often_an_item_misleads_before_it_is_retired(verdicts: Verdicts) -> None:
    for how, wrongs, gone in (("example", 1, False), ("example", 2, True), ("remembered", 1, True)):
        id = verdicts.judge(replace(ITEM, question=f"{how} {wrongs}?"), RIGHT)
        for number in range(wrongs):
            run = f"{how} {wrongs} {number}"
            verdicts.used(run, {id: how, "unknown item": how})
            verdicts.judge(replace(ITEM, run=run, question=f"On {run}?"), WRONG)
        assert [item for item, _ in verdicts.retire_misleading(run)] == ([id] if gone else [])
        assert verdicts.tally(id) == (0, wrongs)
    assert verdicts.counts()["uses"] == 4


def test_the_curve_looks_back_on_twenty_answers(verdicts: Verdicts) -> None:
    for number in range(RECENT + 5):
        item = replace(ITEM, run=f"r{number}", question=f"Number {number}?")
        verdicts.judge(item, RIGHT if number >= 5 else WRONG)
    last = curve(verdicts.store)[-1]
    assert (last.number, last.so_far, last.recent) == (25, 20 / 25, 1.0)
    assert curve(verdicts.store)[4].so_far == 0


# ---- from file to file


@pytest.mark.parametrize(
    "change",
    [
        {"question": " "},
        {"author": ""},
        {"question": 7},
        {"type": "other memory"},
        {"kind": "guess"},
        {"scope": 7},
        {"papers": ["p"]},
        {"evidence": [{}]},
    ],
)
def test_a_line_with_one_wrong_value_is_refused(verdicts: Verdicts, change: dict[str, object]) -> None:
    other = Verdicts(MemoryStore(None))
    other.judge(ITEM, RIGHT)
    (line,) = other.export_lines()
    with pytest.raises(MemoryStoreError, match="Line 1 is not an item"):
        verdicts.import_lines([json.dumps(json.loads(line) | change)])
    assert verdicts.listed() == []


def test_only_right_items_are_exported_the_oldest_first(verdicts: Verdicts) -> None:
    for name, ruling in (("ein", RIGHT), ("zwei", WRONG), ("drei", RIGHT), ("vier ü", RIGHT)):
        verdicts.judge(replace(ITEM, question=f"{name}?"), ruling)
    lines = list(verdicts.export_lines())
    assert [json.loads(line)["question"] for line in lines] == ["ein?", "drei?", "vier ü?"]
    assert "ü" in lines[-1]
    assert not {"id", "label", "retired", "origin"} & set(json.loads(lines[0]))


# ---- what the search learns


@pytest.mark.parametrize("behind", [0.5, 2.0, 3.0, 5.0, 20.0])
def test_weights_stop_at_one_half_however_far_the_evidence_stood_behind(behind: float) -> None:
    shown = Shown(("number",), "a", 0.0, (("b", behind),) * 8)
    found = {(one.asked, one.kind): one for one in fitted([shown] * 1000)}
    assert found["number", "a"].weight == BOUND == 0.5
    assert found["number", "b"].weight == -0.5
    assert (found["number", "a"].seen, found["any", "a"].seen, found["any", "b"].seen) == (1000, 1000, 0)
    ten = {(one.asked, one.kind): one.weight for one in fitted([shown] * 10)}
    assert 0 < ten["number", "a"] <= 0.5
    nine = replace(shown, others=(("a", 1.0),) * 8 + (("b", 1.0),))
    assert fitted([nine]) == [], "eight others are looked at"


def test_what_was_shown_is_kept_as_it_is(verdicts: Verdicts) -> None:
    id = verdicts.judge(ITEM, RIGHT)
    teach(verdicts.store, id, Shown(("Größe",), "k", 1.5, (("o", 2.0),)))
    ((text,),) = verdicts.store.read("SELECT shown FROM search_evidence")
    assert "Größe" in text
    assert json.loads(text) == {"asked": ["Größe"], "kind": "k", "score": 1.5, "others": [["o", 2.0]]}
    assert weights(verdicts.store) == []


def test_words_that_come_together_no_oftener_than_by_chance_mean_nothing() -> None:
    things = ("paper", "glass", "steel", "cotton", "copper")
    told = [(f"How long is the turtle of {one}?", f"Chelonian {one} was measured.") for one in things]
    plain = [(f"What is {one} for?", f"The price of {one} is low.") for one in things]
    assert Alias("turtl", "chelonian", 5) in meant(told + plain)
    assert meant(told) == [], "all speak of it: nothing tells it from chance"
    assert Alias("turtl", "chelonian", 3) in meant([*told[:3], *plain])
    assert not [alias for alias in meant([*told[:2], *plain]) if alias.word == "turtl"]


def test_aliases_come_surest_first(verdicts: Verdicts) -> None:
    with verdicts.store.transaction() as db:
        rows = [("a", "x", 3), ("b", "y", 9), ("a", "z", 5)]
        db.executemany("INSERT INTO search_aliases VALUES (?, ?, ?)", rows)
    assert [(one.word, one.means) for one in aliases(verdicts.store)] == [("b", "y"), ("a", "z"), ("a", "x")]
    assert [one.means for one in aliases(verdicts.store, ["a", "c"])] == ["z", "x"]
