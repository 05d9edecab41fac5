"""Across papers, through a scripted model: what it is shown, and the marks of what it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from quire import Library
from quire.errors import SettingsError
from quire.types import Said
from tests.app.conftest import copied
from tests.llm import server
from tests.llm.server import serving


def last_user(body: Mapping[str, Any]) -> str:
    """The last text that the model was sent."""
    return str(body["messages"][-1]["content"])


@pytest.fixture
def library(filled: Path, tmp_path: Path) -> Path:
    return copied(filled, tmp_path / "library")


def test_an_overview_is_shown_the_telling_sections_and_its_marks_lead_to_evidence(library: Path) -> None:
    heard: list[Said] = []
    with serving([]) as running:
        options: dict[str, Any] = {"model__name": "m", "model__base_url": running.url, "model__cache": False}
        with Library.open(library, **options) as opened:
            paper = opened.paper("paper-boats.pdf")
            sentence = opened.sql(
                "SELECT sentence_content, page_number FROM sentences s JOIN pages p "
                f"ON s.ref_page_id = p.page_id WHERE s.ref_paper_id = '{paper.id}' "
                "AND length(sentence_content) > 40 LIMIT 1"
            ).rows[0]
            text = "**What** Boats [1]. **Found** They float [2]."
            lines = '[Evidence]: nobody\'s paper, page 1, "no"\n'
            lines += f'[Evidence 2]: page {sentence[1]}, "{sentence[0]}"'
            running.acts.append(
                server.stream_text(f"{lines}\n[Action]: GenerateAnswer(answer={json.dumps(text)})")
            )
            run = opened.overview("paper-boats.pdf", on_text=heard.append)
        asked = running.requests[0]
    assert run.method == "overview"
    assert run.answer.value == text
    assert [(each.mark, each.verified) for each in run.answer.evidence] == [(2, True)]
    assert "".join(said.text for said in heard) == text
    assert "(page " in last_user(asked)
    assert "abstract" in last_user(asked)


def test_a_summary_is_shown_one_passage_of_each_paper(library: Path) -> None:
    with serving([server.say("[Action]: GenerateAnswer(answer=None)")]) as running:
        options: dict[str, Any] = {"model__name": "m", "model__base_url": running.url, "model__cache": False}
        with Library.open(library, **options) as opened:
            run = opened.summarise_topic("paper and boats")
        shown = [row["pdf_id"] for row in run.steps[0].observation.rows] if run.steps[0].observation else []
    assert len(shown) == len(set(shown)) > 1
    assert "as [1]" in str(running.requests[0]["messages"])


def test_a_comparison_is_shown_every_named_paper(library: Path) -> None:
    with serving([server.say("[Action]: GenerateAnswer(answer=None)")]) as running:
        options: dict[str, Any] = {"model__name": "m", "model__base_url": running.url, "model__cache": False}
        with Library.open(library, **options) as opened:
            names = [paper.file_name for paper in opened.papers()][:2]
            run = opened.compare(names, "sample size")
            titles = [str(paper.title) for paper in opened.papers()][:2]
        assert all(title in last_user(running.requests[0]) for title in titles)
        assert "sample size" in run.question.text


def test_it_needs_a_model(library: Path) -> None:
    with Library.open(library) as opened, pytest.raises(SettingsError, match="language model"):
        opened.overview("paper-boats.pdf")


def test_suggested_questions_are_answered_by_the_paper_itself(library: Path) -> None:
    with Library.open(library) as opened:
        for paper in opened.papers():
            asked = opened.suggested_questions(paper.id)
            assert len(asked) == len(set(asked)) == 3, asked
            assert all(question.endswith("?") for question in asked)
        of_table = next(q for q in opened.suggested_questions("paper-boats.pdf") if "Table" in q)
        assert opened.ask(of_table, papers=["paper-boats.pdf"], save=False).answer.status == "answered"
