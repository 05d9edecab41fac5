from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from quire.errors import TaskError
from quire.eval.questions import finder, load, resolve

AIRQA: dict[str, Any] = {
    "uuid": "q1",
    "question": "What is the accuracy?",
    "answer_format": "Your answer should be a Python float.",
    "tags": ["objective", "single", "table"],
    "conference": ["acl2023"],
    "reasoning_steps": ["Look at Table 2."],
    "evaluator": {"eval_func": "eval_float_exact_match", "eval_kwargs": {"gold": 7.05, "ndigits": 2}},
    "state": {"gpt": False},
    "anchor_pdf": ["p-1"],
    "reference_pdf": [],
}


def _file(folder: Path, *rows: Any) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    return path


def test_airqa_without_what_gives_the_answer_away(tmp_path: Path) -> None:
    loaded = load(_file(tmp_path, AIRQA))
    item = loaded.items[0]
    assert (loaded.layout, loaded.name, loaded.notes) == ("airqa", "questions", ())
    assert item.question.anchor_papers == ("p-1",)
    assert item.question.conferences == ("acl2023",)
    assert "7.05" not in repr(item.question)
    assert "Look at Table" not in repr(item.question)
    assert item.evaluator is not None
    assert item.evaluator(7.051).value == 1


def test_the_impossible_are_named_and_the_rest_is_there(tmp_path: Path) -> None:
    bad = {"eval_func": "eval_string_exact_match", "eval_kwargs": {"gold": ["x", "y"]}}
    odd = {"eval_func": "eval_float_exact_match", "eval_kwargs": {"gold": 1.0, "nidigits": 1}}
    path = _file(
        tmp_path,
        {**AIRQA, "evaluator": bad},
        {**AIRQA, "uuid": "q2"},
        {**AIRQA, "uuid": "q3", "evaluator": odd},
    )
    loaded = load(path)
    assert [item.evaluator is None for item in loaded.items] == [True, False, False]
    assert "no answer can match" in loaded.items[0].problem
    assert [note.split(":")[0] for note in loaded.notes] == ["q1", "q3"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (['{"question": '], "line 1 is not JSON"),
        ([AIRQA, "[1]"], "line 3 must be a JSON object"),
        ([AIRQA, {**AIRQA, "uuid": "q2", "question": 7}], "line 3: field `question` must be a text, not int"),
        ([AIRQA, {"uuid": "q2", "evaluator": {}}], "line 3: field `question` is missing"),
        ([{**AIRQA, "anchor_pdf": [1]}], "line 1: field `anchor_pdf` must be a list of texts"),
        ([{**AIRQA, "evaluator": {"eval_func": "x"}}], "line 1: field `evaluator`: There is no evaluator"),
        ([{"text": "?"}], "no question of a known layout"),
        ([{"question": "?", "answer": ""}], "line 1: field `answer` must be the right answer"),
        ([{"question": "?", "answer": 1, "paper_id": "x"}], "line 1: field `paper_id` is unknown"),
        ([], "holds no questions"),
    ],
)
def test_errors_name_line_and_field(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(TaskError, match=message.replace("[", r"\[")):
        load(_file(tmp_path, *rows))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="There is no file"):
        load(tmp_path / "none.jsonl")


def test_an_id_given_twice_is_told_and_both_questions_stay(tmp_path: Path) -> None:
    loaded = load(_file(tmp_path, AIRQA, AIRQA))
    assert [item.question.id for item in loaded.items] == ["q1", "q1-2"]
    assert loaded.items[1].given_id == "q1"
    assert "taken already" in loaded.notes[0]


@pytest.mark.parametrize(
    ("answer", "right", "wrong"),
    [
        (True, "yes", "no"),
        (12, "12.0", 13),
        (0.5, 0.50001, 0.6),
        ("Adam optimiser", "adam optimiser.", "SGD"),
        (["RTE", "CoLA"], ["cola", "rte"], ["RTE"]),
        ({"L": 2}, {"L": 2}, {"L": 3}),
        ({"any": ["T5", "PICARD"]}, "t5", "BERT"),
    ],
)
def test_our_own_layout_chooses_the_scorer(tmp_path: Path, answer: Any, right: Any, wrong: Any) -> None:
    row = {"question": "Q?", "answer": answer, "papers": ["a.pdf"], "kind": "table"}
    item = load(_file(tmp_path, row)).items[0]
    assert item.evaluator is not None
    assert item.question.tags == ("table",)
    assert (item.evaluator(right).value, item.evaluator(wrong).value) == (1, 0)


def test_our_own_layout_can_ask_a_judge_and_read_one_list(tmp_path: Path) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([{"question": "Why?", "answer": "It is fast.", "judge": True}]), "utf-8")
    item = load(path).items[0]
    assert item.evaluator is not None
    assert item.evaluator.name == "eval_reference_answer_with_llm"


