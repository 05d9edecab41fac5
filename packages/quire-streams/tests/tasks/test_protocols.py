"""Protocols: the same data, asked and scored as quire does and as StreamBench was published."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from quire.errors import SettingsError, UnknownNameError
from quire.eval.run import RunSpec
from quire_streams.tasks import hotpotqa
from quire_streams.tasks.protocol import Sample, Task, names, open_task, spec_over
from tasks.datasets import MAKERS

_TOLD = {"spider": "", "cosql": "Before: ", "bird": "Hint: "}


def _opened(task: str, name: str, folder: Path) -> tuple[Task, Sequence[Sample]]:
    opened = open_task(task, protocol=name)
    return opened, opened.load(MAKERS[task](folder / name))


@pytest.mark.parametrize(("task", "hint"), _TOLD.items())
def test_published_sql_tells_neither_hints_nor_earlier_turns(task: str, hint: str, tmp_path: Path) -> None:
    for name, told in (("quire", hint), ("streambench", "")):
        _, samples = _opened(task, name, tmp_path)
        shown = samples[1].instance
        assert shown.input.startswith("Schema:\nCREATE TABLE animal")
        assert f"\n\n{told}" in shown.input
        assert shown.shot.startswith(told or "Question: ")
        assert ("Hint: " in shown.input, "Before: " in shown.input) == ("Hint" in told, "Before" in told)


def test_an_empty_result_is_right_or_wrong_by_the_protocol(tmp_path: Path) -> None:
    for name, value in (("quire", 1.0), ("streambench", 0.0)):
        task, samples = _opened("spider", name, tmp_path)
        nothing = [one for one in samples if "more than 19 kilos" in one.instance.input][0]
        same = "SELECT name FROM animal WHERE kilos > 9999"
        gold = type(nothing.gold)(same, nothing.gold.database)
        assert task.score(Sample(nothing.instance, gold), same).value == value
        assert task.score(nothing, nothing.reply).value == 1.0


def test_hotpotqa_shows_paragraphs_in_shots_and_counts_sets(tmp_path: Path) -> None:
    for name, paragraphs, f1 in (("quire", False, 1.0), ("streambench", True, 2 / 3)):
        task, samples = _opened("hotpotqa", name, tmp_path)
        assert ("was painted by" in samples[0].instance.shot) is paragraphs
        assert all(("carved" in one.prompt_fields["shot"]) for one in task.examples(tmp_path / name))
        sample = Sample(samples[0].instance, "new new york")
        result = task.score(sample, "New new York")
        assert result.value == 1.0
        assert result.parts["f1"] == pytest.approx(f1)
    assert hotpotqa.f1_of_sets("a", "b") == 0.0


def test_toolbench_lists_the_valid_names(tmp_path: Path) -> None:
    asked = {name: _opened("toolbench", name, tmp_path)[1][0].instance for name in names()}
    assert asked["streambench"].instruction.endswith("must be one of: add_date, search")
    assert "must be one of" not in asked["quire"].instruction
    assert asked["quire"].shot == asked["streambench"].shot == asked["quire"].input


def _order(protocol: str, task: str, data: Path) -> str:
    return spec_over(RunSpec(task, "zero_shot", ("m",), "", protocol=protocol), data).order


def test_the_published_order_counts_where_there_is_one(tmp_path: Path) -> None:
    folder = MAKERS["ddxplus"](tmp_path / "hub")  # has test.jsonl, as on the hub
    assert _order("streambench", "ddxplus", folder) == "published"
    assert _order("quire", "ddxplus", folder) == "shuffled"
    assert _order("streambench", "spider", MAKERS["spider"](tmp_path / "own")) == "shuffled"
    assert _order("streambench", "hotpotqa", tmp_path) == "shuffled"


def test_a_protocol_or_task_that_is_none_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="quire, streambench"):
        open_task("spider", protocol="streambank")
    with pytest.raises(SettingsError, match="hotpotqa"):
        open_task("papers", protocol="streambench")


def test_parts_are_never_looked_at_for_further_parts() -> None:
    task = hotpotqa.HotpotQa()
    shown = task.instance("1", "?", {}, question="{paragraphs}", paragraphs="{0} {question}")
    assert shown.input == "{0} {question}\n\nQuestion: {paragraphs}"
    assert json.loads(shown.answer_format.removeprefix("Write it as JSON: "))
