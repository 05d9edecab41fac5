"""The library itself: how many papers it holds, and their titles, in any wording."""

from __future__ import annotations

import re

from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.plan import Finding, Plan, read
from quire.ask.offline.question.features import QuestionFeatures

_PAPERS = r"(?:papers|articles|publications|documents|pdfs|files|studies|titles|stuff|things|items)"
_HERE = re.compile(
    r"(?i)\b(?:library|collection|folder|database|corpus|here|stored|loaded|added|indexed|uploaded|"
    r"(?:i|we|you) (?:have|got|hold|own|added)|do (?:i|we|you) (?:have|hold|own)|there|"
    rf"(?:my|our|your|these|those|all|all of)(?: the| my| our| your)? {_PAPERS})\b"
)
_COUNT = re.compile(rf"(?i)\bhow (?:many|big|large)\b|\bnumber of\b|\bcount\b|\btotal of {_PAPERS}\b")
_LIST = re.compile(
    r"(?i)\b(?:list|name|show|give|enumerate|tell|titles)\b|\b(?:what|which)(?:'s| is| are)?\b"
    rf"|\b{_PAPERS}\?*$"
)
# All that may stand in such a question: anything else is a topic, and no rule knows it.
_KNOWN = frozenset(
    "library collection folder database corpus here stored loaded added indexed uploaded have got hold own "
    "there my our your me us i we you papers paper articles article publications documents document pdfs pdf "
    "files file studies study titles title stuff things items many big large how number count total list "
    "name names show give enumerate tell what which whats contents content contained contain contains holds "
    "in inside currently now so far altogether overall exist are is all every each of the a do does did "
    "please can could and by at moment today complete full".split()
)


def fits(reading: QuestionFeatures) -> float:
    """The library is asked about as a library, and nothing that its papers say."""
    asked = reading.bare
    if reading.papers or reading.quotes or not set(reading.words) <= _KNOWN:
        return 0.0
    if not (_HERE.search(asked) or re.search(rf"(?i)\b{_PAPERS}\b", asked)):
        return 0.0
    return 0.95 if _COUNT.search(asked) or _LIST.search(asked) else 0.0


def plan(reading: QuestionFeatures) -> Plan:
    """Count the titles, or list them."""
    seen = yield read("titles", (), "The question is about the library: see which papers it holds.")
    titles = [str(row["title"]) for row in seen.rows]
    counted = _COUNT.search(reading.bare) and reading.form.kind not in ("list", "str")
    return Finding(len(titles) if counted else titles, 0.95, why=" ".join(reading.words))


KIND = QuestionKind("library", fits, plan)
