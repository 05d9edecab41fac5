"""How a rule works: it reads views of the papers one after the other, and takes the answer out of their rows.

    QuestionKind("title", fits, {"metadata": "The title is in the metadata."}, take)

`QuestionKind.plan` makes a generator of it that yields steps, is sent observations, and returns a finding; so
the loop runs every look as a turn of its own. What is sought in running text is sought in one text per paper
(`Passages`), in which a sentence that two rows share is found whole. A finding is an answer only where it is
sure enough, and where the rule understood all of the question: every content word asks, is quoted, or is in
what it found. A wrong answer given as certain is worse than none: what is below the thresholds is shown as
evidence. They were chosen on benchmarks/answering.py and training/answers/train.py: see
docs/log.d/answering.md.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import accumulate
from typing import Any

from quire.ask.evidence import around, box_of, place_of
from quire.ask.observations import SeenRow
from quire.ask.offline.lexicon import same_word, stem, words_of
from quire.ask.offline.question import QuestionFeatures
from quire.text import ORDINALS
from quire.types import Call, Evidence, Observation, Step


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found. `value` is None when nothing was; `confidence` is 0 to 1.

    `why` holds the words by which a rule found it, besides those of its evidence: names of rows and columns,
    a caption. `note` is told to the user. A tentative value has a `probability`; nothing is `spoken` where
    the papers do not seem to speak of the question.
    """

    value: Any
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    why: str = ""
    note: str = ""
    probability: float = 0.0
    spoken: bool = True


Plan = Generator[Step, Observation, Finding]
NOTHING = Finding(None)


def read(view: str, ids: Sequence[str], thought: str) -> Step:
    """A step that reads the rows of a view (`quire.ask.actions.database`): of these papers; none: of all."""
    return Step(thought, Call("ReadRows", {"view": view, "ids": list(ids)}))


# What a row says, in the columns of a search and of the views; the first that is filled.
_SAYING = (
    "quote text text_content page_content sentence_content table_caption image_caption equation_content "
    "reference_content section_title title"
).split()
_KEYS = {  # the column that names a row, and its table
    "table_id": "tables",
    "image_id": "images",
    "equation_id": "equations",
    "reference_id": "reference",
    "section_id": "sections",
    "sentence_id": "sentences",
    "chunk_id": "chunks",
    "page_id": "pages",
    "paper_id": "metadata",
}
_QUOTED = 300  # characters of a row that are quoted


def said_in(row: SeenRow) -> str:
    """What a row of a search or view says: its sentence, its text or its caption."""
    return next((str(row[column]) for column in _SAYING if row.get(column)), "")


def evidence_of(row: SeenRow, quote: str = "") -> tuple[Evidence, ...]:
    """Evidence from a row of a view or a search, of what it says or of the `quote`; none without a page."""
    paper, page = place_of(row)
    if not paper or not isinstance(row.get("page_number"), int):
        return ()
    column, table = next((each for each in _KEYS.items() if row.get(each[0])), ("primary_key", ""))
    table, key = table or str(row.get("table_name", "")), str(row.get(column, ""))
    quote = quote or said_in(row)[:_QUOTED]
    return (Evidence(paper, page, box_of(row), quote, verified=False, table=table, key=key),)


def found(value: Any, sure: float, row: SeenRow | None, quote: str = "", why: str = "") -> Finding:
    """A value that a row tells; nothing where it tells none."""
    if row is None or value in (None, "", []):
        return NOTHING
    return Finding(value, max(sure, 0.0), evidence_of(row, quote), why)


Fit = Callable[[QuestionFeatures], float]


def fitting(*rules: tuple[float, str]) -> Fit:
    """How well a question fits: as the first of these rules says whose traits are all there, 0 if none.

    A rule names traits of `QuestionFeatures`; of "table|figure" one must be there, of "-count|page" none.
    """
    parsed = [
        (fit, [(each.strip("-").split("|"), each[0] == "-") for each in rule.split()]) for fit, rule in rules
    ]

    def fits(reading: QuestionFeatures) -> float:
        traits = reading.traits
        told = (fit for fit, rule in parsed if all(traits.isdisjoint(names) == no for names, no in rule))
        return next(told, 0.0)

    return fits


