"""Suggested questions are English sentences, whatever names a paper's tables and headings have."""

from __future__ import annotations

import uuid

import duckdb
import pytest

from quire.ask.suggestions import suggested

PAPER = str(uuid.uuid4())
TABLES = f"""
    CREATE TABLE pages AS SELECT 1 AS page_id, 1 AS page_number;
    CREATE TABLE tables AS SELECT 1 AS table_id, 1 AS ref_page_id, 'Table 1' AS table_label, 1 AS ordinal;
    CREATE TABLE sentences AS SELECT '{PAPER}'::UUID AS ref_paper_id, 'x' AS sentence_content;
    CREATE TABLE images AS SELECT '{PAPER}'::UUID AS ref_paper_id, '' AS image_label;
    CREATE TABLE sections (ref_paper_id UUID, section_title TEXT, section_content TEXT, ordinal INT);
    CREATE TABLE cells (ref_paper_id UUID, ref_table_id INT, row_label TEXT, column_label TEXT, row_index INT,
        column_index INT, is_head BOOL, cell_number DOUBLE)"""


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("A Example Analyses", "Example Analyses"),  # the letter of an appendix is no article
        ("R code from the book", "R code from the book"),
        ("3.1 “Air” Electrode", "Air Electrode"),
        ("2 A model of folds", "A model of folds"),
    ],
)
def test_names_stand_as_they_are_printed(heading: str, name: str) -> None:
    with duckdb.connect() as db:
        db.execute(TABLES)
        db.execute("INSERT INTO sections VALUES (?, ?, repeat('x', 99), 1)", [PAPER, heading])
        for row, column in (("Alzheimer", "No. None"), ("Alzheimer", "Patients (n=48)")):
            db.execute("INSERT INTO cells VALUES (?, 1, ?, ?, 1, 1, false, 7)", [PAPER, row, column])
        first, second, _ = suggested(db, PAPER)
    assert first == "In Table 1, what is given for “Alzheimer” under “Patients (n=48)”?"
    assert second == f"What does the paper say about “{name}”?"
