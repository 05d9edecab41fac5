"""Figures: pictures and drawings with the words in them, found beside their captions.

    find(page, captions, tables, profile)[0].caption.label     # 'Figure 2'

From a caption the figure is what is drawn above it (else below it, else beside it) before running text
begins; all panels and the words among them belong to it. Large pictures without a caption are figures
with an empty caption; logos, rules, backgrounds and boxes around text are not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.pdf.captions import Caption
from quire.pdf.geometry import (
    CLOSE,
    HEAD,
    MASTHEAD,
    are_level,
    are_stacked,
    around,
    at_edge,
    centre_in,
    column_edges,
    edges_of,
    is_within,
    overlap,
    parted,
    rounded,
    same_size,
    shared_height,
    shared_width,
    touch,
)
from quire.pdf.layout.headers_footers import numbers_heading
from quire.pdf.layout.profile import Profile
from quire.pdf.prose import is_text_beside_figures
from quire.pdf.raw import Edges, Line, RawPage
from quire.types import Image

NEAR = 60.0  # points between a caption and the nearest part of its figure
APART = 45.0  # points between the parts of a figure
LEAST = 12.0  # points that a figure is wide and high
LINE = 3.0  # points: what is thinner is a line
OVER = 8.0  # points by which what is drawn stands over a border of columns
PANEL = 20.0  # points that a part of a figure is wide and high, and between lines of one made of words
FRAME = 1.5  # em that a frame or picture is higher than a line in it, which is one of its words
LABELS = 14.0  # points between a figure and words of it
LARGE = 0.015  # of the page's area: a picture without caption that is worth keeping
WHOLE = 0.8  # of the page's width and height: a picture of the page itself
_NUMBERED = re.compile(r"^\d{1,2}(?:\.\d{1,2})*\.?\s+[A-Z]\w{2}")


@dataclass(frozen=True, slots=True)
class FoundFigure:
    """A figure on its page. `box` holds what is drawn, not the caption."""

    page: int
    box: Edges
    caption: Caption | None = None

    def image(self, box: Edges) -> Image:
        """The figure as the document holds it, in a box of the page as displayed."""
        label, text = (self.caption.label, self.caption.text) if self.caption else ("", "")
        return Image(self.page, rounded(box), label, text)


@dataclass(frozen=True, slots=True)
class _Scene:
    """What a figure may be made of on one page, and what bounds it."""

    page: RawPage
    marks: tuple[Edges, ...]  # pictures and drawings
    prose: tuple[Line, ...]
    others: tuple[Line, ...]  # lines that may be words in a figure
    walls: tuple[Edges, ...]  # tables, captions

    def words_in(self, zone: Edges) -> list[Edges]:
        """The lines in a zone that may be words of a figure."""
        return [edges_of(line) for line in self.others if centre_in(line, zone)]


def find(
    page: RawPage, captions: Sequence[Caption], tables: Sequence[Edges], profile: Profile
) -> list[FoundFigure]:
    """The figures of a page, from top to bottom."""
    own = [c for c in captions if c.kind == "figure"]
    if not own and not page.pictures:
        return []
    scene = _scene(page, captions, tables, profile)
    found: list[FoundFigure] = []
    for caption in own:
        box = _figure_box(scene, caption, [f.box for f in found])
        found.append(FoundFigure(page.number, box or caption.box, caption))
    loose = _uncaptioned(scene, [f.box for f in found])
    for k, figure in enumerate(found):
        if figure.caption and figure.box == figure.caption.box and loose:
            nearest = min(loose, key=lambda box: _distance(box, figure.box))
            found[k] = replace(figure, box=nearest)
            loose.remove(nearest)
    found += [FoundFigure(page.number, box) for box in loose]
    return sorted(found, key=lambda f: (f.box.y0, f.box.x0))


def _distance(one: Edges, other: Edges) -> float:
    """The blank between two boxes."""
    return max(0.0, -shared_width(one, other), -shared_height(one, other))


def _scene(page: RawPage, captions: Sequence[Caption], tables: Sequence[Edges], profile: Profile) -> _Scene:
    in_caption = {id(line) for c in captions for line in c.lines}
    walls = (*tables, *(c.box for c in captions))
    lines = [line for line in page.lines if id(line) not in in_caption]
    told, others = parted(
        lines, lambda p: is_text_beside_figures(p, profile.size) or _is_heading(p, page, profile)
    )
    ends, others = parted(others, lambda line: any(_ends(line, above) for above in told))
    prose, drawn = told + ends, _drawn(page, tables)
    marks: list[Edges] = []
    for _ in range(2):  # labels in small frames first, then what stands in a frame around them
        marks = [box for box in drawn if not _behind_text(box, prose)]
        large = [mark for mark in marks if mark.height > FRAME * profile.size]
        framed = [line for line in prose if any(is_within(line, box) for box in large)]
        others += framed
        prose = [line for line in prose if line not in framed]
        if not framed:
            break
    return _Scene(page, tuple(marks), tuple(prose), tuple(others), walls)


def _drawn(page: RawPage, tables: Sequence[Edges]) -> list[Edges]:
    """Pictures, drawings and lines that are no background of the page and stand in no table."""
    every = (*page.pictures, *page.drawings, *page.rules)
    return [
        box
        for box in every
        if box.width < 0.97 * page.width and not any(centre_in(box, t, 5) for t in tables)
    ]


def _ends(line: Line, above: Line) -> bool:
    """The short last line of a paragraph: right under a line of it, set alike, not indented."""
    step = line.baseline - above.baseline
    close = 0.5 * above.size < step < CLOSE * above.size and same_size(line.size, above.size)
    return close and abs(line.x0 - above.x0) < 1 and line.words[0].font == above.words[-1].font


def _behind_text(box: Edges, prose: Sequence[Line]) -> bool:
    """A background, or a frame around running text."""
    return box.height > 20 and sum(1 for p in prose if centre_in(p, box)) >= 3


def _is_heading(line: Line, page: RawPage, profile: Profile) -> bool:
    """A numbered heading right above a figure is no part of it."""
    if line.angle != 0 or line.size < 1.05 * profile.size or not line.words[0].bold:
        return False
    return bool(_NUMBERED.match(line.text)) or numbers_heading(line, page)


def _figure_box(scene: _Scene, caption: Caption, taken: Sequence[Edges]) -> Edges | None:
    low, high = _reach(scene, caption)
    bounded = replace(scene, walls=(*scene.walls, *taken))
    for up in (True, False):
        zone = _spread(bounded, caption, low, high, up=up)
        box = _grown(_marks_in(scene, zone), scene.words_in(zone), zone, up=up)
        if box and min(box.height, box.width) > LEAST:
            lines_alone = up and all(min(m.width, m.height) < LINE for m in scene.marks if centre_in(m, box))
            words = _text_figure(scene, caption, low, high) if lines_alone else None
            return around((box, words)) if words else box
    return _text_figure(scene, caption, low, high)


def _text_figure(scene: _Scene, caption: Caption, low: float, high: float) -> Edges | None:
    """A figure made of words alone: program text, a worked example."""
    zone = _zone(scene, caption, low, high, up=True)
    box = _grown(scene.words_in(zone), (), zone, up=True, near=PANEL, apart=PANEL)
    return box if box and box.height > PANEL else None


def _reach(scene: _Scene, caption: Caption) -> tuple[float, float]:
    """Left and right limit of a figure: its column, or the caption's own width where text runs beside it."""
    box = caption.box
    low, high = column_edges(box, scene.page)
    for line in scene.prose:
        if line.y0 < box.y1 and line.y1 > box.y0 and low <= line.x0 and line.x1 <= high:
            if line.x0 > box.x1:
                high = min(high, (box.x1 + line.x0) / 2 + 1)
            elif line.x1 < box.x0:
                low = max(low, (box.x0 + line.x1) / 2 - 1)
    return low, high


