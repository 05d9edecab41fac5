"""Addresses within `quire serve` that answers point to; places and boxes as people write them."""

from __future__ import annotations

from math import isfinite
from urllib.parse import quote

from quire.types import Box


def link(paper: str, page: int, box: Box | None = None) -> str:
    """The path of the page that shows a place: open at the box where there is one.

    What has no page (below 1) is on the paper's own page.
    """
    named = quote(paper, safe="")
    if page < 1:
        return f"/papers/{named}"
    at = "?box=" + ",".join(f"{edge:g}" for edge in box) if box is not None else ""
    return f"/read/{named}/{page}{at}"


def where(page: int, label: str) -> str:
    """The page as this program counts, and what is printed on it."""
    return f"page {page}" + (f" (printed {label})" if label and label != str(page) else "")


def box_of(text: str) -> Box | None:
    """`x,y,width,height` in points as a box, None where it is something else; brackets are forgiven."""
    try:
        edges = [float(part) for part in text.strip(" []()").split(",", 4)]
    except ValueError:
        return None
    return Box(*edges) if len(edges) == 4 and all(isfinite(edge) for edge in edges) else None
