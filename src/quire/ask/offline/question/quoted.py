"""What a question quotes: strings in quotation marks, and the gap in one of them.

    quotes('In Table 1, the "p value" of "Age > 60"?')     ->  ("p value", "Age > 60")
    gap('Fill in: "About ____ patients took part."')       ->  Gap("About", "patients took part.")

Straight, curly, angle and back quotes are understood; an apostrophe is not a quotation mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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


def quotes(text: str) -> tuple[str, ...]:
    """The quoted strings, in order."""
    return tuple(quoted[0] for quoted in spans(text))


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
    candidates = [quoted for quoted, _, _ in spans(text)]
    candidates += [text.split(":", 1)[1]] if ":" in text else []
    candidates.append(text)
    for candidate in candidates:
        match = _GAP.search(candidate)
        if match:
            return Gap(_edge(candidate[: match.start()]), _edge(candidate[match.end() :]))
    return None


def _edge(text: str) -> str:
    return text.strip().strip("\"'\u201c\u201d").strip()
