"""Papers of a library as entries of bibliographies: BibTeX, RIS, CSL JSON; each with a key of its own.

    cited = entries(connection, papers)        # {"lib id": Cited(key="vaswani2017attention", ...)}
    bibliography(cited.values(), "ris")

BibTeX says which file was read, so that Zotero and JabRef find it. RIS as reference managers read it
(https://en.wikipedia.org/wiki/RIS_(file_format)), CSL JSON as citeproc does (https://citeproc-js.readthedocs.io).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from quire import jsontext
from quire.errors import UnknownNameError
from quire.library.corrections import metadata_of
from quire.pdf.bibtex import escaped
from quire.store import rows
from quire.store.schema import MetadataRow
from quire.types import Metadata

_KEY = re.compile(r"@(\w+)\{([^,\s]*)")
_PARTING = re.compile(r"([;:{}])")  # signs that part files in the field
_KINDS = {"article": ("JOUR", "article-journal"), "inproceedings": ("CPAPER", "paper-conference")}
_OTHER = ("GEN", "article")


@dataclass(frozen=True, slots=True)
class Cited:
    """A paper as it is cited: its key, its BibTeX entry, what it says of itself, the file that was read."""

    paper: str
    key: str
    bibtex: str
    said: Metadata
    place: str

    @property
    def kind(self) -> tuple[str, str]:
        """What it is called in RIS and in CSL."""
        match = _KEY.match(self.bibtex)
        return _KINDS.get(match[1] if match else "", _OTHER)


def entries(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> dict[str, Cited]:
    """The papers (ids; none: all) in their order; where two have the same key, the later gets a letter."""
    named = ("paper_id IN (SELECT unnest(?::UUID[]))", [list(papers)]) if papers else ("state <> 'failed'",)
    found = {paper.paper_id: paper.source_path for paper in rows.papers_where(connection, *named)}
    seen: Counter[str] = Counter()
    unique: dict[str, Cited] = {}
    told = {paper: rows.read(connection, MetadataRow, paper) for paper in papers or found if paper in found}
    for paper, row in ((paper, metadata[0]) for paper, metadata in told.items() if metadata):
        said = replace(metadata_of(row), keywords=tuple(row.keywords or ()))  # as printed, no tags of quire's
        entry = _with_file(row.bibtex, found[paper], said.keywords)
        key = match[2] if (match := _KEY.match(entry)) else ""
        letter = chr(ord("a") + seen[key]) if 0 < seen[key] < 26 else str(seen[key] or "")
        seen[key] += 1
        own = entry.replace("{" + key, "{" + key + letter, 1)
        unique[paper] = Cited(paper, key + letter, own, said, found[paper])
    return unique


def bibliography(cited: Iterable[Cited], form: str) -> str:
    """The papers as one text: bibtex, ris or csl.

    Raises:
        UnknownNameError: there is no such form.
    """
    if form not in FORMS:
        raise UnknownNameError(
            f"There is no form of bibliographies `{form}`.", hint=f"Choose from: {', '.join(FORMS)}."
        )
    return FORMS[form][1](list(cited))


def _with_file(bibtex: str, place: str, keywords: Sequence[str]) -> str:
    file = _PARTING.sub(r"\\\1", place)
    lines = [f"  file = {{{file}}}"]
    if keywords:
        lines.append(f"  keywords = {{{escaped(', '.join(keywords))}}}")
    return bibtex.rstrip().removesuffix("}").rstrip() + ",\n" + ",\n".join(lines) + "\n}"


def _record(one: Cited) -> str:
    said = one.said
    place = "JO" if one.kind[0] == "JOUR" else "T2"  # where it appeared: a journal, or the title of a book
    pairs: list[tuple[str, str]] = [("TY", one.kind[0]), ("ID", one.key), ("TI", said.title)]
    pairs += [("AU", ", ".join(filter(None, split_name(name)))) for name in said.authors]
    pairs += [
        ("PY", str(said.year or "")), (place, said.journal or said.venue), ("VL", said.volume),
        ("IS", said.issue), ("SP", said.first_page), ("EP", said.last_page), ("PB", said.publisher),
        ("DO", said.doi), ("UR", said.url), ("AB", said.abstract), ("LA", said.language),
    ]  # fmt: skip
    pairs += [("KW", word) for word in said.keywords]
    pairs.append(("L1", one.place))
    lines = (f"{tag}  - {' '.join(value.split())}\r\n" for tag, value in pairs if value.strip())
    return "".join(lines) + "ER  - \r\n\r\n"


_SMALL = frozenset("van von der den de del della di da dos du la le ten ter zu el bin ibn al".split())


def split_name(name: str) -> tuple[str, str]:
    """Family name and given names: split at the last word, small words before it (van, de) with it.

    What has a comma is "Family, Given".
    """
    if "," in name:
        last, _, first = name.partition(",")
        return last.strip(), first.strip()
    words = name.split()
    at = max(0, len(words) - 1)
    while at > 1 and words[at - 1].lower() in _SMALL:
        at -= 1
    return " ".join(words[at:]), " ".join(words[:at])


def _item(one: Cited) -> dict[str, Any]:
    said = one.said
    names = [split_name(name) for name in said.authors]
    told: dict[str, Any] = {
        "id": one.key,
        "type": one.kind[1],
        "title": said.title,
        "author": [{"family": family, **({"given": given} if given else {})} for family, given in names],
        "issued": {"date-parts": [[said.year]]} if said.year else None,
        "container-title": said.journal or said.venue,
        "volume": said.volume,
        "issue": said.issue,
        "page": "-".join(filter(None, (said.first_page, said.last_page))),
        "publisher": said.publisher,
        "DOI": said.doi,
        "URL": said.url,
        "abstract": said.abstract,
        "keyword": ", ".join(said.keywords),
        "language": said.language,
    }
    return {name: value for name, value in told.items() if value}


FORMS: dict[str, tuple[str, Callable[[Sequence[Cited]], str]]] = {
    "bibtex": (".bib", lambda cited: "".join(one.bibtex + "\n\n" for one in cited)),
    "ris": (".ris", lambda cited: "".join(map(_record, cited))),
    "csl": (".json", lambda cited: jsontext.dumps([_item(one) for one in cited], indent=1) + "\n"),
}
"""How the file of a form ends, and what writes it."""
