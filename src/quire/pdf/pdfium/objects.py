"""Rules, pictures and drawings of a page, inside form XObjects too.

A path that is thin is a rule; the sides of a stroked rectangle and the straight segments of a path are
rules as well; everything else is a drawing. Paths that paint white on nothing are left out. A page with
more than `MAX_OBJECTS` objects is cut there, which only maps and scatter plots reach.

Text, and what a form shows, is cut to its clip: a figure that was clipped out of a whole page still holds
that page. White text on white paper is cut away whole: printers' job numbers, words meant for programs alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from quire.pdf.geometry import touch
from quire.pdf.pdfium import calls
from quire.pdf.pdfium.calls import Frame
from quire.pdf.raw import Edges

MAX_OBJECTS = 20_000
MAX_SEGMENTS = 64  # of one path that is read segment by segment
MAX_DEPTH = 8
MAX_CLIPS = 16  # paths of one clip, each of at most MAX_SEGMENTS segments
THIN = 2.6  # points: thicker lines are bars
_TEXT, _PATH, _IMAGE, _SHADING, _FORM = 1, 2, 3, 4, 5
_MOVE, _LINE = 2, 0
_FILLED = 0  # render mode of text
_WHITE = 250  # least value of each colour of white paint, of 255
_NOWHERE = Edges(-9e9, -9e9, -9e9, -9e9)
_RECTANGLE = 5  # segments of the path of a rectangle, whose first and third point are opposite corners

Transform = tuple[float, float, float, float, float, float]
_IDENTITY: Transform = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_Level = tuple[
    int, Transform, "Edges | None", Iterator[int]
]  # a form, its matrix and clip, what is left of it


@dataclass
class Objects:
    """What is drawn on a page besides text."""

    rules: list[Edges] = field(default_factory=list)
    pictures: list[Edges] = field(default_factory=list)
    drawings: list[Edges] = field(default_factory=list)
    shades: list[Edges] = field(default_factory=list)  # those of them that are filled
    clips: dict[int, Edges] = field(
        default_factory=dict
    )  # what is shown of text objects, if not all, by address
    cut: bool = False  # there are more than were read


def read_objects(page: Any, frame: Frame) -> Objects:
    """Rules, pictures and drawings of a PDFium page, in display coordinates."""
    reader = _ObjectReader(frame)
    found = reader.found
    white: dict[int, Edges] = {}
    for kind, handle, matrix, clip in reader.walk(calls.address(page)):
        if kind == _TEXT:
            box = reader.bounds(handle, matrix)
            if clip is not None and box != reader.bounds(handle, matrix, clip):
                found.clips[handle] = clip
            if box and reader.is_white(handle):
                white[handle] = box
        elif kind == _PATH:
            reader.path(handle, matrix, clip)
        else:
            box = reader.bounds(handle, matrix, clip)
            if box is not None and kind == _IMAGE:
                reader.picture(box)
            elif box is not None and kind == _SHADING:
                reader.drawing(box, filled=True)
    grounds = [*found.pictures, *found.shades]
    for handle, box in () if found.cut else white.items():
        if not any(touch(box, ground) for ground in grounds):
            found.clips[handle] = _NOWHERE
    return found


class _ObjectReader:
    """One page being read; holds the buffers that PDFium writes into."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.found = Objects()
        self._six = (ctypes.c_float * 6)()
        self._four_at = _addresses(self._six)[:4]
        self._point_at = self._four_at[:2]
        self._color = (ctypes.c_uint * 4)()  # and other integers
        self._color_at = _addresses(self._color)

    def walk(self, page: int) -> Iterator[tuple[int, int, Transform, Edges | None]]:
        """Objects of the page, with the matrix and the clip (as displayed) of the forms around them."""
        budget = MAX_OBJECTS
        stack: list[_Level] = [(page, _IDENTITY, None, iter(range(calls.count_objects(page))))]
        while stack:
            owner, matrix, clip, indices = stack[-1]
            index = next(indices, None)
            if index is None:
                stack.pop()
                continue
            inside = len(stack) > 1
            handle = calls.get_form_object(owner, index) if inside else calls.get_object(owner, index)
            if not handle:
                continue
            if budget <= 0:
                self.found.cut = True
                return
            budget -= 1
            kind = calls.get_type(handle)
            if inside or kind in (_FORM, _TEXT):
                own = self.clip(handle, matrix, clip)
            else:
                own = clip
            if kind == _FORM and len(stack) <= MAX_DEPTH:
                inner = _times(self.matrix(handle), matrix)
                count = max(0, calls.count_form_objects(handle))
                stack.append((handle, inner, own, iter(range(count))))
            elif kind in (_TEXT, _PATH, _IMAGE, _SHADING):
                yield kind, handle, matrix, own

    def clip(self, handle: int, matrix: Transform, around: Edges | None) -> Edges | None:
        """The box to which the object is cut, within that of the forms around it; None for no clip."""
        path = calls.get_clip(handle)
        for number in range(min(MAX_CLIPS, calls.count_clips(path)) if path else 0):
            points = []
            count = min(MAX_SEGMENTS, calls.count_clip_segments(path, number))
            for i in (0, 2) if count == _RECTANGLE else range(count):
                calls.get_point(calls.get_clip_segment(path, number, i), *self._point_at)
                points.append(self.frame.point(*_apply(matrix, self._six[0], self._six[1])))
            if points:
                x, y = [p[0] for p in points], [p[1] for p in points]
                box = Edges(min(x), min(y), max(x), max(y))
                around = _common(around, box) if around else box
        return around

    def is_white(self, handle: int) -> bool:
        """Whether a text is filled with white and has no outline."""
        if not calls.get_fill_color(handle, *self._color_at):
            return False
        return min(self._color[:-1]) >= _WHITE and calls.get_render_mode(handle) == _FILLED

    def matrix(self, handle: int) -> Transform:
        """The object's own matrix."""
        if not calls.get_object_matrix(handle, self._four_at[0]):
            return _IDENTITY
        a, b, c, d, e, f = self._six
        return a, b, c, d, e, f

    def bounds(self, handle: int, matrix: Transform, clip: Edges | None = None) -> Edges | None:
        """The object's box as displayed, cut to the page and to `clip`; None if it lies outside."""
        if not calls.get_bounds(handle, *self._four_at):
            return None
        left, bottom, right, top, *_ = self._six
        if matrix is _IDENTITY:  # opposite corners tell all
            box = self._edges(matrix, ((left, bottom), (right, top)))
        else:
            box = self._edges(matrix, ((left, bottom), (right, bottom), (left, top), (right, top)))
        if box is None or clip is None:
            return box
        box = _common(box, clip)
        return box if box.width >= 0 and box.height >= 0 else None

    def _edges(self, matrix: Transform, corners: Any) -> Edges | None:
        xs, ys = zip(*[self.frame.point(*_apply(matrix, x, y)) for x, y in corners], strict=True)
        x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
        if x1 < 0 or y1 < 0 or x0 > self.frame.width or y0 > self.frame.height:
            return None
        return Edges(max(0.0, x0), max(0.0, y0), min(self.frame.width, x1), min(self.frame.height, y1))

    def picture(self, box: Edges) -> None:
        """A picture; a thin one is a rule, as older drivers of TeX paint them."""
        if box.width > 3 and box.height > 3:
            self.found.pictures.append(box)
        elif min(box.width, box.height) <= THIN:
            self._thin(box)

    def drawing(self, box: Edges, *, filled: bool) -> None:
        """A path or shading that is no rule."""
        self.found.drawings.append(box)
        self.found.shades.extend([box] * filled)

    def path(self, handle: int, matrix: Transform, clip: Edges | None) -> None:
        """Sort a path into rules and drawings."""
        if not calls.get_draw_mode(handle, *self._color_at[:2]):
            return
        filled, stroked = self._color[0] != 0, self._color[1] != 0
        box = self.bounds(handle, matrix, clip)
        if box is None or not (filled or stroked):
            return
        read = calls.get_stroke_color if stroked and not filled else calls.get_fill_color
        darkest = 0
        if read(handle, *self._color_at):
            *color, opacity = self._color
            if opacity == 0:
                return
            darkest = min(color)
        if not stroked and darkest >= _WHITE:
            return
        if box.width <= THIN or box.height <= THIN:
            self._thin(box)
            return
        segments = calls.count_segments(handle)
        if 2 <= segments <= MAX_SEGMENTS and stroked and darkest < _WHITE:
            self._sides(handle, _times(self.matrix(handle), matrix), segments)
        self.drawing(box, filled=filled)

    def _thin(self, box: Edges) -> None:
        if max(box.width, box.height) >= 3:
            self.found.rules.append(box)

    def _sides(self, handle: int, matrix: Transform, count: int) -> None:
        """The straight horizontal and vertical segments of a stroked path, if it is made of nothing else."""
        start = here = (0.0, 0.0)
        sides: list[Edges] = []
        for i in range(count):
            segment = calls.get_segment(handle, i)
            kind = calls.get_segment_type(segment)
            calls.get_point(segment, *self._point_at)
            point = self.frame.point(*_apply(matrix, self._six[0], self._six[1]))
            if kind == _MOVE:
                start = point
            elif kind == _LINE:
                sides.append(_between(here, point))
            else:
                return  # curves: a drawing
            here = point
            if calls.get_segment_close(segment):
                sides.append(_between(here, start))
                here = start
        if all(s.width < 1 or s.height < 1 for s in sides):
            for side in sides:
                self._thin(side)


def _between(one: tuple[float, float], other: tuple[float, float]) -> Edges:
    return Edges(min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1]))


def _common(one: Edges, other: Edges) -> Edges:
    """What two boxes share; one of its sides is negative where they share nothing."""
    return Edges(max(one.x0, other.x0), max(one.y0, other.y0), min(one.x1, other.x1), min(one.y1, other.y1))


def _apply(m: Transform, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = m
    return a * x + c * y + e, b * x + d * y + f


def _times(first: Transform, then: Transform) -> Transform:
    """One after the other."""
    a, b, c, d, e, f = first
    p, q, r, s, _, _ = then
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, *_apply(then, e, f)


def _addresses(buffer: ctypes.Array[Any]) -> tuple[int, ...]:
    """Where the values of a buffer stand."""
    step = ctypes.sizeof(buffer) // len(buffer)
    start = ctypes.addressof(buffer)
    return tuple(range(start, start + ctypes.sizeof(buffer), step))
