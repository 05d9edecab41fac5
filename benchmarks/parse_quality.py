"""How faithfully papers are parsed, against their publishers' XML.

    python benchmarks/parse_quality.py --data DIR --scorer score_parse.py [--facts facts.jsonl]

`--data` holds NAME.pdf beside NAME.xml; `--scorer` is a script that takes a DuckDB file in the layout of
quire's library and a file of facts (one JSON object per paper) and prints its measures. The facts are made
by `--gold`, a script that prints them when called with `facts DIR`. Rows are written straight from the
parser, without chunks and vectors.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from quire.documents import parse
from quire.types import Document

TABLES = """
create table metadata(paper_id text, title text, abstract text, authors text[], pdf_path text);
create table sections(ref_paper_id text, ordinal int, section_title text, section_content text);
create table reference(ref_paper_id text, reference_content text);
create table tables(ref_paper_id text, table_caption text, table_content text);
create table images(ref_paper_id text, image_caption text);
"""


def store(connection: duckdb.DuckDBPyConnection, path: Path, document: Document) -> None:
    """Write one document's rows."""
    name, meta = path.stem, document.metadata
    put = connection.execute
    put(
        "insert into metadata values (?, ?, ?, ?, ?)",
        [name, meta.title, meta.abstract, list(meta.authors), str(path)],
    )
    for ordinal, section in enumerate(document.sections):
        put("insert into sections values (?, ?, ?, ?)", [name, ordinal, section.title, section.text])
    for reference in document.references:
        put("insert into reference values (?, ?)", [name, reference.text])
    for table in document.tables:
        put("insert into tables values (?, ?, ?)", [name, table.caption, table.html])
    for image in document.images:
        put("insert into images values (?, ?)", [name, image.caption])


def main() -> int:
    """Parse, store, score, print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--scorer", type=Path, required=True)
    arguments.add_argument("--gold", type=Path, help="script that makes the facts")
    arguments.add_argument("--facts", type=Path, help="facts made before")
    options = arguments.parse_args()
    if not (options.gold or options.facts):
        arguments.error("give --gold or --facts")
    with tempfile.TemporaryDirectory() as folder:
        facts = options.facts or Path(folder) / "facts.jsonl"
        if options.gold:
            made = subprocess.run(
                [sys.executable, options.gold, "facts", options.data], check=True, capture_output=True
            )
            facts.write_bytes(made.stdout)
        database = Path(folder) / "library.duckdb"
        started, pages = time.perf_counter(), 0
        with duckdb.connect(str(database)) as connection:
            connection.execute(TABLES)
            for path in sorted(options.data.glob("*.pdf")):
                document = parse(path)
                pages += len(document.pages)
                store(connection, path, document)
        took = time.perf_counter() - started
        print(f"{pages} pages in {took:.1f} s: {pages / took:.1f} pages/s on one process", flush=True)
        return subprocess.run([sys.executable, options.scorer, database, facts], check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
