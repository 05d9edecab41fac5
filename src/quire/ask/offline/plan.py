"""How a rule works: a plan is a generator that yields acts, is sent observations, and returns a finding.

    def plan(asked):
        seen = yield read("metadata", asked.papers, "The title is in the metadata.")
        return Finding(seen.rows[0]["title"], confidence=0.9)

So a rule reads from top to bottom although the loop runs every act as a turn of its own. A finding is an
answer only where it is sure enough, and where the rule understood all of the question: every content word
asks, is quoted, or is in what it found. A wrong answer given as certain is worse than none: what is below
the thresholds is shown as evidence. They were chosen on benchmarks/answering.py and
training/answers/train.py: see docs/log.d/answering.md.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from quire.ask.evidence import box_of, place_of
from quire.ask.offline.lexicon import same_word, stem, words_of
from quire.ask.offline.question import QuestionFeatures
from quire.text import ORDINALS
from quire.types import Call, Evidence, Observation

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """A thought and the call that follows from it."""

    thought: str
    call: Call


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


Plan = Generator[Act, Observation, Finding]
NOTHING = Finding(None)


def read(view: str, ids: Sequence[str], thought: str) -> Act:
    """An act that reads the rows of a view (`quire.ask.actions.database`): of these papers; none: of all."""
    return Act(thought, Call("ReadRows", {"view": view, "ids": list(ids)}))


def evidence_of(row: Row, quote: str, table: str = "", key: str = "") -> tuple[Evidence, ...]:
    """Evidence from a row that names its paper and page; none if it does not."""
    paper, page = place_of(row)
    if not paper or not isinstance(row.get("page_number"), int):
        return ()
    return (Evidence(paper, page, box_of(row), quote, verified=False, table=table, key=key),)


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """`fits` gives 0 to 1; the kind that fits best is tried first, the next when it finds nothing."""

    name: str
    fits: Callable[[QuestionFeatures], float]
    plan: Callable[[QuestionFeatures], Plan]


ENOUGH = 0.55  # for what a rule found that explains the question
SURE = 0.7  # for what is taken out of a passage: the calibrated rate of right answers
FITTING = 0.3  # how well a kind must fit the question to be tried at all


def is_enough(finding: Finding) -> bool:
    """Whether to answer with it."""
    return finding.value is not None and finding.confidence >= ENOUGH


# Words that point at things besides those of the lexicon: by their place, or as words on a page.
_POINTING = (
    "lead leading principal senior corresponding last final next previous following preceding after before "
    "stands stand said quote quoted ref refs word address"
).split()


def explains(finding: Finding, reading: QuestionFeatures) -> bool:
    """Whether the topics of the question are all in what the rule matched."""
    return not left_over(finding, reading)


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
