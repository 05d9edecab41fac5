"""The index beside its rows: it finds what one entry after the other gives, whatever happened to it."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quire.errors import LibraryFull
from quire.search import BM25, entries, signals, vectors
from quire.search.analyzer import term_numbers
from quire.search.batch import analyse, checked
from quire.search.search import Request, column_search
from quire.search.signals import K1, B
from quire.search.slots import RECORD, IndexDamaged, damaged, journal
from quire.search.vectors import About
from quire.search.words import WordIndex
from tests.search.library import (
    CHUNKS,
    CLIP,
    DENSE,
    DIM,
    SENTENCES,
    WORDS,
    Small,
    chunk,
    paper_id,
    units_of,
    vectors_of,
)

PAPERS = 6
QUERY = np.asarray(vectors_of(np.asarray([1]))[0] + 0.1, dtype=np.float32)
QUERY /= np.linalg.norm(QUERY)
Keeps = Callable[[dict[str, Any]], bool]
FILTERS: dict[str, Keeps] = {
    "": lambda row: True,
    f"pdf_id == '{paper_id(2)}'": lambda row: row["pdf_id"] == paper_id(2),
    f"pdf_id in ['{paper_id(1)}', '{paper_id(3)}'] and page_number == 1": lambda row: (
        row["pdf_id"] in (paper_id(1), paper_id(3)) and row["page_number"] == 1
    ),
    "page_number not in [1, 2]": lambda row: row["page_number"] not in (1, 2),
    "not (page_number == 1)": lambda row: row["page_number"] != 1,
    "!(page_number > 2) && id > 10": lambda row: row["page_number"] <= 2 and row["id"] > 10,
    "page_number < 2 or page_number >= 5": lambda row: not 2 <= row["page_number"] < 5,
    "1 < page_number < 4": lambda row: 1 < row["page_number"] < 4,
    "page_number % 2 == 1": lambda row: row["page_number"] > 0 and row["page_number"] % 2 == 1,
    "page_number ** 2 == 9": lambda row: abs(row["page_number"]) == 3,
    "primary_key like 'a%'": lambda row: row["primary_key"].startswith("a"),
    "pdf_id == 'it\\'s'": lambda row: row["pdf_id"] == "it's",
    "page_number in []": lambda row: False,
    "id % 7 == 3 or primary_key < '8'": lambda row: row["id"] % 7 == 3 or row["primary_key"] < "8",
}
BOX_FILTERS: dict[str, Keeps] = {
    "bbox[0] + bbox[2] <= 100 and bbox[1] + bbox[3] <= 200": lambda row: (
        row["bbox"][0] + row["bbox"][2] <= 100 and row["bbox"][1] + row["bbox"][3] <= 200
    ),
    "array_contains_any(bbox, [1, 2, 3, 4, 5, 6, 7, 8])": lambda row: bool({*row["bbox"]} & {*range(1, 9)}),
    "bbox[0] >= 20 and not (bbox[3] > 60)": lambda row: row["bbox"][0] >= 20 and row["bbox"][3] <= 60,
    "bbox[7] == 1": lambda row: False,
}


class Fixed:
    """An encoder with one vector for every query."""

    max_tokens = dim = DIM
    precision = "float32"

    def __init__(self, name: str) -> None:
        self.name = name

    def encode(self, items: Any) -> NDArray[np.float32]:
        raise AssertionError("nothing is to be encoded")

    def encode_query(self, text: str) -> NDArray[np.float32]:
        return QUERY


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    made = Small(tmp_path_factory.mktemp("small"))
    for number in range(PAPERS):
        made.add(number)
    yield made
    made.connection.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Small]:
    made = Small(tmp_path)
    for number in range(3):
        made.add(number)
    yield made
    made.connection.close()


@pytest.fixture(params=["few", "many"])
def scale(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Few entries are all measured, of many those that words and vectors give: the same must be found."""
    if request.param == "many":
        monkeypatch.setattr(signals, "_FEW", 0)
        monkeypatch.setattr("quire.search.vectors._FEW", 0)
    return str(request.param)


