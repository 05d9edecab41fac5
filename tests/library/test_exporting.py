"""Papers as bibliographies, and a whole library as files that need no quire."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import duckdb
import pytest

from quire.errors import LibraryError, UnknownNameError
from quire.library import Library, citing
from quire.store import Database
from quire.store.schema import NAMES
from tests.library.conftest import EXAMPLES, KEYWORDS


def test_papers_with_the_same_key_get_letters_in_the_order_that_was_asked_for(tmp_path: Path) -> None:
    ids = [f"00000000-0000-5000-8000-00000000000{n}" for n in range(4)]
    database = Database(tmp_path / "library.duckdb")
    database.create()
    with database.writing() as connection:
        for id in ids:
            key = "lee2000" if id != ids[3] else "kim1999"
            entry = f"@misc{{{key},\n  title = {{On {key} in {{TeX}}}}\n}}"
            into = "metadata (paper_id, bibtex, tags, keywords, title, authors)"
            values = [id, entry, ["own tag"], ["a & b"] if id == ids[0] else []]
            connection.execute(f"INSERT INTO {into} VALUES (?, ?, ?, ?, '', [])", values)
            sql = "INSERT INTO papers (paper_id, file_name, source_path, state) VALUES (?, 'x', ?, 'parsed')"
            connection.execute(sql, [id, f"/{id[-1]}.pdf"])
    with database.reading() as connection:
        told = citing.entries(connection, [ids[2], ids[3], ids[0], ids[2], ids[1]])
    assert list(told) == [ids[2], ids[3], ids[0], ids[1]]
    assert [re.findall(r"@misc\{(.*?),", entry) for entry in (one.bibtex for one in told.values())] == [
        ["lee2000"],
        ["kim1999"],
        ["lee2000b"],
        ["lee2000c"],
    ]
    assert told[ids[1]].bibtex == (
        "@misc{lee2000c,\n  title = {On lee2000 in {TeX}},\n  file = {/1.pdf}\n}"
    ), "the key alone changes"
    assert r"keywords = {a \& b}" in told[ids[0]].bibtex
    assert not any("own tag" in one.bibtex for one in told.values())


def test_a_library_is_exported_whole(filled: Library, tmp_path: Path) -> None:
    out = tmp_path / "it's out"
    found = filled.export(out, forms=("md", "jats"))
    assert {paper.outcome for paper in found.papers} == {"written"}
    boats = out / "papers" / "example2024paper.md"
    assert "![Figure 1](example2024paper_figures/figure-1.png)" in boats.read_text()
    assert (out / "papers" / "example2024paper_figures" / "figure-1.png").is_file()
    assert boats.with_suffix(".xml").is_file()
    rows = list(csv.reader((out / "tables" / "example2024paper-1.csv").read_text().splitlines()))
    assert rows[0] == ["Hull", "Folds", "80 g", "120 g", "160 g"]
    assert rows[-1][-1] == "243.8"
    data = str(out / "data").replace("'", "''")
    for name in NAMES:
        here = duckdb.execute(f"SELECT count(*) FROM '{data}/{name}.parquet'").fetchone()
        assert here == filled.sql(f"SELECT count(*) FROM {name}").rows[0]
    csl = {item["id"]: item for item in json.loads((out / "library.json").read_text())}
    assert csl["example2024paper"]["author"][0] == {"given": "Maria", "family": "Example"}
    assert csl["example2024paper"]["issued"] == {"date-parts": [[2024]]}
    ris = (out / "library.ris").read_bytes().decode()
    assert ris.count("\r\nER  - \r\n") == 4
    assert "AU  - Example, Maria\r\n" in ris
    assert "T2  - Proceedings of the Kitchen Sink Conference\r\n" in ris
    assert (out / "library.bib").read_text().count("\n@") == 3
    note = (out / "notes" / "example2024paper.md").read_text()
    assert note.startswith('---\ntitle: "Paper Boats: How Hull Folds Change Soaking Time"\n')
    assert "[Full text](../papers/example2024paper.md)" in note


def test_an_export_goes_on_and_follows_what_was_corrected(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        library.add([EXAMPLES / "paper-boats.pdf", EXAMPLES / "sourdough-starters.pdf"])
        out = tmp_path / "out"
        library.export(out)
        assert {paper.outcome for paper in library.export(out).papers} == {"there"}
        library.edit("paper-boats.pdf", {"title": "On [[Boats]] <b>"})
        assert "written" in {paper.outcome for paper in library.export(out).papers}
        (boats,) = (path for path in (out / "papers").glob("*boats.md"))
        assert boats.read_text().startswith("# On [[Boats]] \\<b>")
        with pytest.raises(UnknownNameError):
            library.export(out, forms=("docx",))
        (tmp_path / "file").write_text("")
        with pytest.raises(LibraryError):
            library.export(tmp_path / "file")


def test_notes_link_what_cites_what(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        library.add(EXAMPLES)
        ids = [paper.id for paper in library.papers()]
        with library._resources.database.writing() as connection:
            connection.execute(
                "UPDATE reference SET cited_paper_id = ?::UUID WHERE ref_paper_id = ?::UUID AND ordinal = 0",
                [ids[0], ids[1]],
            )
        library.export(tmp_path / "out")
        cited = library.cited()
    notes = tmp_path / "out" / "notes"
    assert f"## Cites\n\n- [[notes/{cited[ids[0]].key}|" in (notes / f"{cited[ids[1]].key}.md").read_text()
    assert f"## Cited by\n\n- [[notes/{cited[ids[1]].key}|" in (notes / f"{cited[ids[0]].key}.md").read_text()


def test_links_of_notes_end_within_the_folder_that_is_exported(filled: Library, tmp_path: Path) -> None:
    filled.export(tmp_path / "out", forms=("jats",))
    for note in (tmp_path / "out" / "notes").glob("*.md"):
        text = note.read_text()
        links = re.findall(r"\]\((.*?)\)", text) + [
            f"../{name}.md" for name in re.findall(r"\[\[(.*?)\|", text)
        ]
        assert links
        assert [link for link in links if not (note.parent / link).is_file()] == []


def test_an_unknown_form_of_bibliographies_is_told() -> None:
    with pytest.raises(UnknownNameError, match="ris"):
        citing.bibliography([], "endnote")
