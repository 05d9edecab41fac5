"""The papers of the library: which one a question means, how many there are, the oldest of them.

    "the paper about sourdough"                                ->  the one whose title has all these words
    "how many papers do I have?"                               ->  their number; else their titles
    "which of my papers is the newest?"                        ->  its title
    "how many of my papers have more than five tables?"        ->  3

Where the library is asked about, every word of the question must be one of these rules': "which paper has
the largest sample" is not for them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from rapidfuzz import fuzz, utils

from quire.ask.observations import SeenRow
from quire.ask.offline.lexicon import STOP, stem, words_of
from quire.ask.offline.plan import NOTHING, Finding, Plan, QuestionKind, Seen, evidence_of, read
from quire.ask.offline.question import QuestionFeatures
from quire.text import NUMBER_WORDS

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
_SHOWN = 3  # papers that are chosen, as evidence
_SHORT = 12  # characters; a shorter title is found in too many questions


def settle(reading: QuestionFeatures) -> Plan:
    """Ends with a finding whose value is the reading with its papers filled in; nothing if none is meant."""
    if reading.papers and not _TITLED.search(reading.bare):
        return Finding(reading)
    thought = "See whether the quoted title is that of the given paper."
    if not reading.papers:
        thought = "No paper is given: see which there are."
    rows = list((yield read("titles", reading.papers, thought)).rows)
    named = _named(reading, rows) or (None if reading.papers else _described(reading, rows))
    if named is not None:
        return Finding(_about(reading, named))
    if not reading.papers and len(rows) == 1:
        return Finding(replace(reading, papers=(str(rows[0]["paper_id"]),), title=str(rows[0]["title"])))
    return Finding(reading) if reading.papers else NOTHING


def _about(reading: QuestionFeatures, row: SeenRow) -> QuestionFeatures:
    """The reading without the words and quotes that only name the paper."""
    title = str(row["title"])
    of_title = set(words_of(title)) - set(reading.words[:1])
    places = zip(reading.quotes, reading.quote_places, strict=True)
    quotes = [each for each in places if not _alike(each[0], utils.default_process(title))]
    return replace(
        reading,
        papers=reading.papers or (str(row["paper_id"]),),
        title=title,
        words=tuple(word for word in reading.words if word not in of_title),
        quotes=tuple(quote for quote, _ in quotes),
        quote_places=tuple(place for _, place in quotes),
    )


def _named(reading: QuestionFeatures, rows: list[SeenRow]) -> SeenRow | None:
    """The paper whose title the question names: quoted, else among its words."""
    asked, quotes = utils.default_process(reading.text), [q for q in reading.quotes if len(q) > _SHORT]
    titles = [utils.default_process(str(row["title"])) for row in rows]
    quoted = [any(_alike(quote, title) for quote in quotes) for title in titles]
    said = [len(title) > _SHORT and fuzz.partial_ratio(title, asked) >= _NAMED for title in titles]
    which = quoted if any(quoted) else said
    return rows[which.index(True)] if any(which) else None


def _described(reading: QuestionFeatures, rows: list[SeenRow]) -> SeenRow | None:
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


_PAPERS = (
    "papers paper articles article publications publication documents document pdfs pdf files file studies "
    "study works work ones one titles title stuff things items"
)
# All that may stand in such a question, besides measures and limits: no rule knows any other topic.
_OF_LIBRARY = frozenset(
    f"{_PAPERS} library collection folder database corpus here stored loaded added indexed uploaded have has "
    "had having got hold held own there my our your me us i we you it its them they these those many big "
    "large how number count total list lists name names show give find enumerate tell what which whats who s "
    "contents content contained contain contains containing include includes including holds in inside on "
    "currently now so far altogether overall exist are is was were be been all any every each of the a an do "
    "does did with that than then and or please can could by to at moment today complete full among "
    "between".split()
)
_MANY = r"(?:papers|articles|publications|documents|pdfs|files|studies|titles|stuff|things|items)"
_HERE = re.compile(
    r"\b(?:library|collection|folder|database|corpus|here|stored|loaded|added|indexed|uploaded|"
    rf"(?:i|we|you) (?:have|got|hold|own)|do (?:i|we|you) (?:have|hold|own)|there|{_MANY})\b"
)
_COUNTED = re.compile(rf"\bhow (?:many|big|large)\b|\bnumber of\b|\bcount\b|\btotal of {_MANY}\b")
_PAPERS_COUNTED = re.compile(rf"\bhow many\b|\bnumber of (?:(?:my|our|the) )?{_MANY}\b")
_LISTED = re.compile(rf"\b(?:list|name|show|give|enumerate|tell|titles|what|which)\b|\b{_MANY}\?*$")
_MEASURES = {
    "year": "year years published publication appeared written printed came out from since old recent new",
    "pages": "page pages long short length",
    "authors": "author authors co coauthor coauthors writer writers people",
    "references": "reference references work works citation citations cite cites cited bibliography source "
    "sources",
    "tables": "table tables",
    "figures": "figure figures picture pictures image images chart charts plot plots",
    "equations": "equation equations formula formulas formulae",
    "sections": "section sections heading headings chapter chapters",
}
# What a superlative alone measures, and whether the largest or the smallest is meant.
_SUPERLATIVES: tuple[tuple[str, str, Callable[..., int]], ...] = (
    ("newest|latest|youngest|most recent", "year", max),
    ("oldest|earliest", "year", min),
    ("longest", "pages", max),
    ("shortest", "pages", min),
    ("most|largest number|highest number", "", max),
    ("fewest|least|smallest number|lowest number", "", min),
)
_LIMITS: tuple[tuple[str, Callable[[int, int], bool]], ...] = (
    (r"at least|no (?:fewer|less) than|or more|since|from \d{4} on", operator.ge),
    (r"at most|no more than|or (?:fewer|less)|until|up to", operator.le),
    (r"more than|over|above|exceeding|after|later than|newer than", operator.gt),
    (r"(?:fewer|less) than|under|below|before|earlier than|older than", operator.lt),
    (r"exactly|in|from|have|has|with", operator.eq),
)
_NUMBER = re.compile(rf"\b(\d{{1,6}}|{'|'.join(NUMBER_WORDS)})\b")
_PAPER = re.compile(r"\b(?:papers?|articles?|publications?|documents?|pdfs?|stud(?:y|ies)|works?|ones?)\b")
_YEARS = range(1900, 2101)


@dataclass(frozen=True, slots=True)
class _WantedPapers:
    """All papers; or those with the extreme of a measure, or with values of it within a limit."""

    measure: str = ""
    extreme: Callable[..., int] | None = None
    compare: Callable[[int, int], bool] = operator.eq
    limit: int = 0

    def of(self, rows: Sequence[SeenRow]) -> list[SeenRow]:
        if not self.measure:
            return list(rows)
        sizes = [int(row[self.measure]) for row in rows if row[self.measure] is not None]
        limit = self.extreme(sizes, default=0) if self.extreme else self.limit
        told = (row for row in rows if row[self.measure] is not None)
        return [row for row in told if self.compare(int(row[self.measure]), limit)]


def fits(reading: QuestionFeatures) -> float:
    """The library is asked about as a library, or papers by a measure, and no word says more."""
    return 0.0 if reading.papers or reading.quotes or _wanted(reading) is None else 0.96


def take(reading: QuestionFeatures, seen: Seen) -> Finding:
    """Choose among the papers, and count them or list their titles."""
    wanted, asked, why = _wanted(reading) or _WantedPapers(), reading.text.lower(), " ".join(reading.words)
    chosen = wanted.of(seen["sizes"])
    titles, listed = [str(row["title"]) for row in chosen], reading.form.kind == "list"
    if not wanted.measure:
        counted = _COUNTED.search(asked) and reading.form.kind not in ("list", "str")
        return Finding(len(titles) if counted else titles, 0.95, why=why)
    value: object = titles
    sized = re.search(r"\bhow many (\w+)", asked)
    if chosen and wanted.extreme and sized and sized[1] in _MEASURES[wanted.measure].split():
        value = int(chosen[0][wanted.measure])  # "how many tables does the paper with the most tables have"
    elif _PAPERS_COUNTED.search(asked) and not listed:
        value = len(titles)
    elif len(titles) < 2 and not listed:
        value = titles[0] if titles else f"None of the {len(seen['sizes'])} papers."
    evidence = tuple(each for row in chosen[:_SHOWN] for each in evidence_of(row))
    return Finding(value, 0.9, evidence, why=why)


def _wanted(reading: QuestionFeatures) -> _WantedPapers | None:
    """Which papers the question is about; nothing where a word is left that no rule knows."""
    asked = reading.text.lower()
    if set(reading.words) <= _OF_LIBRARY:
        told = _HERE.search(asked) and (_COUNTED.search(asked) or _LISTED.search(asked))
        return _WantedPapers() if told else None
    rest = _PAPER.sub(" ", asked, count=1)
    if rest == asked:
        return None
    for words, measure, extreme in _SUPERLATIVES:
        bare, times = re.subn(rf"(?<!\bat )\b(?:{words})\b", " ", rest)
        if times:
            measures = ({measure} | _measures(bare) - {"year"}) - {""}
            return _WantedPapers(measures.pop(), extreme) if len(measures) == 1 and _knows(bare) else None
    return _limited(rest)


def _limited(rest: str) -> _WantedPapers | None:
    numbers = _NUMBER.findall(rest)
    if len(numbers) != 1:
        return None
    compare = next((each for pattern, each in _LIMITS if re.search(rf"\b(?:{pattern})\b", rest)), None)
    bare = _NUMBER.sub(" ", rest)
    for pattern, _ in _LIMITS:
        bare = re.sub(rf"\b(?:{pattern})\b", " ", bare)
    limit = NUMBER_WORDS[numbers[0]] if numbers[0] in NUMBER_WORDS else int(numbers[0])
    measures = _measures(bare) - {"year"} or ({"year"} if limit in _YEARS else set())
    if compare is None or len(measures) != 1 or not _knows(bare):
        return None
    return _WantedPapers(measures.pop(), compare=compare, limit=limit)


def _measures(text: str) -> set[str]:
    said = set(words_of(text))
    return {name for name, words in _MEASURES.items() if not said.isdisjoint(words.split())}


def _knows(text: str) -> bool:
    """Whether every word asks for papers or names a measure."""
    return set(words_of(text)) <= _OF_LIBRARY.union(*(words.split() for words in _MEASURES.values()))


_LOOKS = {"sizes": "The papers are held against each other: see which there are, and measure them all."}
KIND = QuestionKind("library", fits, _LOOKS, take)
