"""Parts of a reference entry: number, authors, title, year, where it appeared.

The store's own columns are used where they are filled; the rest is read from the entry's words.
"""

from __future__ import annotations

import re
from typing import Any

from quire.agents.offline.plan import Row

_YEAR = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)[a-z]?(?![\d\u2013-]|\s*[\u2013-]\s*\d)")
_NUMBER = re.compile(r"^\s*[\[(]?(\d{1,4})[\])]?[.:]?\s+(?=\S)")
_QUOTED = re.compile('["\u201c\u2018](.{8,400}?)[,.]?["\u201d\u2019](?!\\w)')


def number_of(row: Row) -> str:
    """The printed number of an entry, else its place in the list."""
    label = re.search(r"\d+", str(row.get("reference_label") or ""))
    if label:
        return label[0]
    printed = _NUMBER.match(str(row.get("reference_content") or ""))
    return printed[1] if printed else str(int(row.get("ordinal") or 0) + 1)


def body_of(row: Row) -> str:
    """The entry without its number."""
    return _NUMBER.sub("", str(row.get("reference_content") or "")).strip()


def year_of(row: Row) -> int | None:
    """Its year of publication."""
    if row.get("reference_year"):
        return int(row["reference_year"])
    body = body_of(row)
    bracketed = re.search(r"\(((?:1[5-9]|20)\d\d)[a-z]?\)", body)
    found = _YEAR.findall(body)
    return int(bracketed[1]) if bracketed else int(found[-1]) if found else None


def title_of(row: Row) -> str:
    """The title of the cited work."""
    if row.get("reference_title"):
        return str(row["reference_title"])
    body = body_of(row)
    quoted = _QUOTED.search(body)
    if quoted:
        return quoted[1]
    parts = [
        part.strip() for part in re.split(r"(?<=[a-z)\]?])[.?]\s+|(?<=\d\))[.,]\s+", body) if part.strip()
    ]
    long = [part for part in parts[1:] if len(part.split()) >= 3]
    return (long or parts[1:] or parts or [""])[0]


def authors_of(row: Row) -> str:
    """The authors as printed: what stands before the title or the year."""
    body, title = body_of(row), title_of(row)
    end = body.find(title) if title else -1
    before = body[:end] if end > 0 else re.split(r"\(?(?:1[5-9]|20)\d\d", body)[0]
    return re.sub(
        r"[\s,.(\"\u201c]{0,9}(?:\(?(?:1[5-9]|20)\d\d[a-z]?\)?)?[\s,.:(\"\u201c\u2018]{0,9}$", "", before
    ).strip()


def venue_of(row: Row) -> str:
    """Where it appeared: what follows the title, up to the first number."""
    body, title = body_of(row), title_of(row)
    end = body.find(title) if title else -1
    after = body[end + len(title) :] if end >= 0 else ""
    after = re.sub('^[\\s.,"\u201d\u2019?]*(?:[Ii]n[:\\s]+)?', "", after)
    return re.split(r"[,;]?(?:(?<!\s)\s++)?(?:vol\.?\s*+)?\(?\d", after)[0].strip(" ,.;:(")


def part_of(row: Row, wanted: str) -> Any:
    """One part: "title", "year", "author", "venue", "doi", else the whole entry."""
    if wanted == "doi":
        match = re.search(r"10\.\d{4,9}/\S+", str(row.get("reference_content") or ""))
        return match[0].rstrip(".,;)") if match else None
    readers = {"title": title_of, "year": year_of, "author": authors_of, "venue": venue_of}
    return readers.get(wanted, body_of)(row)
