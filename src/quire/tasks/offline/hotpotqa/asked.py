"""What a question asks: its question word, the noun it asks for, the form it has.

    take_apart("Which magazine was started first, Arthur's Magazine or First for Women?")
    -> word "which", head "magazin" (a stem), form {"word:which", "head:magazin", "has:or", "has:first", ...}

Grammar only: what kind of answer a form wants is the business of `knowledge`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from quire.tasks.offline.hotpotqa.words import FUNCTION, Token, content, stem, tokens

AUXILIARY = {
    **dict.fromkeys("is are was were".split(), "be"),
    **dict.fromkeys("do does did".split(), "do"),
    **dict.fromkeys("has have had".split(), "have"),
    **dict.fromkeys("can could will would".split(), "can"),
}
_QUESTION_WORDS = frozenset("who whom whose what which when where how why".split())
_WITHOUT_NOUN = frozenset("who whom whose when where why be do have can".split())
_STOPS = FUNCTION - {"other", "same", "one", "he", "her"} | frozenset(
    "located called named based born known won left got made became took plays played stars starred wrote "
    "sang ran runs goes went holds held owns owned came comes appears says does".split()
)
_KIND_OF = frozenset("type types kind kinds sort form".split())
_NAME_OF = _KIND_OF | frozenset("name names title part".split())
_OPENERS = frozenset("is was are were the a an of s".split())
_ASKS_NO_NOUN = frozenset("did does do".split())
_MARKS = frozenset("both same common first older younger earlier larger more".split())


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    `head` is the stem of the noun asked for ("" if there is none), `phrase` the stems of the words before
    it, `form` the features by which the forms of questions resemble each other, `wording` how the form is put
    here ("were both", "who is or", "what year").
    """

    text: str
    word: str
    head: str
    phrase: tuple[str, ...]
    stems: frozenset[str]
    form: frozenset[str]
    wording: str


@lru_cache(maxsize=4096)
def take_apart(question: str) -> Asked:
    """The parts of a question."""
    words = tokens(question)
    at = _place(words)
    word = words[at].text.lower() if words else ""
    word = AUXILIARY.get(word, word)
    phrase = [] if word in _WITHOUT_NOUN else _phrase(words, at)
    stems = frozenset(content(question))
    head = stem(phrase[-1]) if phrase else ""
    before = tuple(stem(one) for one in phrase[:-1])
    form = _form(words, word, head, before)
    return Asked(question, word, head, before, stems, form, _wording(words[at : at + 2], head, form))


def _place(words: list[Token]) -> int:
    """Where the question word stands; an auxiliary at the start goes before all."""
    lowered = [token.text.lower() for token in words]
    if not words or lowered[0] in AUXILIARY:
        return 0
    sharp = [n for n, word in enumerate(lowered) if word in _QUESTION_WORDS]
    if not sharp or sharp[0] == 0:
        return 0
    # A relative "who" or "where" stands before the real question word more often than after it.
    real = [n for n in sharp if lowered[n] in ("what", "which", "how")]
    return (real or sharp)[-1]


def _phrase(words: list[Token], at: int) -> list[str]:
    found: list[str] = []
    if at + 1 < len(words) and words[at + 1].text.lower() in _ASKS_NO_NOUN:
        return found
    for token in words[at + 1 :]:
        lowered = token.text.lower()
        if lowered == "of" and found and found[-1].lower() in _NAME_OF:
            found.clear()
        elif not found and lowered.strip("'’") in _OPENERS:
            continue
        elif not token.text[0].isalnum() or lowered in _STOPS or (found and _is_verb(token.text)):
            break
        else:
            found.append(token.text)
    while len(found) > 1 and found[-1][0].isupper() and found[0][0].islower():
        found.pop()
    return found


def _is_verb(word: str) -> bool:
    return bool(re.fullmatch(r"[a-z]{2,}(?:ed|ly)", word))


def _form(words: list[Token], word: str, head: str, before: tuple[str, ...]) -> frozenset[str]:
    lowered = [token.text.lower() for token in words]
    found = {f"word:{word}", *(f"has:{mark}" for mark in _MARKS.intersection(lowered))}
    if _offers(words, word):
        found.add("has:or")
    following = lowered[lowered.index("what") + 1 :] if "what" in lowered else []
    if _KIND_OF.intersection(following[:3]):
        found.add("has:kind")
    if head:
        found.add(f"head:{head}")
    if before:
        found.add(f"before:{before[0]}")
    if lowered:
        found.add(f"first:{AUXILIARY.get(lowered[0], lowered[0])}")
    return frozenset(found)


def _wording(start: list[Token], head: str, form: frozenset[str]) -> str:
    """The question word, what follows it unless that is a name, the noun asked for, the marks."""
    opening = [token.text.lower() for token in start if not (token.capital and token is not start[0])]
    marks = sorted(feature[4:] for feature in form if feature.startswith("has:"))
    return " ".join([*opening, head, *marks])


def _offers(words: list[Token], word: str) -> bool:
    """Two names are joined by "or"."""
    if word in ("when", "where", "how", "why"):
        return False
    return any(
        token.text == "or"
        and any(near.capital or near.text in '"“' or near.text[0].isdigit() for near in words[n + 1 : n + 3])
        for n, token in enumerate(words)
        if n > 1
    )