Seen = Mapping[str, Sequence[SeenRow]]  # the rows of the views that were read so far
Looks = Mapping[str, str]  # the views to read, in their order, each with the thought that goes with it


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """What can be asked: how well a question fits it (0 to 1), what is read for it, how its answer is taken.

    The kind that fits best is tried first, the next when it finds nothing. `take` is asked after each view,
    the surest finding counts, and one of confidence `enough` ends the reading.
    """

    name: str
    fits: Fit
    looks: Looks | Callable[[QuestionFeatures], Looks]
    take: Callable[[QuestionFeatures, Seen], Finding]
    enough: float = 0.0

    def plan(self, reading: QuestionFeatures) -> Plan:
        """Read view after view until the answer is found."""
        seen: dict[str, Sequence[SeenRow]] = {}
        best = NOTHING
        looks = self.looks(reading) if callable(self.looks) else self.looks
        for view, thought in looks.items():
            seen[view] = (yield read(view, reading.papers, thought)).rows
            best = max(best, self.take(reading, seen), key=lambda finding: finding.confidence)
            if best.value is not None and best.confidence >= self.enough:
                break
        return best


@dataclass(frozen=True)
class Passages:
    """The running text of one paper; `starts` are the offsets at which its rows begin."""

    text: str
    starts: tuple[int, ...]
    rows: tuple[SeenRow, ...]

    def sentence(self, start: int, end: int) -> str:
        """The sentence around a place, as far as it stands in the row in which the place begins.

        What the next row says may be printed anywhere, and only what stands together verifies.
        """
        at = self._at(start)
        first = self.starts[at]
        last = self.starts[at + 1] - 1 if at + 1 < len(self.starts) else len(self.text)
        if end > last:
            return self.text[start:end]
        return around(self.text[first:last].replace("\n", " "), (start - first, end - first))

    def row_at(self, offset: int) -> SeenRow:
        """The row in which that offset lies."""
        return self.rows[self._at(offset)]

    def _at(self, offset: int) -> int:
        return max(bisect_right(self.starts, offset) - 1, 0)


@dataclass(frozen=True, slots=True)
class Span:
    """What a text says between `start` and `end`, and how well it fits (0 to 1)."""

    text: str
    fit: float
    start: int
    end: int


def join(rows: Sequence[SeenRow]) -> list[Passages]:
    """One running text per paper of what its rows say."""
    by_paper: dict[str, list[SeenRow]] = {}
    for row in rows:
        by_paper.setdefault(str(row.get("ref_paper_id") or row.get("pdf_id")), []).append(row)
    joined = []
    for each in by_paper.values():
        parts = [said_in(row) for row in each]
        starts = accumulate((len(part) + 1 for part in parts[:-1]), initial=0)
        joined.append(Passages("\n".join(parts), tuple(starts), tuple(each)))
    return joined


def surest(seen: Seen, take: Callable[[str], Span | None]) -> Finding:
    """The best of the spans that are taken out of the texts of what was seen last, with their sentences."""
    best = NOTHING
    *_, rows = seen.values()
    for passages in join(rows):
        span = take(passages.text)
        if span is not None and span.fit > best.confidence:
            quote = passages.sentence(span.start, span.end)
            best = found(span.text, span.fit, passages.row_at(span.start), quote)
    return best


ENOUGH = 0.55  # for what a rule found that explains the question
SURE = 0.7  # for what is taken out of a passage: the calibrated rate of right answers
FITTING = 0.3  # how well a kind must fit the question to be tried at all


# Words that point at things besides those of the lexicon: by their place, or as words on a page.
_POINTING = (
    "lead leading principal senior corresponding last final next previous following preceding after before "
    "stands stand said quote quoted ref refs word address"
).split()


def left_over(finding: Finding, reading: QuestionFeatures) -> list[str]:
    """The content words that the rule does not understand."""
    told = [finding.why, *(each.quote for each in finding.evidence), reading.title, str(finding.value)]
    known = {stem(word) for text in told for word in words_of(text)}
    known |= {stem(word) for word in (*ORDINALS, *_POINTING)}
    known |= {word for label in astuple(reading.labels) if label for word in words_of(str(label))}
    return [
        word
        for word in reading.topic
        if stem(word) not in known and not any(same_word(stem(word), other) for other in known)
    ]
