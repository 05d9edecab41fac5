"""Addresses within `quire serve` that answers point to."""

from __future__ import annotations

from urllib.parse import quote

from quire.types import Box


def read_link(paper_id: str, page: int, box: Box | None = None, *, server: str = "") -> str:
    """Where a paper opens: at a page (from 1; else at its own page) and at a box, if there is one.

    `server` is put in front, e.g. `http://127.0.0.1:8765`; without it the address is a path.
    """
    paper = quote(paper_id, safe="")
    if page < 1:
        return f"{server}/papers/{paper}"
    marked = f"?box={','.join(f'{edge:.1f}' for edge in box)}" if box else ""
    return f"{server}/read/{paper}/{page}{marked}"
