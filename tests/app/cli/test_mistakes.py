"""What a newcomer types wrong is told in a sentence, and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.cli.conftest import Command


def test_a_library_that_is_not_there_is_not_made_by_a_question(quire: Command, tmp_path: Path) -> None:
    ran = quire("ask", "How many papers are there?", "--library", tmp_path / "typo")
    assert ran.code == 1
    assert "There is no library in" in ran.err
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("question", ["", "  "])
def test_an_empty_question_is_an_error(quire: Command, filled: Path, question: str) -> None:
    ran = quire("ask", question, "--library", filled)
    assert ran.code == 1
    assert "The question is empty" in ran.err


MODELS = pytest.mark.parametrize("model", [(), ("--model", "echo:m")], ids=["offline", "model"])


@MODELS
def test_a_method_that_is_unknown_is_an_error_with_and_without_a_model(
    quire: Command, filled: Path, model: tuple[str, ...]
) -> None:
    ran = quire("ask", "How many papers are there?", "--method", "guess", *model, "--library", filled)
    assert ran.code == 1
    assert "UnknownNameError" in ran.err
    assert "evidence_first" in ran.err  # the choices


@MODELS
def test_a_type_that_is_unknown_is_an_error(quire: Command, filled: Path, model: tuple[str, ...]) -> None:
    ran = quire("ask", "How many papers are there?", "--type", "number", *model, "--library", filled)
    assert ran.code == 2
    assert "int, float, str, bool, list" in ran.err
    assert "Errno" not in ran.err


def test_a_model_without_a_key_ends_with_1(
    quire: Command, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ran = quire("ask", "How many papers are there?", "--model", "gpt-5-mini", "--library", filled)
    assert ran.code == 1
    assert "OPENAI_API_KEY" in ran.out + ran.err


def test_a_quiz_that_cannot_be_written_ends_in_a_sentence(
    quire: Command, filled: Path, tmp_path: Path
) -> None:
    for target, told in (
        (Path("/dev/full"), "No space left"),
        (tmp_path / "none" / "q.jsonl", "No such file"),
    ):
        ran = quire("quiz", "-o", target, "--library", filled)
        assert ran.code == 1
        assert told in ran.err


@pytest.mark.parametrize("more", ["", "\n", "\n" + "x" * 5000])
def test_prose_is_no_list_of_files(quire: Command, tmp_path: Path, more: str) -> None:
    notes = tmp_path / "n.txt"
    notes.write_text("Remember to read the paper about boats." + more)
    ran = quire("add", notes, "--library", tmp_path / "library")
    assert ran.code == 1
    assert "neither a PDF nor a list of paths" in ran.out
    assert "n.txt" in ran.out
