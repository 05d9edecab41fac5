"""Counting words: from the cells of a paper to rows that are ready to be written.

This is the half of indexing that needs no database, so it runs in the child process that parsed the paper:

    batch = analyse(cells)          # in the child; pickles well
    write(connection, batch)        # in the parent, inside the library's transaction (quire.index.writing)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.index.analyzer import term_numbers
from quire.index.cells import Cell, pair, plain

_MAX_TF = 65_535


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Cells with their words counted. Postings are parallel arrays; `owner` indexes `cells`.

    `cells` carry no text any more: it is in the library's own rows.
    """

    cells: tuple[Cell, ...]
    pairs: NDArray[np.uint8]
    lengths: NDArray[np.int32]
    owner: NDArray[np.int32]
    term: NDArray[np.int32]
    tf: NDArray[np.uint16]


def analyse(cells: Iterable[Cell]) -> Batch:
    """Count the words of every cell. Text cells without text are left out: there is nothing to encode.

    Raises:
        QueryError: a cell's (table, column) is not encodable.
    """
    kept: list[Cell] = []
    pairs: list[int] = []
    lengths: list[int] = []
    owner: list[int] = []
    term: list[int] = []
    tf: list[int] = []
    for cell in cells:
        of = pair(cell.table, cell.column)
        if of.modality == "text" and not cell.text.strip():
            continue
        counts = Counter(term_numbers(plain(cell.table, cell.column, cell.text)))
        owner.extend([len(kept)] * len(counts))
        term.extend(counts.keys())
        tf.extend(counts.values())
        kept.append(Cell(cell.table, cell.column, cell.key, cell.paper_id, cell.page, "", cell.bbox))
        pairs.append(of.number)
        lengths.append(sum(counts.values()))
    return Batch(
        cells=tuple(kept),
        pairs=np.asarray(pairs, dtype=np.uint8),
        lengths=np.asarray(lengths, dtype=np.int32),
        owner=np.asarray(owner, dtype=np.int32),
        term=np.asarray(term, dtype=np.int32),
        tf=np.minimum(np.asarray(tf, dtype=np.int64), _MAX_TF).astype(np.uint16),
    )
