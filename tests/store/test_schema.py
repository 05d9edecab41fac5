from __future__ import annotations

import pytest

from quire.store import Database, schema

SEEDS = {
    "metadata": "paper_id title abstract num_pages conference_full conference_abbreviation pub_year volume "
    "download_url bibtex authors pdf_path tldr tags",
    "pages": "page_id page_number page_width page_height page_content page_summary ref_paper_id",
    "images": "image_id image_caption image_summary bounding_box ordinal ref_paper_id ref_page_id",
    "chunks": "chunk_id text_content ordinal ref_paper_id ref_page_id",
    "tables": "table_id table_caption table_content table_summary bounding_box ordinal ref_paper_id "
    "ref_page_id",
    "sections": "section_id section_title section_content section_summary ordinal page_numbers ref_paper_id",
    "equations": "equation_id equation_content ordinal ref_paper_id ref_page_id",
    "reference": "reference_id reference_content ordinal ref_paper_id ref_page_id",
}


@pytest.mark.parametrize("name", SEEDS)
def test_the_columns_that_agents_are_prompted_with_come_first(name: str) -> None:
    wanted = SEEDS[name].split()
    assert [column.name for column in schema.table(name).columns][: len(wanted)] == wanted


@pytest.mark.parametrize("table", schema.TABLES, ids=lambda table: table.name)
def test_the_description_is_what_the_file_has(database: Database, table: schema.Table) -> None:
    with database.reading() as connection:
        found = connection.execute(f"DESCRIBE SELECT * FROM {table.name}").fetchall()
    assert [(row[0], row[1]) for row in found] == [(c.name, c.type) for c in table.columns]


def test_what_a_column_points_to_is_a_key() -> None:
    for table in schema.TABLES:
        for column in table.columns:
            if column.refers:
                other, _, key = column.refers.partition(".")
                assert schema.table(other).key == key


def test_unknown_names() -> None:
    with pytest.raises(KeyError):
        schema.table("papers")
