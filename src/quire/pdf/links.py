"""The links that a page carries: where each stands, and where it leads, within the file or to an address.

Boxes and places are those of `Document`: points, origin top left, as displayed. Only addresses of http(s) and
DOIs count; a link is foreign text, and nothing is asked of it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from quire.pdf.geometry import rounded
from quire.pdf.raw import Edges
from quire.types import Box

_MOST = 2000  # links of a page
_LONGEST = 2000  # bytes of an address


class PageLink(NamedTuple):
    """A link: to `page` (from 1; 0 for none), there to the height `top`, or to the address `url`."""

    box: Box
    page: int
    top: float
    url: str


def page_links(path: Path, page: int) -> list[PageLink]:
    """The links of page number `page` (from 1), in the order of the file.

    Raises:
        PasswordRequired, NotAPdf: as `parse` does.
        DocumentLimit: there is no such page.
    """
    from quire.errors import DocumentLimit
    from quire.pdf.pdfium.reader import open_document

    with open_document(path, None) as document:
        if not 1 <= page <= len(document):
            raise DocumentLimit(f"{path.name} has no page {page}.")
        loaded = document[page - 1]
        try:
            return list(_links(document, loaded))
        finally:
            loaded.close()


def _links(document: Any, page: Any) -> Iterator[PageLink]:
    import pypdfium2.raw as raw

    from quire.pdf.pdfium.calls import frame_of

    frame = frame_of(page)
    place, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(_MOST):
        if not raw.FPDFLink_Enumerate(page, place, link):
            return
        edges = raw.FS_RECTF()
        if not raw.FPDFLink_GetAnnotRect(link, edges):
            continue
        corners = [frame.point(x, y) for x, y in ((edges.left, edges.top), (edges.right, edges.bottom))]
        (xs, ys) = zip(*corners, strict=True)
        box = rounded(Edges(min(xs), min(ys), max(xs), max(ys)))
        action = raw.FPDFLink_GetAction(link)
        if target := raw.FPDFLink_GetDest(document, link) or (
            action and raw.FPDFAction_GetDest(document, action)
        ):
            number, top = _target(document, target)
            if number:
                yield PageLink(box, number, top, "")
        elif action and (url := _address(document, action)):
            yield PageLink(box, 0, 0.0, url)


def _target(document: Any, target: Any) -> tuple[int, float]:
    """The page (from 1; 0 if it is none of this file) and the height at which a place within it stands."""
    import pypdfium2.raw as raw

    from quire.pdf.pdfium.calls import frame_of

    number = raw.FPDFDest_GetDestPageIndex(document, target)
    if not 0 <= number < len(document):
        return 0, 0.0
    has = [ctypes.c_int(0) for _ in range(3)]
    at = [ctypes.c_float(0) for _ in range(3)]
    raw.FPDFDest_GetLocationInPage(target, *has, *at)
    if not has[1].value:
        return number + 1, 0.0
    there = document[number]
    try:
        return number + 1, max(0.0, round(frame_of(there).point(at[0].value, at[1].value)[1], 2))
    finally:
        there.close()


def _address(document: Any, action: Any) -> str:
    import pypdfium2.raw as raw

    size = raw.FPDFAction_GetURIPath(document, action, None, 0)
    if not 0 < size <= _LONGEST:
        return ""
    held = ctypes.create_string_buffer(size)
    raw.FPDFAction_GetURIPath(document, action, held, size)
    told = held.raw[: size - 1].decode("utf-8", "replace").strip()
    return told if told.startswith(("https://", "http://")) and told.isprintable() else ""
