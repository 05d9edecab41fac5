"""Vectors in mapped files: always what the store says, whatever became of the files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quire.memory import HashEncoder, MemoryStore
from quire.memory.codes import Codes, folder_of
from quire.memory.verdicts import Verdicts
from tests.memory.test_verdicts import ITEM, RIGHT

ENCODER = HashEncoder()


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    return MemoryStore(tmp_path / "memory.sqlite")


def filled(store: MemoryStore, names: str) -> list[str]:
    verdicts, codes = Verdicts(store), Codes(store, ENCODER.name, ENCODER.dim)
    for name in names:
        verdicts.judge(replace(ITEM, question=f"What is {name * 5}?"), RIGHT)
    missing = codes.missing()
    codes.add([id for id, _ in missing], ENCODER.encode([question for _, question in missing]))
    return [id for id, _ in missing]


def nearest(store: MemoryStore, name: str, k: int = 1) -> list[tuple[str, float]]:
    codes = Codes(store, ENCODER.name, ENCODER.dim)
    return codes.nearest(ENCODER.encode_query(f"What is {name * 5}?"), k)


def test_the_nearest_are_found_by_exact_cosines_in_every_process(store: MemoryStore) -> None:
    ids = filled(store, "abcdef")
    ((found, score),) = nearest(store, "c")
    assert (found, round(score, 5)) == (ids[2], 1.0)
    more = filled(store, "gh")  # appended to the files
    assert nearest(store, "h")[0][0] == more[1]
    assert len(nearest(store, "a", 100)) == 8
    folder = folder_of(store, ENCODER.name)
    assert folder is not None
    assert (folder / "codes").stat().st_size == 9 * ENCODER.dim  # rows count from one


def test_many_rows_agree_with_a_plain_product() -> None:
    store, rows = MemoryStore(None), np.random.default_rng(1).standard_normal((500, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    codes = Codes(store, "some", 64)
    codes.add([str(n) for n in range(500)], rows)
    for query in rows[:20] + np.float32(0.05):
        expected = np.argsort(-(rows @ query))[:5]
        assert [int(id) for id, _ in codes.nearest(query, 5)] == expected.tolist()


@pytest.mark.parametrize("harm", ["gone", "cut", "torn", "other", "longer"])
def test_files_that_do_not_fit_are_made_again(store: MemoryStore, harm: str) -> None:
    ids = filled(store, "abc")
    nearest(store, "a")
    folder = folder_of(store, ENCODER.name)
    assert folder is not None
    if harm == "gone":
        (folder / "scales").unlink()
    elif harm == "cut":
        (folder / "codes").write_bytes(b"\0" * 7)
    elif harm == "torn":
        (folder / "state.json").write_text('{"last": 3')
    elif harm == "other":
        (folder / "state.json").write_text("[]")
    else:  # what a killed process had appended before it could say so
        with (folder / "scales").open("ab") as file:
            file.write(b"\xff" * 8)
    ids += filled(store, "d")
    for name, id in zip("abcd", ids, strict=True):
        assert nearest(store, name)[0][0] == id


def test_forgetting_leaves_no_vector_in_any_file(store: MemoryStore, tmp_path: Path) -> None:
    ids = filled(store, "abc")
    held = Codes(store, ENCODER.name, ENCODER.dim)
    query = ENCODER.encode_query("What is bbbbb?")
    assert held.nearest(query, 1)[0][0] == ids[1]
    Verdicts(store).forget([ids[1]])
    assert not any(file.is_file() for file in (tmp_path / "cache").rglob("*"))
    assert ids[1] not in [id for id, _ in held.nearest(query, 3)]  # nor in a process that had it
    assert len(held) == len(Codes(store, ENCODER.name, ENCODER.dim)) == 2


def test_without_a_place_to_write_the_arrays_stay_in_memory(store: MemoryStore, tmp_path: Path) -> None:
    ids = filled(store, "ab")
    (tmp_path / "cache").write_text("in the way")
    assert nearest(store, "b")[0][0] == ids[1]
