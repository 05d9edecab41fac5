"""What can be asked, kind by kind: does a question ask for it, and how is it found.

To add a kind: a `QuestionKind` in a file here, a row below, a test with several wordings.
"""

from __future__ import annotations

from quire.ask.offline.kinds import (
    abbreviation,
    counting,
    gap,
    library,
    metadata,
    parts,
    reference,
    tables,
)
from quire.ask.offline.plan import QuestionKind

# Of those that fit alike the first is tried first.
KINDS: tuple[QuestionKind, ...] = (
    library.KIND,
    parts.SUMMARY,
    gap.KIND,
    tables.KIND,
    parts.NUMBERED,
    parts.CAPTION,
    reference.KIND,
    counting.KIND,
    abbreviation.KIND,
    parts.PLACE,
    metadata.KIND,
    parts.LIST,
)

__all__ = ["KINDS"]
