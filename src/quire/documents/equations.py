"""Displayed equations: formulas that stand on lines of their own."""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.layout.profile import Profile
from quire.documents.raw import Edges, RawPage
from quire.types import Equation


def find(page: RawPage, floats: Sequence[Edges], profile: Profile) -> list[Equation]:
    """The displayed equations of a page, from top to bottom."""
    return []