def found(small: Small, collection: str, text: str, papers: tuple[str, ...] = (), limit: int = 10) -> Any:
    table, column = ("images", "bounding_box") if collection == CLIP else ("chunks", "text_content")
    request = Request(
        "graph attention loss, graph of a corpus", collection, table, column, papers, text, limit
    )
    encoders = {name: Fixed(name) for name in (DENSE, CLIP)}
    return [(hit.id, hit.score) for hit in column_search(small.view(), small.connection, request, encoders)]


def expected(
    small: Small, collection: str, text: str, papers: tuple[str, ...] = (), limit: int = 10
) -> list[tuple[int, float]]:
    """The same, computed one entry after the other."""
    table = "images" if collection == CLIP else "chunks"
    cursor = small.connection.execute("SELECT * FROM entries WHERE table_name = ?", [table])
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    keeps = {**FILTERS, **BOX_FILTERS}[text]
    inside = [row for row in rows if (not papers or row["pdf_id"] in papers) and keeps(row)]
    ids = np.asarray([row["id"] for row in inside], dtype=np.int64)
    if collection == BM25:
        scores = bm25(rows, inside)
    else:
        scores = dict(zip(ids.tolist(), (vectors_of(ids) @ QUERY).tolist(), strict=True))
    ranked = sorted(scores, key=lambda i: (-scores[i], i))
    return [(i, scores[i]) for i in ranked][:limit]


def bm25(rows: list[dict[str, Any]], inside: list[dict[str, Any]]) -> dict[int, float]:
    """Scores with the average length of the column, and frequencies among the entries inside."""
    texts = {unit.key: term_numbers(unit.text) for n in range(20) for unit in units_of(n) if unit.text}
    average = sum(len(texts[row["primary_key"]]) for row in rows) / len(rows)
    counts = {row["id"]: Counter(texts[row["primary_key"]]) for row in inside}
    scores: dict[int, float] = {}
    for term in dict.fromkeys(term_numbers("graph attention loss, graph of a corpus")):
        df = sum(term in each for each in counts.values())
        idf = np.log(1 + (len(counts) - df + 0.5) / (df + 0.5))
        for entry, each in counts.items():
            if tf := each[term]:
                norm = K1 * (1 - B + B * each.total() / average)
                scores[entry] = scores.get(entry, 0.0) + float(idf) * tf / (tf + norm)
    return scores


def same(hits: list[tuple[int, float]], wanted: list[tuple[int, float]]) -> None:
    """The same scores in the same order; entries whose scores differ by eight bits may change places."""
    assert [score for _, score in hits] == pytest.approx([score for _, score in wanted], abs=0.01)
    sure = {key for key, score in wanted if score > wanted[-1][1] + 0.02} if wanted else set()
    assert sure <= {key for key, _ in hits}
    assert len({key for key, _ in hits}) == len(hits)


@pytest.mark.parametrize("text", FILTERS)
@pytest.mark.parametrize("collection", [BM25, DENSE])
def test_search_of_a_column_under_every_filter(filled: Small, scale: str, collection: str, text: str) -> None:
    same(found(filled, collection, text), expected(filled, collection, text))


@pytest.mark.parametrize("text", BOX_FILTERS)
def test_image_search_under_array_filters(filled: Small, scale: str, text: str) -> None:
    same(found(filled, CLIP, text), expected(filled, CLIP, text))


@pytest.mark.parametrize("limit", [1, 3, 40, 1000])
@pytest.mark.parametrize("collection", [BM25, DENSE])
def test_limits_and_papers(filled: Small, scale: str, collection: str, limit: int) -> None:
    papers = (paper_id(1), paper_id(4))
    same(found(filled, collection, "", papers, limit), expected(filled, collection, "", papers, limit))
    assert found(filled, collection, "", ("nobody",)) == []


def test_what_was_removed_is_never_found(fresh: Small, scale: str) -> None:
    before = fresh.view()
    entries.delete(fresh.connection, [paper_id(1)])  # and its process dies before the index hears of it
    assert fresh.view() is not before
    for collection in (BM25, DENSE):
        hits = {key for key, _ in found(fresh, collection, "", limit=100)}
        assert hits == {key for key, _ in expected(fresh, collection, "", limit=100)}
    with fresh.index.writing() as writer:
        writer.only([paper_id(0), paper_id(2)])
    assert len(fresh.index.words) == fresh.view().words_expected()