def _spread(scene: _Scene, caption: Caption, low: float, high: float, *, up: bool) -> Edges:
    """The zone of a figure, up to the next border of a column while it goes on over the one before."""
    edges = (0.0, *scene.page.gutters, scene.page.width)
    wider = [(low, min(e for e in edges if e > high), high)] if high in scene.page.gutters else []
    wider += [(max(e for e in edges if e < low), high, low)] if low in scene.page.gutters else []
    for x0, x1, border in wider:
        zone = _zone(scene, caption, x0, x1, up=up)
        marks = _marks_in(scene, zone)
        beside = zone._replace(x1=border) if border == low else zone._replace(x0=border)
        if _goes_over(marks, border) or (up and _has_panels(scene, caption, marks, beside)):
            return _spread(scene, caption, x0, x1, up=up)
    return _zone(scene, caption, low, high, up=up)


def _goes_over(marks: Sequence[Edges], border: float) -> bool:
    """Whether something drawn stands over a border between columns; a line by itself only parts things."""
    over = [m for m in marks if m.x0 < border - OVER and m.x1 > border + OVER]
    return any(m.height > OVER or any(o.height > OVER and touch(m, o, 2) for o in marks) for m in over)


def _has_panels(scene: _Scene, caption: Caption, marks: Sequence[Edges], beside: Edges) -> bool:
    """Whether parts of the figure stand in the next column, where nothing is printed beside the caption."""
    level = beside._replace(y0=caption.box.y0, y1=caption.box.y1)
    printed = (*map(edges_of, (*scene.prose, *scene.others)), *scene.walls, *scene.marks)
    if any(overlap(one, level) > 0 for one in printed):
        return False
    large = [m for m in marks if min(m.width, m.height) > PANEL]
    panels = [m for m in large if centre_in(m, beside)]
    return any(are_level(one, other) for one in panels for other in large if other not in panels)


