"""Words of questions and paragraphs: tokens with their places, function words, a rough stem.

The tokens keep initials (`J.`), abbreviations (`St.`), hyphens and apostrophes inside a name together; a
possessive `'s` stands alone. Limits: English only; the stem cuts endings and knows few
irregular families of words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?:[A-Z]\.)+(?=\W|$)|\b(?:St|Dr|Mr|Mrs|Ms|Jr|Sr|Mt|Ft|No|vs)\.(?!\w)"
    r"|\d+(?:[.,]\d+)*(?:st|nd|rd|th|s|%)?(?![^\W_])"
    r"|['’]s\b|[^\W_]+(?:(?:[-&./–]|['’](?!s\b))[^\W_]+)*|[^\W_]+|[^\w\s]"
)
FUNCTION = frozenset(
    "the a an of in on at to for and or nor but is was were are be been being am by with from that which who "
    "whom whose what when where how why as it its he she his her him hers they them their this these those "
    "there has have had do does did not no also than then into over under after before between during both "
    "same one other another such only more most can could will would may might about out up if while "
    "i we you s".split()
)
_FAMILIES = (
    "writ wrote written writes write writer writers author authored authors",
    "born birth birthplace births birthdate",
    "die died dies death deaths",
    "win won wins winner winning winners",
    "lead led leads leader leading",
    "begin began begun begins beginning start started starts",
    "know known knew knows",
    "hold held holds holder holding",
    "sing sang sung singer sings singing",
    "make made makes maker making",
    "found founded founder founders established establishment formed formation",
    "own owned owner owns owners",
    "play played player players plays playing",
    "star stars starred starring",
    "locat located location situated",
    "buil built build building",
    "country countries",
    "city cities",
    "county counties",
    "company companies",
    "act acted actor actress actors",
    "direct directed director directs directing",
    "marri married marriage wife husband spouse",
    "serv served serving service serves",
    "film films movie movies",
)
_IRREGULAR = {form: forms.split()[0] for forms in _FAMILIES for form in forms.split()}
_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "ers", "ors", "ies", "ed", "es", "er", "or")


class Token(NamedTuple):
    """A word or mark with its place in the text (characters from `start` to before `end`)."""

    text: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """It may be part of a name."""
        return self.text[0].isupper()


def tokens(text: str) -> list[Token]:
    """The words and marks of a text, in order."""
    return [Token(found[0], found.start(), found.end()) for found in _TOKEN.finditer(text)]


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The word in lower case without its ending, so that "directed" meets "director"."""
    lowered = word.lower().strip(".!?’'")
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered]
    if len(lowered) > 4:
        for ending in _ENDINGS:
            if lowered.endswith(ending) and len(lowered) - len(ending) >= 3:
                return lowered[: -len(ending)].rstrip("e")
    if len(lowered) > 3 and lowered.endswith("s") and not lowered.endswith("ss"):
        lowered = lowered[:-1]
    return lowered.rstrip("e") if len(lowered) > 3 else lowered


@lru_cache(maxsize=1 << 15)
def meaning(word: str) -> str:
    """The stem, or "" for a mark or a function word."""
    return stem(word) if word[0].isalnum() and word.lower() not in FUNCTION else ""


def content(text: str) -> list[str]:
    """Stems of the words that carry meaning."""
    return [found for token in tokens(text) if (found := meaning(token.text))]
