from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Command

ASKED = ("In Table 1, what is the soaking time of the keel boat at 160 g?", "--paper", "paper-boats.pdf")


@pytest.fixture
def run(quire: Command, filled: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads(quire("ask", *ASKED, "--library", filled, "--json").out)
    return document


def test_an_answer_comes_with_verified_evidence(quire: Command, filled: Path) -> None:
    answer = json.loads(quire("ask", *ASKED, "--library", filled, "--json").out)["answer"]
    assert answer["status"] == "answered"
    assert str(answer["value"]) == "243.8"
    evidence = answer["evidence"][0]
    assert evidence["verified"]
    assert evidence["page"] == 1
    assert len(evidence["bbox"]) == 4


def test_verbose_shows_thought_action_and_observation(quire: Command, filled: Path) -> None:
    ran = quire("ask", *ASKED, "--library", filled, "--verbose")
    assert ran.code == 0
    for word in ("Thought", "ReadRows", "Rows 1 to 10", "GenerateAnswer", "243.8", "verified"):
        assert word in ran.out


def test_weak_evidence_is_an_abstention_with_the_closest_passages(quire: Command, filled: Path) -> None:
    ran = quire("ask", "At what temperature does mercury boil?", "--library", filled, "--json")
    answer = json.loads(ran.out)["answer"]
    assert answer["status"] == "abstained"
    assert answer["value"] is None
    assert answer["evidence"]


@pytest.mark.parametrize(("type_", "value"), [("int", 3), ("str", "3"), ("float", 3.0)])
def test_the_answer_has_the_asked_type(quire: Command, filled: Path, type_: str, value: object) -> None:
    arguments = ("--paper", "paper-boats.pdf", "--type", type_, "--library", filled, "--json")
    ran = quire("ask", "How many authors does this paper have?", *arguments)
    assert json.loads(ran.out)["answer"]["value"] == value


def test_a_schema_file_is_a_type_too(quire: Command, filled: Path, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "array", "items": {"type": "string"}, "minItems": 2}')
    ran = quire(
        "ask",
        "Who wrote it?",
        "--paper",
        "sourdough-starters.pdf",
        "--type",
        schema,
        "--library",
        filled,
        "--json",
    )
    assert json.loads(ran.out)["answer"]["value"] == ["Li Specimen", "Maria Example"]
    assert quire("ask", "Who?", "--type", "no-such-type", "--library", filled).code == 2


def test_a_run_is_stored_shown_and_replayed(
    quire: Command, filled: Path, run: dict[str, object], tmp_path: Path
) -> None:
    name = str(run["run_id"])
    assert json.loads(quire("show", name, "--library", filled, "--json").out) == run
    assert "243.8" in quire("--library", filled, "show", name, "--verbose").out  # as the hand has it
    assert quire("--library", "elsewhere", "show", name, "--library", filled).code == 0
    assert quire("replay", name, "--library", filled).code == 0
    assert name in quire("runs", "--library", filled).out
    assert quire("diff", name, name, "--library", filled).code == 0
    assert quire("export", "runs", name, "-o", tmp_path, "--library", filled).code == 0
    exported = tmp_path / f"{name}.jsonl"
    roles = [json.loads(line)["role"] for line in exported.read_text().splitlines()]
    assert roles[0] == "user"
    assert "assistant" in roles
    assert quire("import", exported, "--library", tmp_path / "other").code == 0
    before = (tmp_path / "other" / "runs" / exported.name).read_bytes()
    assert "already" in quire("import", exported, "--library", tmp_path / "other").err
    assert (tmp_path / "other" / "runs" / exported.name).read_bytes() == before
    stored = filled / "runs" / f"{name}.jsonl"
    forged = filled / "runs" / "forged.jsonl"
    forged.write_text(stored.read_text().replace(name, "../../x"))
    assert quire("export", "runs", "forged", "-o", tmp_path / "a" / "b", "--library", filled).code == 1
    assert not (tmp_path / "x.jsonl").exists()
    forged.unlink()
    assert quire("show", "nonsense", "--library", filled).code == 1


def test_a_model_can_answer_instead(quire: Command, filled: Path, tmp_path: Path) -> None:
    script = tmp_path / "replies.jsonl"
    said = "[Thought]: I count.\n[Action]: GenerateAnswer(answer=3)"
    script.write_text(json.dumps({"text": said}) + "\n")
    ran = quire("ask", "How many?", "--model", f"scripted:{script}", "--library", filled, "--json")
    document = json.loads(ran.out)
    assert document["answer"]["value"] == 3
    assert document["model"].startswith("scripted")


def test_what_was_looked_up_before_the_turns_is_none_of_them(
    quire: Command, filled: Path, tmp_path: Path
) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"text": "[Thought]: It is there.\\n[Action]: GenerateAnswer(answer=3)"}\n')
    asked = ("ask", "What floats the longest?", "--model", f"scripted:{replies}")
    for told in (
        quire(*asked, "--verbose", "--library", filled).out,
        quire("show", "--verbose", "--library", filled).out,
    ):
        assert "Looked up before the first turn: " in told
        assert "Paper Boats" in told.split("[1]")[0]
        assert "[1] Thought It is there." in told
        assert "[2]" not in told
    assert "1 turn," in told
    counted = quire("ask", "How many papers are there?", *asked[2:], "--verbose", "--library", filled).out
    assert "Looked up before the first turn: which papers there are" in counted
