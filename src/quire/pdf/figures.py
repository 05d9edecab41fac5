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
    MASTHEAD,
    are_level,
    centre_in,
    column_edges,
    edges_of,
    is_within,
    overlap,
    rounded,
    same_size,
    shared_height,
    shared_width,
    touch,
)
from quire.pdf.layout.headers_footers import numbers_heading
from quire.pdf.layout.profile import Profile
from quire.pdf.raw import Edges, Line, RawPage, typewriter
from quire.types import Image

NEAR = 60.0  # points between a caption and the nearest part of its figure
APART = 45.0  # points between the parts of a figure
OVER = 8.0  # points by which what is drawn stands over a border of columns
PANEL = 20.0  # points that a part of a figure is wide and high
FRAME = 1.5  # em that a frame or picture is higher than a line in it, which is one of its words
LABELS = 14.0  # points between a figure and words of it
LARGE = 0.015  # of the page's area: a picture without caption that is worth keeping
PROSE = 6  # words that make a line running text


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
    walls: tuple[Edges, ...]  # tables and captions


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
    loose = _uncaptioned(scene, found)
    for k, figure in enumerate(found):
        if figure.caption and figure.box == figure.caption.box and loose:
            nearest = min(loose, key=lambda other: _distance(other.box, figure.box))
            found[k] = replace(figure, box=nearest.box)
            loose.remove(nearest)
    return sorted((*found, *loose), key=lambda f: (f.box.y0, f.box.x0))


def _distance(one: Edges, other: Edges) -> float:
    """The blank between two boxes."""
    return max(0.0, -shared_width(one, other), -shared_height(one, other))


def _scene(page: RawPage, captions: Sequence[Caption], tables: Sequence[Edges], profile: Profile) -> _Scene:
    in_caption = {i for c in captions for i in c.lines}
    walls = (*tables, *(c.box for c in captions))
    prose: list[Line] = []
    others: list[Line] = []
    for i, line in enumerate(page.lines):
        if i not in in_caption:
            wall = _is_prose(line, profile) or _is_heading(line, page, profile)
            (prose if wall else others).append(line)
    ends = [line for line in others if any(_ends(line, above) for above in prose)]
    prose += ends
    others = [line for line in others if line not in ends]
    drawn = _drawn(page, tables)
    marks: tuple[Edges, ...] = ()
    for _ in range(2):  # labels in small frames first, then what stands in a frame around them
        marks = tuple(box for box in drawn if not _behind_text(box, prose))
        large = [mark for mark in marks if mark.height > FRAME * profile.size]
        framed = [line for line in prose if any(is_within(line, box) for box in large)]
        others += framed
        prose = [line for line in prose if line not in framed]
        if not framed:
            break
    return _Scene(page, marks, tuple(prose), tuple(others), walls)


def _drawn(page: RawPage, tables: Sequence[Edges]) -> list[Edges]:
    """Pictures, drawings and lines that are no background of the page and stand in no table."""
    every = (*page.pictures, *map(edges_of, page.drawings), *map(edges_of, page.rules))
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


def _is_prose(line: Line, profile: Profile) -> bool:
    words = sum(1 for w in line.words if len(w.text) > 1 and w.text[:1].isalpha())
    return (
        line.angle == 0
        and not typewriter(line.words[0].font)
        and words >= PROSE
        and line.size > 0.86 * profile.size
    )


def _is_heading(line: Line, page: RawPage, profile: Profile) -> bool:
    """A numbered heading right above a figure is no part of it."""
    if line.angle != 0 or line.size < 1.05 * profile.size or not line.words[0].bold:
        return False
    return bool(_NUMBERED.match(line.text)) or numbers_heading(line, page)


# --------------------------------------------------------------------------- with a caption


def _figure_box(scene: _Scene, caption: Caption, taken: Sequence[Edges]) -> Edges | None:
    low, high = _reach(scene, caption)
    above = _grown(scene, caption, *_spread(scene, caption, low, high, taken, up=True), taken, up=True)
    if above and min(above.height, above.width) > 12:
        return _with_program(scene, caption, above, low, high)
    below = _grown(scene, caption, *_spread(scene, caption, low, high, taken, up=False), taken, up=False)
    if below and min(below.height, below.width) > 12:
        return below
    return _text_figure(scene, caption, low, high)


