"""ToolBench, DDXPlus and HotpotQA: layouts, replies, scores."""

from __future__ import annotations

import contextlib
import itertools
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import ContentFiltered, ModelUnreachable, TaskError, UnknownNameError
from quire.llm import Completion, Model, Scripted
from quire.types import Instance
from quire_streams.tasks import TASKS
from quire_streams.tasks import hotpotqa as squad
from quire_streams.tasks.ddxplus import DdxPlus, draw_patients
from quire_streams.tasks.hotpotqa import HotpotQa
from quire_streams.tasks.judging import LocalJudge
from quire_streams.tasks.protocol import Sample, fenced, first_object, open_task
from quire_streams.tasks.toolbench import (
    FREE_TEXT,
    ApiCall,
    ToolBench,
    compare,
    read_call,
    same_by_model,
    same_words,
)
from tasks.datasets import MAKERS, SIZE, ddxplus, hotpotqa, toolbench

OPTIONS = "1. Anemia\n2. Stable angina\n3. Unstable angina\n4. Larygospasm\n5. URTI"
PATIENT = Instance("ddxplus", "1", "", "", "", "", "", {"options": OPTIONS})


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_gold_is_right_and_examples_are_apart(name: str, tmp_path: Path) -> None:
    task = open_task(name)
    samples = task.load(MAKERS[name](tmp_path))
    assert len(samples) == SIZE
    assert len({sample.instance.id for sample in samples}) == SIZE
    sample = samples[1]
    assert task.score(sample, task.parse(sample.reply, sample.instance)).value == 1.0
    assert task.score(sample, "").value == 0.0
    keys = {sample.instance.key for sample in samples}
    examples = task.examples(tmp_path)
    assert examples
    if name != "ddxplus":  # its tiny profiles repeat
        assert not keys & {example.key for example in examples}


def test_unknown_task_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="ddxplus"):
        open_task("ddxpluss")
    assert set(MAKERS) == set(TASKS)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("2. Stable angina", "2. Stable angina"),
        ("2", "2. Stable angina"),
        ("**3. Unstable angina**", "3. Unstable angina"),
        ("unstable ANGINA", "3. Unstable angina"),
        ("Diagnosis: Stable angina", "2. Stable angina"),
        ('{"rationale": "1 of 5", "answer": "5. URTI"}', "5. URTI"),
        ('{"answer": 5}', "5. URTI"),
        ("laryngospasm", "4. Larygospasm"),
        ("4. Laryngospasm", "4. Larygospasm"),
        ("1. Unstable angina", "3. Unstable angina"),
        ("5.5 degrees", ""),
        ("99", ""),
        ("either 1 or 2", ""),
        ("I am not sure.", ""),
        ("", ""),
    ],
)
def test_reading_a_diagnosis(reply: str, answer: str) -> None:
    assert DdxPlus().parse(reply, PATIENT) == answer


@given(st.text(max_size=120))
def test_reading_a_diagnosis_never_fails(reply: str) -> None:
    assert DdxPlus().parse(reply, PATIENT) in ("", *OPTIONS.splitlines())


CONDITIONS: dict[str, Any] = {
    "Gout": {"symptoms": {"E_1": {}, "E_2": {}}, "antecedents": {}},
    "Cold": {"symptoms": {"E_3": {}}, "antecedents": {"E_1": {}}},
}
EVIDENCES: dict[str, Any] = {
    "E_1": {"question_en": "Does it hurt?", "possible-values": []},
    "E_2": {
        "question_en": "Where?", "possible-values": ["V_0", "V_1", "V_2"], "default_value": "V_0",
        "value_meaning": {"V_0": {"en": "nowhere"}, "V_1": {"en": "toe"}, "V_2": {"en": "knee"}},
    },
    "E_3": {"question_en": "Do you sneeze?", "possible-values": []},
}  # fmt: skip


def test_synthetic_patients_are_the_same_every_time() -> None:
    first, again = (list(draw_patients(CONDITIONS, EVIDENCES, 5, "test")) for _ in range(2))
    assert first == again
    assert first != list(draw_patients(CONDITIONS, EVIDENCES, 5, "validate"))
    assert [one.pathology for one in first] == ["Cold"] * 5 + ["Gout"] * 5
    assert all(one.findings for one in first)
    assert not any(value in ("V_0",) for one in first for _, value in one.findings)


def test_official_patients_in_a_zip(tmp_path: Path) -> None:
    (tmp_path / "release_conditions.json").write_text(json.dumps(CONDITIONS))
    (tmp_path / "release_evidences.json").write_text(json.dumps(EVIDENCES))
    table = (
        "AGE,SEX,PATHOLOGY,EVIDENCES,INITIAL_EVIDENCE\n40,F,Gout,\"['E_1', 'E_2_@_V_1', 'E_2_@_V_2']\",E_1\n"
    )
    with zipfile.ZipFile(tmp_path / "release_test_patients.zip", "w") as archive:
        archive.writestr("release_test_patients", table)
    (sample,) = DdxPlus().load(tmp_path)
    assert sample.instance.key == "Sex: F, age: 40\n- Does it hurt? yes\n- Where? toe, knee"
    assert sample.instance.fields["origin"] == "official"
    assert sample.gold == "2. Gout"


