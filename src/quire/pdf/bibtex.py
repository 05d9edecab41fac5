"""A BibTeX entry from what a paper says of itself; nothing is looked up or guessed.

bibtex(Metadata(title="Attention Is All You Need", authors=("Ashish Vaswani",), year=2017))
# @misc{vaswani2017attention, ...
"""

from __future__ import annotations

import re
import unicodedata

from quire.pdf.front.imprint import is_proceedings
from quire.types import Metadata

_SPECIAL = str.maketrans(
    {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
     "~": r"\textasciitilde{}",
     "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)  # fmt: skip
_SMALL = frozenset("a an the on of in for and to with from at by is are do does can how what why".split())


def escaped(text: str) -> str:
    """A text as the value of a field."""
    return text.translate(_SPECIAL)


def bibtex(metadata: Metadata) -> str:
    """The entry as text; fields that are not known are left out."""
    proceedings = is_proceedings(metadata.venue)
    kind = "inproceedings" if proceedings else "article" if metadata.venue or metadata.journal else "misc"
    fields = {
        "title": metadata.title,
        "author": " and ".join(metadata.authors),
        ("booktitle" if proceedings else "journal"): metadata.venue or metadata.journal,
        "volume": metadata.volume,
        "number": metadata.issue,
        "pages": "--".join(filter(None, (metadata.first_page, metadata.last_page))),
        "publisher": metadata.publisher,
        "year": str(metadata.year or ""),
    }
    lines = [f"  {name} = {{{escaped(value)}}}" for name, value in fields.items() if value]
    if metadata.doi:
        lines.append(f"  doi = {{{metadata.doi}}}")
    if metadata.arxiv_id:
        lines += [f"  eprint = {{{metadata.arxiv_id}}}", "  archiveprefix = {arXiv}"]
    if metadata.url:
        lines.append(f"  url = {{{metadata.url}}}")
    return "@" + kind + "{" + _key(metadata) + ",\n" + ",\n".join(lines) + "\n}"


def _key(metadata: Metadata) -> str:
    surname = metadata.authors[0].split()[-1] if metadata.authors else "anonymous"
    words = [w for w in re.findall(r"[^\W_]+", metadata.title) if w.lower() not in _SMALL]
    return _plain(surname) + str(metadata.year or "") + _plain(words[0] if words else "")


def _plain(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", ascii_text.lower())
