from __future__ import annotations

import uuid

from quire.store import Database
from quire.store.rows import delete_paper, insert, papers_where
from quire.store.schema import ReferenceRow
from tests.store.conftest import PAGE, PAPER, metadata


def reference(key: int, cited: str | None) -> ReferenceRow:
    other = str(uuid.UUID(int=99))
    return ReferenceRow(str(uuid.UUID(int=key)), "Entry", key, other, PAGE, (1, 2, 3, 4), "", "", None, cited)


def test_deleting_a_paper_takes_its_rows_and_the_links_to_it(database: Database) -> None:
    with database.writing() as connection:
        insert(connection, [metadata(str(uuid.UUID(int=99))), reference(1, PAPER), reference(2, None)])
    with database.writing() as connection:
        delete_paper(connection, [PAPER])
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM pages").fetchall() == [(0,)]
        assert connection.execute("SELECT count(*) FROM metadata").fetchall() == [(1,)]
        rows = connection.execute("SELECT cited_paper_id, bounding_box FROM reference").fetchall()
    assert rows == [(None, (1, 2, 3, 4))] * 2


def test_odd_texts_go_in_and_come_back(database: Database) -> None:
    title = "Robert'); DROP TABLE metadata; -- \N{SNOWMAN} \n\t \U0001f600"
    with database.writing() as connection:
        insert(connection, [metadata(str(uuid.uuid4()), title)])
    with database.reading() as connection:
        assert (title,) in connection.execute("SELECT title FROM metadata").fetchall()


def test_nothing_to_insert(database: Database) -> None:
    with database.writing() as connection:
        insert(connection, [])
        assert papers_where(connection) == []
