from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.pdf import chunk, parse
from quire.text import sentences
from quire.types import Box, Document, Metadata, Page, Paragraph, Section, TextLine


def count(text: str) -> int:
    return len(text.split())


def _document(paragraphs: list[Paragraph]) -> Document:
    box = Box(0, 0, 10, 10)
    section = Section("One", "1", 1, None, 1, box, tuple(paragraphs), (1,))
    return Document(Metadata(), (Page(1, 600, 800, "1", "text"), Page(2, 600, 800, "2", "text")), (section,))


@given(
    st.lists(st.text(alphabet="ab .!?é", max_size=300), max_size=6),
    st.integers(min_value=1, max_value=40),
)
def test_every_word_is_in_one_chunk_and_no_chunk_is_too_long(texts: list[str], limit: int) -> None:
    paragraphs = [Paragraph(1, Box(0, 0, 1, 1), text) for text in texts]
    chunks = [c for c in chunk(_document(paragraphs), count, limit) if c.section is not None]
    assert " ".join(c.text for c in chunks).split() == " ".join(texts).split()
    assert all(count(c.text) <= limit for c in chunks)


@given(st.text(alphabet="abc ", min_size=1, max_size=200), st.integers(min_value=1, max_value=9))
def test_a_word_that_is_too_long_is_cut_anywhere(text: str, limit: int) -> None:
    def letters(part: str) -> int:
        return len("".join(part.split()))

    chunks = chunk(_document([Paragraph(1, Box(0, 0, 1, 1), text)]), letters, limit)
    if text.strip():
        assert all(letters(c.text) <= limit for c in chunks)
        assert "".join("".join(c.text.split()) for c in chunks) == "".join(text.split())


def test_a_sentence_is_not_cut_without_need() -> None:
    text = "One two three four. Five six seven eight. Nine ten."
    chunks = chunk(_document([Paragraph(1, Box(0, 0, 1, 1), text)]), count, 6)
    assert [c.text for c in chunks] == ["One two three four.", "Five six seven eight. Nine ten."]


def test_a_page_turn_parts_chunks_and_their_boxes() -> None:
    text = "First page text goes on over the page."
    lines = (TextLine(1, Box(0, 700, 100, 10), 0), TextLine(2, Box(0, 50, 90, 10), 16))
    first, second = chunk(_document([Paragraph(1, Box(0, 700, 100, 10), text, lines)]), count, 50)
    assert (first.text, first.page, first.bbox.y0) == ("First page text", 1, 700)
    assert (second.text, second.page, second.bbox.y0) == ("goes on over the page.", 2, 50)


def test_sentences_know_their_own_places() -> None:
    text = "One two three. Four five six. Seven eight nine ten."
    starts = (0, 15, 30, 42)
    boxes = (Box(0, 700, 100, 10), Box(0, 712, 100, 10), Box(0, 724, 100, 10), Box(300, 50, 100, 10))
    lines = tuple(TextLine(1, box, start) for box, start in zip(boxes, starts, strict=True))
    (passage,) = chunk(_document([Paragraph(1, boxes[0], text, lines)]), count, 50)
    assert [s.text for s in passage.sentences] == [
        "One two three.",
        "Four five six.",
        "Seven eight nine ten.",
    ]
    assert [s.bbox for s in passage.sentences[:2]] == [boxes[0], boxes[1]]
    assert passage.sentences[2].bbox == boxes[2]  # of two columns, the one with more of it


def test_chunks_of_a_paper_stand_in_their_sections(one_column: Path) -> None:
    document = parse(one_column)
    chunks = chunk(document, count, 60)
    assert all(
        c.text.replace("\n", "\n\n") in document.sections[c.section or 0].text or "\n" not in c.text
        for c in chunks
    )
    assert {document.sections[c.section or 0].title for c in chunks} >= {
        "Abstract",
        "Introduction",
        "Methods",
    }
    body = " ".join(s.text for s in document.sections).split()
    assert " ".join(c.text for c in chunks).split() == body


def test_a_document_without_sections_is_cut_by_pages() -> None:
    bare = Document(Metadata(), (Page(1, 600, 800, "1", "Some words on a page."),))
    (only,) = chunk(bare, count, 10)
    assert (only.text, only.section, only.page) == ("Some words on a page.", None, 1)


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        chunk(_document([]), count, 0)


def test_chinese_and_japanese_sentences_end_without_a_blank() -> None:
    text = "本文提出一种新方法。实验表明「它有效。」但是为什么呢？我们讨论3.5节。"
    told = [text[a:b] for a, b in sentences(text)]
    assert told == ["本文提出一种新方法。", "实验表明「它有效。」", "但是为什么呢？", "我们讨论3.5节。"]
    paragraph = Paragraph(1, Box(0, 0, 10, 10), text)
    section = Section("节", "", 1, None, 1, None, (paragraph,), (1,))
    (only,) = chunk(Document(Metadata(), (), (section,)), len, 200)
    assert only.text == text
    assert [each.text for each in only.sentences] == told


def test_what_no_section_holds_is_in_passages_without_one() -> None:
    rest = Paragraph(2, Box(5, 5, 90, 20), "one\ntwo three", (TextLine(2, Box(5, 5, 40, 10), 0),))
    document = replace(_document([Paragraph(1, Box(0, 0, 1, 1), "It is small.")]), rest=(rest,))
    first, last = chunk(document, count, 200)
    assert (first.text, first.section, first.page) == ("It is small.", 0, 1)
    assert (last.text.split(), last.section, last.page) == (["one", "two", "three"], None, 2)
    assert last.bbox == Box(5, 5, 40, 10)


def test_footnotes_are_passages_unless_they_are_told_already() -> None:
    note = Paragraph(2, Box(0, 0, 1, 1), "Clauses were not parted, for lack of annotators who know boats.")
    short = replace(note, text="See above.")
    document = replace(_document([Paragraph(1, Box(0, 0, 1, 1), "One two.")]), footnotes=(note, short))
    assert [c.text for c in chunk(document, count, 40)] == ["One two.", note.text]
    held = replace(document, rest=(replace(note, text=f"1 {note.text}"),))
    assert [c.text for c in chunk(held, count, 40)] == ["One two.", f"1 {note.text}"]