def test_a_made_up_pathology_is_named(tmp_path: Path) -> None:
    ddxplus(tmp_path)
    (tmp_path / "test.jsonl").write_text('{"PATIENT_PROFILE": "x", "PATHOLOGY": "Boredom"}\n')
    with pytest.raises(TaskError, match="Boredom"):
        DdxPlus().load(tmp_path)


def test_parquet_is_read(tmp_path: Path) -> None:
    ddxplus(tmp_path)
    (tmp_path / "test.jsonl").unlink()
    with duckdb.connect() as db:
        db.execute(
            f"COPY (SELECT 'Sex: M' AS PATIENT_PROFILE, 'Gout' AS PATHOLOGY) TO '{tmp_path}/test-0.parquet'"
        )
    assert [sample.gold for sample in DdxPlus().load(tmp_path)] == ["2. Gout"]


@pytest.mark.parametrize(
    ("reply", "call"),
    [
        ('{"action": "a", "action_input": {"x": 1}}', ApiCall("a", {"x": 1})),
        ('Sure! {"action": "a", "action_input": "{\\"x\\": \\"}\\"}"} ok', ApiCall("a", {"x": "}"})),
        ('} {bad {"action": "a"}', ApiCall("a", {})),
        ('{"action": "a", "action_input": 7}', ApiCall("a", {"": 7})),
        ('{"action": "a", "action_input": "words"}', ApiCall("a", {"": "words"})),
        ('{"action": 3, "action_input": {}}', None),
        ("none", None),
        ("{" * 3000, None),
    ],
)
def test_reading_a_call(reply: str, call: ApiCall | None) -> None:
    assert read_call(reply) == call


def objects_in(reply: str) -> Iterator[Any]:
    """Every part of a text that is a JSON object, the first first: tried one by one."""
    for start, end in itertools.combinations(range(len(reply) + 1), 2):
        if reply[start] == "{" and reply[end - 1] == "}":
            with contextlib.suppress(json.JSONDecodeError):
                yield json.loads(reply[start:end])


@given(st.text(alphabet='{}[]":,\\ na1', max_size=60))
def test_reading_a_call_never_fails(reply: str) -> None:
    found = first_object(reply)
    assert found == next(objects_in(reply), None)
    call = read_call(reply)
    named = found is not None and isinstance(found.get("action"), str)
    assert (call is not None) == named
    assert call is None or (found is not None and call.action == found["action"])


@given(
    st.text(alphabet='[],:"\\ na1\n', max_size=40),
    st.text(max_size=9),
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9) | st.booleans(), max_size=3),
    st.text(alphabet='{}[]":, na1\n', max_size=40),
)
def test_a_call_is_found_in_any_noise(before: str, name: str, arguments: dict[str, Any], after: str) -> None:
    call = ApiCall(name, arguments)
    assert read_call(f"{before}{call.written()}{after}") == call


def test_arguments_are_told_apart() -> None:
    found = compare({"a": " Paris ", "c": 1, "d": 2}, {"a": "PARIS", "b": 0, "c": "2"})
    assert (found.missing, found.extra, found.unequal) == (("b",), ("d",), ("c",))


def _dates(tmp_path: Path, task: ToolBench) -> Sample:
    return task.load(toolbench(tmp_path))[7]


def test_scoring_a_call(tmp_path: Path) -> None:
    task = ToolBench()
    sample = _dates(tmp_path, task)
    good = ApiCall("add_date", {"date": "2020-01-01", "days": "7"})
    extra = ApiCall("add_date", {"date": "2020-01-01", "days": 7, "zone": "x"})
    assert task.score(sample, good.written()).value == 1.0
    assert task.score(sample, extra.written()).value == 1.0
    assert task.score(sample, extra.written()).parts["no_extra"] == 0.0
    assert task.score(sample, ApiCall("add_date", {"days": 7}).written()).value == 0.0
    assert task.score(sample, ApiCall("search", good.arguments).written()).parts == {"api": 0.0}
    assert len(FREE_TEXT) == 19


def test_judges_of_free_text() -> None:
    gold = ApiCall("search", {"entity": "Leonardo da Vinci"})
    assert same_words(ApiCall("search", {"entity": "da Vinci, Leonardo"}), gold)
    assert not same_words(ApiCall("search", {"entity": "Mona Lisa"}), gold)
    assert not same_words(ApiCall("search", {}), gold)
    other = ApiCall("search", {"entity": "Leonardo"})
    replies: list[str | Completion | Exception] = [
        "Yes.",
        "No",
        "no, it is not",
        "Perhaps",
        ContentFiltered("no"),
    ]
    judge = Model("m", Scripted(replies))
    assert [same_by_model(judge, other, gold) for _ in replies] == [True, False, False, None, None]
    assert same_by_model(judge, gold, gold) is True