def _zone(scene: _Scene, caption: Caption, low: float, high: float, *, up: bool) -> Edges:
    """From the caption to the running text or float that bounds its figure."""
    box, page = caption.box, scene.page
    bounds = [edges_of(p) for p in scene.prose] + [w for w in scene.walls if w != box]
    x0, x1 = max(low, 0.0), min(high, page.width)
    bounds = [b for b in bounds if are_stacked(b, Edges(x0, 0, x1, 0))]
    if up:
        limit = max((b.y1 for b in bounds if b.y1 <= box.y0 + 2), default=0.0)
        return Edges(low, limit, high, box.y0 + 2)
    limit = min((b.y0 for b in bounds if b.y0 >= box.y1 - 2), default=page.height)
    return Edges(low, box.y1 - 2, high, limit)


def _marks_in(scene: _Scene, zone: Edges) -> list[Edges]:
    """What is drawn in a zone; what sticks far out of it is clipped when shown, or lies behind the text."""
    wide = zone._replace(x0=zone.x0 - PANEL, x1=zone.x1 + PANEL)
    return [m for m in scene.marks if centre_in(m, zone) and is_within(m, wide, LABELS)]


def _grown(
    marks: Sequence[Edges],
    words: Sequence[Edges],
    zone: Edges,
    *,
    up: bool,
    near: float = NEAR,
    apart: float = APART,
) -> Edges | None:
    """The marks of a zone from the caption on, up to a gap, with the words among and beside them."""
    front = zone.y1 if up else zone.y0
    box: Edges | None = None
    among: list[Edges] = []
    both = [*((mark, True) for mark in marks), *((word, False) for word in words)]
    for one, drawn in sorted(both, key=lambda pair: -pair[0].y1 if up else pair[0].y0):
        if (front - one.y1 if up else one.y0 - front) > (apart if box else near):
            break
        front = min(front, one.y0) if up else max(front, one.y1)
        among.append(one)
        if drawn:
            box, among = around([*among, box] if box else among), []
    if box is None:
        return None
    drawn_box = box
    box = around([box, *(w for w in words if touch(w, drawn_box, LABELS))])  # labels of axes, legends
    return Edges(box.x0, max(box.y0, zone.y0), box.x1, min(box.y1, zone.y1))


def _uncaptioned(scene: _Scene, found: Sequence[Edges]) -> list[Edges]:
    """Groups of large pictures that no caption claims."""
    page = scene.page
    groups: list[Edges] = []
    for picture in sorted(page.pictures, key=lambda p: (p.y0, p.x0)):
        claimed = any(overlap(picture, box) > 0.3 * picture.width * picture.height for box in found)
        margin = at_edge(picture, page, MASTHEAD if page.number == 1 else HEAD)
        scan = picture.width > WHOLE * page.width and picture.height > WHOLE * page.height
        apart = not scan and not any(centre_in(picture, w, 5) for w in scene.walls)
        if apart and not margin and not claimed and picture in scene.marks:
            near = next((g for g in groups if touch(g, picture, OVER)), None)
            if near:
                groups.remove(near)
            groups.append(around((near, picture)) if near else picture)
    return [g for g in groups if g.width * g.height >= LARGE * page.width * page.height]
