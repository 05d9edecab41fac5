from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import SettingsError, UnknownNameError
from quire.library import Library
from quire.library.indexing import view_of, with_vectors
from quire.search import MINILM, entries
from quire.search.cells import pair
from quire.search.index import whole_address
from tests.library.conftest import write_pdf


@pytest.mark.parametrize(
    "before",
    [
        "",
        "[parsing]\nworkers = 3\n",
        "[index]\n",
        '[index]  # where\nvectors = "duckdb"\nbatch_tokens = 512\n\n[parsing]\nworkers = 3\n',
        "[parsing]\nworkers = 3\n[index]\nbatch_tokens = 512",
    ],
)
@given(uri=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30))
def test_only_the_place_of_the_vectors_changes(before: str, uri: str) -> None:
    wanted = tomllib.loads(before)
    wanted.setdefault("index", {})["vectors"] = uri
    after = with_vectors(before, uri)
    assert tomllib.loads(after) == wanted
    others = [line for line in before.splitlines() if line.strip() and not line.startswith("vectors")]
    kept = [line for line in after.splitlines() if line in others]
    assert kept == others, "comments and all other settings stay as they are written"
    assert with_vectors(after, "duckdb") == with_vectors(before, "duckdb")


def test_tables_in_one_line_are_changed_too_and_what_is_no_table_is_left_alone() -> None:
    after = with_vectors('index = {vectors = "duckdb", batch_tokens = 9}\n', "milvus:x")
    assert tomllib.loads(after) == {"index": {"vectors": "milvus:x", "batch_tokens": 9}}
    for wrong in ("index = 3\n", "[index\n"):
        with pytest.raises(SettingsError, match="cannot be changed safely"):
            with_vectors(wrong, "milvus:x")


def test_papers_are_encoded_once_nothing_waits(filled: Library) -> None:
    assert {paper.state for paper in filled.papers()} == {"encoded"}
    assert not any(filled.status().waiting.values())


def test_a_vector_may_be_of_the_whole_text(tmp_path: Path) -> None:
    pdf = write_pdf(tmp_path / "boats.pdf", "On Boats", "It floats for a day.", "Then it sinks.")
    for pooling in ("parts", "direct"):
        with Library.open(tmp_path / pooling, index__pooling=pooling) as library:
            library.add(pdf)
            with library._resources.database.reading() as connection:
                view = view_of(library._resources, connection)
                whole = np.flatnonzero(view.selected((pair("chunks", "text_content"),)))
                (text,) = entries.texts(connection, whole.tolist()).values()
            made = library._resources.encoder(MINILM).encode([text])[0]
            alike = float((library._resources.index.vectors(MINILM).rows(whole) @ made)[0])
            assert (alike > 0.99) == (pooling == "direct"), (pooling, alike)


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("milvus:/nonexistent/x.db", "no folder"),
        ("milvus:", "milvus:PATH"),
        ("milvus+ftp://x", r"milvus\+http://HOST:PORT"),
        ("chroma:x", "files, milvus"),
    ],
)
def test_a_wrong_place_for_vectors_is_told_as_that(empty: Library, uri: str, told: str) -> None:
    empty._resources.create()
    with pytest.raises((SettingsError, UnknownNameError), match=told):
        empty.move_vectors(uri)


def test_a_place_for_vectors_means_the_same_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert whole_address("milvus:x.db?words") == f"milvus:{tmp_path / 'x.db'}?words"
    assert whole_address("milvus+http://a:1?words") == "milvus+http://a:1?words"
    kept = "milvus:x.db"  # as older settings have it
    with Library.open(tmp_path / "library", create=True, index__vectors=kept) as library:
        for same in (kept, "milvus:./x.db", f"milvus:{tmp_path / 'x.db'}?words"):
            with pytest.raises(SettingsError, match="already"):
                library.move_vectors(same)
