"""Evidence: where an answer stands, and whether its quote really is on that page.

`verify` checks one quote against the page's text, deterministically. `gather` finds evidence for an
answer whose author named none: the rows that were seen and that contain the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quire.agents.quotes import find
from quire.environment import Readable
from quire.errors import QuireError
from quire.types import Box, Evidence, Step

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST = 3  # pieces of evidence gathered for an answer
_LONGEST = 400  # characters of a quote


def verify(evidence: Evidence, library: Readable) -> Evidence:
    """The same evidence with `verified` set to whether its quote is found on its page."""
    if not evidence.quote or evidence.page < 1:
        return replace(evidence, verified=False)
    try:
        text = library.page_text(evidence.paper_id, evidence.page)
    except QuireError:
        return replace(evidence, verified=False)
    return replace(evidence, verified=find(evidence.quote, text) is not None)


def describe(evidence: Sequence[Evidence], library: Readable) -> tuple[Evidence, ...]:
    """The same evidence with the titles of its papers and the printed labels of its pages."""
    papers = sorted({each.paper_id for each in evidence if _UUID.fullmatch(each.paper_id)})
    if not papers:
        return tuple(evidence)
    listed = ", ".join(f"'{paper}'" for paper in papers)
    try:
        rows = library.sql(
            "SELECT CAST(m.paper_id AS VARCHAR), p.page_number, m.title, p.page_label FROM metadata m "
            f"JOIN pages p ON p.ref_paper_id = m.paper_id WHERE m.paper_id IN ({listed})"
        ).rows
    except QuireError:
        return tuple(evidence)
    known = {(str(paper), page): (title, label) for paper, page, title, label in rows}
    found = []
    for each in evidence:
        title, label = known.get((each.paper_id, each.page), ("", ""))
        found.append(
            replace(each, paper_title=title or each.paper_title, page_label=label or each.page_label)
        )
    return tuple(found)


def gather(value: Any, history: Sequence[Step]) -> tuple[Evidence, ...]:
    """The rows seen that contain the answer, latest first; unverified. Only rows that name a page count."""
    wanted = [text for text in _texts(value) if len(text) > 1]
    found: list[Evidence] = []
    for step in reversed(history):
        for row in step.observation.rows if step.observation else ():
            evidence = _from_row(row, wanted)
            if evidence and evidence not in found:
                found.append(evidence)
                if len(found) == _MOST:
                    return tuple(found)
    return tuple(found)


def _from_row(row: Mapping[str, Any], wanted: Sequence[str]) -> Evidence | None:
    paper = str(row.get("pdf_id") or row.get("ref_paper_id") or row.get("paper_id") or "")
    page = row.get("page_number")
    if not paper or not isinstance(page, int) or page < 1:
        return None
    for cell in row.values():
        for text in wanted:
            place = find(text, cell) if isinstance(cell, str) else None
            if place and isinstance(cell, str):
                return Evidence(paper, page, box_of(row), around(cell, place), verified=False)
    return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def box_of(row: Mapping[str, Any]) -> Box | None:
    """The box in a row's `bbox` or `bounding_box`, if it has four numbers."""
    edges = row.get("bbox") or row.get("bounding_box")
    if not isinstance(edges, list | tuple) or len(edges) != 4:
        return None
    try:
        return Box(*(float(edge) for edge in edges))
    except (TypeError, ValueError):
        return None


def around(text: str, place: tuple[int, int]) -> str:
    """The sentence around a place in a text, at most 400 characters."""
    start = max(text.rfind(". ", 0, place[0]) + 2, text.rfind("\n\n", 0, place[0]) + 2, 0)
    if start < 2 or place[0] - start > _LONGEST // 2:
        start = max(start if start >= 2 else 0, place[0] - _LONGEST // 2)
    end = text.find(". ", place[1])
    end = len(text) if end < 0 else end + 1
    return text[start : min(end, start + _LONGEST)].strip()
