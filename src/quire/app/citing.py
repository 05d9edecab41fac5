"""Papers as people cite them: APA, IEEE and Vancouver, in the text and in the list at its end.

    work = Work("Attention Is All You Need", ("Ashish Vaswani", "Noam Shazeer"), 2017, "NeurIPS")
    in_text(work, "apa", 1, page="3")      # (Vaswani & Shazeer, 2017, p. 3)
    entry(work, "ieee", 1)                 # [1] A. Vaswani and N. Shazeer, “Attention Is All You Need,” ...

The three are written out here from what quire knows of a paper; CSL's own styles are CC BY-SA and stay out of
an Apache-licensed package. What a paper does not say is left out. Names are split at their last word, small
words before it (van, de) with it; what has a comma is taken as "Family, Given".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from quire.library.contents import Contents

Style = Literal["apa", "ieee", "vancouver"]
STYLES: tuple[Style, ...] = get_args(Style)
_SMALL = frozenset("van von der den de del della di da dos du la le ten ter zu el bin ibn al".split())
_BY_NUMBER = ("ieee", "vancouver")


@dataclass(frozen=True, slots=True)
class Work:
    """What of a paper goes into a citation."""

    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    doi: str = ""
    arxiv_id: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""  # "12–18", or the number of the article


def work_of(contents: Contents) -> Work:
    """A paper of the library."""
    paper, said = contents.paper, {told.field: str(told.value or "") for told in contents.metadata}
    pages = "–".join(dict.fromkeys(filter(None, (said.get("first_page"), said.get("last_page")))))
    return Work(
        *(paper.name, paper.authors, paper.year, said.get("journal") or contents.venue),
        *(paper.doi, paper.arxiv_id, said.get("volume", ""), said.get("issue", ""), pages),
    )


def in_text(work: Work, style: Style, number: int, page: str = "") -> str:
    """The citation where it is used, the work being the `number`th of the list."""
    if style == "ieee":
        return f"[{number}, p. {page}]" if page else f"[{number}]"
    if style == "vancouver":
        return f"({number}, p. {page})" if page else f"({number})"
    names = [family(name) for name in work.authors]
    who = _short(work.title) if not names else names[0] if len(names) == 1 else f"{names[0]} & {names[1]}"
    who = f"{names[0]} et al." if len(names) > 2 else who
    return f"({', '.join([who, str(work.year or 'n.d.'), *([f'p. {page}'] if page else [])])})"


def entry(work: Work, style: Style, number: int = 0) -> str:
    """The work in the list of references."""
    told = _ENTRIES[style](work)
    return (
        {"apa": told, "ieee": f"[{number}] {told}", "vancouver": f"{number}. {told}"}[style]
        if number
        else told
    )


def ordered(works: Mapping[str, Work], style: Style) -> list[str]:
    """Keys of works in the order of the list: as they were used, or by their authors."""
    if style in _BY_NUMBER:
        return list(works)
    return sorted(
        works, key=lambda key: ([family(name).casefold() for name in works[key].authors], works[key].title)
    )


def family(name: str) -> str:
    """The family name."""
    return _split(name)[0]


def _split(name: str) -> tuple[str, list[str]]:
    """Family name and given names."""
    if "," in name:
        last, _, first = name.partition(",")
        return last.strip(), first.split()
    words = name.split()
    at = max(0, len(words) - 1)
    while at > 1 and words[at - 1].lower() in _SMALL:
        at -= 1
    return " ".join(words[at:]), words[:at]


def _initials(given: Sequence[str], dot: str, gap: str) -> str:
    parts = [part for name in given for part in re.split(r"[-.]", name) if part]
    return gap.join(f"{part[0].upper()}{dot}" for part in parts)


def _short(title: str) -> str:
    words = title.split()
    return f"“{' '.join(words[:4])}{' …' if len(words) > 4 else ''}”"


def _apa(work: Work) -> str:
    names = [
        f"{last}, {_initials(given, '.', ' ')}".rstrip(", ") for last, given in map(_split, work.authors)
    ]
    if len(names) > 20:
        who = f"{', '.join(names[:19])}, … {names[-1]}"
    else:
        who = ", & ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
    year = f"({work.year or 'n.d.'})"
    title = _ended(work.title)
    head = f"{_ended(who)} {year}. {title}" if who else f"{title} {year}."
    volume = work.volume and f"{work.volume}{f'({work.issue})' if work.issue else ''}"
    where = ", ".join(filter(None, (work.venue, volume, work.pages))) if work.venue else ""
    return _joined(head, where and f"{where}.", _address(work))


def _ieee(work: Work) -> str:
    names = [f"{_initials(given, '.', ' ')} {last}".strip() for last, given in map(_split, work.authors)]
    if len(names) > 6:
        who = f"{names[0]} et al."
    else:
        who = (
            " and ".join([", ".join(names[:-1]) + ("," * (len(names) > 2)), names[-1]])
            if len(names) > 1
            else "".join(names)
        )
    where = (
        work.venue,
        work.volume and f"vol. {work.volume}",
        work.issue and f"no. {work.issue}",
        work.pages and f"p{'p' * ('–' in work.pages)}. {work.pages}",
    )
    rest = ", ".join(filter(None, (*(where if work.venue else ()), str(work.year or ""), _bare(work))))
    title = f"“{work.title.rstrip('.')},”"
    return _joined(f"{who}, {title}" if who else title, f"{rest}." if rest else "")


def _vancouver(work: Work) -> str:
    names = [f"{last} {_initials(given, '', '')}".strip() for last, given in map(_split, work.authors)]
    who = ", ".join([*names[:6], *(["et al"] if len(names) > 6 else [])])
    venue = f"{work.venue}. {work.year or ''}".strip() if work.venue else str(work.year or "")
    if work.venue and work.volume:
        issue, pages = f"({work.issue})" * bool(work.issue), f":{work.pages}" * bool(work.pages)
        venue += f";{work.volume}{issue}{pages}"
    return _joined(
        who and f"{who}.", _ended(work.title), venue and _ended(venue), _bare(work) and f"{_bare(work)}."
    )


_ENTRIES: Mapping[Style, Callable[[Work], str]] = {"apa": _apa, "ieee": _ieee, "vancouver": _vancouver}


def _address(work: Work) -> str:
    if work.doi:
        return f"https://doi.org/{work.doi}"
    return f"https://arxiv.org/abs/{work.arxiv_id}" if work.arxiv_id else ""


def _bare(work: Work) -> str:
    return f"doi: {work.doi}" if work.doi else f"arXiv: {work.arxiv_id}" if work.arxiv_id else ""


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
