"""A table as a value: cells are texts, figures are percent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column heads, rows of texts, and a note below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def numeric(self, column: int) -> bool:
        """Whether a column holds figures, which stand right."""
        return all(not row[column] or row[column][0] in "<+-0123456789" for row in self.rows)


def percent(share: float) -> str:
    """A share from 0 to 1 as a figure."""
    return f"{100 * share:.1f}"