def _with_program(scene: _Scene, caption: Caption, box: Edges, low: float, high: float) -> Edges:
    """A box that only lines make, with the words that they underline."""
    inner = [m for m in scene.marks if centre_in(m, box)]
    if any(min(m.width, m.height) > 3 for m in inner):
        return box
    words = _text_figure(scene, caption, low, high)
    return box.union(words) if words else box


def _reach(scene: _Scene, caption: Caption) -> tuple[float, float]:
    """Left and right limit of a figure: its column, or the caption's own width where text runs beside it."""
    low, high = column_edges(caption.box, scene.page)
    box = caption.box
    for line in scene.prose:
        if line.y0 < box.y1 and line.y1 > box.y0 and low <= line.x0 and line.x1 <= high:
            if line.x0 > box.x1:
                high = min(high, (box.x1 + line.x0) / 2 + 1)
            elif line.x1 < box.x0:
                low = max(low, (box.x0 + line.x1) / 2 - 1)
    return low, high


def _spread(
    scene: _Scene, caption: Caption, low: float, high: float, taken: Sequence[Edges], *, up: bool
) -> tuple[float, float]:
    """The limits, moved to the next border of a column while the figure goes on over the one before."""
    edges = (0.0, *scene.page.gutters, scene.page.width)
    wider = [(low, min(e for e in edges if e > high), high)] if high in scene.page.gutters else []
    wider += [(max(e for e in edges if e < low), high, low)] if low in scene.page.gutters else []
    for x0, x1, border in wider:
        zone = _zone(scene, caption, x0, x1, taken, up=up)
        marks = [m for m in scene.marks if centre_in(m, zone) and _mostly_in(m, zone)]
        beside = zone._replace(x1=border) if border == low else zone._replace(x0=border)
        if _goes_over(marks, border) or (up and _has_panels(scene, caption, marks, beside)):
            return _spread(scene, caption, x0, x1, taken, up=up)
    return low, high


def _goes_over(marks: Sequence[Edges], border: float) -> bool:
    """Whether something drawn stands over a border between columns; a line by itself only parts things."""
    over = [m for m in marks if m.x0 < border - OVER and m.x1 > border + OVER]
    return any(m.height > OVER or any(o.height > OVER and touch(m, o, 2) for o in marks) for m in over)


def _has_panels(scene: _Scene, caption: Caption, marks: Sequence[Edges], beside: Edges) -> bool:
    """Whether parts of the figure stand in the next column, where nothing is printed beside the caption."""
    here = beside._replace(y1=caption.box.y1)
    words = [*map(edges_of, (*scene.prose, *scene.others)), *scene.walls]
    level = here._replace(y0=caption.box.y0)
    if any(overlap(w, level) > 0 for w in words) or any(overlap(m, level) > 0 for m in scene.marks):
        return False
    inside = [m for m in marks if centre_in(m, beside)]
    panels = [m for m in inside if min(m.width, m.height) > PANEL]
    own = [m for m in marks if m not in inside and min(m.width, m.height) > PANEL]
    return any(are_level(one, other) for one in panels for other in own)


def _zone(
    scene: _Scene, caption: Caption, low: float, high: float, taken: Sequence[Edges], *, up: bool
) -> Edges:
    """From the caption to the running text or float that bounds its figure."""
    edge = caption.box.y0 if up else caption.box.y1
    limit = _limit(scene, caption, low, high, taken, up=up)
    return Edges(low, limit, high, edge + 2) if up else Edges(low, edge - 2, high, limit)


