from __future__ import annotations

from dataclasses import fields

import pytest

from quire.store import Database, schema
from quire.store.rows import VIEW_ROWS

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


def test_the_rows_have_the_columns_of_their_tables() -> None:
    for kind in VIEW_ROWS:
        assert [f.name for f in fields(kind)] == [c.name for c in schema.table(kind.TABLE).columns]


def test_what_a_column_points_to_is_a_key() -> None:
    for table in schema.TABLES:
        for column in table.columns:
            if column.refers:
                other, _, key = column.refers.partition(".")
                assert schema.table(other).key == key


def test_ddl_is_valid_sql_in_its_own_order() -> None:
    import duckdb

    with duckdb.connect() as connection:
        for table in schema.TABLES:
            text = schema.ddl(table)
            # References to tables of later statements are words for agents, not for DuckDB.
            lines = [line for line in text.splitlines() if "FOREIGN KEY" not in line]
            connection.execute(
                "\n".join(lines).replace(f"PRIMARY KEY ({table.key}),", f"PRIMARY KEY ({table.key})")
            )
        made = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    assert made == {table.name for table in schema.TABLES}


def test_unknown_names() -> None:
    with pytest.raises(KeyError):
        schema.table("papers")
    with pytest.raises(KeyError):
        schema.METADATA.column("nothing")


def test_compact_names_every_column() -> None:
    assert "pages(page_id, page_number" in schema.compact()
