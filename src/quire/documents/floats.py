"""Tables, figures and equations of a whole document, and the boxes that they take out of the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from quire.documents import captions, equations, figures, tables
from quire.documents.captions import Caption
from quire.documents.false_floats import is_list_of_references, is_prose_equation, is_prose_table
from quire.documents.guard import Guard
from quire.documents.layout.furniture import Furniture
from quire.documents.layout.profile import Profile
from quire.documents.raw import Drawing, Edges, Glyph, Line, RawPage, Rule
from quire.documents.tables import FoundTable, sequels
from quire.documents.tables.regions import overlap
from quire.documents.tables.rotated import rotated, rotated_back
from quire.documents.tables.rules import frames, strokes
from quire.types import Equation, Image, Table

Box4 = tuple[int, int, int, int]
EDGE = 0.12  # of the page's height, in which running heads have their lines
SIDEWAYS = 6  # lines of sideways text that make a page worth turning


@dataclass(frozen=True)
class Floats:
    """What floats in a document; `boxes` by page number hold everything that is no running text."""

    tables: tuple[Table, ...] = ()
    images: tuple[Image, ...] = ()
    equations: tuple[Equation, ...] = ()
    boxes: dict[int, list[Edges]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _View:
    """A page as displayed (`angle` 0) or rotated, and its captions."""

    page: RawPage
    shown: RawPage
    angle: int
    captions: tuple[Caption, ...]

    def back(self, box: Edges) -> Edges:
        return rotated_back(box, self.page, self.angle) if self.angle else box


@dataclass(frozen=True)
class PageFloats:
    """The tables and figures of one page as it is displayed (or, for sideways text, of its rotated view)."""

    view: _View
    tables: tuple[FoundTable, ...]
    figures: tuple[figures.FoundFigure, ...]


def find_floats(pages: Sequence[RawPage], profile: Profile, furniture: Furniture) -> Floats:
    """All floats of the pages."""
    whole: list[FoundTable] = []
    images: list[Image] = []
    formulas: list[Equation] = []
    boxes: dict[int, list[Edges]] = {page.number: [] for page in pages}
    before: PageFloats | None = None
    guard = Guard()
    for found in scan(pages, profile, furniture, guard):
        view, number = found.view, found.view.page.number
        own = [c.box for c in view.captions] + [t.box for t in found.tables] + [f.box for f in found.figures]
        boxes[number] += [view.back(box) for box in own]
        parts = sequels.in_columns([t.moved(view.back) for t in found.tables])
        if before and _goes_on(before, found):
            whole[-1] = tables.joined(whole[-1], parts.pop(0))
        whole += parts
        before = found if found.tables else before
        images += [f.image(view.back(f.box)) for f in found.figures]
        if view.angle == 0:
            read = guard.run(f"equations of page {number}", [], equations.find, view.shown, own)
            displayed = [e for e in read if not is_prose_equation(e)]
            formulas += displayed
            boxes[number] += [Edges(e.bbox.x0, e.bbox.y0, e.bbox.x1, e.bbox.y1) for e in displayed]
    return Floats(
        tuple(t.table() for t in sequels.over_pages(whole)),
        tuple(images),
        tuple(formulas),
        boxes,
        tuple(guard.notes),
    )


def scan(
    pages: Sequence[RawPage], profile: Profile, furniture: Furniture, guard: Guard | None = None
) -> Iterable[PageFloats]:
    """Tables and figures, view by view."""
    guard = guard or Guard()
    fixed = _repeated(pages)
    views = _consistent(
        [
            view
            for page in pages
            for view in guard.run(
                f"captions of page {page.number}", (), _views, page, profile, furniture, fixed
            )
        ]
    )
    waiting: Caption | None = None
    for view in views:
        number = view.page.number
        found = guard.run(f"tables of page {number}", [], tables.find, view.shown, view.captions, profile)
        view = replace(view, captions=_decided(view.captions, found))
        titled = [t.box for t in found if t.caption]
        drawn = replace(view.shown, rules=tuple(r for r in view.shown.rules if _place(r) not in fixed))
        seen = guard.run(f"figures of page {number}", [], figures.find, drawn, view.captions, titled, profile)
        found, seen = _named_figures(found, seen)
        kept = [t for t in found if t.caption or not (_covered(t.box, seen) or _no_table(t, view.shown))]
        if waiting and kept and sequels.heads_page(kept[0], view.shown):
            kept[0] = replace(kept[0], caption=waiting)
        waiting = sequels.left_at_foot(view.captions, kept, view.shown)
        yield PageFloats(view, tuple(kept), tuple(seen))


def _no_table(table: FoundTable, page: RawPage) -> bool:
    inside = [line for line in page.lines if line.angle == 0 and _within(line, table.box)]
    return is_prose_table(table) or is_list_of_references(table, inside)


def _decided(captions: Sequence[Caption], found: Sequence[FoundTable]) -> tuple[Caption, ...]:
    """The captions, each of a table or of a figure."""
    of_tables = {t.caption.label for t in found if t.caption}
    return tuple(
        replace(c, kind="table" if c.label in of_tables else "figure") if c.kind == "either" else c
        for c in captions
    )


def _named_figures(
    found: Sequence[FoundTable], seen: Sequence[figures.FoundFigure]
) -> tuple[list[FoundTable], list[figures.FoundFigure]]:
    """Tables whose caption calls them figures get it, and the figure is the whole table."""
    named = list(found)
    whole = list(seen)
    for k, figure in enumerate(seen):
        caption = figure.caption
        if caption is None:
            continue
        for i, table in enumerate(named):
            gap = max(table.box.y0 - caption.box.y1, caption.box.y0 - table.box.y1)
            drawn = figure.box != caption.box and figure.box.height > 0.4 * table.box.height
            if table.caption is None and not drawn and -6 <= gap < 24 and _above(table.box, caption.box):
                named[i] = replace(table, caption=caption)
                whole[k] = replace(figure, box=table.box)
                break
    return named, whole


def _above(one: Edges, other: Edges) -> bool:
    """One box stands over or under the other."""
    return min(one.x1, other.x1) - max(one.x0, other.x0) > 0.5 * min(one.width, other.width)


def _goes_on(before: PageFloats, found: PageFloats) -> bool:
    """The first table of a page is a part of the last one before it."""
    if not before.tables or not found.tables or before.view.angle != found.view.angle:
        return False
    return sequels.goes_on(before.tables[-1], before.view.shown, found.tables[0], found.view.shown)


def _covered(box: Edges, seen: Sequence[figures.FoundFigure]) -> bool:
    """The box lies in a figure: a chart's axes and labels look like a table."""
    return any(overlap(box, f.box) > 0.6 * box.width * box.height for f in seen)


