"""Citations as publishers' XML has them, and which token of a printed entry is of which field.

    cited = read_citations(Path("paper.xml"))      # Cited(authors=(("Ada", "Quill"), ...), title=..., ...)
    labelled("Quill A. On boats. ...", cited[0])   # tokens and their fields; None where one is not found

The benchmark of fields takes the same gold.
"""

from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from quire.pdf.citations import CitationToken, tokens_of
from training.gold import text_of

_KINDS = ("element-citation", "mixed-citation", "citation", "nlm-citation")
_TITLES = ("article-title", "chapter-title")
_SURE = 90  # of 100, how alike a printed title is to the XML's
_GIVEN = 12  # letters of given names that may stand between a surname and the next


@dataclass(frozen=True)
class Cited:
    """A citation; people are (given names, surname), bodies ("", name)."""

    text: str = ""
    label: str = ""
    kind: str = ""
    authors: tuple[tuple[str, str], ...] = ()
    title: str = ""
    venue: str = ""
    year: str = ""
    volume: str = ""
    issue: str = ""
    first: str = ""
    last: str = ""
    doi: str = ""


def bare(text: str) -> str:
    """Letters and digits in lower case, without accents."""
    text = unicodedata.normalize(
        "NFKD", text.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("ı", "i")
    )
    return "".join(c for c in text.lower() if c.isalnum())


def read_citations(xml: Path) -> list[Cited]:
    """The citations of an article, one a part: several papers under one number are several."""
    found = []
    for ref in ET.parse(xml).getroot().iter("ref"):
        parts = [part for part in ref if part.tag in _KINDS]
        found += [_cited(part, text_of(ref.find("label"))) for part in parts]
    return found


def _cited(node: ET.Element, label: str) -> Cited:
    parents = {child: parent for parent in node.iter() for child in parent}
    people: list[tuple[str, str]] = []
    for each in node.iter():
        if each.tag not in ("name", "string-name", "collab"):
            continue
        above = parents.get(each)
        role = above.get("person-group-type", "author") if above is not None else "author"
        if role not in ("author", "allauthors"):
            continue
        if each.tag == "collab" or each.find("surname") is None:
            people.append(("", text_of(each)))
        else:
            people.append((text_of(each.find("given-names")), text_of(each.find("surname"))))
    get = lambda tag: text_of(node.find(f".//{tag}"))  # noqa: E731
    title, venue = next(filter(None, map(get, _TITLES)), ""), get("source")
    kind = node.get("publication-type", "")
    first, _, end = (get("fpage") or get("elocation-id")).replace("–", "-").partition("-")
    if not title and (kind not in ("journal", "") or not (first or get("volume"))):
        title, venue = venue, ""
    doi = next((text_of(i) for i in node.iter("pub-id") if i.get("pub-id-type") == "doi"), "")
    return Cited(
        text_of(node), label, kind, tuple(p for p in people if bare(p[1])), title.rstrip("."),
        venue.rstrip(".,"),
        re.sub(r"\D.*", "", get("year")), get("volume"), get("issue"), first.strip(),
        get("lpage") or end.strip(), doi.lower(),
    )  # fmt: skip


