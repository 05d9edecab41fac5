"""A page, or a part of it, as a PNG picture, with places marked.

Coordinates are those of `Document`: points, origin top left, as displayed. A picture never has more than
`MAX_PIXELS`; a larger one is rendered at a lower resolution.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from quire.errors import DocumentLimit, NotAPdf
from quire.types import Box

MAX_PIXELS = 40_000_000
_MARK = (255, 196, 0, 90)
_EDGE = (214, 112, 0, 255)


def render(
    path: Path,
    page: int,
    *,
    box: Box | None = None,
    dpi: float = 150,
    marks: Sequence[Box] = (),
    password: str | None = None,
) -> bytes:
    """Render page number `page` (from 1), cut to `box`, with `marks` highlighted.

    Raises:
        PasswordRequired, NotAPdf: as `parse` does; also if the page cannot be loaded.
        DocumentLimit: there is no such page.
    """
    import pypdfium2 as pdfium
    from PIL import Image, ImageDraw

    from quire.pdf.pdfium.reader import open_document

    with open_document(path, password) as document:
        if not 1 <= page <= len(document):
            raise DocumentLimit(
                f"{path.name} has no page {page}.", hint=f"It has pages 1 to {len(document)}."
            )
        try:
            loaded = document[page - 1]
        except pdfium.PdfiumError as error:
            raise NotAPdf(f"Page {page} of {path.name} is damaged and cannot be shown.") from error
        width, height = loaded.get_size()
        area = _clipped(box, width, height)
        scale = min(max(dpi, 1.0) / 72, (MAX_PIXELS / max(1.0, area.width * area.height)) ** 0.5)
        crop = (area.x0, height - area.y1, width - area.x1, area.y0)
        picture = loaded.render(scale=scale, crop=crop).to_pil().convert("RGB")
        loaded.close()
    if marks:
        layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
        draw = ImageDraw.Draw(layer)
        for mark in marks:
            corners = [
                (mark.x0 - area.x0) * scale, (mark.y0 - area.y0) * scale,
                (mark.x1 - area.x0) * scale, (mark.y1 - area.y0) * scale,
            ]  # fmt: skip
            if corners[2] > corners[0] and corners[3] > corners[1]:
                draw.rectangle(corners, fill=_MARK, outline=_EDGE, width=2)
        picture = Image.alpha_composite(picture.convert("RGBA"), layer).convert("RGB")
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=1)  # half the time of the default, and pages get smaller too
    return out.getvalue()


def _clipped(box: Box | None, width: float, height: float) -> Box:
    """The part of a box that is on the page; the page itself where nothing is left."""
    if box is None:
        return Box(0.0, 0.0, width, height)
    x0, y0 = max(0.0, min(box.x0, width)), max(0.0, min(box.y0, height))
    x1, y1 = max(0.0, min(box.x1, width)), max(0.0, min(box.y1, height))
    if x1 - x0 < 1 or y1 - y0 < 1:
        return Box(0.0, 0.0, width, height)
    return Box.from_edges(x0, y0, x1, y1)
