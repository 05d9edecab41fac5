"""Progress is there at once, moves every second, and says what it does: for one small file too."""

from __future__ import annotations

import io
import time
from pathlib import Path

from rich.console import Console

from quire.app.cli.output import stages
from quire.library import Library
from quire.library.report import Progress
from tests.library.conftest import write_pdf


def shown(out: io.StringIO, text: str) -> bool:
    """Whether it is drawn, sooner or later."""
    end = time.monotonic() + 60
    while text not in out.getvalue() and time.monotonic() < end:
        time.sleep(0.02)
    return text in out.getvalue()


def test_something_moves_before_anything_is_done() -> None:
    out = io.StringIO()
    screen = Console(file=out, force_terminal=True, width=100)
    with stages(quiet=False, screen=screen):
        assert shown(out, "parsing")
        assert shown(out, "0:00:01")


def test_it_says_what_encoding_does() -> None:
    out = io.StringIO()
    with stages(quiet=False, screen=Console(file=out, force_terminal=True, width=120)) as tell:
        assert tell is not None
        tell(Progress("parse", 1, 1, 2.0, 0.0, "first.pdf"))
        tell(Progress("encode", 0, 64, 0.0, None, "text_sentence_transformers_all_minilm_l6_v2"))
        assert shown(out, "in other words")
    assert "first.pdf" in out.getvalue()
    assert "encoding" in out.getvalue()


def test_nothing_is_drawn_where_nobody_looks() -> None:
    with stages(quiet=False, screen=Console(file=io.StringIO())) as tell:
        assert tell is None


def test_encoding_is_told_before_its_first_vectors(tmp_path: Path) -> None:
    seen: list[Progress] = []
    with Library.open(tmp_path / "library") as library:
        library.add(write_pdf(tmp_path / "a.pdf", "On Boats That Float", "They float."), progress=seen.append)
    encoding = [step for step in seen if step.stage == "encode"]
    assert encoding[0].done == 0
    assert encoding[-1].done == encoding[-1].total > 0
