"""The library itself: how many papers it holds, which titles, which papers speak of something."""

from __future__ import annotations

import re

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, evidence_of, search
from quire.agents.offline.question.reading import Reading

_PAPERS = re.compile(r"(?i)\b(?:papers|articles|publications|documents|pdfs|files|studies)\b")
_HERE = re.compile(
    r"(?i)\b(?:library|collection|folder|database|here|stored|all (?:the )?(?:papers|articles|documents))\b"
)
_LOOKED_AT = 20  # passages that are searched for papers on a topic


def fits(reading: Reading) -> float:
    """Papers in the plural are asked about, and none is given."""
    if reading.papers or not _PAPERS.search(reading.bare):
        return 0.0
    if _HERE.search(reading.bare) and (reading.has("count", "list", "title") or reading.asks_all()):
        return 0.95
    return (
        0.85 if re.match(r"(?i)\W*(?:which|what|list|name|find)\b", reading.bare) and reading.topic else 0.0
    )


def plan(reading: Reading) -> Plan:
    """Count or list the titles, or search for the topic and name the papers that were found."""
    seen = yield fetch.titles("The question is about the library: see which papers it holds.")
    titles = {str(row["paper_id"]): str(row["title"]) for row in seen.rows}
    topic = [word for word in reading.topic if not _HERE.search(word) and not _PAPERS.search(word)]
    if not topic and not reading.quotes:
        return Finding(len(titles) if reading.has("count") else list(titles.values()), 0.9)
    query = " ".join([*reading.quotes, *topic])
    hits = yield search(
        "Find the passages that speak of this; their papers are the answer.", query, _LOOKED_AT
    )
    found = list(dict.fromkeys(str(row["pdf_id"]) for row in hits.rows if row.get("pdf_id") in titles))
    if not found or hits.kind != "rows":
        return NOTHING
    first = hits.rows[0]
    evidence = evidence_of(first, str(first.get("text") or "")[:300], "chunks", str(first.get("primary_key")))
    return Finding([titles[paper] for paper in found], 0.4, evidence)


KIND = Kind("library", fits, plan)
