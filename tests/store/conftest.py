"""A small library file made of rows, without any PDF."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.settings import Sql
from quire.store import Database, Sandbox
from quire.store.rows import insert
from quire.store.schema import MetadataRow, PageRow

PAPER = str(uuid.uuid5(uuid.NAMESPACE_DNS, "paper"))
PAGE = str(uuid.uuid5(uuid.NAMESPACE_DNS, "page"))


def metadata(paper: str = PAPER, title: str = "On Boats") -> MetadataRow:
    return MetadataRow(
        paper_id=paper, title=title, abstract="", num_pages=1, conference_full="uncategorized",
        conference_abbreviation="uncategorized", pub_year=2024, volume="", download_url="", bibtex="",
        authors=("A. Example", "B. Specimen"), pdf_path="boats.pdf", tldr="", tags=(), doi="", arxiv_id="",
        language="en",
    )  # fmt: skip


@pytest.fixture
def database(tmp_path: Path) -> Database:
    made = Database(tmp_path / "library.duckdb", patience=0.3)
    made.create()
    with made.writing() as connection:
        page = PageRow(PAGE, 1, 612, 792, "It floats.", "Floats.", PAPER, "iv")
        insert(connection, [metadata(), page])
    return made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Database:
    made = Database(tmp_path_factory.mktemp("shared") / "library.duckdb")
    made.create()
    with made.writing() as connection:
        insert(connection, [metadata(), PageRow(PAGE, 1, 612, 792, "It floats.", "", PAPER, "iv")])
    return made


@pytest.fixture(scope="module")
def sandbox(shared: Database) -> Iterator[Sandbox]:
    limits = Sql(time_limit=0.5, memory_limit=512, max_rows=50, max_bytes=100_000)
    with Sandbox(shared.path, limits) as made:
        yield made
