"""ViewImage: see a page, or a box of it, clipped to the page; who cannot see gets the text inside."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from PIL import Image

from quire.errors import ActionError, QuireError
from quire.types import Box, Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment
    from quire.library import Library


_EDGE = 1600.0  # pixels that the longer edge of a picture has, so that a box shows more than its page did
_PAGE = 842.0  # points
_LEAST, _MOST = 110.0, 450.0  # dots per inch
_MARGIN = 8.0  # points around a box
_SMALLEST = 1.0  # points: a box that is thinner after clipping shows nothing


def clip(library: Library, paper: str, page: int, box: Sequence[float]) -> Box | None:
    """The box cut to the page, in points; None for the whole page.

    Raises:
        ActionError: there is no such page, or the box lies outside of it.
    """
    sql = "SELECT page_number, page_width, page_height FROM pages WHERE CAST(ref_paper_id AS VARCHAR) = ?"
    sizes = {number: size for number, *size in library.rows(sql, [paper]).rows}
    if page not in sizes:
        raise ActionError(f"Paper {paper} has no page {page}; it has pages 1 to {len(sizes)}.")
    if not box:
        return None
    width, height = map(float, sizes[page])
    x0, y0, x1, y1 = box[0], box[1], box[0] + box[2], box[1] + box[3]
    cut = Box.from_edges(
        max(min(x0, x1), 0.0), max(min(y0, y1), 0.0), min(max(x0, x1), width), min(max(y0, y1), height)
    )
    if cut.width < _SMALLEST or cut.height < _SMALLEST:
        raise ActionError(
            f"The box {[round(edge, 1) for edge in box]} shows nothing of page {page}, "
            f"which is {width:g} x {height:g} points; a box is [x0, y0, width, height]."
        )
    return cut


def picture(library: Library, paper: str, page: int, box: Box | None) -> bytes:
    """A page or a box of it with its margin, so large that its small type can be read."""
    if box:  # the titles of a figure's axes may stand just outside
        x, y, width, height = box
        box = clip(
            library, paper, page, (x - _MARGIN, y - _MARGIN, width + 2 * _MARGIN, height + 2 * _MARGIN)
        )
    longest = max(box.width, box.height) if box else _PAGE
    dpi = min(max(_EDGE / longest * 72, _LEAST), _MOST)
    return library.render(paper, page, box=box, dpi=dpi)


def side_by_side(pictures: Sequence[bytes]) -> bytes:
    """One PNG of them, below each other where they are wide; a single one as it is."""
    if len(pictures) == 1:
        return pictures[0]
    drawn = [Image.open(io.BytesIO(each)).convert("RGB") for each in pictures]
    across = sum(each.height for each in drawn) > sum(each.width for each in drawn)
    ends = [(each.width, each.height) for each in drawn]
    width = (sum if across else max)(wide for wide, _ in ends)
    height = (max if across else sum)(high for _, high in ends)
    sheet, at = Image.new("RGB", (width, height), "white"), 0
    for each in drawn:
        sheet.paste(each, (at, 0) if across else (0, at))
        at += each.width if across else each.height
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG")
    return buffer.getvalue()


_PIECES = (
    ("chunks", "text_content"),
    ("equations", "equation_content"),
    ("images", "image_caption"),
    ("tables", "table_caption"),
    ("tables", "table_content"),
)


def text_inside(library: Library, paper: str, page: int, box: Box | None) -> str:
    """The text of a page, or of its elements that the box touches, in reading order."""
    if box is None:
        return library.page_text(paper, page)
    found: list[tuple[float, str]] = []
    for table, column in _PIECES:
        try:
            rows = library.rows(
                f"SELECT e.{column}, e.bounding_box FROM {table} e JOIN pages p ON e.ref_page_id = p.page_id "
                "WHERE CAST(p.ref_paper_id AS VARCHAR) = ? AND p.page_number = ?",
                [paper, page],
            ).rows
        except QuireError:
            continue  # that table keeps no boxes
        found += [(float(place[1]), text) for text, place in rows if place and text and _touches(place, box)]
    return "\n".join(text for _, text in sorted(found)) or "(no text inside the box)"


def _touches(place: Sequence[float], box: Box) -> bool:
    other = Box(*(float(edge) for edge in place))
    wide = min(other.x1, box.x1) - max(other.x0, box.x0)
    high = min(other.y1, box.y1) - max(other.y0, box.y0)
    return wide > 0 and high > 0


@dataclass(frozen=True)
class ViewImage:
    """Look at a page of a paper, or a box `[x0, y0, width, height]` in points of it, as a picture.

    Best for figures and for tables whose layout matters. A model that cannot see pictures gets the text
    inside the box.
    """

    paper_id: Annotated[str, "The paper's id (`metadata.paper_id`)."]
    page_number: Annotated[int, "The page, from 1."]
    bounding_box: Annotated[
        tuple[float, ...],
        "`[x0, y0, width, height]` in PDF points from the top left, as in the `bounding_box` columns; "
        "empty for the whole page. What lies outside the page is cut off.",
    ] = ()

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        (
            "The upper half of page 3.",
            {
                "paper_id": "12345678-0000-5000-8000-000000000000",
                "page_number": 3,
                "bounding_box": [0, 0, 612, 396],
            },
        ),
    )

    def run(self, env: Environment) -> Observation:
        """The picture, or the text inside for a model without vision."""
        if len(self.bounding_box) not in (0, 4):
            raise ActionError(
                f"`bounding_box` needs 4 numbers [x0, y0, width, height] or none, "
                f"not {len(self.bounding_box)}."
            )
        paper = str(env.library.paper(self.paper_id).id)
        box = clip(env.library, paper, self.page_number, self.bounding_box)
        where = f"page {self.page_number} of paper {paper}"
        if env.vision:
            image = picture(env.library, paper, self.page_number, box)
            row = {"pdf_id": paper, "page_number": self.page_number, "bbox": list(box) if box else None}
            return Observation("image", f"The picture of {where} is attached.", rows=(row,), image=image)
        text = text_inside(env.library, paper, self.page_number, box)
        note = "This model cannot see pictures, so here is the text of"
        return Observation("text", f"{note} {'the box on ' if box else ''}{where}:\n{text}")
