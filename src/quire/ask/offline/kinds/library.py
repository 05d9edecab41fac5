"""The papers of the library: which one a question means, how many there are, the oldest of them.

    "the paper about sourdough"                                ->  the one whose title has all these words
    "how many papers do I have?"                               ->  their number; else their titles
    "which of my papers is the newest?"                        ->  its title
    "how many of my papers have more than five tables?"        ->  3

Where papers are compared, every word of the question must be one of these rules': "which paper has the
largest sample" is not for them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from rapidfuzz import fuzz, utils

from quire.ask.offline.lexicon import STOP, stem, words_of
from quire.ask.offline.plan import NOTHING, Finding, Plan, QuestionKind, Row, evidence_of, read
from quire.ask.offline.question import QuestionFeatures

_TITLED = re.compile(
    r"(?i)\b(?:paper|article|study|publication|manuscript)\b[\s,]*+(?:(?:titled|entitled|called)[\s,]*+)?~"
)
_KINDS = frozenset(
    "paper papers article articles study studies publication publications manuscript preprint review reviews "
    "report reports".split()
)
_ABOUT = frozenset("about on of regarding concerning".split())
_NEAR = 10  # words before "paper" within which its description begins with "the"
_NAMED = 88  # likeness of a title, 0 to 100, from which on it is meant
_SHORT = 12  # characters; a shorter title is found in too many questions


def settle(reading: QuestionFeatures) -> Plan:
    """Ends with a finding whose value is the reading with its papers filled in; nothing if none is meant."""
    if reading.papers and not _TITLED.search(reading.bare):
        return Finding(reading)
    if reading.papers:
        thought = "See whether the quoted title is that of the given paper."
        seen = yield read("titles", reading.papers, thought)
        named = _named(reading, list(seen.rows))
        return Finding(reading if named is None else _about(reading, list(reading.papers), named))
    seen = yield read("titles", (), "No paper is given: see which there are.")
    rows = list(seen.rows)
    named = _named(reading, rows) or _described(reading, rows)
    if named is None and len(rows) == 1:
        only = rows[0]
        return Finding(replace(reading, papers=(str(only["paper_id"]),), title=str(only["title"])))
    return NOTHING if named is None else Finding(_about(reading, [str(named["paper_id"])], named))


def _about(reading: QuestionFeatures, papers: Sequence[str], row: Row) -> QuestionFeatures:
    title = str(row["title"])
    # The words that only name the paper say nothing about what is asked of it.
    of_title = set(words_of(title)) - set(reading.words[:1])
    quotes = [
        (quote, place)
        for quote, place in zip(reading.quotes, reading.quote_places, strict=True)
        if not _alike(quote, utils.default_process(title))
    ]
    return replace(
        reading,
        papers=tuple(papers),
        title=title,
        words=tuple(word for word in reading.words if word not in of_title),
        quotes=tuple(quote for quote, _ in quotes),
        quote_places=tuple(place for _, place in quotes),
    )


def _named(reading: QuestionFeatures, rows: list[Row]) -> Row | None:
    """The paper whose title the question names, quoted or not."""
    for row in rows:
        title = utils.default_process(str(row["title"]))
        if any(len(quote) > _SHORT and _alike(quote, title) for quote in reading.quotes):
            return row
    for row in rows:
        title = utils.default_process(str(row["title"]))
        if len(title) > _SHORT and fuzz.partial_ratio(title, utils.default_process(reading.text)) >= _NAMED:
            return row
    return None


def _described(reading: QuestionFeatures, rows: list[Row]) -> Row | None:
    """The one paper whose title has all the content words that describe it in the question."""
    titles = [{stem(word) for word in words_of(str(row["title"]))} for row in rows]
    known = set[str]().union(*titles)
    for description in _descriptions(words_of(reading.bare), known):
        words = [stem(word) for word in description if word not in STOP]
        fitting = [row for row, title in zip(rows, titles, strict=True) if title.issuperset(words)]
        if words and len(fitting) == 1:
            return fitting[0]
    return None


def _descriptions(words: Sequence[str], known: set[str]) -> Iterator[Sequence[str]]:
    """Between "the" and "paper"; behind "paper about", up to the first word that is in no title."""
    for at, word in enumerate(words):
        if word not in _KINDS:
            continue
        before = words[max(0, at - _NEAR) : at]
        if "the" in before:
            yield before[len(before) - before[::-1].index("the") :]
        if at + 1 < len(words) and words[at + 1] in _ABOUT:
            yield list(takewhile(lambda each: each in STOP or stem(each) in known, words[at + 2 :]))


def _alike(quote: str, title: str) -> bool:
    asked = utils.default_process(quote)
    return fuzz.ratio(asked, title) >= _NAMED or title.startswith(asked)


_MANY = r"(?:papers|articles|publications|documents|pdfs|files|studies|titles|stuff|things|items)"
_HERE = re.compile(
    r"(?i)\b(?:library|collection|folder|database|corpus|here|stored|loaded|added|indexed|uploaded|"
    r"(?:i|we|you) (?:have|got|hold|own|added)|do (?:i|we|you) (?:have|hold|own)|there|"
    rf"(?:my|our|your|these|those|all|all of)(?: the| my| our| your)? {_MANY})\b"
)
_HOW_MANY = re.compile(rf"(?i)\bhow (?:many|big|large)\b|\bnumber of\b|\bcount\b|\btotal of {_MANY}\b")
_LIST = re.compile(
    r"(?i)\b(?:list|name|show|give|enumerate|tell|titles)\b|\b(?:what|which)(?:'s| is| are)?\b"
    rf"|\b{_MANY}\?*$"
)
# All that may stand in such a question: anything else is a topic, and no rule knows it.
_OF_LIBRARY = frozenset(
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
    if reading.papers or reading.quotes or not set(reading.words) <= _OF_LIBRARY:
        return 0.0
    if not (_HERE.search(asked) or re.search(rf"(?i)\b{_MANY}\b", asked)):
        return 0.0
    return 0.95 if _HOW_MANY.search(asked) or _LIST.search(asked) else 0.0


def plan(reading: QuestionFeatures) -> Plan:
    """Count the titles, or list them."""
    seen = yield read("titles", (), "The question is about the library: see which papers it holds.")
    titles = [str(row["title"]) for row in seen.rows]
    counted = _HOW_MANY.search(reading.bare) and reading.form.kind not in ("list", "str")
    return Finding(len(titles) if counted else titles, 0.95, why=" ".join(reading.words))


KIND = QuestionKind("library", fits, plan)


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


def fits_comparing(reading: QuestionFeatures) -> float:
    """Papers are asked for by a measure, or counted by one, and no word says more."""
    return 0.0 if reading.papers or reading.quotes or _wanted(reading.text.lower()) is None else 0.96


def plan_comparing(reading: QuestionFeatures) -> Plan:
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


COMPARING = QuestionKind("comparison of papers", fits_comparing, plan_comparing)
