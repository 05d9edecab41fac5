"""ViewImage: see a page, or a box of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.viewing import clip, picture, text_inside
from quire.errors import ActionError
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


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
