"""Words are those of the page: spaces that PDFium does not tell, raised numbers, hyphens of line ends."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from quire.pdf.layout.blocks import Block, settled
from quire.pdf.layout.rows import Row
from quire.pdf.pdfium.fonts import Style
from quire.pdf.pdfium.lines import build_lines
from quire.pdf.pdfium.text import Characters
from quire.pdf.raw import Word, make_line


def characters(text: str, untold: str = "", space: float = 2.0, size: float = 10.0) -> Characters:
    """A line of letters 5 points wide; a blank and the sign `untold` are gaps, the latter without a space."""
    letters, u0, told, x, blank, known = [], [], [], 50.0, False, False
    for sign in text:
        if sign in (" ", untold):
            x, blank, known = x + space, True, sign == " "
            continue
        letters.append(sign)
        u0.append(x)
        told.append(blank and known)
        x, blank = x + 5, False
    starts = np.array(u0)
    count = len(letters)
    style = Style(size, 0, False, False, "Body", False, False)
    return Characters(
        letters, starts, starts + 5, np.full(count, 100.0), np.zeros(count, np.int64), np.array(told), [style]
    )


def test_a_gap_as_wide_as_the_spaces_of_the_page_is_one() -> None:
    (line,) = build_lines(characters("the stone is " * 10 + "a part of_the river"[:-1], untold="_"))
    assert line.text.endswith("a part of the rive")


def test_a_narrow_gap_is_one_in_a_line_whose_spaces_are_as_narrow_whatever_others_are() -> None:
    narrow = characters("trees of_the river", untold="_", space=1.2)
    wide = characters("a wide line " * 10, space=3.0)
    styles, count = [*wide.styles, wide.styles[0]._replace(italic=True)], len(wide.texts)
    style = np.concatenate((wide.style, np.where(np.arange(len(narrow.texts)) < 5, 1, 0)))
    both = wide._replace(
        texts=[*wide.texts, *narrow.texts], u0=np.concatenate((wide.u0, narrow.u0)),
        u1=np.concatenate((wide.u1, narrow.u1)), v=np.repeat([100.0, 120.0], [count, len(narrow.texts)]),
        style=style, space=np.concatenate((wide.space, narrow.space)), styles=styles,
    )  # fmt: skip
    assert build_lines(both)[1].text == "trees of the river"


def test_no_space_stands_before_a_stop_however_wide_the_gap_is() -> None:
    (line,) = build_lines(characters("the stone is_._._. here", untold="_"))
    assert line.text == "the stone is... here"


def test_letters_around_an_accent_that_is_drawn_apart_stay_one_word() -> None:
    found = characters("in Mexico there")
    at = 4  # between the accent and its letter the file has another line: PDFium tells spaces there
    letters = [*found.texts[:3], "\u00b4", *found.texts[3:]]
    told = np.insert(found.space, 3, True)
    told[at] = True
    drawn = found._replace(
        texts=letters, u0=np.insert(found.u0, 3, found.u0[3] + 1), u1=np.insert(found.u1, 3, found.u1[3] - 1),
        v=np.insert(found.v, 3, 100.0), style=np.zeros(len(letters), np.int64), space=told,
    )  # fmt: skip
    assert [line.text for line in build_lines(drawn)] == ["in M\u00e9xico there"]


def test_a_narrow_gap_is_none_where_spaces_are_wider() -> None:
    found = characters("the stone is " * 10 + "here ofthe", space=2.9)
    u0 = found.u0.copy()
    u0[-3:] += 1.5
    (line,) = build_lines(found._replace(u0=u0, u1=u0 + 5))
    assert line.text.endswith("ofthe")


def test_a_raised_number_close_behind_a_word_is_glued_to_it() -> None:
    found = characters("the stones differ. 14,15 They lie")
    raised = [i for i, text in enumerate(found.texts) if text.isdigit() or text == ","]
    style, v, u0 = found.style.copy(), found.v.copy(), found.u0.copy()
    style[raised], v[raised] = 1, 96.0
    u0[raised[0] :] -= 1.0
    styles = [found.styles[0], found.styles[0]._replace(size=7.0)]
    (line,) = build_lines(found._replace(style=style, v=v, u0=u0, u1=u0 + 5, styles=styles))
    assert line.text == "the stones differ.^14,15 They lie"


def row(text: str, base: float) -> Row:
    words = [
        Word(part, 50.0 + 40 * k, base - 8, 85.0 + 40 * k, base + 2, base, 10.0, False, False, "Body")
        for k, part in enumerate(text.split())
    ]
    return Row(make_line(words, 10.0, base), 1, 50, 300, 0)


@pytest.mark.parametrize(
    ("lines", "known", "whole"),
    [
        (("we use SCIB-", "ERT here"), {"scibert": 3}, "SCIBERT"),
        (("it is from Cite-", "Seer and"), {"citeseer": 1}, "CiteSeer"),
        (("and a post-", "war house"), {"war": 2}, "post-war"),
        (("we can pre-", "dict the rest"), {}, "predict"),
        (("More-", "over it is"), {"more": 5, "over": 4}, "Moreover"),
        (("the noun-", "verb pair"), {"noun": 5, "verb": 4}, "noun-verb"),
        (("by Baird-", "Pattinson then"), {}, "Baird-Pattinson"),
    ],
)
def test_what_the_document_knows_settles_a_hyphen(
    lines: tuple[str, str], known: dict[str, int], whole: str
) -> None:

    rows = settled([row(lines[0], 100), row(lines[1], 112)], Counter(known))
    assert whole in Block(tuple(rows)).text.split()


def test_letters_that_all_stand_apart_are_no_words_of_a_page() -> None:
    (line,) = build_lines(characters("a " * 40))
    assert line.text.replace(" ", "") == "a" * 40
