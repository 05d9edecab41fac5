from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from quire.library import citations, ids
from quire.store import Database
from quire.store.rows import PaperRow, insert
from quire.store.schema import ReferenceRow
from tests.library.test_papers import paper_row

REFERENCE = ReferenceRow(
    str(uuid.UUID(int=7)),
    "",
    0,
    str(uuid.UUID(int=1)),
    str(uuid.UUID(int=2)),
    (0, 0, 1, 1),
    "",
    "",
    None,
    None,
)
TITLE = "A Study of Paper Boats in Rain"


@pytest.mark.parametrize(
    "reference",
    [
        replace(REFERENCE, reference_title="a study of paper-boats in rain."),
        replace(REFERENCE, reference_content="Ship, A. 2001. https://doi.org/10.1000/Boats.7."),
        replace(REFERENCE, reference_content="arXiv preprint arXiv:2101.00001v2, 2021"),
        replace(REFERENCE, reference_content="https://arxiv.org/abs/2101.00001"),
    ],
)
def test_title_doi_or_arxiv_id_name_a_paper(reference: ReferenceRow) -> None:
    keys = citations.paper_keys(TITLE, "10.1000/boats.7", "2101.00001")
    assert set(citations.reference_keys(reference)) & set(keys)


@pytest.mark.parametrize("title", ["Introduction", "", "A Study of Paper Boats in Snow"])
def test_other_and_short_titles_name_nothing(title: str) -> None:
    found = citations.reference_keys(replace(REFERENCE, reference_title=title))
    assert not set(found) & set(citations.paper_keys(TITLE, "", ""))
    assert not citations.paper_keys("Introduction", "", "")


@pytest.mark.parametrize("cited_first", [True, False])
def test_links_do_not_depend_on_who_comes_first(tmp_path: Path, cited_first: bool) -> None:
    database = Database(tmp_path / "library.duckdb")
    database.create()
    cited = replace(paper_row("cited.pdf", TITLE), cited_by=tuple(citations.paper_keys(TITLE, "", "")))
    citing = paper_row("citing.pdf", "Another Title That Is Long Enough")
    reference = replace(REFERENCE, ref_paper_id=citing.paper_id, reference_title=TITLE)

    def add(row: PaperRow) -> None:
        own = [reference] if row is citing else []
        with database.writing() as connection:
            insert(connection, [row, *own, *citations.key_rows(own)])
            citations.link(connection, row.paper_id)

    for row in (cited, citing) if cited_first else (citing, cited):
        add(row)
    with database.reading() as connection:
        found = connection.execute("SELECT cited_paper_id::VARCHAR FROM reference").fetchall()
    assert found == [(cited.paper_id,)]


def test_a_title_key_forgets_case_accents_and_signs() -> None:
    assert ids.title_key("Über  Papierboote: Eine Studie") == ids.title_key("uber papierboote - eine studie")
