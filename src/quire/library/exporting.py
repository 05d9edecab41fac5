"""Papers as BibTeX entries with the file that was read, ready for a bibliography of many."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import duckdb

from quire.documents.bibtex import escaped

_KEY = re.compile(r"@\w+\{([^,\s]*)")
_PARTING = re.compile(r"([;:{}])")  # signs that part files in the field


def entries(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> dict[str, str]:
    """The entries of papers (ids), in their order; where two have the same key, the later gets a letter."""
    found = connection.execute(
        """SELECT paper_id::VARCHAR, bibtex, p.source_path, m.tags
           FROM metadata m JOIN papers p USING (paper_id)
           WHERE paper_id IN (SELECT unnest(?::UUID[]))""",
        [list(papers)],
    ).fetchall()
    told = {row[0]: _entry(*row[1:]) for row in found}
    seen: Counter[str] = Counter()
    unique = {}
    for paper in (paper for paper in dict.fromkeys(papers) if paper in told):
        key = match[1] if (match := _KEY.match(told[paper])) else ""
        letter = chr(ord("a") + seen[key]) if 0 < seen[key] < 26 else str(seen[key] or "")
        unique[paper] = told[paper].replace("{" + key, "{" + key + letter, 1)
        seen[key] += 1
    return unique


def _entry(bibtex: str, place: str, tags: Sequence[str] | None) -> str:
    file = _PARTING.sub(r"\\\1", place)
    lines = [f"  file = {{{file}}}"]
    if tags:
        lines.append(f"  keywords = {{{escaped(', '.join(tags))}}}")
    return bibtex.rstrip().removesuffix("}").rstrip() + ",\n" + ",\n".join(lines) + "\n}"
