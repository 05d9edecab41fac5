"""Answers with their citations, to be taken elsewhere: one Markdown text, and the same as a page or for Word.

    text = as_markdown([view], works, "apa")
    as_page("Folds", text), word.document(text)

Marks such as [2] become citations of the style, with the page; the papers are listed at the end. What is
foreign is escaped: a quote stays the words that it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from quire.app.citing import Style, Work, entry, in_text, ordered
from quire.app.markdown import MARKS, numbers, to_html
from quire.app.run_view import EvidenceView, RunView
from quire.types import value_in_words

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~$])")


def as_markdown(views: Sequence[RunView], works: Mapping[str, Work], style: Style, title: str = "") -> str:
    """Questions and answers with their evidence, and the papers that they cite."""
    cited = {one.paper: works[one.paper] for view in views for one in view.evidence if one.paper in works}
    order = {paper: number for number, paper in enumerate(ordered(cited, style), 1)}
    parts = [f"# {literal(title)}"] if title else []
    for view in views:
        parts += [f"## {literal(view.question)}", _answer(view, cited, order, style)]
        parts += [f"> {literal(one.quote)}\n>\n> {_told(one, cited, order, style)}" for one in view.evidence]
    if order:
        entries = (entry(cited[paper], style, number) for paper, number in order.items())
        parts += ["## References", *map(literal, entries)]
    return "\n\n".join(parts) + "\n"


def as_text(view: RunView, works: Mapping[str, Work], style: Style) -> str:
    """One answer with its citations, as plain words."""
    cited = {one.paper: works[one.paper] for one in view.evidence if one.paper in works}
    order = {paper: number for number, paper in enumerate(ordered(cited, style), 1)}
    said = _cited(_said(view), view.evidence, cited, order, style)
    entries = [entry(cited[paper], style, number) for paper, number in order.items()]
    return "\n\n".join([said, "\n".join(entries)] if entries else [said]) + "\n"


def as_page(title: str, text: str) -> str:
    """The Markdown as a page that needs nothing else."""
    page = Markup(
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{}</title>\n'
        "<style>{}</style>\n{}</html>\n"
    )
    return str(page.format(title, Markup(_STYLE), to_html(text, lowered=0)))


def literal(text: str) -> str:
    """Foreign words as Markdown that says just them, in one line."""
    shown = _SIGNS.sub(r"\\\1", " ".join(text.split()))
    return re.sub(r"^(\d+)([.)])(?=\s)", r"\1\\\2", re.sub(r"^([-+=])", r"\\\1", shown))


def _said(view: RunView) -> str:
    return value_in_words(view.value) if view.outcome in ("answer", "probable") else view.headline


def _answer(view: RunView, cited: Mapping[str, Work], order: Mapping[str, int], style: Style) -> str:
    """The answer as Markdown: a model's as it is, any other word for word."""
    written = isinstance(view.value, str) and bool(view.model)
    said = _said(view)
    return _cited(said if written else literal(said), view.evidence, cited, order, style)


def _cited(
    said: str,
    evidence: Sequence[EvidenceView],
    cited: Mapping[str, Work],
    order: Mapping[str, int],
    style: Style,
) -> str:
    """The text with citations in place of its marks; of a text without marks, at its end."""
    marked = {one.mark: one for one in reversed(evidence)}

    def told(found: re.Match[str]) -> str:
        wanted = numbers(found[1])
        if not wanted or any(number not in marked for number in wanted):
            return found[0]
        return " ".join(_told(marked[number], cited, order, style) for number in wanted)

    made = MARKS.sub(told, said)
    if made == said and evidence:
        rest = dict.fromkeys(_told(one, cited, order, style) for one in evidence[:3])
        return f"{said} {' '.join(rest)}"
    return made


def _told(one: EvidenceView, cited: Mapping[str, Work], order: Mapping[str, int], style: Style) -> str:
    page = str(one.page) if one.page > 0 else ""
    if one.paper not in cited:
        return f"({one.title}{f', p. {page}' if page else ''})"
    return in_text(cited[one.paper], style, order[one.paper], page)


_STYLE = (
    "body{max-width:44rem;margin:3rem auto;padding:0 1rem;font:1rem/1.6 Georgia,serif}"
    "blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid #ccc;color:#444}"
    "table{border-collapse:collapse}td,th{padding:.3rem .8rem;border:1px solid #ccc;text-align:left}"
    "pre{background:#f4f4f4;padding:.7rem;overflow:auto}"
)
