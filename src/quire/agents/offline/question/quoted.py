"""What a question quotes: strings in quotation marks, and the gap in one of them.

    quotes('In Table 1, the "p value" of "Age > 60"?')     ->  ("p value", "Age > 60")
    gap('Fill in: "About ____ patients took part."')       ->  Gap("About", "patients took part.")

Straight, curly, angle and back quotes are understood; an apostrophe is not a quotation mark.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_PAIRS = (
    r"\u201c([^\u201d]+)\u201d",
    r"\u201e([^\u201c\u201d]+)[\u201c\u201d]",
    r"\u00ab\s*([^\u00bb]+?)\s*\u00bb",
    r"(?<![\w\"])\"(?=\S)([^\"]+?)\"(?!\w)",
    r"``(.+?)''",
    r"`([^`]+)`",
    r"(?<![\w'])'(?=\S)((?:[^']|(?<=\w)'(?=\w))+?)'(?![\w'])",
    r"(?<!\w)\u2018([^\u2018]+?)\u2019(?!\w)",
)
_QUOTED = re.compile("|".join(_PAIRS), re.DOTALL)
# A quote that itself holds straight quotes: everything between the first and the last mark.
_NESTED = re.compile(r"[:,]\s*\"(.+)\"", re.DOTALL)
_GAP = re.compile(
    r"_{2,}|\[\s*(?:mask|blank|gap|\.{2,}|\u2026|\?+|number|value|x+)?\s*\]|<\s*(?:mask|blank|gap)\s*>|\{\s*\}"
    r"|\(\s*(?:\.{2,}|\u2026|\?|blank)\s*\)|\?{3,}|\bX{3,}\b|\*{3,}|(?<=\s)(?:\.{3,}|\u2026)(?=\s)",
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
    """The quoted strings with their (start, end), quotation marks included."""
    nested = _NESTED.search(text)
    if nested and nested[1].count('"') >= 2 and nested[1].count('"') % 2 == 0 and _one_sentence(nested[1]):
        return [(nested[1].strip(), nested.start(1) - 1, nested.end())]
    found = []
    for match in _QUOTED.finditer(text):
        inside = next(group for group in match.groups() if group is not None).strip()
        if inside:
            found.append((inside, match.start(), match.end()))
    return found


def _one_sentence(text: str) -> bool:
    """Whether the text between the outer marks reads as one long quote rather than as two short ones."""
    first = text.split('"', 1)[0]
    return (
        len(first.split()) >= 6
        and first == first.rstrip(" ,;?") + first[len(first.rstrip(" ,;?")) :]
        and (first.endswith(" ") or first.endswith("("))
    )


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
