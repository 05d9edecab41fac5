"""The later stage: every entry gets its vector once, also when it is interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quire.search import Unit, dense
from quire.search.cells import pair
from quire.search.dense import encode_waiting, waiting
from quire.search.vectors import About
from quire.types import Box
from tests.search.library import BOXES, CHUNKS, CLIP, DENSE, SENTENCES, Small, paper_id


class Letters:
    """An encoder that counts a, b, c and d; it notes what it was given."""

    def __init__(self, name: str = DENSE) -> None:
        self.name = name
        self.dim = 4
        self.precision = "float32"
        self.max_tokens = 100
        self.seen: list[str | bytes] = []

    def encode(self, items: Sequence[str | bytes]) -> NDArray[np.float32]:
        self.seen += items
        texts = [item if isinstance(item, str) else item.decode() for item in items]
        rows = np.asarray([[text.count(c) for c in "abcd"] for text in texts], dtype=np.float32)
        unit: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return unit

    def encode_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.encode([text])[0]
        return row


def units(texts: Sequence[str], paper: int = 1) -> list[Unit]:
    """Sentences, a passage of them all, and a figure."""
    owner = paper_id(paper)
    made = [Unit(SENTENCES, owner, 1, f"s{n}", text, text) for n, text in enumerate(texts)]
    whole = Unit(CHUNKS, owner, 1, "c", " ".join(texts), " ".join(texts), parts=tuple(range(len(texts))))
    return [*made, whole, Unit(BOXES, owner, 2, "i", "", box=Box(1, 2, 3, 4))]


@pytest.fixture
def small(tmp_path: Path) -> Small:
    made = Small(tmp_path)
    for name in (DENSE, CLIP):
        made.index.files(name).create(About(4))
    return made


def encode(small: Small, encoder: Letters, **more: object) -> int:
    return encode_waiting(small.view(), encoder, small.index.vectors(encoder.name), **more)  # type: ignore[arg-type]


def test_a_passage_is_the_mean_of_its_sentences_by_their_words(small: Small) -> None:
    ids = small.put(units(["a", "b x y"]))
    encoder, told = Letters(), []
    done = encode(small, encoder, progress=lambda *x: told.append(x))
    assert done == 3, "two sentences and a passage; the figure is not text"
    assert told[-1] == (3, 3)
    assert encoder.seen == ["a", "b x y"], "no word is read twice"
    rows = small.index.vectors(DENSE).rows(ids)
    assert rows[2] == pytest.approx([1 / 10**0.5, 3 / 10**0.5, 0, 0], abs=0.01)
    assert not len(waiting(small.view(), DENSE))
    assert encode(small, encoder) == 0


def test_passages_may_be_encoded_as_they_are(small: Small) -> None:
    ids = small.put(units(["a", "b x y"]))
    encoder = Letters()
    texts = {1: "a", 2: "b x y", 3: "a b x y"}
    encode(small, encoder, texts=lambda some: [texts[int(id)] for id in some])
    assert "a b x y" in encoder.seen
    assert small.index.vectors(DENSE).rows(ids)[2] == pytest.approx([0.5**0.5, 0.5**0.5, 0, 0], abs=0.01)


def test_a_text_of_two_papers_is_read_once(small: Small) -> None:
    encoder = Letters()
    small.put(units(["a", "licensed under b"]))
    encode(small, encoder)
    ids = small.put(units(["licensed  under b", "d"], paper=2))
    encode(small, encoder)
    assert encoder.seen == ["a", "licensed under b", "d"]
    rows = small.index.vectors(DENSE).rows(np.asarray([2, ids[0]]))
    assert np.array_equal(rows[0], rows[1])
    assert rows[0].any()


def test_an_interrupted_stage_goes_on_where_it_stopped(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "_BATCH", 2)
    small.put(units(["a", "b", "c", "d", "ab"]))

    def stopped(done: int, total: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(small, Letters(), progress=stopped)
    assert len(waiting(small.view(), DENSE)) == 2
    assert encode(small, Letters()) == 2


def test_a_paper_that_went_waits_for_nothing(small: Small) -> None:
    small.put(units(["a", "b"]))
    small.remove(1)
    encoder = Letters()
    assert encode(small, encoder) == 0
    assert encoder.seen == []


def test_figures_are_rendered_for_image_encoders(small: Small) -> None:
    small.put(units(["a"]))
    encoder = Letters(CLIP)
    assert encode(small, encoder) == 0, "nobody renders"
    assert encode(small, encoder, render=lambda unit: str(unit.box).encode()) == 1
    assert encoder.seen == [str(Box(1, 2, 3, 4)).encode()]


def test_html_is_no_part_of_what_is_encoded(small: Small) -> None:
    html = "<table><tr><td>a &amp; b</td></tr></table>"
    table = Unit(pair("tables", "table_content"), paper_id(3), 1, "t", html, html)
    small.put([replace(table)])
    encoder = Letters()
    encode(small, encoder)
    assert encoder.seen == ["a & b"]
