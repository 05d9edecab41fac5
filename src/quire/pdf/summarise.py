"""Summaries, tags and a one-line gist without any model: sentences and phrases of the text itself.

Sentences are scored by the frequency of their content words (Luhn 1958; SumBasic, Nenkova and Vanderwende
2005: words already covered count less), with a bonus for the first sentences and for words by which
papers announce what they do. Nothing is ever said that the text does not say.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter

from quire.text import FUNCTION_WORDS, sentences
from quire.types import Document

_STOP = FUNCTION_WORDS | frozenset(
    """al although approach based eq et fig figure method methods new one paper propose proposed result
    results section show shown shows study table three two use used using work
    auf das dem den der des die ein eine für im ist mit nicht sich und von zu""".split()
)
_CUES = re.compile(
    r"\b(?:we (?:propose|present|introduce|show|find|found|describe|demonstrate|develop|investigate|report|"
    r"study|examine|"
    r"evaluate|argue|compare)|this (?:paper|study|article|work|review)|"
    r"in this (?:paper|study|article|work)|our results|"
    r"the aim|aimed to|the (?:purpose|objective)|we conclude|in conclusion|these results|conclusions?:)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w’'-]*[^\W_]|[^\W\d_]")


def summarise(text: str, max_words: int = 50) -> str:
    """The weightiest sentences of a text in their own order, at most `max_words` words; "" of nothing."""
    text = " ".join(text.split())
    spans = sentences(text)[:400]
    if not spans:
        return ""
    pieces = [text[a:b] for a, b in spans]
    bags = [_content(piece) for piece in pieces]
    weights = Counter(word for bag in bags for word in bag)
    total = sum(weights.values()) or 1
    chance = {word: count / total for word, count in weights.items()}
    chosen: list[int] = []
    left = max_words
    waiting = list(range(len(pieces)))
    while waiting:
        best = max(waiting, key=lambda i: _score(pieces[i], bags[i], chance, i))
        waiting.remove(best)
        length = len(pieces[best].split())
        if length <= left and (bags[best] or not chosen):
            chosen.append(best)
            left -= length
            for word in bags[best]:
                chance[word] *= chance[word]
        if left < 6 or len(chosen) > 12:
            break
    if not chosen:
        return " ".join(pieces[0].split()[:max_words])
    return " ".join(pieces[i] for i in sorted(chosen))


def _content(text: str) -> list[str]:
    return [w for w in (m.group(0).lower() for m in _WORD.finditer(text)) if w not in _STOP and len(w) > 2]


def _score(sentence: str, bag: list[str], chance: dict[str, float], index: int) -> float:
    if not bag:
        return -1.0
    mean = sum(chance[w] for w in bag) / len(bag)
    bonus = 1.0 + (0.35 if _CUES.search(sentence) else 0.0) + (0.2 if index == 0 else 0.0)
    return mean * bonus


def tldr(document: Document, max_words: int = 50) -> str:
    """One or two sentences on what a paper does, out of its abstract, else its first section with text."""
    source = document.metadata.abstract or next((s.text for s in document.sections if len(s.text) > 200), "")
    if not source and document.pages:
        source = document.pages[0].text
    text = " ".join(source.split())
    telling = (text[a:b] for a, b in sentences(text) if _CUES.search(text[a:b]))
    fitting = (sentence for sentence in telling if 8 <= len(sentence.split()) <= max_words)
    return next(fitting, None) or summarise(text, max_words)


def tags(document: Document, count: int = 8) -> tuple[str, ...]:
    """Key phrases: the paper's own keywords first, then phrases frequent in title, abstract and headings.

    Phrases are runs of content words (RAKE, Rose et al. 2010), scored by their words' frequency in the text.
    """
    found = list(document.metadata.keywords[:count])
    head = ". ".join(
        [document.metadata.title, document.metadata.abstract, *(s.title for s in document.sections[:40])]
    )
    body = Counter(_content(" ".join(s.text for s in document.sections)[:200_000] or head))
    phrases = Counter(phrase for phrase in _phrases(head) if phrase.count(" ") < 3)
    title = document.metadata.title.lower()

    def worth(phrase: str) -> float:
        words = phrase.split()
        often: float = sum(body[word] for word in words) / len(words) ** 0.5
        return often * phrases[phrase] * (1.5 if phrase in title else 1.0)

    seen = {word for tag in found for word in tag.lower().split()}
    for phrase in sorted(phrases, key=lambda phrase: (-worth(phrase), phrase)):
        if len(found) >= count:
            break
        if len(phrase) > 3 and not set(phrase.split()) <= seen:
            found.append(phrase)
            seen |= set(phrase.split())
    return tuple(found)


def _phrases(text: str) -> list[str]:
    """The runs of content words, in lower case."""
    tokens = (token.lower() for token in re.findall(r"[^\W_][\w’'-]*|[^\s\w]", text))
    groups = itertools.groupby(tokens, lambda word: word[0].isalpha() and len(word) > 2 and word not in _STOP)
    return [" ".join(run) for content, run in groups if content]
