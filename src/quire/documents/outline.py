"""The file's own outline (bookmarks), a second opinion on what is a heading (see `labeller/features.py`)."""

from __future__ import annotations

from typing import NamedTuple


class OutlineEntry(NamedTuple):
    """A bookmark of the file: level from 1, page from 1 (0 if it points nowhere), y or None."""

    title: str
    level: int
    page: int
    y: float | None
