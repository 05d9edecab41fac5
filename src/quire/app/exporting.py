"""Answers with their citations, to be taken elsewhere as Markdown, which makes the page and the Word file.

    text = as_markdown([view], library.cited(papers), "apa")
    to_html(text), to_word(text)

Marks such as [2] become citations of the style, with the page; the papers are listed at the end. The style
"keys" cites by the keys of the BibTeX entries, as pandoc reads them: [@vaswani2017attention, p. 3]. What is
foreign is escaped: a quote stays the words that it is.

Papers as people cite them: APA, IEEE and Vancouver, in the text and in the list at its end.

    work = Metadata("Attention Is All You Need", ("Ashish Vaswani", "Noam Shazeer"), year=2017)
    in_text(work, "apa", 1, page="3")      # (Vaswani & Shazeer, 2017, p. 3)
    entry(work, "ieee", 1)                 # [1] A. Vaswani and N. Shazeer, “Attention Is All You Need,” ...

Styles are written out here from what quire knows of a paper; CSL's own styles are CC BY-SA and stay out of
an Apache-licensed package. What a paper does not say is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from os.path import commonprefix
from typing import Literal

from quire.app.markdown import MARKS, numbers
from quire.app.run_view import EvidenceView, RunView
from quire.library.citing import Cited, split_name
from quire.types import Metadata, value_in_words

Style = Literal["apa", "ieee", "vancouver"]
Citing = Literal[Style, "keys"]
_BY_NUMBER = ("ieee", "vancouver")


def in_text(work: Metadata, style: Style, number: int, page: str = "") -> str:
    """The citation where it is used, the work being the `number`th of the list."""
    if style == "ieee":
        return f"[{number}, p. {page}]" if page else f"[{number}]"
    if style == "vancouver":
        return f"({number}, p. {page})" if page else f"({number})"
    names = [split_name(name)[0] for name in work.authors]
    who = _short(work.title) if not names else names[0] if len(names) == 1 else f"{names[0]} & {names[1]}"
    who = f"{names[0]} et al." if len(names) > 2 else who
    return f"({', '.join([who, str(work.year or 'n.d.'), *([f'p. {page}'] if page else [])])})"


def entry(work: Metadata, style: Style, number: int = 0) -> str:
    """The work in the list of references."""
    told = _ENTRIES[style](work)
    if not number or style == "apa":
        return told
    return f"[{number}] {told}" if style == "ieee" else f"{number}. {told}"


def ordered(works: Mapping[str, Metadata], style: Style) -> list[str]:
    """Keys of works in the order of the list: as they were used, or by their authors."""
    if style in _BY_NUMBER:
        return list(works)
    return sorted(
        works,
        key=lambda key: ([split_name(name)[0].casefold() for name in works[key].authors], works[key].title),
    )


def _initials(given: str, dot: str, gap: str) -> str:
    """J.-L. of Jean-Luc; without dots JL."""
    joined = "-" if dot else ""
    names = re.split(r"[.\s]+", given.replace(".-", "-"))
    each = ([f"{part[0].upper()}{dot}" for part in name.split("-") if part] for name in names)
    return gap.join(joined.join(parts) for parts in each if parts)


def _short(title: str) -> str:
    words = title.split()
    return f"“{' '.join(words[:4])}{' …' if len(words) > 4 else ''}”"


def _apa(work: Metadata) -> str:
    names = [
        f"{last}, {_initials(given, '.', ' ')}".rstrip(", ") for last, given in map(split_name, work.authors)
    ]
    if len(names) > 20:
        who = f"{', '.join(names[:19])}, … {names[-1]}"
    else:
        who = ", & ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
    year = f"({work.year or 'n.d.'})"
    title = _ended(work.title)
    head = f"{_ended(who)} {year}. {title}" if who else f"{title} {year}."
    volume = work.volume and f"{work.volume}{f'({work.issue})' if work.issue else ''}"
    where = ", ".join(filter(None, (_venue(work), volume, _pages(work)))) if _venue(work) else ""
    return _joined(head, where and f"{where}.", _address(work))


def _ieee(work: Metadata) -> str:
    names = [f"{_initials(given, '.', ' ')} {last}".strip() for last, given in map(split_name, work.authors)]
    if len(names) > 6:
        who = f"{names[0]} et al."
    else:
        who = (
            " and ".join([", ".join(names[:-1]) + ("," * (len(names) > 2)), names[-1]])
            if len(names) > 1
            else "".join(names)
        )
    where = (
        _venue(work),
        work.volume and f"vol. {work.volume}",
        work.issue and f"no. {work.issue}",
        _pages(work) and f"p{'p' * ('–' in _pages(work))}. {_pages(work)}",
    )
    rest = ", ".join(filter(None, (*(where if _venue(work) else ()), str(work.year or ""), _bare(work))))
    title = f"“{work.title}”" if work.title.endswith(("?", "!")) else f"“{work.title.rstrip('.')},”"
    return _joined(f"{who}, {title}" if who else title, f"{rest}." if rest else "")


def _vancouver(work: Metadata) -> str:
    names = [f"{last} {_initials(given, '', '')}".strip() for last, given in map(split_name, work.authors)]
    who = ", ".join([*names[:6], *(["et al"] if len(names) > 6 else [])])
    venue = f"{_venue(work)}. {work.year or ''}".strip() if _venue(work) else str(work.year or "")
    if _venue(work) and work.volume:
        issue, pages = f"({work.issue})" * bool(work.issue), f":{_pages(work, short=True)}".rstrip(":")
        venue += f";{work.volume}{issue}{pages}"
    address = _bare(work).replace(": ", ":")
    return _joined(who and f"{who}.", _ended(work.title), venue and _ended(venue), address)


_ENTRIES: Mapping[Style, Callable[[Metadata], str]] = {"apa": _apa, "ieee": _ieee, "vancouver": _vancouver}


def _venue(work: Metadata) -> str:
    return work.journal or work.venue


def _pages(work: Metadata, *, short: bool = False) -> str:
    """12–18, or the number of the article; `short`: 12–8, without the digits that both pages begin with."""
    first, last = work.first_page, work.last_page
    if short and first != last and len(first) == len(last) and (first + last).isdigit():
        return f"{first}–{last[len(commonprefix([first, last])) :]}"
    return "–".join(dict.fromkeys(filter(None, (work.first_page, work.last_page))))


def _address(work: Metadata) -> str:
    if work.doi:
        return f"https://doi.org/{work.doi}"
    return f"https://arxiv.org/abs/{work.arxiv_id}" if work.arxiv_id else ""


def _bare(work: Metadata) -> str:
    return f"doi: {work.doi}" if work.doi else f"arXiv: {work.arxiv_id}" if work.arxiv_id else ""


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


_SIGNS = re.compile(r"([\\`*_{}\[<>#|~$])")


class Citations:
    """The works that views rest on, each with its number in the list of a style."""

    def __init__(self, views: Sequence[RunView], works: Mapping[str, Cited], style: Citing) -> None:
        used = [one.paper for view in views for one in view.evidence if one.paper in works]
        self._style, self._works = style, {paper: works[paper].said for paper in used}
        self._keys = {paper: works[paper].key for paper in used}
        listed = list(self._works) if style == "keys" else ordered(self._works, style)
        self._numbers = {paper: number for number, paper in enumerate(listed, 1)}

    def entries(self) -> list[str]:
        """The list of references; none by keys, which are those of the BibTeX."""
        if self._style == "keys":
            return []
        return [entry(self._works[paper], self._style, number) for paper, number in self._numbers.items()]

    def of(self, one: EvidenceView) -> str:
        """The citation of a piece of evidence, with its page."""
        page = str(one.page) if one.page > 0 else ""
        if one.paper not in self._works:
            return f"({one.title}{f', p. {page}' if page else ''})"
        if self._style == "keys":
            return f"[@{self._keys[one.paper]}{f', p. {page}' if page else ''}]"
        return in_text(self._works[one.paper], self._style, self._numbers[one.paper], page)

    def within(self, said: str, evidence: Sequence[EvidenceView]) -> str:
        """The text with citations in place of its marks; of a text without marks, at its end."""
        marked = {one.mark: one for one in reversed(evidence)}

        def told(found: re.Match[str]) -> str:
            wanted = numbers(found[1])
            if not wanted or any(number not in marked for number in wanted):
                return found[0]
            return " ".join(self.of(marked[number]) for number in wanted)

        made = MARKS.sub(told, said)
        if made != said or not evidence:
            return made
        return " ".join([said, *dict.fromkeys(self.of(one) for one in evidence[:3])])


def as_markdown(views: Sequence[RunView], works: Mapping[str, Cited], style: Citing, title: str = "") -> str:
    """Questions and answers with their evidence, and the papers that they cite."""
    citations = Citations(views, works, style)
    parts = [f"# {literal(title)}"] if title else []
    for view in views:
        written = isinstance(view.value, str) and bool(view.model)  # a model's Markdown stays as it is
        said = _said(view) if written else literal(_said(view))
        parts += [f"## {literal(view.question)}", citations.within(said, view.evidence)]
        parts += [f"> {literal(one.quote)}\n>\n> {citations.of(one)}" for one in view.evidence]
    if entries := citations.entries():
        parts += ["## References", *map(literal, entries)]
    return "\n\n".join(parts) + "\n"


def as_text(view: RunView, works: Mapping[str, Cited], style: Citing) -> str:
    """One answer with its citations, as plain words."""
    citations = Citations([view], works, style)
    parts = [citations.within(_said(view), view.evidence), "\n".join(citations.entries())]
    return "\n\n".join(filter(None, parts)) + "\n"


def literal(text: str) -> str:
    """Foreign words as Markdown that says just them, in one line."""
    shown = _SIGNS.sub(r"\\\1", " ".join(text.split()))
    shown = shown.replace(r"\\]", "&#92;]")  # else it ends a formula that an escaped [ begins
    return re.sub(r"^(\d+)([.)])(?=\s)", r"\1\\\2", re.sub(r"^([-+=])", r"\\\1", shown))


def _said(view: RunView) -> str:
    """What it says first; of what is not sure, how sure it is, and a sentence as the quote that it is."""
    if view.outcome == "answer":
        return value_in_words(view.value)
    if view.outcome not in ("probable", "sentence"):
        return view.headline
    said = f"“{view.evidence[0].quote}”" if view.outcome == "sentence" else value_in_words(view.value)
    return f"{view.label}: {said}"
