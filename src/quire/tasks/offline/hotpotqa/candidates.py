"""What could be an answer: every name, title, date, count, quotation and short phrase, with all its places.

Which is right is not decided here. The same text with and without "the" is one candidate.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.tasks.offline.hotpotqa import gazetteer
from quire.tasks.offline.hotpotqa.kinds import Kind, kind_of
from quire.tasks.offline.hotpotqa.passages import Paragraph, Sentence
from quire.tasks.offline.hotpotqa.spans import spans
from quire.tasks.offline.hotpotqa.words import content

_NATURES: tuple[tuple[frozenset[str], Kind], ...] = (
    (gazetteer.PERSON_NOUNS, "person"),
    (gazetteer.PLACE_NOUNS, "place"),
    (gazetteer.GROUP_NOUNS, "group"),
    (gazetteer.WORK_NOUNS, "work"),
)
_AROUND = " ,.;:\"“”()'"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a candidate stands: paragraph, sentence, tokens from `first` to before `last` (0: the title)."""

    paragraph: int
    sentence: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible answer, as it is first written, with its kind and places."""

    text: str
    kind: Kind
    spots: tuple[Spot, ...]


def candidates(question: str, paragraphs: Sequence[Paragraph]) -> tuple[Candidate, ...]:
    """All texts in these paragraphs that could answer, each once, in order of appearance."""
    found: dict[str, tuple[str, list[Spot]]] = {}
    for number, paragraph in enumerate(paragraphs):
        for text, spot in _in_paragraph(number, paragraph):
            _, spots = found.setdefault(text.lower().removeprefix("the "), (text, []))
            if spot not in spots:
                spots.append(spot)
    articles = {name.lower(): one for one in paragraphs for name in (one.name, one.subject)}
    return tuple(
        Candidate(text, _kind(text, question, articles.get(text.lower())), tuple(spots))
        for text, spots in found.values()
    )


def _in_paragraph(number: int, paragraph: Paragraph) -> Iterator[tuple[str, Spot]]:
    yield paragraph.name, Spot(number, 0, 0, 0)
    yield paragraph.subject, Spot(number, 0, 0, 0)
    for place, sentence in enumerate(paragraph.sentences):
        for start, end in dict.fromkeys(spans(sentence)):
            text = sentence.text[start:end].strip(_AROUND)
            if text:
                yield text, Spot(number, place, *_tokens_of(sentence, start, end))


def _tokens_of(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    words = sentence.tokens
    first = bisect_right(words, start, key=lambda token: token.end)
    return first, max(bisect_left(words, end, key=lambda token: token.start), first + 1)


def _kind(text: str, question: str, article: Paragraph | None) -> Kind:
    """What its own article says it is, else what its writing tells."""
    kind = kind_of(text, question)
    if article is None or kind not in ("name", "place", "group", "person"):
        return kind
    for word in reversed(content(article.nature)):
        for nouns, told in _NATURES:
            if word in nouns:
                return told
    born = article.sentences and "(born" in article.sentences[0].text
    return "person" if born else kind
