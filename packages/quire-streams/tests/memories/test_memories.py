"""The five memories: who is recalled, in which order, what survives a restart."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import MemoryStoreError
from quire.llm import estimate_tokens
from quire.memory import HashEncoder, MemoryStore
from quire.memory.rendering import fit_budget
from quire.types import Attempt, Experience, Instance, Shot, Verdict
from quire_streams.memories import ADMISSIONS, MEMORIES, READERS, RENDERERS, Parts, StreamMemory

RIGHT, WRONG, UNKNOWN = Verdict("right", "gold: 7", "metric"), Verdict("wrong"), Verdict("unknown")


def _parts(
    store: MemoryStore, *, admit: str = "judged", render: str = "plain", k: int = 3, **more: object
) -> Parts:
    return Parts(
        store=store,
        space="s",
        encoder=HashEncoder(128),
        admit=ADMISSIONS[admit],
        may_read=READERS[str(more.pop("readers", "everyone"))],
        render=RENDERERS[render],
        k=k,
        **more,  # type: ignore[arg-type]
    )


def _memory(kind: str, parts: Parts) -> StreamMemory:
    memory: StreamMemory = MEMORIES.load(kind)(parts)
    return memory


def _instance(text: str) -> Instance:
    return Instance("t", text, text, "do", text, f"Q: {text}", "plainly")


def _learn(memory: StreamMemory, *items: tuple[str, str, Verdict], model: str = "m", start: int = 0) -> None:
    for step, (text, output, verdict) in enumerate(items, start=start):
        lesson = f"When {text}, say {output}."
        memory.learn(_instance(text), Attempt(output, model=model, lesson=lesson), verdict, step)


def _outputs(memory: StreamMemory, text: str, reader: str = "m") -> list[str]:
    return [shot.experience.output for shot in memory.recall(_instance(text), reader)]


FRUIT = (
    ("red apple pie", "1", RIGHT),
    ("green apple tart", "2", WRONG),
    ("blue summer sky", "3", RIGHT),
    ("red apple cake", "4", RIGHT),
    ("apple juice", "5", UNKNOWN),
)


def test_most_similar_stands_last() -> None:
    memory = _memory("retrieved", _parts(MemoryStore(None), k=2))
    _learn(memory, *FRUIT)
    shots = memory.recall(_instance("red apple pie"), "m")
    assert [shot.experience.output for shot in shots] == ["4", "1"]
    assert shots[-1].similarity == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("admit", "expected"), [("right", {"1", "3", "4"}), ("wrong", {"2"}), ("judged", set("1234"))]
)
@pytest.mark.parametrize("kind", ["retrieved", "window"])
def test_admission_never_costs_shots(kind: str, admit: str, expected: set[str]) -> None:
    memory = _memory(kind, _parts(MemoryStore(None), admit=admit, k=4))
    _learn(memory, *FRUIT)
    assert set(_outputs(memory, "apple")) == expected


def test_window_is_chronological() -> None:
    memory = _memory("window", _parts(MemoryStore(None), k=2))
    _learn(memory, *FRUIT)
    assert _outputs(memory, "anything") == ["3", "4"]


def test_fixed_is_always_the_same() -> None:
    examples = tuple(
        Experience(f"k{n}", "t", f"e{n}", {"shot": f"Q{n}"}, str(n), RIGHT, -1, "gold", "") for n in range(5)
    )
    memory = _memory("fixed", _parts(MemoryStore(None), k=3, examples=examples))
    _learn(memory, *FRUIT)
    assert _outputs(memory, "apple") == ["0", "1", "2"]
    assert memory.learned() == frozenset()


def test_none_recalls_nothing() -> None:
    memory = _memory("none", _parts(MemoryStore(None)))
    _learn(memory, *FRUIT)
    assert _outputs(memory, "apple") == []


def test_what_others_said_may_be_hidden() -> None:
    memory = _memory("retrieved", _parts(MemoryStore(None), readers="oneself"))
    _learn(memory, ("red apple", "mine", RIGHT), model="m")
    _learn(memory, ("red apple", "theirs", RIGHT), model="n", start=1)
    assert _outputs(memory, "red apple", "m") == ["mine"]
    assert _outputs(memory, "red apple", "n") == ["theirs"]
    assert _outputs(memory, "red apple", "stranger") == []


def test_rendering_tells_the_verdict_but_never_its_reason() -> None:
    for name in RENDERERS:
        memory = _memory("retrieved", _parts(MemoryStore(None), render=name))
        _learn(memory, *FRUIT)
        texts = [shot.text for shot in memory.recall(_instance("apple"), "m")]
        assert not any("gold" in text for text in texts)
        assert any("was wrong" in text for text in texts) == (name == "verdict")
        assert any("(by m)" in text for text in texts) == (name == "author")


def test_a_step_is_learnt_once() -> None:
    memory = _memory("retrieved", _parts(MemoryStore(None), k=9))
    _learn(memory, *FRUIT)
    _learn(memory, ("red apple crumble", "again", RIGHT), start=2)
    assert "again" not in _outputs(memory, "red apple crumble")
    assert memory.learned() == frozenset(range(5))


def test_equal_experiences_are_kept_once() -> None:
    memory = _memory("retrieved", _parts(MemoryStore(None), k=9))
    _learn(memory, *[("red apple", "1", RIGHT)] * 5, ("red apple", "2", RIGHT))
    assert sorted(_outputs(memory, "red apple")) == ["1", "2"]
    assert len(memory.learned()) == 6


def test_memory_outlives_its_process_and_hears_of_others(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with MemoryStore(path) as first, MemoryStore(path) as second:
        mine = _memory("retrieved", _parts(first, admit="right"))
        theirs = _memory("retrieved", _parts(second, admit="right"))
        _learn(mine, *FRUIT)
        assert _outputs(theirs, "red apple pie")[-1] == "1"
        _learn(theirs, ("red apple pie today", "new", RIGHT), start=10)
        assert "new" in _outputs(mine, "red apple pie today")
    with MemoryStore(path) as again:
        assert (
            _outputs(_memory("retrieved", _parts(again, admit="right")), "red apple pie today")[-1] == "new"
        )


def test_provenance_is_kept() -> None:
    store = MemoryStore(None)
    _learn(_memory("window", _parts(store)), FRUIT[0], model="gpt")
    (_, kept), *_ = store.experiences("s")
    assert (kept.task, kept.instance_id, kept.step, kept.model) == ("t", "red apple pie", 0, "gpt")
    assert (kept.verdict.label, kept.verdict.source, kept.verdict.reason) == ("right", "metric", "")
    assert kept.created.startswith("20")


def test_a_file_that_is_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    path.write_bytes(b"not a database at all, only text" * 20)
    with pytest.raises(MemoryStoreError, match="is damaged.*It is kept as"):
        MemoryStore(path)


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with MemoryStore(path) as store, store.transaction() as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(MemoryStoreError, match="version 99"):
        MemoryStore(path)


def test_playbook_writes_votes_and_merges() -> None:
    store = MemoryStore(None)
    memory = _memory("playbook", _parts(store, k=2))
    _learn(memory, *FRUIT)
    first = memory.recall(_instance("red apple pie"), "m")
    assert first[-1].text == "Lesson: When red apple pie, say 1."
    assert len(first) == 2
    shown = tuple(shot.experience.id for shot in first)
    for step in range(10, 13):
        again = Attempt("1", model="m", shots=shown, lesson="When red apple pie, say 1.")
        memory.learn(_instance("red apple pie"), again, WRONG, step)
    texts = [shot.text for shot in memory.recall(_instance("red apple pie"), "m")]
    assert "Lesson: When red apple pie, say 1." not in texts[:1]
    rows = store.read("SELECT text, ups, downs, merged FROM lessons WHERE downs > 0 OR merged > 1")
    assert max(row[2] for row in rows) == 3
    assert max(row[3] for row in rows) == 3


@given(st.lists(st.text(max_size=30), max_size=8), st.integers(0, 20))
def test_packing_keeps_whole_shots_best_last(texts: list[str], budget: int) -> None:
    shots = [
        Shot(text, Experience(text, "t", str(n), {}, "", RIGHT, n, "m", ""), -float(n))
        for n, text in enumerate(texts)
    ]
    packed = fit_budget(shots, budget)
    assert list(reversed(packed)) == shots[: len(packed)]
    if budget:
        assert sum(estimate_tokens(shot.text) for shot in packed) <= budget
        rest = shots[len(packed) :]
        if rest:
            used = sum(estimate_tokens(shot.text) for shot in packed)
            assert used + estimate_tokens(rest[0].text) > budget
    else:
        assert len(packed) == len(shots)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_hash_vectors_have_length_one(texts: list[str]) -> None:
    encoder = HashEncoder(64)
    rows = encoder.encode(texts)
    assert rows.shape == (len(texts), 64)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))
    assert np.array_equal(rows, encoder.encode(texts))


def test_only_what_may_be_recalled_gets_a_vector() -> None:
    store = MemoryStore(None)
    memory = _memory("retrieved", _parts(store, admit="right"))
    _learn(memory, *FRUIT)
    known = {one.id: one for _, one in store.experiences("s")}
    assert len(known) == len(FRUIT)
    kept = store.vectors("s", HashEncoder(128).name, known)
    assert {known[id].output for id in kept} == {"1", "3", "4"}


def test_a_memory_may_be_shared_between_threads() -> None:
    memory = _memory("retrieved", _parts(MemoryStore(None), k=8))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: _learn(memory, (f"fruit {n}", str(n), RIGHT), start=n), range(8)))
    assert sorted(_outputs(memory, "fruit 1")) == [str(n) for n in range(8)]


KEPT = Experience("key", "t", "i", {"shot": "Q"}, "out", Verdict("right", "why", "metric"), 3, "m", "now")


def test_each_rendering_to_the_letter() -> None:
    kept = replace(KEPT, prompt_fields={"shot": "Q", "rationale": "since"}, verdict=Verdict("wrong", "gold"))
    assert {name: render(kept) for name, render in RENDERERS.items()} == {
        "plain": "Q\nAnswer: out",
        "verdict": "Q\nAnswer: out\nVerdict: This answer was wrong.",
        "reasoned": "Q\nReasoning: since\nAnswer: out",
        "author": "Q\nAnswer (by m): out",
    }
    assert RENDERERS["reasoned"](KEPT) == "Q\nAnswer: out"
    assert RENDERERS["plain"](replace(KEPT, prompt_fields={})) == "key\nAnswer: out"
