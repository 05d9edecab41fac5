"""Sentences that go on behind a footnote, a heading in the same row, a break of the line."""

from __future__ import annotations

from dataclasses import replace

from quire.pdf.layout.blocks import Block
from quire.pdf.layout.profile import Profile
from quire.pdf.layout.rows import Row
from quire.pdf.line_classifier.repair import repaired
from quire.pdf.raw import Word, make_line
from quire.pdf.sections.parts import body_parts


def row(text: str, base: float, *, column: int = 0, size: float = 10, bold: int = 0) -> Row:
    """A row of words; the first `bold` of them are."""
    words, x = [], 50.0 + 300 * column
    for k, part in enumerate(text.split()):
        width = 0.5 * size * len(part)
        words.append(
            Word(part, x, base - 8, x + width, base + 2, base, size, k < bold, False, "Body", glued=False)
        )
        x += width + (size if k == bold - 1 else 3)
    return Row(make_line(words, size, base), 1, 50 + 300 * column, 300 + 300 * column, column)


def paragraphs(items: list[Row]) -> list[str]:
    parts = body_parts(items, Profile())
    return [part.text for part in parts if isinstance(part, Block)]


def test_a_footnote_within_a_sentence_is_left_out() -> None:
    rows = [("para", row("The stones were weighed, which is", 100)), ("text", row("slow and", 112))]
    rows += [("para", row("1 See the appendix for scales.", 140, size=8))]
    rows += [("text", row("costly for most of us.", 100, column=1))]
    assert paragraphs(repaired([replace(each, label=label) for label, each in rows])) == [
        "The stones were weighed, which is slow and costly for most of us."
    ]


def test_small_type_behind_a_whole_sentence_stays() -> None:
    rows = [("para", row("The stones were weighed.", 100)), ("para", row("They were small.", 140, size=8))]
    rows += [("para", row("Then they were sold.", 100, column=1))]
    assert len(paragraphs(repaired([replace(each, label=label) for label, each in rows]))) == 3


def test_a_word_broken_behind_a_heading_in_its_row_is_whole() -> None:
    rows = [row("Cross-lingual decomposition training Train-", 100, bold=3)]
    rows += [row("ing proceeds as before.", 112), row("It ends here.", 124)]
    labels = ("heading", "para", "text")
    items = [replace(each, label=label) for each, label in zip(rows, labels, strict=True)]
    assert paragraphs(items) == ["Training proceeds as before. It ends here."]


def test_a_box_in_other_type_parts_no_sentence() -> None:
    rows = [
        ("para", row("The boats of the yard were built in oak and", 600)),
        ("para", row("Boxes are set in smaller type. They go on in", 640, size=8)),
        ("text", row("the next column, and end there.", 60, column=1, size=8)),
        ("text", row("pine, which lasts for years.", 100, column=1)),
    ]
    assert paragraphs([replace(each, label=label) for label, each in rows]) == [
        "The boats of the yard were built in oak and pine, which lasts for years.",
        "Boxes are set in smaller type. They go on in the next column, and end there.",
    ]