def _grown(
    scene: _Scene, caption: Caption, low: float, high: float, taken: Sequence[Edges], *, up: bool
) -> Edges | None:
    """What is drawn from the caption on, up or down, until running text or another float."""
    edge = caption.box.y0 if up else caption.box.y1
    zone = _zone(scene, caption, low, high, taken, up=up)
    marks = [m for m in scene.marks if centre_in(m, zone) and _mostly_in(m, zone)]
    words = [edges_of(p) for p in scene.others if centre_in(p, zone)]
    order = sorted(
        [(m, True) for m in marks] + [(w, False) for w in words],
        key=lambda m: -m[0].y1 if up else m[0].y0,
    )
    front, box = edge, None
    pending: list[Edges] = []
    for mark, solid in order:
        gap = front - mark.y1 if up else mark.y0 - front
        if gap > (APART if box else NEAR):
            break
        if solid:
            for word in pending:
                box = box.union(word) if box else word
            pending = []
            box = box.union(mark) if box else mark
        else:
            pending.append(mark)
        front = min(front, mark.y0) if up else max(front, mark.y1)
    if box is None:
        return None
    box = _with_words(box, [w for w in words if w not in pending or touch(w, box, LABELS)])
    return Edges(box.x0, max(box.y0, zone.y0), box.x1, min(box.y1, zone.y1))


def _with_words(box: Edges, words: Sequence[Edges]) -> Edges:
    """The box with the words that stand in it or close beside it (labels of axes, legends)."""
    for _ in range(2):
        for word in words:
            if touch(word, box, LABELS):
                box = box.union(word)
    return box


def _mostly_in(mark: Edges, zone: Edges) -> bool:
    """What sticks far out of the zone is clipped when shown, or lies behind the text."""
    return (
        mark.y0 > zone.y0 - 12
        and mark.y1 < zone.y1 + 12
        and mark.x0 > zone.x0 - 30
        and mark.x1 < zone.x1 + 30
    )


def _limit(
    scene: _Scene, caption: Caption, low: float, high: float, taken: Sequence[Edges], *, up: bool
) -> float:
    """The y at which running text or another float ends the search."""
    edge = caption.box.y0 if up else caption.box.y1
    bounds = [edges_of(p) for p in scene.prose]
    bounds += [w for w in (*scene.walls, *taken) if w != caption.box]
    x0, x1 = max(low, 0.0), min(high, scene.page.width)
    if up:
        return max((b.y1 for b in bounds if b.y1 <= edge + 2 and _beneath(b, x0, x1)), default=0.0)
    return min((b.y0 for b in bounds if b.y0 >= edge - 2 and _beneath(b, x0, x1)), default=scene.page.height)


def _beneath(box: Edges, x0: float, x1: float) -> bool:
    return min(box.x1, x1) - max(box.x0, x0) > 0.25 * min(box.width, x1 - x0)


def _text_figure(scene: _Scene, caption: Caption, low: float, high: float) -> Edges | None:
    """A figure made of words alone: program text, a worked example."""
    edge = caption.box.y0
    limit = _limit(scene, caption, low, high, (), up=True)
    zone = Edges(low, limit, high, edge)
    lines = sorted((p for p in scene.others if centre_in(p, zone)), key=lambda p: -p.y1)
    box, front = None, edge
    for line in lines:
        if front - line.y1 > (2.2 if box else 3.5) * line.size:
            break
        box = box.union(edges_of(line)) if box else edges_of(line)
        front = min(front, line.y0)
    return box if box and box.height > 20 else None


# --------------------------------------------------------------------------- without


def _uncaptioned(scene: _Scene, found: Sequence[FoundFigure]) -> list[FoundFigure]:
    """Groups of large pictures that no caption claims."""
    page = scene.page
    least = LARGE * page.width * page.height
    groups: list[Edges] = []
    for picture in sorted(page.pictures, key=lambda p: (p.y0, p.x0)):
        whole = picture.width > 0.85 * page.width and picture.height > 0.8 * page.height
        head = MASTHEAD if page.number == 1 else 0.1
        margin = picture.y1 < head * page.height or picture.y0 > 0.92 * page.height
        claimed = any(overlap(picture, f.box) > 0.3 * picture.width * picture.height for f in found)
        if whole or margin or claimed or any(centre_in(picture, w, 5) for w in scene.walls):
            continue
        if picture not in scene.marks:
            continue
        near = next((k for k, g in enumerate(groups) if touch(g, picture, 8)), None)
        if near is None:
            groups.append(picture)
        else:
            groups[near] = groups[near].union(picture)
    return [FoundFigure(page.number, g) for g in groups if g.width * g.height >= least]
