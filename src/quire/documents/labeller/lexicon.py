"""Word lists by language, from `words.txt`: what the words of a line may tell about it."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_NUMBER = re.compile(r"^(?:[\dIVXA-Z]{1,4}(?:\.\d{1,2})*[.):]?\s+[|∣]?\s*)?")


@cache
def lists() -> dict[str, frozenset[str]]:
    """Words and names of each kind, in lower case."""
    text = resources.files(__package__).joinpath("words.txt").read_text(encoding="utf-8")
    pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line and not line.startswith("#"))
    return {kind: frozenset(word.strip() for word in words.split(",")) for kind, words in pairs}


@cache
def kinds() -> dict[str, frozenset[str]]:
    """The kinds of names that may be a whole line ("references", "section" ...) for each name."""
    whole: dict[str, set[str]] = {}
    for kind in WHOLE:
        for name in lists()[kind]:
            whole.setdefault(name, set()).add(kind)
    return {name: frozenset(found) for name, found in whole.items()}


WHOLE = (
    "abstract",
    "introduction",
    "section",
    "references",
    "back",
    "keywords",
    "kind",
    "contents",
    "imprints",
)


def plain(text: str) -> str:
    """A line as the lists spell it: without number and marks at its ends."""
    return _NUMBER.sub("", text.strip(), count=1).strip(" .:;*—–-|∎■●□").replace("’", "'").lower()


def named(text: str) -> frozenset[str]:
    """The kinds whose list holds the whole line."""
    return kinds().get(plain(text), frozenset())
