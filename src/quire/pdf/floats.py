"""Tables, figures and equations of a whole document, and the boxes that they take out of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from quire.pdf import captions, equations, figures, tables
from quire.pdf.captions import Caption
from quire.pdf.figures import FoundFigure
from quire.pdf.geometry import (
    SMALLER,
    are_stacked,
    around,
    at_edge,
    centre_in,
    edges_of,
    is_within,
    overlap,
    rotated,
    rotated_back,
    shared_width,
    stands_on,
)
from quire.pdf.guard import Guard
from quire.pdf.layout.profile import Profile
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables import FoundTable
from quire.pdf.tables.grid import (
    begun,
    goes_on,
    heads_page,
    in_columns,
    joined,
    left_at_foot,
    over_pages,
    whole_on_page,
)
from quire.pdf.tables.rules import frames, strokes
from quire.types import Equation, Image, Table

_Spot = tuple[int, int, int, int]
SIDEWAYS = 6  # lines of sideways text that make a page worth turning
_WITHIN, _BESIDE = 0.6, 0.2  # share of a box in a figure, or in one with a caption, that makes it a part
_LONGEST = 9  # rows
_FIRST, _ROW = 1.6, 0.9  # em of blank above a note, and between its rows, at most
_SIGN = re.compile(
    r"^(?:[*†‡§¶#∗]|[A-Za-z]\s?[=)]|(?:foot)?notes?\b\s?[.:]|abbreviations?\b|"
    r"(?:values|data) (?:are|represent)|source\b\s?:|[A-Z][A-Za-z0-9]{0,7}\s?[=:]\s)",
    re.IGNORECASE,
)  # of a note under a table
_PART = re.compile(r"(?<=\d)[A-Za-z]$")  # the letter of a part of a figure
_ENTRY = re.compile(r"^(?:\[\d+\]|\d{1,3}\.\s+[A-Z])")


@dataclass(frozen=True)
class FoundFloats:
    """What floats in a document; `boxes` by page number hold everything that is no running text."""

    tables: tuple[Table, ...] = ()
    images: tuple[Image, ...] = ()
    equations: tuple[Equation, ...] = ()
    boxes: dict[int, list[Edges]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as displayed (`angle` 0), or rotated for its sideways text, and what floats on it."""

    page: RawPage
    shown: RawPage
    angle: int
    captions: tuple[Caption, ...]
    tables: Sequence[FoundTable] = ()
    figures: Sequence[FoundFigure] = ()

    def back(self, box: Edges) -> Edges:
        """A box of the view on the page as displayed."""
        return rotated_back(box, self.page, self.angle) if self.angle else box


def find_floats(pages: Sequence[RawPage], profile: Profile, guard: Guard) -> FoundFloats:
    """All floats of the pages."""
    whole: list[FoundTable] = []
    images: list[Image] = []
    formulas: list[Equation] = []
    boxes: dict[int, list[Edges]] = {page.number: [] for page in pages}
    before: PageView | None = None
    for view in scan(pages, profile, guard):
        number = view.page.number
        own = [c.box for c in view.captions] + [t.box for t in view.tables] + [f.box for f in view.figures]
        boxes[number] += map(view.back, own)
        parts = in_columns([begun(t.moved(view.back)) for t in view.tables], view.shown)
        if before and view.tables and before.angle == view.angle:
            if goes_on(before.tables[-1], before.shown, view.tables[0], view.shown):
                whole[-1] = joined(whole[-1], parts.pop(0))
        whole += parts
        before = view if view.tables else before
        images += [f.image(view.back(f.box)) for f in view.figures]
        if view.angle == 0:
            read = guard.run(f"equations of page {number}", [], equations.find, view.shown, own)
            formulas += read
            boxes[number] += [edges_of(e.bbox) for e in read]
    return FoundFloats(tuple(t.table() for t in over_pages(whole)), tuple(images), tuple(formulas), boxes)


def scan(pages: Sequence[RawPage], profile: Profile, guard: Guard) -> Iterable[PageView]:
    """Tables and figures, view by view."""
    fixed = _repeated(pages)
    views: list[PageView] = []
    for page in pages:
        name = f"captions of page {page.number}"
        views += guard.run(name, [], _views, page, profile, fixed)
    waiting: Caption | None = None
    for view in _consistent(views):
        number = view.page.number
        found = guard.run(f"tables of page {number}", [], tables.find, view.shown, view.captions, profile)
        view = replace(view, captions=_decided(view.captions, found))
        titled = [t.box for t in found if t.caption]
        drawn = view.shown
        if any(_place(r) in fixed for r in drawn.rules):
            drawn = replace(drawn, rules=tuple(r for r in drawn.rules if _place(r) not in fixed))
        seen = guard.run(f"figures of page {number}", [], figures.find, drawn, view.captions, titled, profile)
        found, seen = _named_figures(found, seen, view.shown)
        kept = [t for t in found if t.caption or not _covered(t.box, seen)]
        if waiting and kept and heads_page(kept[0], view.shown):
            kept[0] = replace(kept[0], caption=waiting)
        waiting = left_at_foot(view.captions, kept, view.shown)
        waiting = waiting and replace(waiting, box=view.back(waiting.box))
        yield replace(view, tables=kept, figures=seen)


def _decided(captions: Sequence[Caption], found: Sequence[FoundTable]) -> tuple[Caption, ...]:
    """The captions, each of a table or of a figure."""
    of_tables = {t.caption.label for t in found if t.caption}
    return tuple(
        replace(c, kind="table" if c.label in of_tables else "figure") if c.kind == "either" else c
        for c in captions
    )


