"""How a rule works: a plan is a generator that yields acts, is sent observations, and returns a finding.

    def plan(asked):
        seen = yield read("metadata", asked.papers, "The title is in the metadata.")
        return Finding(seen.rows[0]["title"], confidence=0.9)

So a rule reads from top to bottom although the loop runs every act as a turn of its own.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire.types import Call, Evidence, Observation

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """A thought and the call that follows from it."""

    thought: str
    call: Call


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found. `value` is None when nothing was; `confidence` is 0 to 1.

    `why` holds the words by which a rule found it, besides those of its evidence: names of rows and columns,
    a caption. `note` is told to the user. A tentative value has a `probability`; nothing is `spoken` where
    the papers do not seem to speak of the question.
    """

    value: Any
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    why: str = ""
    note: str = ""
    probability: float = 0.0
    spoken: bool = True


Plan = Generator[Act, Observation, Finding]
NOTHING = Finding(None)


def read(view: str, ids: Sequence[str], thought: str) -> Act:
    """An act that reads the rows of a view (`quire.ask.actions.rows`): of these papers, of all if none."""
    return Act(thought, Call("ReadRows", {"view": view, "ids": list(ids)}))


def evidence_of(row: Row, quote: str, table: str = "", key: str = "") -> tuple[Evidence, ...]:
    """Evidence from a row that names its paper and page; none if it does not."""
    from quire.ask.evidence import box_of

    paper = row.get("pdf_id") or row.get("ref_paper_id") or row.get("paper_id")
    page = row.get("page_number")
    if not paper or not isinstance(page, int):
        return ()
    return (Evidence(str(paper), page, box_of(row), quote, verified=False, table=table, key=key),)