def test_a_paper_comes_back_under_new_ids(fresh: Small) -> None:
    fresh.remove(1)
    again = fresh.add(1)
    assert int(again[0]) == 3 * 24 + 1
    for collection in (BM25, DENSE):
        hits = found(fresh, collection, "", (paper_id(1),), 100)
        assert {key for key, _ in hits} <= set(again.tolist())
        assert hits


def test_what_the_index_lacks_is_told_and_made_up(fresh: Small) -> None:
    first, batch = fresh.enter(units_of(7))
    assert fresh.index.behind(entries.runs(fresh.connection)) == [(paper_id(7), first, first + len(batch))]
    assert fresh.view().lacks == 1
    with fresh.index.writing() as writer:
        writer.put([(first, batch)])
    fresh.encode(np.arange(first, first + len(batch)))
    assert fresh.view().lacks == 0
    assert fresh.index.behind(entries.runs(fresh.connection)) == []
    assert damaged(fresh.index.folder / "units", journal(fresh.index.folder / "units")) == []


def test_ids_of_papers_that_went_unseen_stay_empty(tmp_path: Path) -> None:
    small = Small(tmp_path)
    small.enter(units_of(0))
    entries.delete(small.connection, [paper_id(0)])
    ids = small.add(1)
    assert int(ids[0]) == 25
    assert {key for key, _ in found(small, BM25, "", limit=100)} <= set(ids.tolist())
    assert len(small.view().slots) == 49


def test_vectors_are_replaced_and_dropped(fresh: Small) -> None:
    vectors = fresh.index.vectors(DENSE)
    ids = np.asarray([1, 3, 5], dtype=np.int64)
    turned = -vectors_of(ids)
    vectors.put(ids, turned, fresh.view())
    assert vectors.cosines(turned[0], ids)[0] == pytest.approx(1, abs=0.01)
    assert np.abs(vectors.rows(ids) - turned).max() < 0.005
    vectors.remove(ids[:1])
    assert not vectors.held(10)[1]
    assert vectors.cosines(turned[0], ids)[0] == 0
    assert 1 not in {key for key, _ in found(fresh, DENSE, "", limit=100)}


@pytest.mark.parametrize("name", ["records", "numbers", "texts", "pairs"])
def test_a_flipped_byte_is_found(fresh: Small, name: str) -> None:
    folder = fresh.index.folder / "units"
    states = journal(folder)
    with (folder / name).open("r+b") as file:
        file.seek(states[0].bytes[("records", "numbers", "texts", "pairs").index(name)] + 3)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 64]))
    assert [state.papers for state in damaged(folder, states)] == [(paper_id(1),)]


def test_a_flipped_byte_of_a_vector_is_found(fresh: Small) -> None:
    files = fresh.index.files(DENSE)
    assert len(files.unsound()) == 0
    with (files.folder / "codes").open("r+b") as file:
        file.seek(3 * DIM)
        file.write(b"\x55")
    assert fresh.index.files(DENSE).unsound().tolist() == [3]


@pytest.mark.parametrize("line", [b"{", b"null\n", b'{"format": 99}\n', b"\xff\n"])
def test_a_torn_or_foreign_journal(fresh: Small, line: bytes) -> None:
    file = fresh.index.folder / "units" / "journal"
    before = found(fresh, BM25, "")
    with file.open("ab") as journal_file:
        journal_file.write(line)
    if line.endswith(b"\n"):
        with pytest.raises(IndexDamaged):
            fresh.view()
        fresh.index.forget(entries.end(fresh.connection))
        assert len(fresh.index.behind(entries.runs(fresh.connection))) == 3
        return
    assert found(fresh, BM25, "") == before, "a line that was not written to its end does not count"
    ids = fresh.add(9)
    assert ids[0] in range(len(fresh.view().slots))


_CRASH = """
import os, signal, sys
from pathlib import Path
from quire.search.index import IndexWriter
from quire.search.slots import SlotWriter
from quire.search.words import WordWriter
from tests.search.library import Small, units_of
folder, at = Path(sys.argv[1]), sys.argv[2]
small = Small(folder, folder / "library.duckdb")
small.add(0)
dies = {"append": (SlotWriter, "append"), "commit": (WordWriter, "commit"), "seal": (SlotWriter, "seal")}
owner, name = dies[at]
done = getattr(owner, name)
def dying(*values):
    if at == "append":
        done(*values)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(owner, name, dying)
small.put(units_of(1))
"""


