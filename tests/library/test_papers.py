from __future__ import annotations

from datetime import datetime

import pytest

from quire.errors import PaperNotFound
from quire.library import ids
from quire.library.papers import find
from quire.store import Database
from quire.store.rows import PaperRow, insert


def paper_row(name: str, title: str, doi: str = "", arxiv_id: str = "", state: str = "encoded") -> PaperRow:
    return PaperRow(
        paper_id=ids.paper_id(name), file_name=name, source_path=f"/somewhere/{name}", sha256=name,
        copy_sha256=name, file_size=1, added=datetime(2024, 1, 1), state=state, error_kind="",
        error="It is empty." if state == "failed" else "", notes=(), parser="", encoders=(),
        summaries_by="", chunk_tokens=256, title=title, doi=doi, arxiv_id=arxiv_id, cited_by=(),
    )  # fmt: skip


ROWS = [
    paper_row("boats.pdf", "Paper Boats in Rain", "10.1000/boats", "2101.00001"),
    paper_row("boats2.pdf", "Paper Boats in Snow"),
    paper_row("it's \N{SNOWMAN}.pdf", "Gärten"),
    paper_row("broken.pdf", "", state="failed"),
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    made = Database(tmp_path_factory.mktemp("papers") / "library.duckdb")
    made.create()
    with made.writing() as connection:
        insert(connection, ROWS)
    return made


@pytest.mark.parametrize(
    ("name", "row"),
    [
        (ROWS[0].paper_id, 0),
        (ROWS[1].paper_id[:8], 1),
        ("boats.pdf", 0),
        ("boats", 0),
        ("boats2", 1),
        ("/somewhere/boats2.pdf", 1),
        ("10.1000/BOATS", 0),
        ("https://doi.org/10.1000/boats", 0),
        ("arXiv:2101.00001", 0),
        ("paper boats in rain", 0),
        ("PAPER BOATS, in snow", 1),
        ("in snow", 1),
        ("it's \N{SNOWMAN}.pdf", 2),
        ("gärten", 2),
    ],
)
def test_names(database: Database, name: str, row: int) -> None:
    with database.reading() as connection:
        assert find(connection, name).id == ROWS[row].paper_id


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("paper boats", "2 papers are named `paper boats`"),
        ("bots.pdf", "Did you mean boats.pdf"),
        ("broken.pdf", "could not be read. It is empty."),
        (ROWS[3].paper_id, "could not be read. It is empty."),
        ("/somewhere/broken.pdf", "could not be read. It is empty."),
        ("' OR 1=1 --", "No paper is named"),
        ("", "No paper is named"),
    ],
)
def test_none_or_several(database: Database, name: str, told: str) -> None:
    with database.reading() as connection, pytest.raises(PaperNotFound, match=told.replace(".", r"\.")):
        find(connection, name)
