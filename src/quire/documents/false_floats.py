"""Second thoughts about floats: what reads as prose or as a list of references is none.

Taking running text for a table or an equation takes it out of the sections, which costs more than a missed
table without caption does. Both tests are on words only, so they hold for any way of finding floats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.labeller.lines import SHAPE, shape
from quire.documents.raw import Line
from quire.documents.tables import FoundTable
from quire.types import Equation

_ENTRIES = 8  # lines that a list of references has at least
_YEARS = 0.15  # years per line of such a list
_INITIALS = 0.08  # initials per word
_COMMAS = 0.1  # commas per word
_WORD = re.compile(r"^[(“\"]?[A-Za-z][a-z]{2,}[.,;:)”\"]?$")


def is_prose_table(table: FoundTable) -> bool:
    """A table without a caption whose cells are sentences, or numbers beside the entries of a list."""
    if table.caption is not None:
        return False
    cells = [cell for cell in table.grid.cells if cell.text]
    words = sorted(len(cell.text.split()) for cell in cells)
    if not words:
        return True
    labels = [cell.text.strip(" .[]()") for cell in cells if cell.col == 0]
    numbered = sum(label.isdigit() for label in labels) > 0.6 * max(1, len(labels))
    return words[len(words) // 2] > 8 or (numbered and table.grid.columns == 2 and words[-1] > 12)


def is_list_of_references(table: FoundTable, lines: Sequence[Line]) -> bool:
    """A table without a caption whose lines (`lines`: those within its box) are entries of a bibliography."""
    if table.caption is not None or len(lines) < _ENTRIES:
        return False
    shapes = [shape(line.text.strip()) for line in lines]
    years, initials, commas = (
        sum(row[SHAPE.index(name)] for row in shapes) / len(shapes)
        for name in ("years", "initials", "commas")
    )
    return years > _YEARS and initials > _INITIALS and commas > _COMMAS


def is_prose_equation(equation: Equation) -> bool:
    """Rows of running text that happen to hold many signs: at least eight plain words, and a third of all."""
    parts = equation.text.split()
    plain = sum(bool(_WORD.match(part)) for part in parts)
    return plain >= 8 and plain >= 0.33 * len(parts)
