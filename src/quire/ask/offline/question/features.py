"""A question as the rules see it: its concepts, what it quotes, what it points at, what form it wants.

r = read(Question("1", 'What does "DY" stand for?', answer_format="a string"))
r.concepts   ->  {"abbreviation"}
r.quotes     ->  ("DY",)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from quire.ask.answer_format import AnswerFormat, read_format
from quire.ask.offline.question.labels import Labels, labels
from quire.ask.offline.question.lexicon import concepts, in_phrases, is_asking_word, mended
from quire.ask.offline.question.likeness import words_of
from quire.ask.offline.question.quoted import Gap, gap, spans
from quire.text import sentence_texts
from quire.types import Question

# "Which table lists the bacterial count?" wants the table, whatever is counted in it.
_WHICH = re.compile(
    r"(?i)\W*(?:in |on )?(?:which|what) (?:table|figure|fig|chart|plot|section|page)\b(?!.*\bhow many\b)"
)


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

    def has(self, *names: str) -> bool:
        """Whether any of these concepts is there."""
        return any(name in self.concepts for name in names)

    def asks_all(self) -> bool:
        """Whether a list is wanted."""
        return self.form.kind == "list"


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


def _without_instruction(text: str) -> str:
    """The question without sentences after it that only say how to answer ("Answer like ~.")."""
    kept: list[str] = []
    for sentence in sentence_texts(text):
        first = sentence.strip().split(" ", 1)[0].lower().strip(",:")
        if kept and first in {
            "answer",
            "give",
            "reply",
            "respond",
            "return",
            "write",
            "use",
            "format",
            "your",
        }:
            continue
        kept.append(sentence)
    return " ".join(kept)