@pytest.mark.parametrize("at", ["append", "commit", "seal"])
def test_killed_in_a_put(at: str, tmp_path: Path) -> None:
    script = [sys.executable, "-c", _CRASH, str(tmp_path), at]
    done = subprocess.run(script, check=False, cwd=Path(__file__).parents[2], capture_output=True, timeout=60)
    assert done.returncode == -9, done.stderr
    small = Small(tmp_path, tmp_path / "library.duckdb")
    ((paper, first, last),) = small.index.behind(entries.runs(small.connection))
    assert (paper, last - first) == (paper_id(1), 24)
    same(found(small, DENSE, "", (paper_id(0),)), expected(small, DENSE, "", (paper_id(0),)))
    with small.index.writing() as writer:
        writer.put([(first, analyse(paper, units_of(1)))])
    small.encode(np.arange(first, last))
    for collection in (BM25, DENSE):
        same(found(small, collection, "", limit=100), expected(small, collection, "", limit=100))
    assert len(small.index.words) == small.view().words_expected()
    small.connection.close()


def test_an_index_ahead_of_rows_that_were_lost(tmp_path: Path) -> None:
    small = Small(tmp_path)
    for number in range(3):
        small.add(number)
    small.connection.close()
    older = Small(tmp_path)  # another database, which has the first paper alone
    first, batch = older.enter(units_of(0))
    with pytest.raises(IndexDamaged, match="ahead"):
        older.view()
    older.index.forget(entries.end(older.connection))
    with older.index.writing() as writer:
        writer.put([(first, batch)])
    same(found(older, DENSE, "", limit=100), expected(older, DENSE, "", limit=100))
    again, other = older.enter(units_of(9))
    with older.index.writing() as writer:
        writer.put([(again, other)])
    hits = {key for key, _ in found(older, DENSE, "", (paper_id(9),), 100)}
    assert not older.index.vectors(DENSE).held(again + 24)[again:].any(), "no vector of a paper that was lost"
    assert hits <= set(range(again, again + 24))


def test_words_that_are_nearly_there(fresh: Small) -> None:
    fresh.put([chunk(8, 0, "The spermatozoa of twelve rats")])
    words = fresh.index.words
    assert words.said("rat")
    assert not words.said("rats")
    assert words.alike("spermatzoa", 2) == ["spermatozoa"]
    assert words.alike("psermatozoa", 2) == ["spermatozoa"], "the first letter may be wrong, too"
    assert words.alike("nermatozoa", 2) == [], "but then no other is"
    assert words.alike("nothing", 2) == []


def test_arrays_of_a_child_that_do_not_fit_are_refused() -> None:
    from dataclasses import replace

    from quire.errors import DocumentError

    batch = analyse(paper_id(0), units_of(0))
    assert checked(batch) is batch
    for wrong in (
        replace(batch, numbers=batch.numbers[:-1]),
        replace(batch, keys=batch.keys[1:]),
        replace(batch, sizes=-batch.sizes),
        replace(batch, pairs=batch.pairs + 200),
    ):
        with pytest.raises(DocumentError):
            checked(wrong)


