"""Words that headings are made of: numbering, usual names, and what only looks like a heading."""

from __future__ import annotations

import re
from typing import NamedTuple

KNOWN = frozenset(
    """introduction background motivation preliminaries related work|related works|previous work|prior work|
    methods|method|methodology|materials and methods|material and methods|patients and methods|
    methods and materials|subjects and methods|experimental procedures|experiments|experiment|experimental setup|
    experimental results|evaluation|results|result|results and discussion|discussion|discussions|conclusion|conclusions|
    conclusions and future work|conclusion and future work|concluding remarks|summary|future work|limitations|
    acknowledgments|acknowledgements|acknowledgment|acknowledgement|references|bibliography|literature cited|
    works cited|appendix|appendices|abstract|case report|case presentation|case description|statistical analysis|
    ethics statement|ethical considerations|supporting information|supplementary material|
    supplementary materials|supplementary information|author contributions|authors' contributions|
    authors contributions|competing interests|conflict of interest|conflicts of interest|
    conflict of interests|funding|data availability|data availability statement|abbreviations|availability|
    broader impact|keywords|contents|analysis|implementation|literature review|theory|approach|model|data|
    einleitung|literatur|literaturverzeichnis|zusammenfassung|inhaltsverzeichnis|schluss|anhang|danksagung|
    introduccion|conclusiones|referencias|bibliographie|remerciements""".replace("\n", " ").split("|")
)  # fmt: skip
KNOWN = frozenset(re.sub(r"\s+", " ", k).strip() for k in KNOWN) | {
    "introduction", "background", "motivation", "preliminaries", "related work"
}  # fmt: skip

REFERENCES = re.compile(
    r"^(?:(?:\d+|[ivx]+|[a-z])[.)]?\s+)?(?:references(?: and notes| cited)?|bibliography|literature cited|works cited|"
    r"literatur(?:verzeichnis)?|referencias|r[ée]f[ée]rences|bibliographie|reference list)\s*[.:]?$",
    re.IGNORECASE,
)
ABSTRACT = re.compile(
    r"^(?:abstract|summary|a b s t r a c t|zusammenfassung|resumen|r[ée]sum[ée])\s*[.:—–-]*$", re.IGNORECASE
)
BACK = re.compile(
    r"^(?:acknowledge?ments?|funding|conflicts? of interests?|competing (?:financial )?interests?|"
    r"authors?['’]? contributions?|data availability.*|supporting information|supplementary .*|"
    r"disclosure.*|declaration.*|consent.*|ethic.*|abbreviations|references|bibliography|keywords)$",
    re.IGNORECASE,
)

_NUMBER = re.compile(
    r"^(?P<number>(?:appendix\s+)?(?:\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,3}|[IVX]{1,5}|[A-Z]))"
    r"(?P<dot>[.):]?)\s+(?P<title>\S.*)$",
    re.DOTALL,
)
_APPENDIX = re.compile(
    r"^(?P<number>appendix(?:\s+(?:[A-Z]|\d+))?)\s*[.:—–-]*\s*(?P<title>.*)$", re.IGNORECASE
)
NOT_HEADING = re.compile(
    r"^(?:fig(?:ure)?|table|tab|scheme|box|algorithm|listing|theorem|lemma|proof|corollary|definition|proposition|"
    r"example|remark|equation|eq|step|case|note|claim|property|assumption|bemerkung|beispiel|satz|korollar|beweis|folgerung|übung|aufgabe|théorème|preuve|exercise|exercice)s?\s*\.?\s*(?:\d|[IVX]+\b|[A-Z]\d|\(|$|\.)|^arxiv\b|^e-?print\b|^doi\b",
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
        return Numbered(appendix["number"], appendix["title"].strip() or text.strip(), 1)
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
