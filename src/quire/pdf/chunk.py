"""Passages for search: whole sentences of one section on one page, within an encoder's tokens.

Sentences are packed until the next would pass the limit. A sentence that runs over a page is cut there,
one that is longer than the limit is cut at words. Every word of the sections is in exactly one chunk. What
no section, table, caption or reference holds of a page follows, if it is most of the page, and so do
footnotes; a document without sections is cut page by page.

    chunk(document, lambda text: len(text.split()), 200)[0].text
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from quire.text import bare, sentences, space_after
from quire.types import Box, Chunk, Document, Paragraph, Sentence

Count = Callable[[str], int]
_NOTE = 40  # letters and digits of a footnote that says something
_LEVEL = 4.0  # points by which a line may begin above the one before it in its column


class _ChunkPiece(NamedTuple):
    """A sentence, or a part of one, on one page."""

    text: str
    page: int
    box: Box
    tokens: int
    paragraph: int


def chunk(document: Document, count_tokens: Count, max_tokens: int) -> tuple[Chunk, ...]:
    """Cut a document into passages of at most `max_tokens` as `count_tokens` counts them.

    `count_tokens` must not count a joined text higher than the sum of its sentences, which holds for word
    piece and byte-pair tokenizers. Raises ValueError if `max_tokens` is not positive.
    """
    if max_tokens < 1:
        raise ValueError("max_tokens must be at least 1")
    out: list[Chunk] = []

    def pack(paragraphs: Iterable[Paragraph], section: int | None) -> None:
        pieces = (
            piece
            for number, paragraph in enumerate(paragraphs)
            for piece in _pieces(paragraph, number, count_tokens, max_tokens)
        )
        out.extend(_packed(pieces, section, max_tokens))

    for index, section in enumerate(document.sections):
        pack(section.paragraphs, index)
    if out:
        rest = [*document.rest, *_footnotes(document)]
    else:
        whole = [(page, Box(0.0, 0.0, page.width, page.height)) for page in document.pages]
        rest = [Paragraph(page.number, box, page.text) for page, box in whole]
    for paragraph in rest:
        pack([paragraph], None)
    return tuple(out)


def _footnotes(document: Document) -> Iterator[Paragraph]:
    """Those that say something and are nowhere else."""
    for note in document.footnotes:
        text = bare(note.text)
        held = any(text in bare(each.text) for each in document.rest if each.page == note.page)
        if len(text) >= _NOTE and not held:
            yield note


def _pieces(paragraph: Paragraph, number: int, count: Count, limit: int) -> Iterator[_ChunkPiece]:
    text = paragraph.text
    # where the paragraph goes on on another page
    turns = [after.start for before, after in pairwise(paragraph.lines) if after.page != before.page]
    for start, end in sentences(text):
        for a, b in pairwise([start, *(t for t in turns if start < t < end), end]):
            part = text[a:b].strip()
            if not part:
                continue
            page, box = _place(paragraph, a, b)
            tokens = count(part)
            if tokens <= limit:
                yield _ChunkPiece(part, page, box, tokens, number)
                continue
            for short in _cut(part, tokens, count, limit):
                yield _ChunkPiece(short, page, box, count(short), number)


def _place(paragraph: Paragraph, start: int, end: int) -> tuple[int, Box]:
    """Page and box of a stretch of a paragraph's text; of two columns, the one that has most of it."""
    lines = paragraph.lines
    ends = [*(line.start for line in lines[1:]), len(paragraph.text) + 1]
    touched = [
        (line, after) for line, after in zip(lines, ends, strict=False) if line.start < end and start < after
    ]
    if not touched:
        return paragraph.page, paragraph.bbox
    page = touched[0][0].page
    runs: list[tuple[int, Box]] = []  # characters and box of what stands in each column
    for line, after in touched:
        if line.page != page:
            continue
        count = min(end, after) - max(start, line.start)
        if runs and line.bbox.y0 >= runs[-1][1].y0 - _LEVEL:
            runs[-1] = (runs[-1][0] + count, runs[-1][1].union(line.bbox))
        else:
            runs.append((count, line.bbox))
    return page, max(runs, key=lambda run: run[0])[1]


def _cut(text: str, tokens: int, count: Count, limit: int) -> Iterator[str]:
    """A text that is too long, cut at words; a word that is too long, cut anywhere."""
    words = text.split(" ")
    while words:
        take = max(1, min(len(words), len(words) * limit // max(1, tokens)))
        while take > 1 and count(" ".join(words[:take])) > limit:
            take = max(1, take * 4 // 5)
        head = " ".join(words[:take])
        if take == 1 and count(head) > limit and len(head) > 1:
            middle = len(head) // 2
            words[:1] = [head[:middle], head[middle:]]
            tokens = count(" ".join(words[:200])) if len(words) <= 200 else tokens
            continue
        yield head
        words = words[take:]
        tokens = count(" ".join(words)) if words else 0


def _packed(pieces: Iterable[_ChunkPiece], section: int | None, limit: int) -> Iterator[Chunk]:
    """Neighbouring pieces of one page put together as long as they fit."""
    group: list[_ChunkPiece] = []
    total = 0
    for piece in pieces:
        if group and (piece.page != group[0].page or total + piece.tokens > limit):
            yield _chunk(group, section)
            group, total = [], 0
        group.append(piece)
        total += piece.tokens
    if group:
        yield _chunk(group, section)


def _chunk(group: Sequence[_ChunkPiece], section: int | None) -> Chunk:
    box = group[0].box
    text = group[0].text
    for before, piece in pairwise(group):
        box = box.union(piece.box)
        text += (space_after(before.text) if piece.paragraph == before.paragraph else "\n") + piece.text
    sentences = tuple(Sentence(piece.page, piece.box, piece.text) for piece in group)
    return Chunk(group[0].page, box, text, section, sentences)
