"""Half a sign (a lone surrogate), from the user or from a model: no traceback, and the run can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire import Library
from tests.hostile_http import hostile, said
from tests.library.conftest import write_pdf
from tests.llm.server import body_of


def test_a_question_and_a_reply_with_half_a_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    folder = tmp_path / "library"
    with Library.open(folder, index__encoders=("text_bm25_en",)) as library:
        library.add(write_pdf(tmp_path / "boats.pdf", "On Boats", "Paper boats float on calm water."))
        offline = library.ask("What do \ud800 boats do?")
    reply = "[Thought]: \ud800\n[Action]: GenerateAnswer(answer='float \udfff')"
    with hostile(said(body_of({"content": reply}))) as server:
        with Library.open(folder, model__name="m", model__base_url=server.url, model__retries=0) as library:
            run = library.ask("What do \ud800 boats do?")
            assert run.answer.status == "answered"
            for each in (run, offline):
                library.verdict("wrong", each.run_id)
    for file in (folder / "runs").rglob("*.json*"):
        file.read_text(encoding="utf-8")