def _repeated(pages: Sequence[RawPage]) -> frozenset[Box4]:
    """Logos and lines that stand at the same place near the edge of several pages."""
    places: Counter[Box4] = Counter()
    for page in pages:
        marks: list[Edges | Drawing | Rule] = [*page.pictures, *page.drawings, *page.rules]
        places.update({_place(m) for m in marks if _at_edge(m, page)})
    return frozenset(place for place, n in places.items() if n >= max(3, 0.25 * len(pages)))


def _place(mark: Edges | Drawing | Rule) -> Box4:
    return round(mark.x0), round(mark.y0), round(mark.x1), round(mark.y1)


def _at_edge(mark: Edges | Drawing | Rule, page: RawPage) -> bool:
    return mark.y1 < EDGE * page.height or mark.y0 > (1 - EDGE) * page.height


def _views(
    page: RawPage, profile: Profile, furniture: Furniture, fixed: frozenset[Box4]
) -> tuple[_View, ...]:
    ruled = _ruled(page) if len(page.rules) >= 8 else []
    lines = tuple(
        line
        for i, line in enumerate(page.lines)
        if (page.number, i) not in furniture or any(_within(line, box) for box in ruled)
    )
    heads = [line for i, line in enumerate(page.lines) if (page.number, i) in furniture and line not in lines]
    clean = replace(
        page,
        lines=lines,
        glyphs=tuple(g for g in page.glyphs if not any(_drawn_in(g, line) for line in heads)),
        pictures=tuple(p for p in page.pictures if _place(p) not in fixed),
        drawings=tuple(d for d in page.drawings if _place(d) not in fixed),
    )
    views = [_View(page, clean, 0, captions.find(clean, profile))]
    angles = Counter(line.angle for line in lines)
    for angle in (90, 270):
        if angles[angle] >= SIDEWAYS:
            shown = rotated(clean, angle)
            own = captions.find(shown, profile)
            if own or angles[angle] > 0.5 * len(lines):
                views.append(_View(page, shown, angle, own))
    return tuple(views)


def _drawn_in(glyph: Glyph, line: Line) -> bool:
    return line.x0 - 1 < glyph.x0 < line.x1 and abs(glyph.baseline - line.baseline) < 1


def _ruled(page: RawPage) -> list[Edges]:
    """Boxes of tables with lines in both directions: what stands in them is no running head."""
    return [f.box for f in frames(*strokes(page)) if len(f.across) >= 3 and len(f.down) >= 3]


def _within(line: Line, box: Edges) -> bool:
    return box.x0 - 2 <= line.x0 and line.x1 <= box.x1 + 2 and box.y0 - 2 <= line.y0 and line.y1 <= box.y1 + 2


def _consistent(views: Sequence[_View]) -> list[_View]:
    """Of two captions with one label, the one that is written as the others are stays."""
    style: Counter[tuple[str, str]] = Counter()
    labels: Counter[str] = Counter()
    for view in views:
        for caption in view.captions:
            style[caption.kind, _sign(caption)] += 1
            labels[caption.label] += not caption.continued
    return [
        replace(
            view,
            captions=tuple(
                c
                for c in view.captions
                if c.continued or labels[c.label] < 2 or style[c.kind, _sign(c)] >= _most(style, c.kind)
            ),
        )
        for view in views
    ]


def _most(style: Counter[tuple[str, str]], kind: str) -> int:
    return max((n for (k, _), n in style.items() if k == kind), default=0)


def _sign(caption: Caption) -> str:
    rest = caption.text[len(caption.label) :].lstrip()
    return rest[:1] if rest[:1] in ":.|–—" else ""
