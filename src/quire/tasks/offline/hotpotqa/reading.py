"""Reading an instance once: for each kind of answer the best candidate, and how much speaks for it.

What a reader believes about the wanted kind comes later, so one reading serves all variants and any shots.
A few milliseconds per question; readings are kept for the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from quire.tasks.offline.hotpotqa.asked import take_apart
from quire.tasks.offline.hotpotqa.candidates import candidates
from quire.tasks.offline.hotpotqa.comparison import choose, verdict
from quire.tasks.offline.hotpotqa.evidence import gather
from quire.tasks.offline.hotpotqa.features import Witness
from quire.tasks.offline.hotpotqa.kinds import Kind
from quire.tasks.offline.hotpotqa.offers import compared, offers
from quire.tasks.offline.hotpotqa.passages import parse


@dataclass(frozen=True, slots=True)
class Finding:
    """The best candidate of a kind; `support` is its share of all that speaks for any candidate (0 to 1)."""

    text: str
    support: float


@lru_cache(maxsize=2048)
def read(question: str, paragraphs: str) -> Mapping[Kind, Finding]:
    """The best candidate of each kind that has one."""
    asked = take_apart(question)
    articles = parse(paragraphs)
    evidence = gather(asked, articles)
    witness = Witness(asked, evidence)
    best: dict[Kind, Finding] = {"verdict": Finding(verdict(asked, compared(asked, articles)), 0.0)}
    total = 0.0
    for candidate in candidates(question, evidence.paragraphs):
        support = witness.support(candidate)
        total += support
        kept = best.get(candidate.kind)
        if kept is None or support > kept.support:
            best[candidate.kind] = Finding(candidate.text, support)
    found = {kind: Finding(one.text, one.support / (total or 1.0)) for kind, one in best.items()}
    offered = offers(asked, articles)
    if offered:
        found["offered"] = Finding(choose(asked, offered).text, 0.0)
    return found
