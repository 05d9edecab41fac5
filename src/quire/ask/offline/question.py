"""A question as the rules see it: its concepts, what it quotes, what it points at, what form it wants.

    r = read(Question("1", 'What does "DY" stand for?', answer_format="a string"))
    r.concepts   ->  {"abbreviation"}
    r.quotes     ->  ("DY",)
    gap('Fill in: "About ____ patients took part."')       ->  Gap("About", "patients took part.")

Straight, curly, angle and back quotes are understood; an apostrophe is not a quotation mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import NamedTuple

from quire.ask.answer_format import AnswerFormat, read_format
from quire.ask.offline.lexicon import Labels, concepts, in_phrases, is_asking_word, labels, mended, words_of
from quire.text import sentence_texts
from quire.types import Question

_PAIRS = (
    r"\u201c([^\u201d]{1,400})\u201d",
    r"\u201e([^\u201c-\u201e]{1,400})[\u201c\u201d]",
    r"\u00ab\s{0,9}([^\u00ab\u00bb]{1,400}?)\s{0,9}\u00bb",
    r"``(.{1,400}?)''",
    r"`([^`]+)`",
    r"(?<![\w'])'(?=\S)((?:[^']|(?<=\w)'(?=\w))+?)'(?![\w'])",
    r"(?<!\w)\u2018([^\u2018]+?)\u2019(?!\w)",
)
_QUOTED = re.compile("|".join(_PAIRS), re.DOTALL)
_GAP = re.compile(
    r"_{2,}|\[\s*+(?:(?:mask|blank|gap|\.{2,}|\u2026|\?+|number|value|x+)\s*+)?\]|<\s*(?:mask|blank|gap)\s*>"
    r"|\{\s*\}|\(\s*(?:\.{2,}|\u2026|\?|blank)\s*\)|\?{3,}|\bX{3,}\b|\*{3,}|(?<=\s)(?:\.{3,}|\u2026)(?=\s)",
    re.IGNORECASE,
)


class Gap(NamedTuple):
    """A text with a hole: what stands before it and after it."""

    before: str
    after: str


def spans(text: str) -> list[tuple[str, int, int]]:
    """The quoted strings with their (start, end), marks included; nested ones belong to the outer."""
    straight = list(_straight(text))
    found = [(text[start + 1 : end - 1].strip(), start, end) for start, end in straight]
    for match in _QUOTED.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in straight):
            inside = next(group for group in match.groups() if group is not None)
            found.append((inside.strip(), match.start(), match.end()))
    return sorted((each for each in found if each[0]), key=lambda each: each[1])


def _straight(text: str) -> Iterator[tuple[int, int]]:
    """Where straight double quotes open and close, outermost pairs only."""
    marks = [match.start() for match in re.finditer('"', text)]
    opened: list[int] = []
    for number, place in enumerate(marks):
        before, after = text[place - 1 : place] or " ", text[place + 1 : place + 2] or " "
        opens = (before.isspace() or before in "([:,\u2014-/") and not after.isspace()
        closes = not before.isspace() and not after.isalnum()
        left = len(marks) - number
        if opened and (closes or not opens) and not (opens and closes and left > len(opened)):
            start = opened.pop()
            if not opened:
                yield start, place + 1
        elif opens or not opened:
            opened.append(place)


def gap(text: str) -> Gap | None:
    """The gap of the question: inside a quoted string, or else in the bare text after a colon."""
    for candidate in (*(quoted for quoted, _, _ in spans(text)), text.partition(":")[2], text):
        if match := _GAP.search(candidate):
            sides = candidate[: match.start()], candidate[match.end() :]
            return Gap(*(side.strip().strip("\"'\u201c\u201d").strip() for side in sides))
    return None


# "Which table lists the bacterial count?" wants the table, whatever is counted in it.
_WHICH = re.compile(
    r"(?i)\W*(?:in |on )?(?:which|what) (?:table|figure|fig|chart|plot|section|page)\b(?!.*\bhow many\b)"
)


_MANY = (("quote", "quotes", 1), ("quotes", "quotes", 2), ("topic", "topic", 1), ("topics", "topic", 3))


@dataclass(frozen=True, slots=True)
class QuestionFeatures:
    """What a question says.

    `bare` is the text without its quoted strings (a `~` stands for each), `words` the words of it;
    `topic` are those that do not merely ask; `papers` the ids of the papers to look at (empty: all).
    """

    text: str
    bare: str
    words: tuple[str, ...]
    concepts: frozenset[str]
    quotes: tuple[str, ...]
    quote_places: tuple[int, ...]  # where in `bare` each quote stood
    labels: Labels
    gap: Gap | None
    form: AnswerFormat
    papers: tuple[str, ...] = ()
    title: str = ""  # of the paper, where the question names it

    @property
    def topic(self) -> tuple[str, ...]:
        """The words that say what the question is about, outside of quotes."""
        phrases = in_phrases(self.bare)
        return tuple(word for word in self.words if not is_asking_word(word) and word not in phrases)

    @property
    def traits(self) -> frozenset[str]:
        """Its concepts, and besides: "#table" for a label, ".all" for a word, "=list" for the form.

        "quote" and "topic" where there is one, "quotes" and "topics" where there are two and three.
        """
        told = {f"#{name}" for name, label in asdict(self.labels).items() if label}
        told |= {f".{word}" for word in self.words} | {f"={self.form.kind}"}
        told |= {name for name, held, most in _MANY if len(getattr(self, held)) >= most}
        return self.concepts | told

    def has(self, *names: str) -> bool:
        """Whether any of these concepts is there."""
        return any(name in self.concepts for name in names)


def read(question: Question) -> QuestionFeatures:
    """Read a question."""
    text = " ".join(question.text.split())
    quoted = spans(text)
    bare, places, position = "", [], 0
    for _, start, end in quoted:
        bare += text[position:start]
        places.append(len(bare))
        bare += "~"
        position = end
    bare += text[position:]
    asked = mended(_without_instruction(bare))
    words = tuple(words_of(asked))
    return QuestionFeatures(
        text=text,
        bare=asked,
        words=words,
        concepts=concepts(asked.lower(), words) - ({"count"} if _WHICH.match(asked) else set()),
        quotes=tuple(each for each, _, _ in quoted),
        quote_places=tuple(places),
        labels=labels(asked),
        gap=gap(text),
        form=read_format(question.answer_format, question.schema),
        papers=question.anchor_papers,
    )


_INSTRUCTS = frozenset("answer give reply respond return write use format your".split())


def _without_instruction(text: str) -> str:
    """The question without sentences after it that only say how to answer ("Answer like ~.")."""
    first, *others = sentence_texts(text) or [""]
    kept = (each for each in others if each.split(" ", 1)[0].lower().strip(",:") not in _INSTRUCTS)
    return " ".join((first, *kept))
