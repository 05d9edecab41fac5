"""The papers of the library held against each other: the oldest, the one with most tables, those after 2015.

    "which of my papers is the newest?"                        ->  its title
    "how many of my papers have more than five tables?"        ->  3
    "which papers appeared after 2015?"                        ->  their titles

Every word of the question must be one of these rules': "which paper has the largest sample" is not for them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.plan import NOTHING, Finding, Plan, Row, evidence_of, read
from quire.ask.offline.question.features import QuestionFeatures

_MEASURES = {
    "year": r"years?|published|publication|appeared|written|printed|came out|from|since|old|recent|new",
    "pages": r"pages?|long|short|length",
    "authors": r"authors?|co-?authors?|writers?|people",
    "references": r"references?|works?|citations?|cites?|cited|bibliography|sources?",
    "tables": r"tables?",
    "figures": r"figures?|pictures?|images?|charts?|plots?",
    "equations": r"equations?|formulas?|formulae",
    "sections": r"sections?|headings?|chapters?",
}
# What the word alone measures, and whether the largest or the smallest is meant.
_SUPERLATIVES: dict[str, tuple[str, Callable[..., int]]] = {
    "oldest": ("year", min),
    "earliest": ("year", min),
    "newest": ("year", max),
    "latest": ("year", max),
    "youngest": ("year", max),
    "most recent": ("year", max),
    "longest": ("pages", max),
    "shortest": ("pages", min),
    "most": ("", max),
    "largest number": ("", max),
    "highest number": ("", max),
    "fewest": ("", min),
    "least": ("", min),
    "smallest number": ("", min),
    "lowest number": ("", min),
}
_LIMITS: tuple[tuple[str, Callable[[int, int], bool]], ...] = (
    (r"at least|no (?:fewer|less) than|or more|since|from \d{4} on", operator.ge),
    (r"at most|no more than|or (?:fewer|less)|until|up to", operator.le),
    (r"more than|over|above|exceeding|after|later than|newer than", operator.gt),
    (r"(?:fewer|less) than|under|below|before|earlier than|older than", operator.lt),
    (r"exactly|in|from|have|has|with", operator.eq),
)
_NUMBERS = dict(zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True))
_NUMBER = re.compile(rf"\b(\d{{1,6}}|{'|'.join(_NUMBERS)})\b")
_PAPERS = re.compile(r"\b(?:papers?|articles?|publications?|documents?|pdfs?|stud(?:y|ies)|works?|ones?)\b")
_COUNT = re.compile(
    r"\bhow many\b|\bnumber of (?:my |our |the )?(?:papers|articles|publications|documents|pdfs)\b"
)
_KNOWN = re.compile(
    r"\b(?:which|what|whats|s|who|name|list|show|give|me|find|all|any|how|many|number|of|in|on|the|a|an|is|are|was|"
    r"were|be|been|has|have|had|having|do|does|did|with|that|than|then|and|or|my|our|your|i|we|you|these|those|there|"
    r"library|collection|folder|here|among|between|them|it|its|list|lists|title|titles|"
    r"contains?|containing|includes?|including|got|own|held|please|tell|by|to)\b"
)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A measure, and the papers with its extreme or with values within a limit."""

    measure: str
    extreme: Callable[..., int] | None = None
    compare: Callable[[int, int], bool] = operator.eq
    limit: int = 0

    def of(self, rows: list[Row]) -> list[Row]:
        told = [row for row in rows if row[self.measure] is not None]
        if self.extreme is None:
            return [row for row in told if self.compare(int(row[self.measure]), self.limit)]
        best = self.extreme((int(row[self.measure]) for row in told), default=None)
        return [row for row in told if row[self.measure] == best]


def fits(reading: QuestionFeatures) -> float:
    """Papers are asked for by a measure, or counted by one, and no word says more."""
    return 0.0 if reading.papers or reading.quotes or _wanted(reading.text.lower()) is None else 0.96


def plan(reading: QuestionFeatures) -> Plan:
    """Measure every paper, and choose."""
    asked = reading.text.lower()
    wanted = _wanted(asked)
    if wanted is None:
        return NOTHING
    seen = yield read("sizes", (), "The papers are held against each other: measure them all.")
    chosen = wanted.of(list(seen.rows))
    evidence = tuple(each for row in chosen for each in evidence_of(row, str(row["title"]), "metadata"))
    titles = [str(row["title"]) for row in chosen]
    value: object = titles
    if _COUNT.search(asked) and reading.form.kind != "list":
        value = len(titles)
    elif len(titles) == 1 and reading.form.kind != "list":
        value = titles[0]
    elif not titles and reading.form.kind != "list":
        value = f"None of the {len(seen.rows)} papers."
    return Finding(value, 0.9, evidence[:3], why=" ".join(reading.words))


def _wanted(asked: str) -> _Wanted | None:
    """What the question measures; nothing where a word is left that no rule knows."""
    if not _PAPERS.search(asked):
        return None
    named_here = (word for word in _SUPERLATIVES if re.search(rf"(?<!\bat )\b{word}\b", asked))
    superlative = max(named_here, key=len, default="")
    rest = _PAPERS.sub(" ", asked, count=1)
    if superlative:
        measure, extreme = _SUPERLATIVES[superlative]
        rest = re.sub(rf"\b{superlative}\b", " ", rest)
        named = _measures(rest)
        if _left(rest, named) or len({measure, *named} - {"", "year"}) > 1:
            return None
        chosen = measure or next((name for name in named if name != "year"), "")
        return _Wanted(chosen, extreme) if chosen else None
    return _limited(rest)


def _limited(rest: str) -> _Wanted | None:
    numbers = _NUMBER.findall(rest)
    if len(numbers) != 1:
        return None
    compare = next((each for pattern, each in _LIMITS if re.search(rf"\b(?:{pattern})\b", rest)), None)
    bare = _NUMBER.sub(" ", rest)
    for pattern, _ in _LIMITS:
        bare = re.sub(rf"\b(?:{pattern})\b", " ", bare)
    named = _measures(bare)
    limit = int(_NUMBERS.get(numbers[0], 0) or numbers[0])
    measures = [name for name in named if name != "year"] or (["year"] if 1900 <= limit <= 2100 else [])
    if compare is None or len(measures) != 1 or _left(bare, named):
        return None
    return _Wanted(measures[0], compare=compare, limit=limit)


def _measures(text: str) -> list[str]:
    return [name for name, words in _MEASURES.items() if re.search(rf"\b(?:{words})\b", text)]


def _left(text: str, measures: list[str]) -> bool:
    """Whether a word is left over."""
    for name in measures:
        text = re.sub(rf"\b(?:{_MEASURES[name]})\b", " ", text)
    return re.search(r"\w", _PAPERS.sub(" ", _KNOWN.sub(" ", text))) is not None


KIND = QuestionKind("comparison of papers", fits, plan)
