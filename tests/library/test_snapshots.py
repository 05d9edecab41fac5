"""What searches map from the library's cache: taken over from state to state, made again when damaged."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from quire.index.everything import Snapshot
from quire.index.everything.ragged import Ragged
from quire.index.everything.snapshot import Arrays
from quire.library import Library
from tests.library.conftest import write_pdf

QUESTION = "How long does a boat float until it sinks?"


@pytest.fixture
def copied(filled: Library, tmp_path: Path) -> Path:
    """A copy of the example library, searched once."""
    shutil.copytree(filled.folder, tmp_path / "copy")
    with Library.open(tmp_path / "copy") as library:
        assert library.search(QUESTION)
    return tmp_path / "copy"


def folders(library: Path) -> list[Path]:
    return sorted((library / "cache").glob("search-*"))


def snapshot(library: Library) -> Snapshot:
    with library._resources.database.reading() as connection:
        return library._everything.snapshot(connection)


def test_a_state_taken_over_is_what_reading_all_of_it_gives(copied: Path, tmp_path: Path) -> None:
    (before,) = folders(copied)
    with Library.open(copied) as library:
        library.add(write_pdf(tmp_path / "kites.pdf", "Kites", "Kites of rice paper fly for nine hours."))
        library.remove("paper-boats.pdf")
        taken_over = snapshot(library)
        assert "nine hours" in library.search("How long do kites fly?", part="text")[0].text
    (after,) = folders(copied)
    assert after != before
    shutil.rmtree(after)
    with Library.open(copied) as library:
        fresh = snapshot(library)
    assert taken_over.papers == fresh.papers
    assert taken_over.told == fresh.told
    for field in fields(Arrays):
        if field.name in ("basis", "coarse"):  # directions are taken over, too
            continue
        one, other = getattr(taken_over.arrays, field.name), getattr(fresh.arrays, field.name)
        if isinstance(one, Ragged):
            assert np.array_equal(one.start, other.start), field.name
            one, other = one.flat, other.flat
        assert np.array_equal(one, other), field.name


@pytest.mark.parametrize("name", ["about.json", "coarse.npy"])
def test_a_damaged_state_is_made_again(copied: Path, name: str) -> None:
    (folder,) = folders(copied)
    with Library.open(copied) as library:
        expected = library.search(QUESTION)
    (folder / name).write_bytes((folder / name).read_bytes()[:-20])
    with Library.open(copied) as library:
        assert library.search(QUESTION) == expected
    assert (folder / name).exists()


def test_a_library_whose_cache_cannot_be_written_is_searched(copied: Path) -> None:
    with Library.open(copied) as library:
        expected = library.search(QUESTION)
    shutil.rmtree(copied / "cache")
    (copied / "cache").write_text("no folder")
    with Library.open(copied) as library:
        assert library.search(QUESTION) == expected


def test_threads_search_at_once(copied: Path) -> None:
    questions = [QUESTION, "seedlings on the window", "bread of the results", "which table is about boats?"]
    with Library.open(copied) as library, ThreadPoolExecutor(8) as pool:
        expected = [library.search(question) for question in questions]
        assert list(pool.map(library.search, questions * 4)) == expected * 4
