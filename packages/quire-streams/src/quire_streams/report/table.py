"""A table as a value: cells are texts, figures are percent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A title, column heads, rows of texts, and a note below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def numeric(self, column: int) -> bool:
        """Whether a column holds figures, which stand right."""
        return all(not row[column] or row[column][0] in "<+-0123456789" for row in self.rows)

    def slim(self, *once: str) -> ReportTable:
        """Without columns that are empty; what is the same in every row of columns `once` is in the title."""
        columns = list(zip(*self.rows, strict=True))
        told = {
            name: values[0]
            for name, values in zip(self.columns, columns, strict=True)
            if name in once and len(set(values)) == 1
        }
        kept = [at for at, values in enumerate(columns) if any(values) and self.columns[at] not in told]
        same = (value if name == "setting" else f"{name} {value}" for name, value in told.items())
        rows = tuple(tuple(row[at] for at in kept) for row in self.rows)
        names = tuple(self.columns[at] for at in kept)
        return ReportTable(", ".join([self.title, *same]), names, rows, self.note)


def percent(share: float) -> str:
    """A share from 0 to 1 as a figure."""
    return f"{100 * share:.1f}"