def _named_figures(
    found: Sequence[FoundTable], seen: Sequence[FoundFigure], page: RawPage
) -> tuple[list[FoundTable], list[FoundFigure]]:
    """Tables whose caption calls them figures get it, and the figure is the whole table."""
    named = list(found)
    whole = list(seen)
    for k, figure in enumerate(seen):
        caption = figure.caption
        if caption is None:
            continue
        set_apart = figure.box != caption.box and _is_drawn(figure.box, page)
        for i, table in enumerate(named):
            gap = max(table.box.y0 - caption.box.y1, caption.box.y0 - table.box.y1)
            drawn = set_apart and figure.box.height > 0.4 * table.box.height
            if table.caption is None and not drawn and -6 <= gap < 24 and are_stacked(table.box, caption.box):
                named[i] = replace(table, caption=caption)
                walls = [f.box for f in seen if f is not figure]
                named = whole_on_page(named, lambda box: tables.read(page, box), walls)
                box = next(t.box for t in named if t.caption is caption)
                whole[k] = replace(figure, box=box)
                break
    return named, whole


def _is_drawn(box: Edges, page: RawPage) -> bool:
    """Whether there is more than words and lines in a box."""
    marks = (*page.pictures, *page.drawings)
    return any(min(mark.width, mark.height) > figures.LINE and centre_in(mark, box) for mark in marks)


def _covered(box: Edges, seen: Sequence[FoundFigure]) -> bool:
    """The box lies in a figure, or partly in one with a caption: axes and labels look like cells."""
    area = box.width * box.height
    return any(overlap(box, f.box) > (_BESIDE if f.caption else _WITHIN) * area for f in seen)


def _repeated(pages: Sequence[RawPage]) -> frozenset[_Spot]:
    """Logos and lines that stand at the same place near the edge of several pages."""
    places: Counter[_Spot] = Counter()
    for page in pages:
        marks = (*page.pictures, *page.drawings, *page.rules)
        places.update({_place(m) for m in marks if at_edge(m, page)})
    return frozenset(place for place, n in places.items() if n >= max(3, 0.25 * len(pages)))


def _place(mark: Edges) -> _Spot:
    return round(mark.x0), round(mark.y0), round(mark.x1), round(mark.y1)


def _views(page: RawPage, profile: Profile, fixed: frozenset[_Spot]) -> list[PageView]:
    boxed = [box for box, across, down in frames(*strokes(page)) if across >= 3 and down >= 3]
    heads = [page.lines[i] for i in page.heads]  # but for those of tables that have lines in both directions
    heads = [line for line in heads if not any(is_within(line, box, 2) for box in boxed)]
    lines = tuple(line for line in page.lines if all(line is not head for head in heads))
    clean = replace(
        page,
        lines=lines,
        heads=frozenset(),
        glyphs=tuple(g for g in page.glyphs if not any(stands_on(g, line) for line in heads)),
        pictures=tuple(p for p in page.pictures if _place(p) not in fixed),
        drawings=tuple(d for d in page.drawings if _place(d) not in fixed),
        shades=tuple(d for d in page.shades if _place(d) not in fixed),
    )
    views = [PageView(page, clean, 0, captions.find(clean, profile))]
    angles = Counter(line.angle for line in lines)
    for angle in (90, 270):
        if angles[angle] >= SIDEWAYS:
            shown = rotated(clean, angle)
            own = captions.find(shown, profile)
            if own or angles[angle] > 0.5 * len(lines):
                views.append(PageView(page, shown, angle, own))
    return views


def _consistent(views: Sequence[PageView]) -> list[PageView]:
    """Of captions with one label, or with that of a part of it, those that are written as the others are."""
    every = [caption for view in views for caption in view.captions]
    labels = Counter(caption.label for caption in every if not caption.continued)
    style = Counter((caption.kind, _sign(caption)) for caption in every)
    most = {kind: max(n for (k, _), n in style.items() if k == kind) for kind, _ in style}
    usual = {id(c) for c in every if style[c.kind, _sign(c)] == most[c.kind]}
    whole = {c.label for c in every if id(c) in usual}

    def stays(caption: Caption) -> bool:
        twice = labels[caption.label] > 1 or _PART.sub("", caption.label) in whole - {caption.label}
        return caption.continued or not twice or id(caption) in usual

    return [replace(view, captions=tuple(c for c in view.captions if stays(c))) for view in views]


def _sign(caption: Caption) -> str:
    rest = caption.text[len(caption.label) :].lstrip()
    return rest[:1] if rest[:1] in ":.|–—" else ""


def with_notes(
    boxes: Sequence[Edges], tables: Sequence[Table], page: RawPage, profile: Profile
) -> list[Edges]:
    """The boxes of a page's floats, each with the notes under it: small, or under a table told by a sign."""
    own = [edges_of(table.bbox) for table in tables if table.page == page.number]
    return [_with_note(box, page, profile, any(overlap(box, t) > 0 for t in own)) for box in boxes]


def _with_note(box: Edges, page: RawPage, profile: Profile, is_table: bool) -> Edges:
    wide = box._replace(x0=box.x0 - profile.size)
    under = [p for p in page.upright if (p.y0 + p.y1) / 2 >= box.y1]
    under.sort(key=lambda line: line.baseline)
    first = next((p for p in under if is_table and are_stacked(p, box)), None)
    begun = first and (first.words[0].script == 1 or _SIGN.match(first.text))
    grown, rows = box, 0
    for line in under if begun else [p for p in under if p.size <= SMALLER * profile.size]:
        if line.y0 - grown.y1 > (_ROW if rows else _FIRST) * line.size:
            break
        if shared_width(line, wide) < 0.7 * (line.x1 - line.x0):
            continue
        if _ENTRY.match(line.text):
            break
        rows += line.y1 > grown.y1 + 0.3 * line.size
        if rows > _LONGEST:
            return box
        grown = around((grown, line))
    return grown