class _Printed:
    """An entry as its letters and digits, each with the token that it is of."""

    def __init__(self, tokens: Sequence[CitationToken]) -> None:
        self.letters, self.at = "", []
        for number, token in enumerate(tokens):
            plain = bare(token.text)
            self.letters += plain
            self.at += [number] * len(plain)
        self.labels = ["O"] * len(tokens)

    def whole(self, start: int, end: int) -> bool:
        """Whether letters begin and end with tokens that are nothing yet."""
        first, last = self.at[start], self.at[end - 1]
        begins = start == 0 or self.at[start - 1] != first
        ends = end == len(self.at) or self.at[end] != last
        return begins and ends and all(self.labels[i] == "O" for i in range(first, last + 1))

    def find(self, text: str, after: int = 0, fuzzy: bool = False) -> tuple[int, int] | None:
        """The first place, from a letter on, where a text stands as whole tokens."""
        plain = bare(text)
        start = self.letters.find(plain, after) if plain else -1
        while start >= 0:
            if self.whole(start, start + len(plain)):
                return start, start + len(plain)
            start = self.letters.find(plain, start + 1)
        if fuzzy and len(plain) > 15:
            best = fuzz.partial_ratio_alignment(plain, self.letters, score_cutoff=_SURE)
            if best is not None and best.dest_end - best.dest_start > 0.8 * len(plain):
                first, last = self.at[best.dest_start], self.at[best.dest_end - 1]
                return self.at.index(first), len(self.at) - self.at[::-1].index(last)
        return None

    def mark(self, place: tuple[int, int], label: str, first: str = "") -> None:
        """Give the tokens of a place a label, the first of them another."""
        own = range(self.at[place[0]], self.at[place[1] - 1] + 1)
        for number in own:
            self.labels[number] = label
        if first:
            self.labels[own[0]] = first


def labelled(text: str, cited: Cited) -> tuple[list[CitationToken], list[str]] | None:
    """The tokens of a printed entry and the field of each; None where a field cannot be found in it."""
    tokens = tokens_of(text)
    printed = _Printed(tokens)
    end = 0
    for value, label in ((cited.title, "T"), (cited.venue, "V")):
        if not bare(value):
            continue
        place = printed.find(value, fuzzy=True)
        if place is None:
            return None
        printed.mark(place, label)
        end = max(end, place[1])
    if not _people(printed, cited) or not _numbers(printed, cited, end):
        return None
    return tokens, printed.labels


def _people(printed: _Printed, cited: Cited) -> bool:
    after = 0
    for number, (given, surname) in enumerate(cited.authors):
        place = printed.find(surname, after)
        if place is None:
            return number > 0 and any(each in printed.letters for each in ("etal", "andothers"))
        start, end = place
        short = bare(given)
        initials = "".join(bare(part)[:1] for part in re.findall(r"[^\W\d_]+", given))
        for form in dict.fromkeys((short, initials, short[:1])):
            if (
                form
                and printed.letters[end : end + len(form)] == form
                and printed.whole(end, end + len(form))
            ):
                end += len(form)
                break
            before = start - len(form)
            if (
                form
                and before >= 0
                and printed.letters[before:start] == form
                and printed.whole(before, start)
            ):
                start = before
                break
        printed.mark((start, end), "A", "A1")
        after = end
    return True


def _numbers(printed: _Printed, cited: Cited, end: int) -> bool:
    """Year, pages, volume and issue: pages as a pair, the volume as near behind the venue as it comes."""
    if cited.year:
        place = printed.find(cited.year)
        if place is None:
            return False
        printed.mark(place, "Y")
    if cited.first:
        place = _pages(printed, cited, end) or _pages(printed, cited, 0)
        if place is None:
            return False
    for value, label in ((cited.volume, "N"), (cited.issue, "I")):
        if value:
            place = printed.find(value, end) or printed.find(value)
            if place is None and label == "N":
                return False
            if place:
                printed.mark(place, label)
    return True


def _pages(printed: _Printed, cited: Cited, after: int) -> tuple[int, int] | None:
    lasts = [cited.last, *(cited.last[i:] for i in range(1, len(cited.last)))] if cited.last else []
    if cited.last == cited.first:
        lasts = []
    start = after
    while place := printed.find(cited.first, start):
        for last in lasts:
            behind = place[1], place[1] + len(bare(last))
            if bare(last) and printed.letters[slice(*behind)] == bare(last) and printed.whole(*behind):
                printed.mark(place, "P")
                printed.mark(behind, "L")
                return place
        if not lasts:
            printed.mark(place, "P")
            return place
        start = place[0] + 1
    place = printed.find(cited.first, after)
    if place:
        printed.mark(place, "P")
    return place
