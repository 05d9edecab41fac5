"""The loop: order, feedback, resuming, stopping, errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.tiny_models import bert_folder, clip_folder

from quire.errors import (
    BudgetExceeded,
    EncoderUnavailable,
    RunError,
    SettingsError,
    TaskError,
    UnknownNameError,
)
from quire.eval.record import Record, append_records, read_records
from quire.eval.result import Result
from quire.eval.run import DEFAULT_ENCODER, Run, RunProgress, RunSpec, load_run
from quire.llm import Model, Scripted
from quire.memory import HashEncoder, MemoryStore
from quire.search.models import list_models
from quire.types import Attempt, Instance, Shot, Verdict
from quire_streams.runs.encoders import default_encoder, open_encoder
from quire_streams.runs.opening import open_setup, slots
from quire_streams.runs.runner import Setup, ordered, read_feedback, run
from quire_streams.runs.sweep import ThreadEngine, expand, read_sweep, sweep
from quire_streams.tasks.judging import LocalJudge
from quire_streams.tasks.protocol import Task
from streams.conftest import pupil_model


def _setup(spec: RunSpec, task: Task) -> Setup:
    folder = Path(spec.data)
    samples = task.load(folder)
    judge = LocalJudge(task, folder, slots(spec))
    return open_setup(
        spec,
        judge=judge,
        encoder=HashEncoder(64),
        models=lambda role, name: pupil_model(task, samples, name),
    )


def _instances(count: int) -> list[Instance]:
    return [Instance("t", str(n), str(n), "", "", "", "", {"db": str(n % 3)}) for n in range(count)]


@pytest.mark.parametrize("method", ["mam_thompson", "playbook", "mem_prompt", "few_shot", "mam_one_author"])
@pytest.mark.parametrize("feedback", ["exact", "noisy:0.3+delayed:4+sparse:0.8"])
def test_resumed_run_is_the_same(
    method: str, feedback: str, data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path
) -> None:
    models = ("pupil-0",) if method in ("playbook", "mem_prompt", "few_shot") else ("pupil-0", "pupil-1")
    spec = RunSpec("ddxplus", method, models, str(data["ddxplus"]), seed=5, feedback=feedback)
    whole = run(spec, _setup(spec, tasks["ddxplus"]), tmp_path / "whole")
    for stop in (1, 7, 19):
        folder = tmp_path / f"stopped-{stop}"
        with pytest.raises(KeyboardInterrupt):
            run(spec, _setup(spec, tasks["ddxplus"]), folder, _stop_at(stop))
        with (folder / "records.jsonl").open("a") as file:
            file.write('{"step": 99, "inst')  # a line that was being written when the process died
        again = run(spec, _setup(spec, tasks["ddxplus"]), folder)
        assert [one.essence() for one in again.records] == [one.essence() for one in whole.records]


def _stop_at(step: int):  # type: ignore[no-untyped-def]
    def progress(now: RunProgress) -> None:
        if now.done == step:
            raise KeyboardInterrupt

    return progress


def test_a_finished_run_is_read_back(data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path) -> None:
    spec = RunSpec("ddxplus", "self_stream_icl", ("pupil-0",), str(data["ddxplus"]), limit=6)
    seen: list[RunProgress] = []
    done = run(spec, _setup(spec, tasks["ddxplus"]), tmp_path / "run", seen.append)
    assert load_run(tmp_path / "run") == done
    assert [one.done for one in seen] == [1, 2, 3, 4, 5, 6]
    assert seen[-1].usage.calls == 6
    assert seen[-1].usage.prompt_tokens == sum(one.attempt.usage.prompt_tokens for one in done.records)


def test_another_specification_is_refused(
    data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path
) -> None:
    spec = RunSpec("ddxplus", "zero_shot", ("pupil-0",), str(data["ddxplus"]), limit=2)
    run(spec, _setup(spec, tasks["ddxplus"]), tmp_path)
    other = RunSpec("ddxplus", "zero_shot", ("pupil-0",), str(data["ddxplus"]), seed=1, limit=2)
    with pytest.raises(RunError, match="another run"):
        run(other, _setup(other, tasks["ddxplus"]), tmp_path)


def test_only_right_answers_are_recalled_and_never_from_the_future(
    data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path
) -> None:
    spec = RunSpec("ddxplus", "self_stream_icl", ("pupil-0",), str(data["ddxplus"]), feedback="delayed:3")
    records = run(spec, _setup(spec, tasks["ddxplus"]), tmp_path).records
    with MemoryStore(tmp_path / "memory.sqlite") as store:
        kept = {one.id: one for _, one in store.experiences("run")}
    for record in records:
        for shot in record.attempt.shots:
            assert kept[shot].verdict.label == "right"
            assert kept[shot].step + 3 < record.step
    assert any(record.attempt.shots for record in records)


def test_gold_is_in_no_file_of_a_run(data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path) -> None:
    spec = RunSpec("hotpotqa", "mem_prompt", ("pupil-0",), str(data["hotpotqa"]))
    records = run(spec, _setup(spec, tasks["hotpotqa"]), tmp_path).records
    wrong = [record for record in records if record.value == 0]
    line = next(
        text for text in (tmp_path / "records.jsonl").read_text().splitlines() if wrong[0].instance in text
    )
    assert f'Painter {wrong[0].instance[1:]}"' not in line


class _Failing:
    name = "failing"

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        raise ZeroDivisionError("on purpose")


def test_an_error_is_counted_and_told(data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path) -> None:
    spec = RunSpec("ddxplus", "zero_shot", ("failing",), str(data["ddxplus"]), limit=3)
    judge = LocalJudge(tasks["ddxplus"], data["ddxplus"])
    records = run(spec, Setup(judge, [_Failing()], HashEncoder(64), 16), tmp_path).records
    assert [record.value for record in records] == [0.0, 0.0, 0.0]
    assert records[0].attempt.error == "ZeroDivisionError: on purpose"


def test_an_empty_purse_stops_the_run(data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path) -> None:
    spec = RunSpec("ddxplus", "mem_prompt", ("paid",), str(data["ddxplus"]), limit=3)

    def setup(*replies: str | Exception) -> Setup:
        judge = LocalJudge(tasks["ddxplus"], data["ddxplus"])
        return open_setup(
            spec,
            judge=judge,
            encoder=HashEncoder(64),
            models=lambda role, name: Model(name, Scripted(replies)),
        )

    with pytest.raises(BudgetExceeded):
        run(spec, setup("1. Cold", BudgetExceeded("no more")), tmp_path)
    assert len(load_run(tmp_path).records) == 1
    assert len(run(spec, setup("1. Cold", "2. Gout"), tmp_path).records) == 3


def test_one_model_methods_want_one_model(
    data: dict[str, Path], tasks: dict[str, Task], tmp_path: Path
) -> None:
    spec = RunSpec("ddxplus", "cot", ("pupil-0", "pupil-1"), str(data["ddxplus"]))
    with pytest.raises(SettingsError, match="one model"):
        run(spec, _setup(spec, tasks["ddxplus"]), tmp_path)


@given(st.integers(0, 99), st.integers(1, 30), st.integers(1, 30))
def test_orders(seed: int, size: int, limit: int) -> None:
    stream = ordered(_instances(size), seed)
    assert sorted(one.id for one in stream) == sorted(one.id for one in _instances(size))
    assert ordered(_instances(size), seed, limit=limit) == stream[:limit]
    assert ordered(_instances(size), 0, order="published") == _instances(size)
    assert ordered(_instances(size), seed + 1, order="published") == ordered(_instances(size), seed + 1)
    groups = [one.fields["db"] for one in ordered(_instances(size), seed, "db")]
    assert groups == sorted(groups)


def test_unknown_field_of_a_shift() -> None:
    with pytest.raises(TaskError, match="Fields: db"):
        ordered(_instances(3), 0, "database")


def test_feedback_kinds() -> None:
    one, right = _instances(1)[0], Result(1.0)
    attempt = Attempt("x")
    assert read_feedback("exact").verdict(one, attempt, right, 0).label == "right"
    assert read_feedback("noisy:1").verdict(one, attempt, right, 0).label == "wrong"
    assert read_feedback("sparse:0").verdict(one, attempt, right, 0).label == "unknown"
    assert read_feedback("exact").verdict(one, attempt, Result(None), 0).label == "unknown"
    assert read_feedback("noisy:0.1+delayed:50").delay == 50
    said = Verdict("wrong", source="human")
    assert read_feedback("human", lambda *_: said).verdict(one, attempt, right, 0) == said
    many = _instances(2000)
    flipped = sum(read_feedback("noisy:0.2").verdict(x, attempt, right, 1).label == "wrong" for x in many)
    assert 320 < flipped < 480


@pytest.mark.parametrize("text", ["loud", "noisy:2", "delayed:x", "sparse", "exact:1"])
def test_wrong_feedback(text: str) -> None:
    with pytest.raises(SettingsError, match=f"`{text}`"):
        read_feedback(text)


def test_a_wrong_encoder_lists_all_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match="minilm, all-MiniLM-L6-v2, .*hash-512"):
        open_encoder("bert")
    with pytest.raises(SettingsError, match="hash-7"):
        open_encoder("hash-7")


def test_every_model_of_the_list_measures_likeness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path))
    bert_folder(tmp_path / "models" / "My-Tiny.v1")
    clip_folder(tmp_path / "models" / "clip-vit-base-patch32")
    listed = [model for model in list_models() if model.path and tmp_path in model.path.parents]
    assert {model.name for model in listed} == {"My-Tiny.v1", "clip-vit-base-patch32"}
    for name in [*(model.name for model in listed), *(model.collection for model in listed)]:
        rows = open_encoder(name).encode(["a passage", "another"])
        assert rows.shape == (2, open_encoder(name).dim)
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    with pytest.raises(EncoderUnavailable):
        open_encoder("bge-large-en-v1.5")


def test_the_default_encoder_is_minilm_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_encoder() == DEFAULT_ENCODER == "minilm"
    monkeypatch.setattr("quire.search.models.find", lambda source, models: None)
    assert default_encoder() == "hash-512"


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    record = Record(0, "a", "", Attempt("x"), 1.0, Verdict("right"), 0)
    assert list(append_records(path, [record])) == [record]
    assert read_records(path) == [record]
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(RunError, match="line 1"):
        read_records(path)


def test_sweep_runs_every_combination(data: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "sweep.json"
    settings = {
        "task": "ddxplus", "data": str(data["ddxplus"]), "methods": ["zero_shot", "mam_stream_icl"],
        "models": ["offline:a", "offline:b"], "seeds": 2, "limit": 4,
    }  # fmt: skip
    file.write_text(json.dumps(settings))
    specs = read_sweep(file)
    assert [(one.method, one.models, one.seed) for one in specs] == [
        ("zero_shot", ("offline:a",), 0), ("zero_shot", ("offline:a",), 1),
        ("zero_shot", ("offline:b",), 0), ("zero_shot", ("offline:b",), 1),
        ("mam_stream_icl", ("offline:a", "offline:b"), 0), ("mam_stream_icl", ("offline:a", "offline:b"), 1),
    ]  # fmt: skip
    outcomes = sweep(specs, tmp_path / "runs", engine=ThreadEngine(2))
    assert all(isinstance(one.run, Run) and len(one.run.records) == 4 for one in outcomes)


def test_a_failed_run_does_not_stop_a_sweep(data: dict[str, Path], tmp_path: Path) -> None:
    good = RunSpec("ddxplus", "zero_shot", ("offline:a",), str(data["ddxplus"]), limit=2)
    bad = RunSpec("ddxplus", "cot", ("offline:a", "offline:b"), str(data["ddxplus"]), limit=2)
    outcomes = sweep([bad, good], tmp_path)
    assert "one model" in outcomes[0].error
    assert outcomes[1].run is not None


def test_sweep_without_models_is_refused() -> None:
    with pytest.raises(SettingsError, match="models"):
        expand({"task": "ddxplus", "data": ".", "methods": ["cot"]})
    with pytest.raises(SettingsError, match="colour"):
        expand({"task": "t", "data": ".", "methods": [], "models": [], "colour": 1})
