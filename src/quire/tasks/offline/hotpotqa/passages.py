"""The paragraphs of an instance, parsed once: titles, the names they stand for, sentences and their words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quire.tasks.offline.hotpotqa.words import Token, content, meaning, tokens

_END = re.compile(r"[.!?][\"”')]*\s+(?=[\"“(]?[A-Z0-9])")
_NOT_AN_END = re.compile(r"(?:\b[A-Z]|\b(?:St|Dr|Mr|Mrs|Ms|Jr|Sr|Mt|Ft|No|vs|Inc|Ltd|Co|U\.S|approx))\.\s+$")
_SUBJECT = re.compile(r"\s*(?:The )?(.{2,90}?)(?:\s*\(|,| (?:is|was|are|were|refers) )")
_IS_A = re.compile(
    r"\b(?:is|was|are|were|be)\s+(?:(?:a|an|the|one of the|any of the)\s+)(.+?)"
    r"(?=\s+(?:of|in|on|at|from|by|for|that|which|who|whose|with|located|based|written|directed|released|"
    r"produced|and was|and is|created|published|set|starring|to|as|since)\b|[.;,(]|$)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its tokens, the stem of each ("" for function words and marks), and the set of them."""

    text: str
    tokens: tuple[Token, ...]
    stem_at: tuple[str, ...]
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """An article's opening.

    `name` is the title without its bracket, `subject` how the first sentence names it (often in full), and
    `nature` what the first sentence says it is ("American actor and comedian").
    """

    title: str
    name: str
    subject: str
    nature: str
    sentences: tuple[Sentence, ...]
    name_stems: frozenset[str]
    stems: frozenset[str]

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(sentence.text for sentence in self.sentences)


def parse(paragraphs: str) -> tuple[Paragraph, ...]:
    """Paragraphs as the task writes them: `## title`, a line break, the text."""
    blocks = re.split(r"(?:^|\n)## ", paragraphs)[1:]
    return tuple(_paragraph(*block.partition("\n")[::2]) for block in blocks if block.strip())


def _paragraph(title: str, text: str) -> Paragraph:
    title = title.strip()
    name = re.sub(r"\s*\([^)]*\)\s*$", "", title) or title
    sentences = tuple(_sentence(one) for one in _split(text))
    first = sentences[0].text if sentences else ""
    nature = _IS_A.search(first)
    own = frozenset(content(name))
    return Paragraph(
        title=title,
        name=name,
        subject=_subject(first, name),
        nature=nature[1] if nature else "",
        sentences=sentences,
        name_stems=own,
        stems=own.union(content(title), *(sentence.stems for sentence in sentences)),
    )


def _sentence(text: str) -> Sentence:
    words = tuple(tokens(text))
    stem_at = tuple(meaning(token.text) for token in words)
    return Sentence(text, words, stem_at, frozenset(stem_at) - {""})


def _subject(first: str, name: str) -> str:
    found = _SUBJECT.match(first)
    subject = found[1].strip(" \"“”'") if found else ""
    alike = set(content(subject)) & set(content(name))
    return subject if alike and len(subject.split()) <= 8 else name


def _split(text: str) -> list[str]:
    parts, start = [], 0
    for end in _END.finditer(text):
        if not _NOT_AN_END.search(text, start, end.end()):
            parts.append(text[start : end.end()].strip())
            start = end.end()
    parts.append(text[start:].strip())
    return [part for part in parts if part]
