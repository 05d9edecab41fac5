"""Notes that hang under a table or figure: "N = number; CI = confidence interval", "doi:...g003".

They are set smaller than the body and stand right under the float, in its width. A long run of small type
is no note (a list of references may begin under a table), nor is an entry of a numbered list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.layout.profile import Profile
from quire.documents.raw import Edges, Line, RawPage

_SMALL = 0.93  # of the body's size
_LONGEST = 9  # rows
_ENTRY = re.compile(r"^(?:\[\d+\]|\d{1,3}\.\s+[A-Z])")


def with_notes(boxes: Sequence[Edges], page: RawPage, profile: Profile) -> list[Edges]:
    """The boxes of a page's floats, each with the notes under it."""
    small = sorted(
        (line for line in page.lines if line.angle == 0 and line.size <= _SMALL * profile.size),
        key=lambda line: line.baseline,
    )
    return [_extended(box, small) for box in boxes]


def _extended(box: Edges, small: Sequence[Line]) -> Edges:
    grown, rows = box, 0
    last = box.y1
    for line in small:
        middle = (line.y0 + line.y1) / 2
        if middle < last:
            continue
        if line.y0 - grown.y1 > (1.6 if rows == 0 else 0.9) * line.size:
            break
        inside = min(line.x1, box.x1) - max(line.x0, box.x0)
        if inside < 0.7 * (line.x1 - line.x0):
            continue
        if _ENTRY.match(line.text):
            break
        rows += line.y1 > grown.y1 + 0.3 * line.size
        if rows > _LONGEST:
            return box
        grown = grown.union(Edges(line.x0, line.y0, line.x1, line.y1))
    return grown
