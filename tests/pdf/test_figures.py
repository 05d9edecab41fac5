from __future__ import annotations

from pathlib import Path

from reportlab.lib.utils import ImageReader

from quire.types import Image
from tests.pdf.paper import HEIGHT, Paper, words
from tests.pdf.tabled import bar, cells, floats_of, paper_with_text, rule

RED = b"P6 2 2 255 " + bytes([200, 30, 30] * 4)


def picture(paper: Paper, x: float, y: float, width: float, height: float) -> None:
    """A picture with its upper left corner at (x, y)."""
    from io import BytesIO

    image = ImageReader(BytesIO(RED))
    paper.canvas.drawImage(image, x, HEIGHT - y - height, width, height)


def images_of(paper: Paper) -> tuple[Image, ...]:
    return floats_of(paper.save()).images


def test_picture_above_its_caption(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y
    picture(paper, 150, top, 200, 100)
    paper.line("Figure 1: A red stone", y=top + 120, size=9)
    paper.gap(10)
    paper.text(words(60, 3))
    (image,) = images_of(paper)
    assert (image.label, image.caption) == ("Figure 1", "Figure 1: A red stone")
    assert abs(image.bbox.y0 - top) < 2
    assert abs(image.bbox.width - 200) < 2


def test_panels_and_labels_belong_to_one_figure(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y
    for k, name in enumerate(("(a)", "(b)")):
        picture(paper, 100 + 160 * k, top, 140, 90)
        paper.line(name, x=160 + 160 * k, y=top + 102, size=8)
    paper.line("Figure 2: Two stones", y=top + 125, size=9)
    (image,) = images_of(paper)
    assert image.bbox.x0 <= 101
    assert image.bbox.x1 >= 399
    assert image.bbox.y1 > top + 98


def test_drawn_chart_is_a_figure_and_no_table(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y
    for k in range(5):
        rule(paper, 100, 300, top + 25 * k)
        bar(paper, 100 + 50 * k, top, top + 100)
        paper.canvas.rect(110 + 45 * k, HEIGHT - top - 100, 20, 20 + 12 * k, fill=1)
    cells(paper, [["0", "1", "2", "3"]], [100, 150, 200, 250], top + 112)
    paper.line("Figure 3: Bars", y=top + 135, size=9)
    floats = floats_of(paper.save())
    assert floats.tables == ()
    assert [i.label for i in floats.images] == ["Figure 3"]
    assert floats.images[0].bbox.height > 95


def test_picture_without_caption_and_a_logo_on_every_page(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    for number in range(3):
        picture(paper, 60, 20, 80, 30)
        paper.line("A Heading", y=90)
        paper.text(words(100, number))
        if number == 1:
            picture(paper, 150, 400, 200, 150)
        paper.page()
    (image,) = images_of(paper)
    assert (image.page, image.label, image.caption) == (2, "", "")


def test_program_text_as_a_figure(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y
    paper.canvas.setFont("Courier", 9)
    for k in range(4):
        paper.canvas.drawString(90, HEIGHT - top - 12 * k, f"stone[{k}] := take the next one from the river")
    paper.line("Figure 4: A program", y=top + 60, size=9)
    (image,) = images_of(paper)
    assert image.bbox.y0 < top
    assert image.bbox.height > 35


def test_a_picture_far_from_the_only_caption_without_one_is_its_figure(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y + 60
    picture(paper, 150, top, 200, 100)
    paper.y = top + 130
    paper.text(words(60, 3))
    paper.gap(20)
    bar(paper, 60, paper.y, paper.y + 40)  # a line of one point beside the caption is no figure
    paper.line("Figure 1: A red stone", y=paper.y + 55, size=9)
    (image,) = images_of(paper)
    assert image.label == "Figure 1"
    assert abs(image.bbox.y0 - top) < 2
    assert abs(image.bbox.width - 200) < 2


def test_the_last_line_above_a_picture_is_text(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.text(words(30, 3))
    paper.line("of the river.")
    top = paper.y - 14  # the blank margin of the picture lies over the line
    picture(paper, 72, top, 400, 100)
    paper.line("Figure 1: A red stone", y=top + 115, size=9)
    (image,) = images_of(paper)
    assert image.bbox.y0 > top + 3


def in_columns(path: Path) -> Paper:
    """The lower half of a page in two columns, filled."""
    paper = Paper(path)
    for x in (50.0, 310.0):
        paper.y = 480
        paper.text(words(220, int(x)), x=x, width=235)
    return paper


def test_a_figure_over_two_columns_with_a_short_caption_under_one(tmp_path: Path) -> None:
    paper = in_columns(tmp_path / "a.pdf")
    for k in range(3):  # boxes of a flow chart over the border
        paper.canvas.rect(60 + 20 * k, HEIGHT - 170 - 110 * k, 440, 70)
        paper.line("Boats in the yard, assessed", x=240, y=130 + 110 * k, size=8)
    paper.line("Figure 1: Boats", x=50, y=440, size=9)
    (image,) = images_of(paper)
    assert image.label == "Figure 1"
    assert image.bbox.x1 > 535
    assert image.bbox.y0 < 105


def test_panels_in_the_next_column_belong_to_the_caption_under_the_first(tmp_path: Path) -> None:
    paper = in_columns(tmp_path / "a.pdf")
    picture(paper, 60, 100, 200, 300)
    picture(paper, 330, 110, 200, 290)
    paper.line("Figure 1: Boats", x=50, y=440, size=9)
    (image,) = images_of(paper)
    assert image.bbox.x1 > 525


def test_figures_of_two_columns_with_captions_of_their_own_stay_two(tmp_path: Path) -> None:
    paper = in_columns(tmp_path / "a.pdf")
    picture(paper, 60, 100, 200, 280)
    picture(paper, 330, 100, 200, 310)
    paper.line("Figure 1: Boats", x=50, y=410, size=9)
    paper.line("Figure 2: Yards", x=310, y=440, size=9)
    one, other = images_of(paper)
    assert (one.label, other.label) == ("Figure 1", "Figure 2")
    assert one.bbox.x1 < 270
    assert other.bbox.x0 > 320


def test_a_table_set_in_type_that_is_labelled_a_figure_has_cells(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    rows = [["Boat", "Sails", "Length", "Weight"]]
    rows += [[f"Hull {k}", str(3 * k), f"{k}.5", f"{7 * k}.25"] for k in range(1, 11)]
    below = cells(paper, rows, [100, 180, 260, 340], paper.y + 10)
    paper.line("Figure 5: Boats of the yard", x=100, y=below + 10, size=9)
    floats = floats_of(paper.save())
    assert [table.label for table in floats.tables] == ["Figure 5"]
    assert len(floats.tables[0].cells) == 44
    assert floats.images[0].bbox.height > 130


def test_a_sentence_that_begins_with_a_part_of_a_figure_is_no_caption(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    for number in (1, 2):
        picture(paper, 150, paper.y, 200, 100)
        paper.line(f"Figure {number}: Boats", y=paper.y + 120, size=9)
        paper.gap(10)
    paper.text("Figure 2A tells of the boats and " + words(40, 3))
    assert [image.label for image in images_of(paper)] == ["Figure 1", "Figure 2"]


def test_sentences_in_frames_are_words_of_a_figure(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y
    paper.canvas.rect(72, HEIGHT - top - 200, 440, 200)
    for k in range(4):
        paper.canvas.setFillGray(0.9)
        paper.canvas.rect(180, HEIGHT - top - 30 - 45 * k, 300, 20, fill=1)
        paper.canvas.setFillGray(0)
        paper.line(f"Boat {k} tells which of the hulls in the yard is seen", x=185, y=top + 24 + 45 * k)
    paper.line("Figure 6: A statement", y=top + 214, size=9)
    paper.gap(10)
    paper.text(words(60, 3))
    (image,) = images_of(paper)
    assert image.bbox.y0 < top + 2
    assert image.bbox.x1 > 510


def test_a_scan_with_white_margins_is_no_figure(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    for _ in range(2):
        picture(paper, 24, 34, 548, 774)
        paper.page()
    assert images_of(paper) == ()
