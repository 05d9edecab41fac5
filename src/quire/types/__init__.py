"""The nouns that cross rooms: frozen values, no behaviour beyond reading themselves.

Boxes are `(x0, y0, width, height)` in PDF points (1/72 inch) with the origin at the top left of the page
as it is displayed (after /Rotate and relative to the crop box). Page numbers start at 1. Ordinals start
at 0. Texts are Unicode in NFC, with ligatures resolved and line-break hyphens removed.
"""

from __future__ import annotations

from quire.types.asking import (
    LONGEST_QUESTION,
    Answer,
    Call,
    Evidence,
    Exchange,
    Failed,
    Final,
    Hit,
    Hits,
    Observation,
    Question,
    ResultSet,
    Said,
    Step,
    Trajectory,
    Usage,
    value_in_words,
)
from quire.types.document import (
    Box,
    Chunk,
    Document,
    Element,
    Equation,
    Image,
    InlineSpan,
    Metadata,
    Page,
    Paragraph,
    Piece,
    Place,
    Reference,
    Section,
    Sentence,
    Table,
    TableCell,
    TextLine,
)
from quire.types.learning import (
    Attempt,
    Experience,
    Instance,
    Score,
    Shot,
    Verdict,
)

__all__ = [
    "LONGEST_QUESTION", "Answer", "Attempt", "Box", "Call", "Chunk", "Document", "Element", "Equation",
    "Evidence", "Exchange", "Experience", "Failed", "Final", "Hit", "Hits", "Image", "InlineSpan", "Instance",
    "Metadata", "Observation", "Page", "Paragraph", "Piece", "Place", "Question", "Reference", "ResultSet",
    "Said", "Score", "Section", "Sentence", "Shot", "Step", "Table", "TableCell", "TextLine", "Trajectory",
    "Usage", "Verdict", "value_in_words",
]  # fmt: skip
