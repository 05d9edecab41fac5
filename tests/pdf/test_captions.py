from __future__ import annotations

from pathlib import Path

import pytest

from quire.pdf.captions import Caption, find
from quire.pdf.layout.profile import measure
from tests.pdf.paper import Paper, words
from tests.pdf.tabled import paper_with_text, raw_pages


def captions_of(paper: Paper) -> list[Caption]:
    pages = raw_pages(paper.save())
    return [c for page in pages for c in find(page, measure(pages))]


@pytest.mark.parametrize(
    ("line", "kind", "label"),
    [
        ("Table 1: Stones by weight", "table", "Table 1"),
        ("TABLE IV. STONES", "table", "Table IV"),
        ("Tab. 3: Steine", "table", "Table 3"),
        ("Tabelle 2.1: Steine nach Gewicht", "table", "Tabelle 2.1"),
        ("Fig. 2. A river", "figure", "Figure 2"),
        ("Figure-1: A river", "figure", "Figure 1"),
        ("Table S-3: Stones", "table", "Table S-3"),
        ("Figure A.1: A river", "figure", "Figure A.1"),
        ("Abbildung 3: Ein Fluss", "figure", "Abbildung 3"),
        ("Supplementary Table S2: More stones", "table", "Supplementary Table S2"),
        ("Algorithm 1: Throwing stones", "other", "Algorithm 1"),
    ],
)
def test_labels_in_their_usual_spelling(tmp_path: Path, line: str, kind: str, label: str) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line(line)
    (caption,) = captions_of(paper)
    assert (caption.kind, caption.label, caption.text) == (kind, label, line)


@pytest.mark.parametrize(
    "sentence",
    [
        "Table 3 shows that stones are round.",
        "Figures 2 and 3 were drawn by hand.",
        "tables are made of wood: oak",
    ],
)
def test_sentences_are_no_captions(tmp_path: Path, sentence: str) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line(sentence)
    assert captions_of(paper) == []


def test_sentence_that_ends_with_a_label_at_the_start_of_a_line(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("The weights of all the stones that we have thrown so far are given in the long")
    paper.line("Table 4. Most of them are round, as can be seen at once by everybody who looks.")
    assert captions_of(paper) == []


def test_caption_of_several_lines_ends_before_the_text(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Figure 1: Stones of the upper river, which were col-", size=9)
    paper.line("lected in May.", size=9)
    paper.gap(14)
    paper.text(words(60, 3))
    (caption,) = captions_of(paper)
    assert caption.text == "Figure 1: Stones of the upper river, which were collected in May."
    assert len(caption.lines) == 2


def test_label_on_a_line_of_its_own(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 2", face="b")
    paper.line("Weights of Stones", face="i")
    (caption,) = captions_of(paper)
    assert caption.text == "Table 2 Weights of Stones"


def test_continued(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 2: (continued)")
    assert captions_of(paper)[0].continued


def test_a_caption_is_not_looked_for_without_end(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Figure 1: Stones of", size=3)
    for _ in range(120):
        paper.line("stones of rivers of", size=3)
    (caption,) = captions_of(paper)
    assert len(caption.lines) == 40
