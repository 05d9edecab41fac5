"""Writing, merging and deleting: sizes, postings and vectors always belong together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.errors import QueryError
from quire.index import Cell
from quire.index import writing as w
from quire.index.analyzer import term_numbers
from quire.index.backends.duckdb import DuckDbBackend
from quire.index.postings import analyse
from tests.index.library import DENSE, add, cells_of, create, paper_id


def test_cells_are_counted() -> None:
    batch = analyse(
        [
            Cell("chunks", "text_content", "a", "p", 1, "graphs and graph models"),
            Cell("chunks", "text_content", "b", "p", 1, "  "),
            Cell("tables", "table_content", "c", "p", 2, "<table><tr><td>graph</td></tr></table>"),
            Cell("images", "bounding_box", "d", "p", 2),
        ]
    )
    assert [cell.key for cell in batch.cells] == ["a", "c", "d"], "there is nothing to encode in a blank cell"
    assert batch.lengths.tolist() == [3, 1, 0]
    assert batch.tf.tolist() == [2, 1, 1]
    assert batch.owner.tolist() == [0, 0, 1]
    assert batch.term.tolist() == [*term_numbers("graph model"), *term_numbers("graph")]
    with pytest.raises(QueryError, match="Choose from: text_content"):
        analyse([Cell("chunks", "ordinal", "a", "p", 1, "x")])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["add", "delete", "merge"]), st.integers(0, 4)), max_size=12))
def test_any_history_leaves_the_same_as_a_fresh_library(steps: list[tuple[str, int]]) -> None:
    connection, backend = create(), DuckDbBackend()
    there: list[int] = []
    for what, number in steps:
        if what == "add" and number not in there:
            add(connection, backend, number)
            there.append(number)
        elif what == "delete":
            removed = w.delete(connection, [paper_id(number), "nobody"])
            assert removed == (24 if number in there else 0)
            there = [n for n in there if n != number]
        elif what == "merge":
            w.merge(connection)
    words = [Counter(term_numbers(c.text)) for n in there for c in cells_of(n) if c.text]
    ((entries, length),) = connection.execute(
        "SELECT coalesce(sum(entries), 0), coalesce(sum(words), 0) FROM pair_sizes WHERE pair = 9"
    ).fetchall()
    assert (entries, length) == (len(words), sum(c.total() for c in words))
    ((rows, total),) = connection.execute(
        "SELECT count(*), coalesce(sum(tf), 0) FROM (FROM postings UNION ALL FROM postings_recent)"
    ).fetchall()
    assert (rows, total) == (sum(map(len, words)), sum(c.total() for c in words))
    assert len(backend.held(connection, DENSE).ids) == 12 * len(there)
    ids = [row[0] for row in connection.execute("SELECT id FROM entries ORDER BY id").fetchall()]
    assert len(set(ids)) == len(ids) == 24 * len(there)
    connection.close()


def test_recent_postings_are_merged_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(w, "MERGE_FROM", 100)
    connection, backend = create(), DuckDbBackend()
    recent = []
    for number in range(20):
        connection.begin()
        add(connection, backend, number)
        connection.commit()
        ((rows,),) = connection.execute("SELECT count(*) FROM postings_recent").fetchall()
        recent.append(rows)
    assert recent.count(0) < 10, "merging gets rarer as the library grows"
    assert 0 in recent
    ordered = connection.execute("SELECT pair, term, id FROM postings ORDER BY rowid").fetchall()
    assert ordered == sorted(ordered)
    connection.close()


def test_ids_are_never_used_again() -> None:
    connection, backend = create(), DuckDbBackend()
    first = add(connection, backend, 0)
    w.delete(connection, [paper_id(0)])
    assert np.all(add(connection, backend, 0) > first.max())
    connection.close()
