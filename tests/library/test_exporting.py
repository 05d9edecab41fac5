"""Papers as BibTeX: each entry has a key of its own, and says which file was read."""

from __future__ import annotations

import re
from pathlib import Path

from quire.library import exporting
from quire.store import Database


def test_papers_with_the_same_key_get_letters_in_the_order_that_was_asked_for(tmp_path: Path) -> None:
    ids = [f"00000000-0000-5000-8000-00000000000{n}" for n in range(4)]
    database = Database(tmp_path / "library.duckdb")
    database.create()
    with database.writing() as connection:
        for id in ids:
            key = "lee2000" if id != ids[3] else "kim1999"
            entry = f"@misc{{{key},\n  title = {{On {key} in {{TeX}}}}\n}}"
            sql = "INSERT INTO metadata (paper_id, bibtex, tags) VALUES (?, ?, ?)"
            connection.execute(sql, [id, entry, ["a & b"] if id == ids[0] else []])
            sql = "INSERT INTO papers (paper_id, file_name, source_path, state) VALUES (?, 'x', ?, 'parsed')"
            connection.execute(sql, [id, f"/{id[-1]}.pdf"])
    with database.reading() as connection:
        told = exporting.entries(connection, [ids[2], ids[3], ids[0], ids[2], ids[1]])
    assert list(told) == [ids[2], ids[3], ids[0], ids[1]]
    assert [re.findall(r"@misc\{(.*?),", entry) for entry in told.values()] == [
        ["lee2000"],
        ["kim1999"],
        ["lee2000b"],
        ["lee2000c"],
    ]
    assert told[ids[1]] == ("@misc{lee2000c,\n  title = {On lee2000 in {TeX}},\n  file = {/1.pdf}\n}"), (
        "the key alone changes"
    )
    assert r"keywords = {a \& b}" in told[ids[0]]
