"""Papers in scripts without spaces or capitals, and lines from right to left."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont

from quire.pdf import parse
from quire.pdf.front.authors import is_name
from quire.pdf.pdfium.lines import in_order
from quire.pdf.raw import Word, make_line, word_count
from quire.types import Document
from tests.pdf.paper import Paper

SIGNS = "河流中的石头逐渐变圆因此本文提出的方法明显优于传统的估计方法而上述结果主要取决于水流速度"
HEADS = ("引言", "材料与方法", "结果", "讨论", "结论")


def signs(count: int) -> Iterator[str]:
    """Lines of that many signs that repeat no line."""
    endless = cycle(SIGNS + "，" + SIGNS[::-1] + "。" + SIGNS[7:])
    while True:
        yield "".join(next(endless) for _ in range(count))


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """Five pages, their heads the section and a number that counts; leading of 1.7 em."""
    registerFont(UnicodeCIDFont("STSong-Light"))
    paper = Paper(tmp_path_factory.mktemp("papers") / "zh.pdf")
    lines = signs(40)

    def block(count: int, size: float = 10) -> None:
        for _ in range(count):
            paper.line(next(lines), size=size, face="zh")
            paper.gap(0.5 * size)

    for number, head in enumerate(HEADS, start=1):
        if number == 1:
            paper.line("河流中石头的自适应估计方法", x=150, y=100, size=18, face="zh")
            paper.line("欧阳丽娜", x=150, y=135, size=12, face="zh")
            paper.line("李静", x=300, y=135, size=12, face="zh")
            paper.line("海湾信息工程研究所", x=140, size=9, face="zh")
            paper.gap(20)
            paper.line("摘要", x=270, size=10, face="zh")
            block(4, 9)
        else:
            paper.line(f"{number} {head}", y=100, size=10, face="zh")
            paper.line(str(number), x=500, y=100, size=10, face="zh")
            paper.gap(30)
        if number == 3:
            paper.line("表 1 河流中石头的平均直径，以及本文提出的方法与传统的估", y=160, size=9, face="zh")
            paper.gap(6)
            paper.line("计方法的比较。", size=9, face="zh")
            for y in (200, 215, 250):
                paper.canvas.line(72, 842 - y, 350, 842 - y)
            for y, row in ((211, ("河流", "直径")), (230, ("东河", "4.1")), (245, ("西河", "5.2"))):
                for x, text in zip((80, 250), row, strict=True):
                    paper.line(text, x=x, y=y, size=9, face="zh")
            paper.gap(30)
        paper.gap(12)
        paper.line(f"{number} {head}", size=14, face="zh")
        paper.gap(8)
        block(22)
        paper.page()
    return parse(paper.save())


def test_title_and_names_without_capitals(chinese: Document) -> None:
    assert chinese.metadata.title == "河流中石头的自适应估计方法"
    assert chinese.metadata.authors == ("欧阳丽娜", "李静")


def test_heads_that_change_with_the_section_are_no_headings(chinese: Document) -> None:
    assert [s.title for s in chinese.sections if s.title in HEADS] == list(HEADS)
    assert len(chinese.sections) == len(HEADS) + 1


def test_lines_are_joined_without_blanks(chinese: Document) -> None:
    lines = signs(40)
    first = "".join(next(lines) for _ in range(4))
    assert chinese.metadata.abstract == first
    assert not any(" " in p.text for s in chinese.sections for p in s.paragraphs)


def test_a_caption_goes_on_with_the_leading_of_its_script(chinese: Document) -> None:
    assert [(t.label, t.caption) for t in chinese.tables] == [
        ("表 1", "表 1 河流中石头的平均直径，以及本文提出的方法与传统的估计方法的比较。")
    ]


@pytest.mark.parametrize("name", ["张晓明", "欧阳丽娜", "山本 健一", "김철수", "نور الخطيب"])
def test_names_in_scripts_without_case(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("place", ["北京大学", "海湾信息工程研究所", "面向湍流运动的谱分析", "서울대학교"])
def test_places_and_sentences_are_no_names(place: str) -> None:
    assert not is_name(place)


@pytest.mark.parametrize(
    ("text", "count"), [("three plain words", 3), ("石头逐渐变圆", 3), ("本文 AB 提出的方法", 3), ("°C", 1)]
)
def test_words_of_a_line(text: str, count: int) -> None:
    assert word_count(make_line([made(part) for part in text.split()], 10, 0)) == count


@given(st.sampled_from([".", ":", "،", ";"]), st.integers(0, 9999))
def test_a_stop_behind_a_number_stays_behind_it_from_right_to_left(stop: str, number: int) -> None:
    after = [made("جدول"), made(f"{stop}{number}"), made(".5%")]
    assert [word.text for word in in_order(after)] == ["جدول", f"{number}{stop}", "5%."]
    before = [made("Table"), made(f"{stop}{number}")]
    assert in_order(before) == before


def made(text: str) -> Word:
    return Word(text, 0, 0, 5, 9, 7, 10, False, False, "Times")
