"""Children that draw pages: kept for the next caller, replaced when they are of no more use."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.errors import DocumentError
from quire.library import page_readers
from quire.library.page_readers import PageReaders, page_task, page_words, render_task
from quire.settings import Parsing
from tests.library.conftest import write_pdf


def test_a_child_serves_until_it_is_worn_out_or_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write_pdf(tmp_path / "a.pdf", "On Boats", "They float.")
    monkeypatch.setattr(page_readers, "_USES", 3)
    readers = PageReaders(Parsing(workers=1))
    readers.warm()
    ((child, uses),) = readers._free
    assert uses == 0
    words = page_words(readers.ask(page_task("words", page, 1)))
    assert [(word.text, word.line) for word in words] == [("On", 0), ("Boats", 0), ("They", 1), ("float.", 1)]
    assert (words[0].x0, words[2].x0) == pytest.approx((50, 50), abs=2)
    assert words[1].x0 > words[0].x0 + words[0].width > words[0].x0
    assert all(0 < word.y0 < 150 and 5 < word.height < 25 for word in words)
    assert readers.ask(render_task(page, 1, None, dpi=20)).startswith(b"\x89PNG")
    assert readers._free == [(child, 2)]
    readers.ask(page_task("words", page, 1))
    assert readers._free == []  # worn out
    assert child.process.poll() is not None
    with pytest.raises(DocumentError):
        readers.ask(page_task("words", tmp_path / "gone.pdf", 1))
    assert readers._free == []
    readers.warm()
    ((child, _),) = readers._free
    readers.close()
    assert child.process.poll() is not None
    assert readers._free == []


@pytest.mark.parametrize("answer", [b"", b"7", b"[[1, 2]]", b'[["a", "x", 0, 1, 1, false, 0]]'])
def test_words_that_make_no_sense_are_refused(answer: bytes) -> None:
    with pytest.raises(DocumentError, match="could not be read"):
        page_words(answer)
