"""What right answers teach the search: bounded, made anew of what is left, slow to be misled."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

import pytest

from quire.memory import MemoryStore
from quire.memory.searches import (
    BOUND,
    MOST,
    Alias,
    Shown,
    aliases,
    fitted,
    meant,
    refit,
    reset,
    teach,
    weights,
)
from quire.memory.verdicts import Verdicts
from tests.memory.test_verdicts import EVIDENCE, ITEM, RIGHT, WRONG

ROW, SENTENCE = "cells.row_content", "sentences.sentence_content"
# Asked for a number, the answer stood in a row, and a sentence was ranked above it.
LESSON = Shown(("number",), ROW, 1.0, ((SENTENCE, 2.0), (SENTENCE, 0.5)))


@pytest.fixture
def verdicts() -> Verdicts:
    return Verdicts(MemoryStore(None))


def weight(verdicts: Verdicts, asked: str, kind: str) -> float:
    return {(one.asked, one.kind): one.weight for one in weights(verdicts.store)}.get((asked, kind), 0.0)


def test_weights_begin_at_nothing_grow_with_agreement_and_are_bounded() -> None:
    assert fitted([]) == []
    found = [{(w.asked, w.kind): w.weight for w in fitted([LESSON] * count)} for count in (1, 10, 1000)]
    one, ten, many = (each["number", ROW] for each in found)
    assert 0 < one < 0.05 < ten < many <= BOUND
    assert found[1]["number", SENTENCE] < 0
    assert fitted([replace(LESSON, others=((ROW, 2.0),))]) == []  # of the same kind: nothing to tell


def test_one_poisoned_lesson_in_ten_moves_weights_little() -> None:
    poison = Shown(("number",), SENTENCE, 1.0, ((ROW, 2.0), (ROW, 0.5)))
    clean = {(w.asked, w.kind): w.weight for w in fitted([LESSON] * 100)}
    flipped = {(w.asked, w.kind): w.weight for w in fitted([LESSON] * 90 + [poison] * 10)}
    assert flipped["number", ROW] > 0.6 * clean["number", ROW] > 0


def test_what_is_forgotten_retired_or_judged_otherwise_teaches_no_more(verdicts: Verdicts) -> None:
    ids = [verdicts.judge(replace(ITEM, question=f"How many {n}?"), RIGHT, LESSON) for n in "abc"]
    three = weight(verdicts, "number", ROW)
    verdicts.judge(replace(ITEM, question="How many a?"), WRONG)
    two = weight(verdicts, "number", ROW)
    verdicts.retire([ids[1]], "its paper changed")
    one = weight(verdicts, "number", ROW)
    assert three > two > one > 0
    verdicts.forget([ids[2]])
    assert weights(verdicts.store) == []
    assert len(verdicts.store.read("SELECT * FROM search_evidence")) == 2


def test_reset_ranks_as_shipped_and_keeps_the_items(verdicts: Verdicts) -> None:
    id = verdicts.judge(ITEM, RIGHT, LESSON)
    assert weights(verdicts.store)
    assert reset(verdicts.store) == 1
    assert not weights(verdicts.store)
    assert not aliases(verdicts.store)
    assert verdicts.found([id])[id].label == "right"


def test_imported_items_teach_the_search_nothing(verdicts: Verdicts) -> None:
    verdicts.judge(replace(ITEM, origin="eve"), RIGHT, LESSON)
    assert verdicts.store.read("SELECT * FROM search_evidence") == []


def test_only_the_newest_are_learned_from(verdicts: Verdicts) -> None:
    with verdicts.store.transaction():
        for number in range(MOST + 5):
            item = replace(ITEM, question=f"Number {number}?")
            teach(verdicts.store, verdicts.judge(item, RIGHT), LESSON)
        refit(verdicts.store)
    assert {one.seen for one in weights(verdicts.store) if one.kind == ROW} == {MOST}


def test_a_word_means_another_once_three_different_answers_say_so() -> None:
    told = [
        (f"How {what} is the turtle?", f"Chelonian {what} was 3 cm.") for what in ("long", "wide", "heavy")
    ]
    other = [
        (f"What does {name} cost?", f"The price of {name} is 5.") for name in ("paper", "glass", "steel")
    ]
    assert Alias("turtl", "chelonian", 3) in meant(told + other)
    assert not any(
        alias.word == "turtl" for alias in meant([*told[:2], told[0], *other])
    )  # one of them twice


def test_aliases_are_looked_up_by_the_words_of_a_question(verdicts: Verdicts) -> None:
    for what in ("long", "wide", "heavy"):
        quote = replace(EVIDENCE, quote=f"Chelonian {what} was 3 cm.")
        item = replace(ITEM, question=f"How {what} is the turtle?", evidence=(quote,))
        verdicts.judge(item, RIGHT, Shown(()))
        other = replace(EVIDENCE, quote=f"The price of {what} steel is 5.")
        verdicts.judge(replace(ITEM, question=f"Cost {what}?", evidence=(other,)), RIGHT, Shown(()))
    assert [alias.means for alias in aliases(verdicts.store, ["turtl"])] == ["chelonian"]
    assert aliases(verdicts.store, ["frog"]) == []


def test_the_weights_are_the_best_there_are() -> None:
    """No small change makes the evidence surer to stand above the other hits, the prior included."""
    dice = random.Random(7)
    kinds = (ROW, SENTENCE, "tables.table_caption", "sections.section_title")
    for behind in (0.0, 2.0, 6.0):
        searches = [
            Shown(
                (dice.choice(("number", "reason")),),
                dice.choice(kinds[:2]),
                dice.gauss(1, 1) - behind,
                tuple((dice.choice(kinds), dice.gauss(1, 1)) for _ in range(5)),
            )
            for _ in range(5)
        ]
        best = {(one.asked, one.kind): one.weight for one in fitted(searches)}
        assert 0 < max(map(abs, best.values())) < BOUND
        for name, step in itertools.product(best, (-0.01, 0.01)):
            assert surprise(searches, best) < surprise(searches, {**best, name: best[name] + step})


def surprise(searches: list[Shown], weights: dict[tuple[str, str], float]) -> float:
    """What the module says it makes least: missed pairs by logistic loss, and weights by a Gaussian prior."""
    missed = 0.0
    for one in searches:
        gains = [
            sum(weights[ask, kind] for ask in ("any", *one.asked) if (ask, kind) in weights)
            for kind in (one.kind, *(kind for kind, _ in one.others))
        ]
        for gain, (kind, score) in zip(gains[1:], one.others, strict=True):
            if kind != one.kind:
                missed += math.log1p(math.exp(score + gain - one.score - gains[0]))
    return missed + 25 / 2 * sum(weight**2 for weight in weights.values())


def test_a_single_alias_is_kept_too(verdicts: Verdicts) -> None:
    for what in ("long", "wide", "heavy"):
        quote = replace(EVIDENCE, quote=f"Chelonian {what} was 3 cm.")
        item = replace(ITEM, question=f"How {what} is the turtle?", evidence=(quote,))
        verdicts.judge(item, RIGHT, Shown(()))
    for what in ("paper", "glass", "steel"):
        quote = replace(EVIDENCE, quote=f"{what} is {what}.")
        verdicts.judge(replace(ITEM, question=f"Why {what}?", evidence=(quote,)), RIGHT, Shown(()))
    assert aliases(verdicts.store) == [Alias("turtl", "chelonian", 3)]
