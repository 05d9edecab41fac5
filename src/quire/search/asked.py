"""What a query asks for: its words, its numbers, and what kind of answer would satisfy it.

    asked = read("How many minutes was the artery clamped?")
    asked.wants      ->  frozenset({"number"})

Patterns of English questions; a query that is no question simply wants nothing in particular.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from quire.search.analyzer import number_of, words

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
WANTS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "number": r"\bhow (?:many|much|big|long|far|deep|heavy|tall|fast|high|old|wide|hot|often|large|small|"
        r"sensitive|accurate|strong|thick|cold|late|early)\b|\bnumber of\b|%|\bpercent|"
        r"\b(?:what|which) (?:percent\w*|share|fraction|proportion|diameter|dose|concentration|size|age|year|"
        r"temperature|level|value|mean|average|median|score|rate|ratio)\b|\b(?:mean|average|median|rate|score|"
        r"ratio|lowest|highest|count|size|length|dose|level|range|threshold|temperature|accuracy)\b",
        "reason": r"\b(?:why|reason|explain\w*|what for|purpose|how come|what made|caused?|blame)\b",
        "truth": r"^\W*(?:did|does|do|is|are|was|were|can|could|has|have|had|will|would|should)\b",
        "name": r"\b(?:which|what|who|whose|where|name)\b",
        "tool": r"\b(?:software|program\w*|package|tool\w*|version|library|framework|dataset|corpus|company|"
        r"who|manufacturer|brand|model|database)\b",
        "statistic": r"\b(?:mean|average|median|percent\w*|share|lowest|highest|most|least|score|rate|total|"
        r"smallest|largest|top|best|worst)\b|%",
        "meaning": r"\b(?:mean by|stands? for|short for|definition|defined?|meaning)\b|"
        r"\bwhat (?:is|are) (?:an? )?\w+\??$",
        "paper": r"\b(?:which|what|any|find|title)\b[^?]*\b(?:papers?|articles?|stud(?:y|ies)|publications?|"
        r"titles?)\b",
        "comparison": r"\b(?:than|better|worse|more|less|higher|lower|larger|smaller|outperform\w*|compared|"
        r"versus|vs|beat|stronger|faster)\b",
    }.items()
}
# What stands for a unit in a question, and in a text.
UNITS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "percent": r"%|\bper ?cent\w*|\bshare\b|\bproportion\b",
        "mass": r"\d\s?(?:mg|g|kg|µg|μg|ug)\b|\((?:mg|g|kg|µg|μg|ug)\b|\bgrams?\b|\bmg\b|\bkg\b|\bdose",
        "length": r"\d\s?(?:mm|cm|m|km|nm|µm|μm)\b|\((?:mm|cm|m|km|nm|µm|μm)\)|\bmm\b|\bcm\b|"
        r"\bdiameter\b|\bwide\b",
        "volume": r"\b(?:ml|l|µl|μl|litres?|liters?)\b",
        "time": r"\b(?:s|sec|ms|min|h|hrs?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b|"
        r"\bhow long\b",
        "heat": r"°|\b(?:temperature|celsius|kelvin|hot|cold)\b",
        "money": r"[$€£]|\b(?:dollars?|usd|euros?|cost|paid|pay)\b",
        "people": r"\b(?:patients?|people|participants?|subjects?|women|men|children|persons?|adults?|"
        r"volunteers?|annotators?|n\s?=)",
        "animals": r"\b(?:rats?|mice|mouse|animals?|frogs?|specimens?|samples?)\b",
    }.items()
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it is ranked by.

    `stems` are its words and `terms` their numbers, in order, each once; `pairs` numbers side by side.
    """

    text: str
    stems: tuple[str, ...]
    terms: tuple[int, ...]
    pairs: frozenset[tuple[int, int]]
    numbers: frozenset[str]
    wants: frozenset[str]
    units: frozenset[str]


def read(query: str) -> Asked:
    """Read a query."""
    said = [word.stem for word in words(query)]
    numbers = [number_of(stem) for stem in said]
    wants = frozenset(name for name, pattern in WANTS.items() if pattern.search(query))
    return Asked(
        query,
        tuple(dict.fromkeys(said)),
        tuple(dict.fromkeys(numbers)),
        frozenset(zip(numbers, numbers[1:], strict=False)),
        frozenset(NUMBER.findall(query)),
        wants,
        frozenset(name for name, pattern in UNITS.items() if pattern.search(query)),
    )
