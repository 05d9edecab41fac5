"""What a text shows whatever is asked: told once per entry, kept as small numbers.

traits(unit)["reason"]      # 1 if the text gives a reason
"""

from __future__ import annotations

import re
from functools import lru_cache

from quire.search.asked import NUMBER, UNITS
from quire.search.cells import Unit

SECTIONS = {
    "abstract": "abstract|summary|highlights",
    "introduction": "intro|background",
    "methods": "method|material|experiment|procedure|setup|design|data|subject|participant|sampl|animal",
    "results": "result|finding|evaluation|analys",
    "discussion": "discuss|conclu|limitation",
    "back": "acknowl|funding|conflict|contribution|reference|appendix|supplement",
}
TRAITS: tuple[str, ...] = (
    "numbers", "names", "reason", "truth", "version", "defines",
    *(f"unit {name}" for name in UNITS),
    *(f"in the {name}" for name in SECTIONS),
)  # fmt: skip
_SECTION_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in SECTIONS.values()]
_REASON = re.compile(
    r"\b(?:because|due to|since|owing|in order to|so that|thus|therefore|reasons?|explain\w*|"
    r"(?:result\w*|stems?|arises?) from|caused?|attribut\w+|as a result|"
    r"to (?:avoid|ensure|prevent|reduce|neutrali\w+|allow|keep|minimi\w+))",
    re.IGNORECASE,
)
_TRUTH = re.compile(
    r"\b(?:no|not|neither|never|without|fail\w*|lower|higher|more|less|significant\w*|than|both|better|worse|"
    r"largest|increas\w+|decreas\w+|only|outperform\w*|similar|superior|inferior|cannot)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,;:)] )[A-Z][A-Za-z0-9-]+|\b[A-Z]{2,}[A-Za-z0-9-]*\b")
_VERSION = re.compile(
    r"\b(?:version|ver|v|release)\.? ?\d|\b[A-Z]\w+ \d+(?:\.\d+)+|®|™|\b(?:Inc|Ltd|GmbH|USA)\b"
)
_DEFINES = re.compile(r"\([A-Z][A-Za-z-]+\)|\b(?:is|are) (?:defined|an?|the)\b|\brefers? to\b|\bmeans?\b")


def traits(unit: Unit) -> list[int]:
    """The traits of a unit, in the order of `TRAITS`: counts and 0 or 1."""
    text = unit.text
    return [
        min(len(NUMBER.findall(unit.quote)), 20),
        min(len(_NAME.findall(text)), 10),
        bool(_REASON.search(text)),
        bool(_TRUTH.search(text)),
        bool(_VERSION.search(text)),
        bool(_DEFINES.search(text)),
        *(bool(pattern.search(text)) for pattern in UNITS.values()),
        *_section(unit.context),
    ]


@lru_cache(maxsize=10_000)
def _section(heading: str) -> list[bool]:
    return [bool(pattern.search(heading)) for pattern in _SECTION_PATTERNS]