def test_m3sciqas_own_files(tmp_path: Path) -> None:
    row = {
        "question": "Consider the paper ...?",
        "answer": "A dual model.",
        "anchor_arxiv_id": "2310.08395",
        "reference_arxiv_id": "2309.14362",
        "modal": "table",
    }
    loaded = load(_file(tmp_path, row, row))
    assert loaded.layout == "m3sciqa"
    assert loaded.items[0].cited == ("2309.14362",)
    assert loaded.items[1].question.id == loaded.items[0].question.id + "-2"
    locality = {
        "question_anchor": "Which?",
        "answer_anchor": "GPT-4",
        "anchor_id": "2310.04988",
        "modal": "figure",
    }
    item = load(_file(tmp_path, locality)).items[0]
    assert item.evaluator is not None
    assert item.evaluator("gpt-4").value == 1


def _paper(id: str, title: str, file_name: str, doi: str = "", arxiv_id: str = "") -> Any:
    return SimpleNamespace(id=id, title=title, file_name=file_name, doi=doi, arxiv_id=arxiv_id)


_find = finder(
    [
        _paper("id-1", "Attention Is All You Need", "p-1.pdf", "10.1/abc", "1706.03762"),
        _paper("id-2", "Title of Two", "two.pdf"),
        _paper("id-3", "FoundFiles: Title", "three.pdf"),
        _paper("id-4", "Twin", "a.pdf"),
        _paper("id-5", "Twin", "b.pdf"),
    ]
)


@pytest.mark.parametrize(
    ("name", "paper"),
    [
        ("id-1", "id-1"),
        ("p-1", "id-1"),
        ("P-1.pdf", "id-1"),
        ("attention is all you need.", "id-1"),
        ("https://doi.org/10.1/ABC", "id-1"),
        ("arXiv:1706.03762v5", "id-1"),
        ("1706.03762", "id-1"),
        ("Attention", None),
        ("Twin", None),
        ("b.pdf", "id-5"),
        ("", None),
        ("?!", None),
    ],
)
def test_a_paper_has_many_names_but_only_whole_ones(name: str, paper: str | None) -> None:
    assert _find(name) == paper


def test_papers_are_found_by_any_name_and_missing_ones_are_kept_apart(tmp_path: Path) -> None:
    relevance = {
        "eval_func": "eval_paper_relevance_with_reference_answer",
        "eval_kwargs": {"question": "?", "reference_answer": "FoundFiles Title"},
    }
    absent = {**relevance, "eval_kwargs": {"question": "?", "reference_answer": "Never Seen"}}
    path = _file(
        tmp_path,
        {**AIRQA, "reference_pdf": ["p-2"]},
        {**AIRQA, "uuid": "q2", "anchor_pdf": ["p-9"]},
        {**AIRQA, "uuid": "q3", "anchor_pdf": [], "evaluator": relevance},
        {**AIRQA, "uuid": "q4", "anchor_pdf": [], "evaluator": absent},
    )
    items = resolve(load(path).items, _find, {"p-2": "title of two"})
    assert [item.missing for item in items] == [(), ("p-9",), (), ("Never Seen",)]
    assert items[0].question.anchor_papers == ("id-1",)


def test_one_paper_of_a_cluster_is_enough(tmp_path: Path) -> None:
    judged = {"eval_func": "eval_m3sciqa", "eval_kwargs": {"question": "?", "reference_answer": "x"}}
    row = {**AIRQA, "evaluator": judged, "reference_pdf": ["p-9", "p-1"]}
    assert resolve(load(_file(tmp_path, row)).items, _find)[0].missing == ()
    assert resolve(load(_file(tmp_path, {**row, "reference_pdf": ["p-9"]})).items, _find)[0].missing == (
        "p-9",
    )


def test_an_answer_that_is_papers_is_asked_for_by_the_librarys_ids(tmp_path: Path) -> None:
    here, there = "0a412245-e6a6-5d0d-a25d-5b79b8c4faaf", "ca116924-bf11-5529-a43f-bf68e9745c5c"
    listed = {"eval_func": "eval_structured_object_exact_match", "eval_kwargs": {"gold": [here, there]}}
    loaded = load(_file(tmp_path, {**AIRQA, "anchor_pdf": [], "evaluator": listed}))
    item = resolve(loaded.items, _find, {here: "title of two", there: "p-1"})[0]
    assert item.missing == ()
    assert item.evaluator is not None
    assert item.evaluator.parameters["gold"] == ["id-2", "id-1"]
    assert resolve(loaded.items, _find, {here: "title of two"})[0].missing == (there,)
    assert resolve(loaded.items, _find)[0].missing == (here,)
