"""Reading an instance once: for each kind of answer the best candidate, and how much speaks for it.

What a reader believes about the wanted kind comes later, so one reading serves all variants and any shots.
About ten milliseconds per question; readings are kept for the process, so that recalling again costs nothing.
"""

from __future__ import annotations

from collections import defaultdict
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
    """The best candidate of a kind.

    `support` is its share (0 to 1) in what speaks for any candidate, `of_kind` that of its whole kind.
    """

    text: str
    support: float
    of_kind: float


@lru_cache(maxsize=2048)
def read(question: str, paragraphs: str) -> Mapping[Kind, Finding]:
    """The best candidate of each kind that has one."""
    asked = take_apart(question)
    articles = parse(paragraphs)
    evidence = gather(asked, articles)
    witness = Witness(asked, evidence)
    best: dict[Kind, tuple[float, str]] = {}
    of_kind: dict[Kind, float] = defaultdict(float)
    for candidate in candidates(question, evidence.paragraphs):
        support = witness.support(candidate)
        of_kind[candidate.kind] += support
        best[candidate.kind] = max(best.get(candidate.kind, (0.0, "")), (support, candidate.text))
    total = sum(of_kind.values()) or 1.0
    found = {
        kind: Finding(text, support / total, of_kind[kind] / total) for kind, (support, text) in best.items()
    }
    found["verdict"] = Finding(verdict(asked, compared(asked, articles)), 0.0, 0.0)
    offered = offers(asked, articles)
    if offered:
        found["offered"] = Finding(choose(asked, offered).text, 0.0, 0.0)
    return found
