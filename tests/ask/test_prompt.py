"""What a model is told."""

from __future__ import annotations

import pytest

from quire.ask.actions import load_actions
from quire.ask.formats import FORMATS
from quire.ask.methods import METHODS
from quire.ask.prompt import look, question_text, system_text, titles
from quire.search.encoders import BM25, ENCODERS
from quire.types import Question
from tests.ask.small_library import OTHER, PAPER, ask, library


def text(
    name: str = "full_hybrid", action_format: str = "markdown", collections: tuple[str, ...] = (BM25,)
) -> str:
    held = look(library(), collections)
    return system_text(METHODS[name], load_actions(), held, action_format, max_turns=20)


@pytest.mark.parametrize("action_format", list(FORMATS))
@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_has_a_prompt_in_every_format_that_never_changes(name: str, action_format: str) -> None:
    said = text(name, action_format)
    assert said == text(name, action_format)
    assert "$" not in said
    for action in METHODS[name].actions:
        assert action in said
    for other in set(load_actions()) - set(METHODS[name].actions):
        assert f"{other}(" not in said


def test_only_what_is_filled_is_named() -> None:
    said = text()
    assert "page_content" in said
    assert "page_summary" not in said
    assert "equations" not in said.split("## Actions")[0]
    assert "2 papers" in said
    assert f"{BM25} (word match, BM25) over metadata: title, abstract; pages: page_content" in said
    assert "clip" not in said


def test_pictures_have_a_collection_of_their_own() -> None:
    held = look(library(), tuple(ENCODERS))
    assert "image_clip" not in held.collections_text()  # no picture is in that library
    assert "meaning, cosine" in held.collections_text()


def test_a_method_without_vectors_is_not_told_of_collections() -> None:
    assert "## Collections" not in text("classic_sql")
    assert "## Tables" not in text("iterative_neural")


def test_the_question_comes_with_all_that_is_told_of_it() -> None:
    question = Question(
        "q", "Why?", "a string", (PAPER,), (OTHER, "gone"), ("ACL 2024",), schema={"type": "string"}
    )
    first, *rest = question_text(question, titles(library(), question), ("Q: ...\nA: ...",)).splitlines()
    assert first.startswith("Earlier questions and their answers, the closest one last.")
    assert rest == [
        "",
        "Q: ...",
        "A: ...",
        "",
        "[Question]: Why?",
        "[Answer Format]: a string",
        '[Answer JSON Schema]: {"type": "string"}',
        f"[Anchor PDF] (use): {PAPER} 'Benchmarks as Targets'",
        f"[Reference PDF] (may help): {OTHER} 'Adaptation'; gone",
        "[Conference]: ACL 2024",
    ]


def test_a_paper_of_a_strange_name_does_no_harm() -> None:
    assert titles(library(), Question("q", "?", anchor_papers=("'; DROP TABLE metadata; --",))) == {}
    assert question_text(ask(), {}).endswith(PAPER)
