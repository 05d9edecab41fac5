"""Drawn lines made usable: collinear pieces joined, double lines counted once, connected ones grouped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quire.pdf.geometry import SENTENCE, Groups, runs, shared_width
from quire.pdf.raw import Edges, Line, RawPage, word_count

MARGIN = 4.0  # points around a table in which its lines may stand
JOIN = 2.0  # points between pieces of one line
TALL = 100.0  # points: no row of a striped table is taller
TOUCH = 3.2  # points by which crossing lines may miss each other, and between the strokes of a double line


class Stroke(NamedTuple):
    """A line at `at` (y of a horizontal, x of a vertical one) from `low` to `high`."""

    at: float
    low: float
    high: float

    @property
    def length(self) -> float:
        """In points."""
        return self.high - self.low

    def covered(self, low: float, high: float) -> float:
        """How much of it stands between two places, in points; negative is a gap."""
        return min(self.high, high) - max(self.low, low)


class DrawnLines(NamedTuple):
    """All lines drawn on a page."""

    across: Sequence[Stroke]
    down: Sequence[Stroke]
    shaded: Sequence[Edges] = ()  # boxes of rows told apart by shading

    def within(self, box: Edges) -> DrawnLines:
        """Those that stand in the box or on its edge."""
        xs, ys = (box.x0 - MARGIN, box.x1 + MARGIN), (box.y0 - MARGIN, box.y1 + MARGIN)
        return DrawnLines(
            [s for s in self.across if ys[0] <= s.at <= ys[1] and s.covered(*xs) > 0.5 * s.length],
            [s for s in self.down if xs[0] <= s.at <= xs[1] and s.covered(*ys) > 0.5 * s.length],
        )

    def between(self, top: float, bottom: float) -> DrawnLines:
        """Those beside a part of a table."""
        return DrawnLines(
            [s for s in self.across if top - 2 <= s.at <= bottom + 2],
            [s for s in self.down if s.low < bottom and s.high > top],
        )


def lines_of(page: RawPage) -> DrawnLines:
    """The lines of a page, with the borders of rows told apart by shading where no lines are drawn."""
    across, down = strokes(page)
    shaded = [(box, borders) for box, borders in stripes(page) if not _ruled(box, across)]
    edges = [s for _, borders in shaded for s in borders]
    return DrawnLines(sorted(across + edges), down, [box for box, _ in shaded])


def _ruled(box: Edges, across: Sequence[Stroke]) -> bool:
    """Lines are drawn within the box already."""
    inner = [s for s in across if box.y0 + 2 < s.at < box.y1 - 2 and s.covered(box.x0, box.x1) > 0]
    return len(inner) > 2


def strokes(page: RawPage) -> tuple[list[Stroke], list[Stroke]]:
    """The page's horizontal and vertical lines, pieces joined, sorted by `at`."""
    across, down = [], []
    for rule in page.rules:
        if rule.horizontal:
            across.append(Stroke((rule.y0 + rule.y1) / 2, rule.x0, rule.x1))
        else:
            down.append(Stroke((rule.x0 + rule.x1) / 2, rule.y0, rule.y1))
    return _joined(across), _joined(down)


def stripes(page: RawPage) -> list[tuple[Edges, list[Stroke]]]:
    """Rows that are told apart by shading: the box of each such group and its rows' borders as lines."""
    groups: dict[tuple[int, int], list[Edges]] = {}
    for d in page.shades:
        if 6 < d.height < TALL and d.width > 100:
            groups.setdefault((round(d.x0 / 2), round(d.x1 / 2)), []).append(d)
    found = []
    for bands in groups.values():
        bands.sort(key=lambda b: b.y0)
        for run in runs(bands, lambda run, band: _one_table(run[-1], band, page.lines)):
            if len(run) >= 3:
                x0, x1 = run[0].x0, run[0].x1
                ys = sorted({round(y, 1) for b in run for y in (b.y0, b.y1)})
                found.append((Edges(x0, ys[0], x1, ys[-1]), [Stroke(y, x0, x1) for y in ys]))
    return found


def _one_table(above: Edges, below: Edges, lines: Sequence[Line]) -> bool:
    """Whether two bands are of one table: close, or with no caption or running text between them."""
    gap = below.y0 - above.y1
    if gap < 1.6 * max(above.height, below.height):
        return True
    return gap < TALL and not any(
        above.y1 < line.baseline < below.y0
        and word_count(line) >= SENTENCE
        and shared_width(line, above) > 0.4 * above.width
        for line in lines
    )


def _joined(lines: Sequence[Stroke]) -> list[Stroke]:
    out: list[Stroke] = []
    for level in runs(sorted(lines), lambda run, s: s.at - run[-1].at <= 0.9):
        at = sum(s.at for s in level) / len(level)
        begun = len(out)
        for line in sorted(level, key=lambda s: s.low):
            if len(out) > begun and line.low - out[-1].high <= JOIN:
                out[-1] = Stroke(at, out[-1].low, max(out[-1].high, line.high))
            else:
                out.append(Stroke(at, line.low, line.high))
    return out


def frames(across: Sequence[Stroke], down: Sequence[Stroke]) -> list[tuple[Edges, int, int]]:
    """The boxes of lines that touch each other, and how many are horizontal, how many vertical."""
    crossing = Groups(len(across) + len(down))
    for j, v in enumerate(down):
        for i, h in enumerate(across):
            if h.at > v.high + TOUCH:
                break
            if h.at >= v.low - TOUCH and h.low - TOUCH <= v.at <= h.high + TOUCH:
                crossing.join(i, len(across) + j)
    found = []
    for members in crossing.members():
        hs = [across[i] for i in members if i < len(across)]
        vs = [down[i - len(across)] for i in members if i >= len(across)]
        if hs and vs:
            xs = [x for h in hs for x in (h.low, h.high)] + [v.at for v in vs]
            ys = [y for v in vs for y in (v.low, v.high)] + [h.at for h in hs]
            found.append((Edges(min(xs), min(ys), max(xs), max(ys)), len(hs), len(vs)))
    return found


def levels(lines: Iterable[Stroke]) -> list[float]:
    """The distinct positions of lines; a double line counts once, at its middle."""
    groups = runs(sorted(s.at for s in lines), lambda group, at: at - group[0] <= TOUCH)
    return [(g[0] + g[-1]) / 2 for g in groups]