def test_a_folder_that_cannot_be_written_to_is_read(fresh: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    found = WordIndex(fresh.index.words.folder)
    assert len(found) == fresh.view().words_expected()
    copy = found._writable(found.folder)
    assert copy != found.folder
    assert {file.name for file in copy.iterdir()} == {file.name for file in found.folder.iterdir()}


def test_a_writer_that_died_is_told_whatever_it_is_asked_next(fresh: Small) -> None:
    with fresh.index.words.writing() as writer:
        writer._writer.wait_merging_threads()  # what a full disk does to it
        with pytest.raises(IndexDamaged):
            writer.add(0, analyse(paper_id(1), units_of(1)))
        with pytest.raises(IndexDamaged):
            writer.remove([paper_id(1)])
        with pytest.raises(IndexDamaged):
            writer.cut(0)
        with pytest.raises(IndexDamaged):
            writer.commit()


@contextmanager
def no_more_files() -> Iterator[None]:
    """This process may open no file beyond those that are open."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Path(os.devnull).open() as probe:
        free = probe.fileno()
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (least, most))


def test_a_machine_that_gives_no_files_is_no_damage(fresh: Small) -> None:
    before = found(fresh, DENSE, "")
    fresh.index.close()
    with no_more_files(), pytest.raises(LibraryFull):
        fresh.view()
    words, vectors = WordIndex(fresh.index.folder / "words"), fresh.index.files(DENSE)
    with no_more_files():
        with pytest.raises(LibraryFull):
            words.reload()
        with pytest.raises(LibraryFull):
            vectors.rows(np.arange(3))
    assert found(fresh, DENSE, "") == before


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """Of several thousand entries the index of words is laid out otherwise than of few."""
    made = Small(tmp_path_factory.mktemp("large"))
    made.put([chunk(0, number, f"{WORDS[number % 13]} said{number} model") for number in range(6000)])
    made.connection.close()
    return made


@pytest.mark.parametrize("ending", ["term", "idx", "fast", "fieldnorm"])
def test_damaged_words_are_told_and_no_panic(large: Small, ending: str, tmp_path: Path) -> None:
    folder = tmp_path / "words"
    shutil.copytree(large.index.folder / "words", folder)
    assert WordIndex(folder).damaged() == []
    file = next(folder.glob(f"*.{ending}"))
    whole = file.read_bytes()
    file.write_bytes(random.Random(1).randbytes(len(whole) - 200) + whole[-200:])
    with contextlib.suppress(IndexDamaged):  # at the latest when it is searched, or never: it may look well
        words = WordIndex(folder)
        words.search(("model", "said17"), (CHUNKS,), (), 1000)
        words.frequencies(("model",), (SENTENCES,))
        words.alike("sayd", 1)
        assert words.damaged() == [file.name]


@pytest.mark.parametrize("content", [b"", b"{", b'{"dim": 0}', b'{"dim": -1}', b'{"dim": 16}', b"[]"])
def test_a_collection_that_cannot_be_read_is_dropped_alone(fresh: Small, content: bytes) -> None:
    (fresh.index.files(DENSE).folder / "about.json").write_bytes(content)
    fresh.index.close()
    with pytest.raises(IndexDamaged):
        fresh.index.about(DENSE)
    assert len(fresh.index.forget_unreadable()) == 1
    assert fresh.index.about(DENSE) is None
    assert fresh.index.about(CLIP) == About(DIM)
    assert fresh.view(CLIP).lacks == 0


@pytest.mark.parametrize("scale", [1e30, np.inf, np.nan, -1.0, 0.005])
def test_a_flipped_byte_of_a_scale_is_found_and_moves_nothing_up(fresh: Small, scale: float) -> None:
    files = fresh.index.files(DENSE)
    ids = np.arange(len(fresh.view().slots))
    with (files.folder / "scales").open("r+b") as file:
        file.seek(3 * 8)
        file.write(np.float32(scale).tobytes())
    files = fresh.index.files(DENSE)
    assert files.unsound().tolist() == [3]
    assert np.isfinite(files.rows(ids)).all()
    assert np.isfinite(files.cosines(QUERY, ids)).all()
    if scale != 0.005:
        assert 3 not in files.best(QUERY, 5)[0]


def test_the_nearest_are_the_same_in_parts_by_several_threads(
    fresh: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = fresh.index.files(DENSE)
    whole = files.best(QUERY, 5)
    monkeypatch.setattr(vectors, "_AT_ONCE", 3)
    parts = files.best(QUERY, 5)
    assert files.reach > 6
    assert parts[0].tolist() == whole[0].tolist()
    assert parts[1].tolist() == whole[1].tolist()
    assert files.best(QUERY, 5, np.zeros(files.reach, dtype=np.bool_))[0].tolist() == []


def test_numbers_that_are_not_there_are_damage(fresh: Small) -> None:
    file = fresh.index.folder / "units" / "records"
    records = np.fromfile(file, dtype=RECORD)
    records["sizes"][4, 0] = -7
    records["sizes"][5, 0] = 1 << 30
    records.tofile(file)
    slots = fresh.view().slots
    for id in (4, 5):
        with pytest.raises(IndexDamaged):
            slots.lists(np.asarray([id]), 0)
