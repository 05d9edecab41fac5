"""What stands at the edges of pages, and what only looks as if it did."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from quire.pdf import parse
from quire.pdf.layout.headers_footers import with_heads, without_line_numbers
from quire.pdf.raw import RawPage, Word, make_line
from tests.pdf.paper import Paper, words
from tests.pdf.tabled import cells, floats_of, raw_pages, rule


def body_of(path: Path) -> str:
    return "\n".join(p.text for s in parse(path).sections for p in s.paragraphs)


def page_of(*texts: tuple[str, float, float], size: float = 10) -> RawPage:
    lines = []
    for text, x, y in texts:
        at, made = x, []
        for part in text.split():
            made.append(Word(part, at, y - 7, at + 5 * len(part), y + 2, y, size, False, False, "Times"))
            at += 5 * len(part) + 3
        lines.append(make_line(made, size, y))
    return RawPage(1, 600, 800, lines=tuple(lines))


def test_line_numbers_of_a_manuscript_are_no_words(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "p.pdf")
    paper.line("On Stones in Rivers", x=200, size=14, face="b")
    paper.gap(20)
    for k in range(14):
        y = paper.y
        paper.line(str(k + 1), x=50, y=y, size=8)
        paper.line(f"The stones of year {1990 + k} were seen in the water and", x=80, y=y)
        paper.gap(10)
    text = body_of(paper.save())
    assert "and The stones of year 1991 were seen in the water and The stones of year 1992" in text


@given(st.integers(1, 900), st.sampled_from([1, 5]), st.integers(5, 40))
def test_counting_numbers_in_a_margin_go_whatever_they_are(first: int, step: int, count: int) -> None:
    rows = [(f"some words of row {k}", 80.0, 50.0 + 15 * k) for k in range(count)]
    numbers = [(str(first + step * k), 40.0, 50.0 + 15 * k) for k in range(count)]
    page = page_of(*rows, *numbers)
    assert without_line_numbers(page).lines == page.lines[:count]


def test_numbers_that_do_not_count_stay() -> None:
    page = page_of(*((f"{7 * k % 10} apples", 40.0, 50.0 + 15 * k) for k in range(12)))
    assert without_line_numbers(page) is page


def test_a_running_head_far_from_the_edge_is_no_text(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "p.pdf")
    for k in range(3):
        paper.line("Apparent stones of the Universe", x=330, y=118, size=9)
        paper.y = 150
        paper.text(words(150, k))
        paper.line(str(k + 1), x=300, y=700)
        paper.page()
    assert "Apparent" not in body_of(paper.save())


def test_last_lines_of_columns_that_happen_to_be_equal_stay(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "p.pdf")
    for k in range(4):
        paper.line("References" if k == 0 else f"{k}", x=72, y=60, size=12, face="b")
        paper.y = 766
        paper.line(" ".join(words(60).split()[7 * k : 7 * k + 9]))
        paper.line("Linguistics.")
        paper.line(str(100 + k), x=300, y=815)
        paper.page()
    pages = raw_pages(paper.save())
    kept = [line.text for page in with_heads(pages) for i, line in enumerate(page.lines)
            if i not in page.heads]  # fmt: skip
    assert kept.count("Linguistics.") == 4
    assert "101" not in kept


def test_tables_at_the_head_of_each_page_keep_label_and_head(tmp_path: Path) -> None:
    path = tmp_path / "p.pdf"
    paper = Paper(path)
    for k in range(3):
        paper.line(f"Table {k + 1}", x=80, y=60, size=9)
        paper.line(f"Stones that were counted in year {k}.", x=80, y=71, size=9)
        rule(paper, 76, 400, 80)
        rule(paper, 76, 400, 95)
        rows = [["Group", "Mean", "Share"], ["large", f"1{k}.5", "3.1"], ["small", "7.2", f"4.{k}"]]
        rule(paper, 76, 400, cells(paper, rows, (80, 200, 300), 90) - 10)
        paper.gap(20)
        paper.text(words(120, k))
        paper.page()
    paper.save()
    tables = floats_of(path).tables
    assert [t.label for t in tables] == ["Table 1", "Table 2", "Table 3"]
    assert all("<th>Group</th><th>Mean</th><th>Share</th>" in t.html for t in tables)


def test_proceedings_at_the_foot_of_the_first_page_are_no_text(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "p.pdf")
    paper.line("A Study of Stones", x=200, size=14, face="b")
    paper.gap()
    paper.text(words(200))
    paper.line("Proceedings of the 5th Meeting on Stones, pages 12-19,", x=150, y=800, size=8, face="i")
    paper.line("Altmark, May 2014. ©2014 Society for Stones", x=170, size=8)
    paper.page()
    paper.text(words(100, 3))
    assert "Proceedings" not in body_of(paper.save())


def test_a_numbered_heading_at_the_head_of_a_page_is_no_running_head(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "p.pdf")
    paper.line("1", x=72, size=12, face="b", y=72)
    paper.line("The Stones", x=100, size=12, face="b", y=72)
    paper.gap()
    paper.text(words(120))
    paper.page()
    paper.line("2", x=72, size=12, face="b", y=72)
    paper.line("The Rivers", x=100, size=12, face="b", y=72)
    paper.gap()
    paper.text(words(120, 4))
    found = parse(paper.save()).sections
    assert ("2", "The Rivers") in [(s.number, s.title) for s in found]


def test_a_row_with_a_number_that_counts_is_furniture_but_for_the_title_of_a_slide() -> None:
    def pages(*, size: float, step: int = 1) -> list[RawPage]:
        made = []
        for n in range(1, 5):
            head = page_of((f"Part {'abcde'[n]} of it", 80, 100), size=size).lines
            rest = page_of((str(7 + n * step), 500, 100), ("the text of this page", 80, 160)).lines
            made.append(RawPage(n, 600, 800, lines=(*head, *rest)))
        return made

    def found(made: list[RawPage]) -> list[int]:
        return sorted({index for page in with_heads(made) for index in page.heads})

    assert found(pages(size=10)) == [0, 1]
    assert found(pages(size=14)) == [1]
    assert 0 not in found(pages(size=10, step=2))


def test_numbers_of_entries_beside_a_list_are_words(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    for number in range(14, 30):
        paper.line(str(number), x=40)
        paper.y -= 12
        paper.text(words(24, number), x=60)
    (page,) = raw_pages(paper.save())
    assert without_line_numbers(page) is page
