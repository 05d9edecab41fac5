from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from quire.errors import DocumentLimit
from quire.pdf import render
from quire.pdf.render import MAX_PIXELS
from quire.types import Box


def _open(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def test_a_page_has_the_size_of_its_resolution(one_column: Path) -> None:
    assert _open(render(one_column, 1, dpi=72)).size == (596, 842)


def test_a_box_is_cut_out(one_column: Path) -> None:
    picture = _open(render(one_column, 1, box=Box(100, 60, 300, 50), dpi=144))
    assert abs(picture.width - 600) <= 2
    assert abs(picture.height - 100) <= 2


def test_marks_are_painted_where_they_stand(one_column: Path) -> None:
    mark = Box(300, 400, 100, 20)
    plain, marked = (_open(render(one_column, 2, dpi=72, marks=m)) for m in ((), (mark,)))
    changed = [
        (x, y)
        for x in range(plain.width)
        for y in range(plain.height)
        if plain.getpixel((x, y)) != marked.getpixel((x, y))
    ]
    assert min(x for x, _ in changed) >= 299
    assert max(y for _, y in changed) <= 421


def test_a_picture_is_never_larger_than_the_limit(one_column: Path) -> None:
    assert MAX_PIXELS <= 50_000_000
    picture = Image.open(io.BytesIO(render(one_column, 1, box=Box(0, 0, 50, 50), dpi=100_000)))
    assert picture.width * picture.height <= MAX_PIXELS * 1.01


def test_a_page_that_is_not_there(one_column: Path) -> None:
    with pytest.raises(DocumentLimit, match="pages 1 to 2"):
        render(one_column, 3)
