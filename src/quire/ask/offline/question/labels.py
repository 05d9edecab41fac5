"""What a question points at by number: Table 2, Fig. 3b, reference [12], section 4.1, page 7, equation (3).

labels("the 12th entry of the bibliography of Tab. IV")  ->  Labels(table="4", reference="12")
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def _numbered(words: str) -> dict[str, int]:
    return {word: number for number, word in enumerate(words.split(), start=1)}


ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_CARDINALS = _numbered(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_ID = r"([A-Z]?\.?\d+(?:\.\d+)*[a-z]?|[IVX]{1,5}|[A-Z]\.?\d*)(?![\w%])"
_PLACE = r"(?<!\d)(\d+)(?:st|nd|rd|th)|\b(" + "|".join(ORDINALS) + r"|last|final)"
_NUMBER = r"\s*+(?:(?:number|no\.?|num\.?|nr\.?|\u2116|#)\s*+)?"
_REFERENCE = (
    r"(?:references?|refs?\.?|citations?|bibliography|bibliographic|sources?|cited works?|works?|entry|item)"
)
_LIST_WORDS = r"(?:references?|bibliography|bibliographic|cited|citations?|literature|works|sources?)"


@dataclass(frozen=True, slots=True)
class Labels:
    """Numbers as text, "" where the question names none; `ordinal` counts from 1, -1 is the last."""

    table: str = ""
    figure: str = ""
    reference: str = ""
    section: str = ""
    page: str = ""
    equation: str = ""
    ordinal: int = 0


def labels(text: str) -> Labels:
    """All labels of a question; `text` is the question without its quoted strings."""
    return Labels(
        table=_label(text, r"(?:tables?|tabs?\.?|tbl\.?)", "table"),
        figure=_label(text, r"(?:figures?|figs?\.?)", "figure"),
        reference=_reference(text),
        section=_label(text, r"(?:sections?|sect?\.?|\u00a7|chapter)", "section"),
        page=_label(text, r"(?:pages?|pp?\.)", "page"),
        equation=_label(text, r"(?:equations?|eqs?\.?|eqn\.?|formula)", "equation"),
        ordinal=ordinal(text),
    )


def _label(text: str, noun: str, kind: str) -> str:
    match = re.search(rf"(?<!\w)(?i:{noun}){_NUMBER}[\[(]?{_ID}", text)
    if match and not (match[1].isalpha() and match[1] in ("I", "A") and kind in ("page",)):
        return plain(match[1])
    match = re.search(rf"(?<!\w)(?i:{noun}){_NUMBER}\b({'|'.join(_CARDINALS)})\b", text, re.IGNORECASE)
    if match:
        return str(_CARDINALS[match[1].lower()])
    match = re.search(rf"(?:{_PLACE})\s+(?:{noun})(?!\w)", text, re.IGNORECASE)
    if match:
        number = _ordinal(match)
        return str(number) if number > 0 or kind in ("page", "table", "figure") else ""
    return ""


def _reference(text: str) -> str:
    match = re.search(rf"\b{_REFERENCE}{_NUMBER}[\[(]?(\d+)[\])]?(?![\w.]\d)", text, re.IGNORECASE)
    if match:
        return match[1]
    match = re.search(r"(?<!\w)\[(\d{1,4})\]", text)
    if match:
        return match[1]
    if re.search(_LIST_WORDS, text, re.IGNORECASE):
        match = re.search(rf"(?:{_PLACE})\s+(?:\w+\s+){{0,2}}{_REFERENCE}", text, re.IGNORECASE)
        match = match or re.search(
            rf"(?:{_PLACE})\s+(?:one|work|paper|position|place|in)\b", text, re.IGNORECASE
        )
        if match:
            return str(_ordinal(match))
        match = re.search(
            r"(?:number|no\.|#|position|index|numbered|labelled|labeled)\s*#?(\d+)", text, re.IGNORECASE
        )
        if match:
            return match[1]
    return ""


def _ordinal(match: re.Match[str]) -> int:
    if match[1]:
        return int(match[1])
    return ORDINALS.get(match[2].lower(), -1)


def ordinal(text: str) -> int:
    """The first ordinal of the text: 3 for "third" or "3rd", -1 for "last", 0 for none."""
    match = re.search(rf"(?<!\w)(?:{_PLACE})\b", text, re.IGNORECASE)
    return _ordinal(match) if match else 0


def plain(label: str) -> str:
    """A label as compared: no dots around, lower case, Roman numerals as numbers."""
    bare = label.strip(" .()[]:").lower()
    return str(_roman(bare)) if re.fullmatch(r"[ivx]{1,5}", bare) else bare


def _roman(text: str) -> int:
    values = {"i": 1, "v": 5, "x": 10}
    total = 0
    for char, following in zip(text, text[1:] + " ", strict=False):
        value = values[char]
        total += -value if values.get(following, 0) > value else value
    return total