def test_a_failing_judge_leaves_it_open(tmp_path: Path) -> None:
    task = ToolBench(Model("m", Scripted([ContentFiltered("no"), ModelUnreachable("down")])))
    sample = task.load(toolbench(tmp_path))[12]
    said = ApiCall("search", {"entity": "somebody"}).written()
    assert task.score(sample, said).value is None
    with pytest.raises(ModelUnreachable):  # that ails the set-up: nothing else could be judged
        task.score(sample, said)


@pytest.mark.parametrize(
    ("said", "gold", "exact", "f1"),
    [
        ("The  Beatles!", "beatles", 1.0, 1.0),
        ("new new york", "new new york", 1.0, 1.0),
        ("new york", "new new york", 0.0, 0.8),
        ("yes", "yes it is", 0.0, 0.0),
        ("a", "the", 1.0, 1.0),
        ("", "x", 0.0, 0.0),
    ],
)
def test_squad_measures(said: str, gold: str, exact: float, f1: float) -> None:
    assert squad.exact_match(said, gold) == exact
    assert squad.f1(said, gold) == pytest.approx(f1)


@given(st.text(max_size=40), st.text(max_size=40))
def test_f1_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert 0 <= squad.f1(one, other) <= 1
    assert squad.f1(one, other) == pytest.approx(squad.f1(other, one))
    assert squad.f1(one, one) == 1.0


def test_hugging_face_layout(tmp_path: Path) -> None:
    row = {
        "id": "x", "question": "Who?", "answer": "Ann", "type": "bridge", "level": "easy",
        "context": {"title": ["A", "B"], "sentences": [["Ann is here.", " She stays."], ["B."]]},
    }  # fmt: skip
    (tmp_path / "some.json").write_text(json.dumps([row]))
    (sample,) = HotpotQa().load(tmp_path)
    assert sample.instance.input.startswith("## A\nAnn is here. She stays.\n\n## B\nB.")
    assert sample.instance.id == "x"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"answer": "Ann"}', "Ann"),
        ('{"answer": 7}', "7"),
        ('```json\n{"answer": "Ann"}\n```', "Ann"),
        ("Answer: Ann\nbecause", "Ann"),
        ("", ""),
    ],
)
def test_reading_an_answer(tmp_path: Path, reply: str, answer: str) -> None:
    assert HotpotQa().parse(reply, HotpotQa().load(hotpotqa(tmp_path))[0].instance) == answer


def test_a_record_without_a_query_is_told(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text(
        json.dumps([{"db_id": "d", "question": "How many?", "qeury": "SELECT 1"}])
    )
    with pytest.raises(TaskError, match="record 1 has no query: none of the fields SQL, query, sql"):
        open_task("spider").load(tmp_path)


def test_damaged_data_is_named(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text('{"question": "a"}\n{oops\n')
    with pytest.raises(TaskError, match="line 2"):
        HotpotQa().load(tmp_path)
    (tmp_path / "test.jsonl").write_text('{"question": 3, "answer": "x"}\n')
    with pytest.raises(TaskError, match="`question` must be a text"):
        HotpotQa().load(tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"[1, 2]\n", "line 1 must be a JSON object, not a list"),
        (b'{"question": "a"}\nnull\n', "line 2|`answer`"),
        (b"\xff\xfe\n", "cannot be read"),
        (b"", "is empty"),
        (b"\n\n", "is empty"),
    ],
)
def test_every_kind_of_damage_names_the_file(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_bytes(content)
    with pytest.raises(TaskError, match=told) as raised:
        HotpotQa().load(tmp_path)
    assert "test.jsonl" in str(raised.value)


def test_a_file_in_the_place_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "dev.jsonl").write_text("{}")
    with pytest.raises(TaskError, match="is a file. Give the folder"):
        HotpotQa().load(tmp_path / "dev.jsonl")


def test_conditions_that_are_no_object_are_named(tmp_path: Path) -> None:
    (tmp_path / "release_conditions.json").write_text("[]")
    with pytest.raises(TaskError, match=r"release_conditions\.json must hold a JSON object, not a list"):
        DdxPlus().load(tmp_path)


def test_fences_keep_indentation() -> None:
    assert fenced("```python\n\n    a\n      b\n\n```", "python") == "    a\n      b"
    assert fenced("no fence") == "no fence"
    assert fenced("```\nopen", "python") == "open"


def test_an_instance_whose_id_is_a_number_is_told_at_once(tmp_path: Path) -> None:
    one = Instance("capitals", 1, "k", "Say it.", "i", "s", "a word")  # type: ignore[arg-type]
    with pytest.raises(TaskError, match=r"`id` of instance 1 is no text but int") as told:
        LocalJudge(DdxPlus(), tmp_path, samples=[Sample(one, "Paris")])
    assert 'str(row["id"])' in told.value.hint
