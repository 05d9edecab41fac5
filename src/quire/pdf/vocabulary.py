"""The words by which parts of a paper are known: names of sections, tables and figures, word lists, numbers.

    named("3. Materials and Methods")       # {'section'}
    float_label("Fig. 2. Ships by year")    # ('figure', 'Figure 2', '. Ships by year')
    numbering("[12] Smith J")               # (1, 12)

Lists are data (`data/words.txt` by language, `data/float_names.json`); nothing here knows of places or type.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from typing import Literal

FloatKind = Literal["table", "figure", "other", "either"]  # "Exhibit 3" may name a table or a figure
WHOLE = (
    "abstract", "introduction", "section", "references", "back", "keywords", "kind", "contents", "listed",
    "imprints",
)  # fmt: skip
"""Lists of names that may be a whole line."""
CONTENTS = frozenset({"contents", "listed"})
"""Kinds of the names of lists of contents, figures and tables."""
_NUMBER = re.compile(r"^(?:[\dIVXA-Z]{1,4}(?:\.\d{1,2})*[.):]?\s+[|∣]?\s*)?")
_NUMBERINGS = (
    re.compile(r"^\[\s?(\d{1,4})\s?\]"),
    re.compile(r"^\((\d{1,4})\)"),
    re.compile(r"^(\d{1,4})\s?[.)](?![\d)])"),
    re.compile(r"^\d{1,2}\.(\d{1,2})(?:\.\d{1,2})*\.?(?=\s|$)"),
    re.compile(r"^(\d{1,4})(?=\s|$)"),
)
_OUTLINE = re.compile(r"^(?:[A-Z][.)]|[IVX]{1,5}[.)]?|[A-Z]\.\d+)\s")
BRACKETED, IN_PARENTHESES, STOPPED, OUTLINED, BARE, LETTERED = range(1, 7)
"""Forms of numbers: "[1]", "(1)", "1.", "2.1", "1", "A."; 0 is none."""
_NONE: frozenset[str] = frozenset()
CONTINUED = r"(?:cont(?:inued|['’]?d)?|Fortsetzung|suite)"
"""How the further part of a table is called, as a pattern without regard to capitals."""
_BEFORE = "Supplementary|Supplemental|Supporting|Extended Data|Appendix|Online"
_AGAIN = r"(?:Continued|Cont\.)"
_FLOAT = re.compile(
    rf"(?P<again>{_AGAIN} )?(?P<before>(?:{_BEFORE}) )?(?P<word>[^\W\d_]+)\.?[\s–-]?"
    r"(?P<number>(?:[A-Z]{1,2}[.-]?)?\d+(?:[.\-–]\d+)*[a-z]?(?![\w%])|[IVXLC]+(?!\w)|[A-Z](?=[:.]))",
    re.IGNORECASE,
)


_MATERIAL = re.compile(
    r"(?:S\d|suppl\w*|extended data|additional|online)?\s*(?:fig|table|figure|file|video|movie)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.:;?!。．！？：；][\"'”’)\]）」』]*(?:\^?[\d,–-]+)?$")
_MARKS = " *.,;:([·•†‡§¶-–—"


def ends_sentence(text: str) -> bool:
    """Whether a line ends with a stop or colon, or the number of a note behind it."""
    return _ENDED.search(text.rstrip()) is not None


def names_material(text: str) -> bool:
    """Whether a text begins with the name of a table, a figure or a file beside the paper."""
    return _MATERIAL.match(text) is not None


def begins_apart(text: str) -> bool:
    """Whether a text begins as what publishers print about a paper, beside its text and its references."""
    return text.lower().lstrip(_MARKS).startswith(tuple(lists()["apart"]))


@cache
def lists() -> dict[str, frozenset[str]]:
    """Words and names of each kind, in lower case."""
    text = resources.files(__package__).joinpath("data/words.txt").read_text(encoding="utf-8")
    pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line and not line.startswith("#"))
    return {kind: frozenset(word.strip() for word in words.split(",")) for kind, words in pairs}


def any_of(kind: str) -> str:
    """A pattern of the words of a kind, the longest first."""
    return "|".join(map(re.escape, sorted(lists()[kind], key=lambda word: (-len(word), word))))


@cache
def kinds() -> dict[str, frozenset[str]]:
    """The kinds of names that may be a whole line ("references", "section" ...) for each name."""
    whole: dict[str, set[str]] = {}
    for kind in WHOLE:
        for name in lists()[kind]:
            whole.setdefault(name, set()).add(kind)
    return {name: frozenset(found) for name, found in whole.items()}


def unnumbered(text: str) -> str:
    """A line without the number that it begins with."""
    return _NUMBER.sub("", text.strip(), count=1)


def plain(text: str) -> str:
    """A line as the lists spell it: without number and marks at its ends."""
    return unnumbered(text).strip(" .:;*—–-|∎■●□").replace("’", "'").lower()


def named(text: str) -> frozenset[str]:
    """The kinds whose list holds the whole line."""
    return kinds().get(plain(text), frozenset())


def numbering(text: str) -> tuple[int, int]:
    """The form in which a line is numbered, and the number (0 where there is none)."""
    for kind, pattern in enumerate(_NUMBERINGS, 1):
        match = pattern.match(text)
        if match:
            return kind, int(match.group(1))
    return (LETTERED, 0) if _OUTLINE.match(text) else (0, 0)


def opening(text: str) -> frozenset[str]:
    """The kinds of the names that a line begins with."""
    return opening_of(plain(text))


def opening_of(bare: str) -> frozenset[str]:
    """The kinds of the names that a line begins with, up to four words."""
    words = re.split(r"[\s:.,—–-]+", bare, maxsplit=4)[:4]
    if words[0] not in _first_words():
        return _NONE
    found = _NONE
    for n in range(1, len(words) + 1):
        found |= kinds().get(" ".join(words[:n]), _NONE)
    return found


@cache
def _first_words() -> frozenset[str]:
    """The words with which the names of the lists begin."""
    return frozenset(re.split(r"[\s:.,—–-]+", name)[0] for name in kinds())


@cache
def _names() -> dict[str, tuple[FloatKind, str]]:
    """The words of labels in lower case, with their kind and usual spelling."""
    data = resources.files(__package__).joinpath("data/float_names.json").read_text(encoding="utf-8")
    kinds: dict[FloatKind, dict[str, list[str]]] = json.loads(data)
    return {
        word.lower(): (kind, name)
        for kind, names in kinds.items()
        for name, short in names.items()
        for word in (name, *short)
    }


def float_label(text: str) -> tuple[FloatKind, str, str] | None:
    """Kind and label of a table or figure with which a text begins, and what stands after it."""
    match = _FLOAT.match(text)
    if match is None or match["word"].lower() not in _names() or match["word"][0].islower():
        return None
    kind, name = _names()[match["word"].lower()]
    before = (match["before"] or "").title()
    return kind, f"{before}{name} {match['number']}", text[match.end() :]
