"""What headings are made of: numbers, and names that are usual."""

from __future__ import annotations

import re
from typing import NamedTuple

from quire.documents.labeller.lexicon import named

_NUMBER = re.compile(
    r"^(?P<number>(?:appendix\s+)?"
    r"(?:\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,3}|[IVX]{1,5}|[A-Z]|[ivx]{1,4}(?=\))))"
    r"(?P<dot>[.):]?)\s+(?:[|∣]\s+)?(?P<title>\S.*)$",
    re.DOTALL,
)
_APPENDIX = re.compile(
    r"^(?P<number>appendix(?:\s+(?:[A-Z]|\d+))?)\s*[.:—–-]*\s*(?P<title>.*)$", re.IGNORECASE
)


class Numbered(NamedTuple):
    """A heading's printed number and what follows it."""

    number: str
    title: str
    depth: int  # 1 for the top; 0 when the number alone does not tell


def split_number(text: str) -> Numbered:
    """Part the printed number from a heading; number "" and depth 0 where there is none."""
    appendix = _APPENDIX.match(text)
    if appendix and (appendix["title"][:1].isupper() or not appendix["title"]):
        lettered = appendix["title"] or " " in appendix["number"]
        return Numbered(appendix["number"] if lettered else "", appendix["title"].strip() or text.strip(), 1)
    match = _NUMBER.match(text)
    if not match:
        return Numbered("", text, 0)
    number, title = match["number"], match["title"].strip()
    if not title[0].isalnum() and title[0] not in "“\"‘'([":
        return Numbered("", text, 0)
    if number[0].isdigit():
        if int(number.split(".")[0]) > 30:
            return Numbered("", text, 0)
        return Numbered(number, title, number.count(".") + 1)
    if re.fullmatch(r"[A-Z](?:\.\d+)+", number):
        return Numbered(number, title, number.count(".") + 1)
    if match["dot"] or re.fullmatch(r"[A-Z]", number) is None:
        return Numbered(number, title, 0)
    if re.fullmatch(r"[A-Z]", number) and number != "A" or title[:1].isupper():
        return Numbered(number, title, 0)
    return Numbered("", text, 0)


def is_known(title: str) -> bool:
    """Whether the text is a usual name of a section."""
    return bool(named(title))


def is_back(title: str) -> bool:
    """Whether the text is a usual name of what stands behind the body: funding, references ..."""
    return bool(named(title) & {"back", "references", "keywords"})
