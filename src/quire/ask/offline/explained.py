"""Whether a rule understood all of a question: every content word asks, is quoted, or is in what it found."""

from __future__ import annotations

from dataclasses import astuple

from quire.ask.offline.plan import Finding
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.question.labels import ORDINALS
from quire.ask.offline.question.likeness import same_word, stem, words_of

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
