"""DOI, arXiv id, e-mail addresses and keywords from the words of the first page."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_ARXIV = re.compile(r"arxiv\s?:\s?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
_OFFICE = re.compile(
    r"(?:journals\.)?(?:permissions?|reprints?|subscriptions?|copyright|customer_?service|support|sales)@",
    re.IGNORECASE,
)
_GROUP = re.compile(r"[{(\[]\s*([\w.+-]+(?:\s?[,;|]\s?[\w.+-]+)+)\s*[})\]]\s?@\s?([\w-]+(?:\.[\w-]+)+)")
_KEYWORDS = re.compile(
    r"^(?:key\s?-?words?(?: and phrases)?|index terms|schlüsselwörter)\s*[.:—–-]*\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)


def find_doi(text: str) -> str:
    """The paper's own DOI: the first one printed; "" if none is."""
    text = re.sub(
        r"(10\.\d{4,9}/\S{0,200}[./-])\s*+(?=[\w.]{0,60}\d)", r"\1", re.sub(r"(?<=10\.\d{4}/)\s", "", text)
    )
    found = [match.group(1).rstrip(".,;)]}’'\"") for match in _DOI.finditer(text)]
    # a line break may have cut the first one
    return max((doi for doi in found if doi.startswith(found[0])), key=len, default="")


def find_arxiv(text: str) -> str:
    """The arXiv id without version."""
    match = _ARXIV.search(text)
    return match.group(1) if match else ""


def find_emails(text: str) -> tuple[str, ...]:
    """Addresses in printed order; "{a,b}@x.org" gives two. Those of publishers are left out."""
    found: list[str] = []
    for match in _GROUP.finditer(text):
        found += [
            f"{name.strip()}@{match.group(2)}" for name in re.split(r"[,;|]", match.group(1)) if name.strip()
        ]
    text = _GROUP.sub(" ", text)
    found += [m.group(0).rstrip(".") for m in _EMAIL.finditer(text)]
    return tuple(dict.fromkeys(mail for mail in found if not _OFFICE.match(mail)))


def opens_keywords(text: str) -> bool:
    """Whether a row begins with the word for keywords."""
    return _KEYWORDS.match(text.strip()) is not None


def find_keywords(texts: Sequence[str]) -> tuple[str, ...]:
    """Keywords from the first text that begins with that word; the next text where it stands alone."""
    for i, text in enumerate(texts):
        match = _KEYWORDS.match(text.strip())
        if match is None:
            continue
        listed = match.group(1) or (texts[i + 1] if i + 1 < len(texts) else "")
        listed = listed.replace("\n", " " if re.search(r"[;·•|,]", listed) else "; ")
        if len(listed) > 600:
            continue
        separator = r"[;·•|]" if re.search(r"[;·•|]", listed) else r",|\s[–-]\s"
        words = [w.strip(" .;,") for w in re.split(separator, listed)]
        return tuple(w for w in words if 1 < len(w) < 80)
    return ()
