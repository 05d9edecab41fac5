"""Words that headings are made of: numbering, usual names, and what only looks like a heading."""

from __future__ import annotations

import re
from typing import NamedTuple

KNOWN = frozenset(
    """abbreviations| abstract| acknowledgement| acknowledgements| acknowledgment| acknowledgments|
    analysis| anhang| appendices| appendix| approach| author contributions| authors contributions|
    authors' contributions| availability| background| bibliographie| bibliography| broader impact|
    case description| case presentation| case report| competing interests| concluding remarks|
    conclusion| conclusion and future work| conclusiones| conclusions| conclusions and future work|
    conflict of interest| conflict of interests| conflicts of interest| contents| danksagung| data|
    data availability| data availability statement| discussion| discussions| einleitung|
    ethical considerations| ethics statement| evaluation| experiment| experimental procedures|
    experimental results| experimental setup| experiments| funding| future work| implementation|
    inhaltsverzeichnis| introduccion| introduction| keywords| limitations| literatur|
    literature cited| literature review| literaturverzeichnis| material and methods|
    materials and methods| method| methodology| methods| methods and materials| model| motivation|
    patients and methods| preliminaries| previous work| prior work| references| referencias|
    related work| related works| remerciements| result| results| results and discussion| schluss|
    statistical analysis| subjects and methods| summary| supplementary information|
    supplementary material| supplementary materials| supporting information| theory| works cited|
    zusammenfassung""".replace("\n", " ").split("|")
)  # fmt: skip
KNOWN = frozenset(re.sub(r"\s+", " ", name).strip() for name in KNOWN)

REFERENCES = re.compile(
    r"^(?:(?:\d+|[ivx]+|[a-z])[.)]?\s+)?(?:references(?: and notes| cited)?|bibliography|"
    r"literature cited|works cited|"
    r"literatur(?:verzeichnis)?|referencias|r[ée]f[ée]rences|bibliographie|reference list)\s*[.:]?$",
    re.IGNORECASE,
)
ABSTRACT = re.compile(
    r"^(?:abstract|summary|a b s t r a c t|zusammenfassung|resumen|r[ée]sum[ée])\s*[.:—–-]*$", re.IGNORECASE
)
BACK = re.compile(
    r"^(?:acknowledge?ments?|funding(?: \w+)?|conflicts? of interests?(?: \w+)?|"
    r"competing (?:financial )?interests?(?: \w+)?|authors?['’]? (?:contributions?|details|information)|"
    r"(?:data|sample)s? availability.*|availability of .*|supporting information|supplement(?:ary|al) .*|"
    r"contributors|provenance .*|publisher['’]?s? note|pre-publication history|institutional review .*|"
    r"informed consent .*|disclosure.*|declaration.*|consent.*|ethic.*|abbreviations|references|"
    r"bibliography|keywords)$",
    re.IGNORECASE,
)
BACK_RUN_IN = re.compile(
    r"^(?:conflicts? of interest|competing (?:financial )?interests?|authors?['’]? contribution|"
    r"publisher['’]?s?['’]? note|disclaimer|acknowledge?ments?|funding\b|supplementary)",
    re.IGNORECASE,
)

_NUMBER = re.compile(
    r"^(?P<number>(?:appendix\s+)?(?:\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,3}|[IVX]{1,5}|[A-Z]))"
    r"(?P<dot>[.):]?)\s+(?:[|∣]\s+)?(?P<title>\S.*)$",
    re.DOTALL,
)
_APPENDIX = re.compile(
    r"^(?P<number>appendix(?:\s+(?:[A-Z]|\d+))?)\s*[.:—–-]*\s*(?P<title>.*)$", re.IGNORECASE
)
NOT_HEADING = re.compile(
    r"^(?:fig(?:ure)?|table|tab|scheme|box|algorithm|listing|theorem|lemma|proof|corollary|"
    r"definition|proposition|"
    r"example|remark|equation|eq|step|case|note|claim|property|assumption|bemerkung|beispiel|satz|"
    r"korollar|beweis|folgerung|übung|aufgabe|théorème|preuve|exercise|exercice)s?\s*\.?\s*(?:\d|"
    r"[IVX]+\b|[A-Z]\d|\(|$|\.)|^S\d+\s(?:fig|table|file|text|data|appendix|video|movie)|^arxiv\b|"
    r"^e-?print\b|^doi\b",
    re.IGNORECASE,
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
    return re.sub(r"[^a-zà-ÿ' ]+", "", title.lower().replace("’", "'")).strip() in KNOWN
