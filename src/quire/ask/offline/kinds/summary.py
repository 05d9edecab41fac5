"""What a paper is about: the sentences of its abstract and its conclusion that say most of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.plan import NOTHING, Finding, Plan, Row, evidence_of, read
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.question.lexicon import STOP
from quire.ask.offline.question.likeness import words_of

_ASKED = re.compile(
    r"(?i)\bsummar(?:y|i[sz]\w*|ies)\b|\bgist\b|\btl;?dr\b|\bin a nutshell\b|\boverview of (?:it|this|the)\b"
    r"|\bwhat(?:'s| is| are| was) [^?]{0,200}\b(?:all )?about\W*$"
    r"|\b(?:main|key|central) (?:ideas?|points?|findings?|results?|messages?|contributions?)\b"
    r"|\btake-?home (?:message|point)\b"
)
_FIRST, _LAST = 2, 1  # sentences of the abstract and of the conclusion


def fits(reading: QuestionFeatures) -> float:
    """A paper is to be told in short."""
    match = _ASKED.search(reading.bare)
    pointed = reading.labels.table or reading.labels.figure or reading.has("count")
    if match is None or pointed or reading.form.kind not in ("any", "str"):
        return 0.0
    # "Who wrote the summaries?" asks about some, not for one.
    others = [word for word in reading.topic if word not in words_of(match[0])]
    return 0.9 if len(others) <= 1 else 0.0


def plan(reading: QuestionFeatures) -> Plan:
    """Read the sentences of abstract and conclusion, and quote those that share most words with the rest."""
    thought = "Abstract and conclusion tell a paper in short: read their sentences."
    seen = yield read("ends", reading.papers, thought)
    ends = [row for row in seen.rows if "conclu" in str(row["section_title"]).lower()]
    begins = [row for row in seen.rows if row not in ends]
    chosen = [*_telling(begins, _FIRST if ends else _FIRST + _LAST), *_telling(ends, _LAST)]
    if not chosen:
        return NOTHING
    match = _ASKED.search(reading.bare)
    evidence = tuple(
        each for row in chosen for each in evidence_of(row, _text(row), "sentences", str(row["sentence_id"]))
    )
    return Finding(" ".join(map(_text, chosen)), 0.7, evidence, why=match[0] if match else "")


def _telling(rows: Sequence[Row], most: int) -> list[Row]:
    """The sentences whose words the others use most, in their order."""
    said = [[word for word in words_of(_text(row)) if word not in STOP] for row in rows]
    counts = Counter(word for words in said for word in set(words))
    worth = [sum(counts[word] - 1 for word in set(words)) / (len(words) + 5) ** 0.5 for words in said]
    best = sorted(range(len(rows)), key=lambda n: (-worth[n], n))[:most]
    return [rows[n] for n in sorted(best)]


def _text(row: Row) -> str:
    return str(row["sentence_content"])


KIND = QuestionKind("summary", fits, plan)
