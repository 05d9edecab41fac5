"""Text lines of a table: what stands on one baseline, column by column."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quire.documents.tables.tokens import OfTokens, OnBaseline, Token

_NUMBER = re.compile(r"^[\s(\[<>≤≥≈~±+\-−–—*$€£%.,\d/:;^)\]†‡§a-d]*$")


@dataclass(frozen=True, slots=True)
class Text(OfTokens):
    """Tokens and the columns (first, last) that they cover."""

    first: int
    last: int
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        """As printed, with single spaces."""
        return " ".join(t.text for t in self.tokens)

    @property
    def numeric(self) -> bool:
        """Digits and signs, no words."""
        text = self.text
        return bool(_NUMBER.match(text)) and any(c.isdigit() for c in text)

    def extended(self, tokens: tuple[Token, ...], last: int) -> Text:
        """With more tokens at its right."""
        return Text(self.first, last, self.tokens + tokens)


@dataclass(frozen=True, slots=True)
class TableLine(OnBaseline):
    """The texts on one baseline."""

    texts: tuple[Text, ...]
    baseline: float
    size: float

    @property
    def columns(self) -> set[int]:
        """All columns that hold text."""
        return {c for t in self.texts for c in range(t.first, t.last + 1)}

    def at(self, column: int) -> Text | None:
        """The text in a column."""
        return next((t for t in self.texts if t.first <= column <= t.last), None)
