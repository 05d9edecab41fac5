"""Rows of the finest views: the cells of tables and the sentences of passages, each with its own place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from quire.library import ids, tabular
from quire.store.schema import CellRow, IntBox, SentenceRow
from quire.types import Box, Chunk, Element, Table

_FARTHEST = 32_767  # points; pages end at 14 400, damaged files do not


def int_box(box: Box) -> IntBox:
    """A box in whole points that is never empty and never beyond 16 bits."""
    return (whole(box.x0), whole(box.y0), max(1, whole(box.width)), max(1, whole(box.height)))


def whole(length: float) -> int:
    """A length in whole points."""
    if not math.isfinite(length):
        return 0
    return max(-_FARTHEST, min(_FARTHEST, round(length)))


_E = TypeVar("_E", bound=Element)


def on_pages(elements: Iterable[_E]) -> Iterator[tuple[int, _E]]:
    """Elements with their number among those of their page, from 0."""
    counts: Counter[int] = Counter()
    for element in elements:
        yield counts[element.page], element
        counts[element.page] += 1


def cell_rows(tables: Sequence[Table], paper: str) -> Iterator[CellRow]:
    """The cells of a paper's tables."""
    for ordinal, table in on_pages(tables):
        table_id = ids.element_id(paper, "tables", table.page, ordinal)
        texts = tabular.row_texts(table)
        for one in tabular.labelled(table):
            cell = one.cell
            yield CellRow(
                cell_id=ids.element_id(table_id, "cells", cell.row, cell.column),
                cell_content=cell.text,
                row_label=one.row_label,
                column_label=one.column_label,
                cell_number=one.number,
                cell_unit=one.unit,
                row_index=cell.row,
                column_index=cell.column,
                is_head=cell.head,
                row_content="" if cell.head else texts.pop(cell.row, ""),
                bounding_box=int_box(cell.bbox),
                ref_table_id=table_id,
                ref_paper_id=paper,
                ref_page_id=ids.page_id(paper, cell.page),
            )


def sentence_rows(chunks: Sequence[Chunk], paper: str) -> Iterator[SentenceRow]:
    """The sentences of a paper's passages, numbered on each page."""
    counts: Counter[int] = Counter()
    for ordinal, chunk in on_pages(chunks):
        for sentence in chunk.sentences:
            number = counts[sentence.page]
            counts[sentence.page] += 1
            yield SentenceRow(
                sentence_id=ids.element_id(paper, "sentences", sentence.page, number),
                sentence_content=sentence.text,
                ordinal=number,
                bounding_box=int_box(sentence.bbox),
                ref_chunk_id=ids.element_id(paper, "chunks", chunk.page, ordinal),
                ref_paper_id=paper,
                ref_page_id=ids.page_id(paper, sentence.page),
            )
