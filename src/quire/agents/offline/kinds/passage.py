"""Anything else: the sentence of the papers that says most of what the question speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of, search
from quire.agents.offline.question.likeness import stem
from quire.agents.offline.question.reading import Reading
from quire.agents.offline.taking.gaps import number_in
from quire.agents.offline.taking.sentences import overlap, rarity, sentences

_PASSAGES = 8
_PLENTY = 4  # topics, and one, from which on a sentence that has them all is hardly chance


def fits(reading: Reading) -> float:
    """Always possible, never the first choice."""
    return 0.1


def plan(reading: Reading) -> Plan:
    """Search, then choose the sentence that covers the question best; a number if one is wanted."""
    query = " ".join([*reading.quotes, *reading.topic]) or reading.text
    seen = yield search("Search the passages for what the question speaks of.", query, _PASSAGES)
    if seen.kind != "rows":
        return NOTHING
    return best_sentence(reading, seen.rows)


def best_sentence(reading: Reading, rows: Sequence[Row]) -> Finding:
    """The best sentence of the rows, or the number that it holds."""
    topic = [*reading.topic, *(word for quote in reading.quotes for word in quote.lower().split())]
    weights = rarity(str(row.get("text") or "") for row in rows)
    numeric = reading.form.kind in ("int", "float")
    best: tuple[float, str, Row] = (0.0, "", {})
    for place, row in enumerate(rows):
        for sentence in sentences(str(row.get("text") or "")):
            if numeric and not number_in(sentence):
                continue
            score = overlap(sentence, topic, weights) - 0.01 * place
            if score > best[0]:
                best = (score, sentence, row)
    score, sentence, row = best
    if not sentence:
        return NOTHING
    counted = _counted(reading, sentence) if numeric else ""
    value = (counted or number_in(sentence)) if numeric else sentence
    # Few words fit many sentences; a number that counts nothing asked for is a guess.
    plenty = min(1.0, (len(set(topic)) + 1) / _PLENTY)
    share = (0.7 if counted else 0.4) if numeric else 0.75 if reading.form.kind in ("str", "any") else 0.4
    sure = score * share * plenty
    return Finding(
        value,
        sure,
        evidence_of(row, sentence, str(row.get("table_name") or ""), str(row.get("primary_key") or "")),
    )


def _counted(reading: Reading, sentence: str) -> str:
    """The number before what is counted: 180 in "180 febrile patients" for "how many patients"."""
    asked = re.search(r"(?i)\bhow many (\w+(?: \w+)?)", reading.bare)
    if not asked:
        return ""
    for words in (asked[1], asked[1].split()[0]):
        noun = r"\s+".join(re.escape(stem(word)) + r"\w{0,3}" for word in words.lower().split())
        match = re.search(rf"(?i)(?<![\w.,])(\d[\d,]*(?:\.\d+)?)\s+(?:[^\W\d]+\s+){{0,3}}?{noun}\b", sentence)
        if match:
            return number_in(match[1])
    return ""


KIND = Kind("passage", fits, plan)
