"""Reports: what is measured, the tables in the paper's shapes, the files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from quire.errors import RunError
from quire.eval.record import Record
from quire.eval.report.page import svg
from quire.eval.report.plots import Rectangle, TextMark, png
from quire.eval.run import Run, RunProgress, RunSpec, write_records
from quire.types import Attempt, Usage, Verdict
from quire_streams.report import report
from quire_streams.report.figures import bars, confusion, cumulative, windowed
from quire_streams.report.groups import RunGroup, gain, group, regret, twin_of
from quire_streams.report.tables import published_average, published_of_model


def _run(values: Sequence[float | None], *, seed: int = 0, method: str = "zero_shot", **more: object) -> Run:
    models = more.pop("models", ("m",))
    spec = RunSpec("ddxplus", method, models, "d", seed=seed, **more)  # type: ignore[arg-type]
    records = tuple(
        Record(n, f"i{n}", "", Attempt("1. URTI", usage=Usage(1000, 10, calls=1)), value, Verdict("right"), 0)
        for n, value in enumerate(values)
    )
    return Run(spec, records)


_PUBLISHED: Any = {"protocol": "streambench"}


def test_runs_group_by_all_but_the_order_and_say_in_what_they_differ() -> None:
    plain = [_run([1.0], seed=0), _run([0.0], seed=1)]
    unlike = [
        _run([1.0], k=4),
        _run([1.0], limit=1),
        _run([1.0], judge_model="j"),
        _run([1.0], protocol="streambench"),
        _run([1.0], settings=(("agent.max_turns", "3"),)),
        replace(_run([1.0]), stream="1234567890abcdef"),
        _run([1.0, 0.0]),
    ]
    groups = group([*plain, *unlike, plain[0]])
    assert [len(one.runs) for one in groups] == [2, *[1] * len(unlike)]
    assert groups[0].metric.mean == 0.5
    assert groups[0].metric.n == 2
    told = [one.setting for one in groups]
    assert len(set(told)) == len(groups)
    words = ("k 4", "limit 1", "judge_model j", "streambench", "agent.max_turns 3", "data 1234567890ab",
             "2 steps")  # fmt: skip
    assert all(word in one for one, word in zip(told[1:], words, strict=True))
    assert told[0] == "protocol quire, data d, 1 steps"


def test_an_encoder_parts_only_runs_that_compare() -> None:
    assert len(group([_run([1.0]), _run([1.0], encoder="hash-512", seed=1)])) == 1
    memory = [_run([1.0], method="mem_prompt", encoder=name) for name in ("minilm", "hash-512")]
    assert [one.special for one in group(memory)] == [(), ("hash-512",)]


def test_what_cannot_be_judged_is_not_right_and_is_counted() -> None:
    one = group([_run([1.0, None, None, 0.0])])[0]
    assert one.metric.mean == 0.25
    assert one.unknown == 2


def test_further_figures_are_over_the_questions_of_the_metric() -> None:
    run = _run([1.0, None, 1.0, 0.0])
    parts: list[dict[str, float | None]] = [{"strict": 1.0}, {"strict": None}, {"strict": 0.0}, {}]
    closed = replace(run.records[0], step=4, instance="i4", value=None, closed="missing")
    records = [replace(one, parts=own) for one, own in zip(run.records, parts, strict=True)]
    (one,) = group([replace(run, records=(*records, closed))])
    assert (one.metric.mean, one.parts) == (0.5, {"strict": 0.25})
    assert regret(one, 0.5) == 0.0  # what was not asked could not be right
    assert "Further: strict: " in report(one.runs).tables[0].note


def test_a_report_says_what_to_beware_of() -> None:
    empty, cut, missing, scoreless = (_run([0.0] * 4).records[n] for n in range(4))
    empty = replace(empty, attempt=Attempt(""))
    missing = replace(missing, value=None, closed="missing")
    scoreless = replace(scoreless, value=None, closed="impossible")
    run = Run(_run([]).spec, (empty, cut, missing, scoreless))
    made = report([run, replace(run, name="once more")], told=["x is not finished"])
    words = ["not finished", "1 more of these runs", "1 of 4 answers counted as wrong are empty",
             "1 of 4 questions are about papers", "1 of 4 questions have no answer"]  # fmt: skip
    assert all(word in line for word, line in zip(words, made.notes, strict=True))
    assert all(line in made.html() for line in made.notes)
    assert made.document()["notes"] == list(made.notes)


def test_gain_is_paired_with_the_twin() -> None:
    plain = _run([0.0, 1.0, 0.0, 1.0])
    learning = _run([1.0, 1.0, 0.0, 1.0], method="self_stream_icl")
    groups = group([plain, learning])
    base = twin_of(groups[1], groups)
    assert base is groups[0]
    found = gain(groups[1], groups[0])
    assert found is not None
    assert (found.difference, found.wins, found.losses, found.ties) == (0.25, 1, 0, 3)
    assert regret(groups[0], 0.75) == 1.0


def test_a_question_in_several_orders_is_one_question() -> None:
    plain = [_run([0.0, 1.0, 0.0, 1.0], seed=seed) for seed in range(5)]
    learning = [_run([1.0, 1.0, 0.0, 1.0], seed=seed, method="self_stream_icl") for seed in range(5)]
    groups = group([*plain, *learning])
    found = gain(groups[1], groups[0])
    assert found is not None
    assert (found.wins, found.losses, found.ties) == (1, 0, 3)
    assert found.p_value == pytest.approx(1.0, abs=0.01)
    assert groups[0].sampled.n == 4
    assert groups[0].metric.n == 5


def test_synthetic_samples_are_called_so_and_stand_beside_no_published_figure() -> None:
    real = _run([1.0, 0.0], protocol="streambench")
    drawn = Run(real.spec, tuple(replace(one, instance=f"synthetic-{one.step}") for one in real.records))
    assert group([drawn])[0].task == "ddxplus (synthetic)"
    text = report([drawn]).text()
    assert "ddxplus (synthetic)" in text
    assert "52.85" not in text
    assert "52.85" in report([real]).text()
    assert "52.85" not in report([_run([1.0, 0.0])]).text()
    assert "52.85" not in report([_run([1.0, 0.0], protocol="streambench", limit=2)]).text()


def test_rules_in_the_place_of_a_model_are_called_a_simulation() -> None:
    made = report([_run([1.0], models=("offline:a",)), _run([1.0])])
    assert [one.task for one in made.groups] == ["ddxplus (simulation)", "ddxplus"]
    assert "ddxplus (simulation): all runs" in made.text()


def test_what_the_learner_took_is_counted_as_it_goes_and_in_the_end(tmp_path: Path) -> None:
    (answered,) = _run([1.0]).records
    taught = replace(answered, learner=Attempt("2. Anemia", usage=Usage(500, 5, calls=1)))
    seen: list[RunProgress] = []
    write_records(tmp_path, [], [], 1, lambda steps: iter([taught]), seen.append)
    assert [each.usage for each in seen] == [Usage(1500, 15, calls=2)]
    assert RunGroup(_run([]).spec, (Run(_run([]).spec, (taught,)),)).usage == Usage(1500, 15, calls=2)


def test_curves() -> None:
    one = RunGroup(RunSpec("t", "cot", ("m",), ""), (_run([1.0, 0.0, 1.0, 1.0]), _run([0.0] * 4, seed=1)))
    assert cumulative(one).y == pytest.approx((0.5, 0.25, 1 / 3, 0.375))
    assert windowed(one, 2).y == (0.5, 0.25, 0.25, 0.5)


def test_tables_take_the_papers_shapes_and_figures() -> None:
    single = [
        _run([1.0, 0.0], method=name, models=(model,), **_PUBLISHED)
        for name in ("zero_shot", "self_stream_icl")
        for model in "abc"
    ]
    teams = [_run([1.0, 1.0], method="mam_stream_icl", models=("a", "b", "c"), **_PUBLISHED)]
    teams += [
        _run([1.0, 0.0], method="mam_one_author", models=(m, *(o for o in "abc" if o != m)), **_PUBLISHED)
        for m in "abc"
    ]
    shifted = [_run([0.0, 1.0], method="self_stream_icl", models=("a",), shift="db_id", **_PUBLISHED)]
    other = [_run([0.0, 1.0], method="self_stream_icl", models=("a",), encoder="hash-512", **_PUBLISHED)]
    made = report([*single, *teams, *shifted, *other])
    shown = {table.title.partition(" (")[0]: table for table in made.tables}
    said = "protocol streambench"
    assert ("MAM-StreamICL", "a+b+c", said, "100.0 (83.50)") in shown["Methods by tasks"].rows
    assert ("Self-StreamICL", "a", f"{said}, hash-512", "50.0 (70.56)") in shown["Methods by tasks"].rows
    ablation = ("MAM-StreamICL (ablation)", "50.0", "50.0", "50.0", "single", "multi")
    assert ablation in shown["Shared memory"].rows
    assert shown["Shared memory"].title.endswith("task ddxplus, protocol streambench")
    assert shown["Shifts of distribution"].rows == (("self_stream_icl", "a", "db_id", "50.0", "50.0"),)
    assert [row[0] for row in shown["Self-StreamICL by encoder"].rows] == ["minilm", "hash-512"]
    assert all("The paper" in shown[name].note for name in ("Shared memory", "Shifts of distribution"))
    own = report(
        [replace(run, spec=replace(run.spec, protocol="quire")) for run in [*single, *teams, *shifted]]
    )
    assert not any("paper" in table.note or "(83.50)" in str(table.rows) for table in own.tables)
    assert "0.002/0.000" in shown["Tokens and cost of one run"].rows[0]
    assert published_average("few_shot", "bird") == 30.40
    assert published_of_model("gpt-4o", "cot", "hotpotqa") == 62.80
    assert published_of_model("nobody", "cot", "hotpotqa") is None


def test_confusion_shares() -> None:
    one = group([_run([0.0, 1.0, 0.0])])[0]
    matrix = confusion(one, {"i0": "5. Pneumonia", "i1": "1. URTI", "i2": "2. Viral pharyngitis"})
    row = matrix.labels.index("Viral pharyngitis")
    assert matrix.share[row][matrix.said.index("URTI")] == 1.0
    assert matrix.counts[matrix.labels.index("URTI")] == 1
    assert sum(matrix.counts) == 2


def test_each_confusion_is_read_with_the_gold_of_its_own_data() -> None:
    runs = [replace(_run([0.0]), stream=one, spec=replace(_run([]).spec, data=one)) for one in "ab"]
    made = report(runs, gold={"a": {"i0": "1. URTI"}, "b": {"i0": "2. Viral pharyngitis"}})
    called = [one.labels[at] for one in made.confusions for at, count in enumerate(one.counts) if count]
    assert called == ["URTI", "Viral pharyngitis"]


def test_files_are_whole_and_load_nothing(tmp_path: Path) -> None:
    hostile = _run([1.0, 0.0], models=("<script>alert(1)</script>",))
    made = report([hostile, _run([0.0, 0.0], seed=1)], gold={"d": {"i0": "1. URTI"}})
    written = made.write(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "src=" not in page
    assert page.count("<svg") == len([path for path in written if path.suffix == ".svg"])
    assert json.loads((tmp_path / "out" / "report.json").read_text())["groups"][0]["orders"] == 1
    assert "all runs" in made.text()


def test_plots_are_of_one_cast_and_name_their_lines_best_first() -> None:
    runs = [_run([0.0, 1.0, 0.0], method="zero_shot"), _run([0.0, 1.0, 1.0], method="self_stream_icl")]
    runs += [_run([1.0, 1.0, 1.0], method="mam_stream_icl", models=("m", "n"))]
    made = report(runs)
    assert [title.split(": ")[0] for title in made.curves][::2] == ["ddxplus, m", "ddxplus, several models"]
    texts = [shape.text for shape in made.drawings()[0].shapes if isinstance(shape, TextMark)]
    assert [text for text in texts if "_" in text] == ["66.7% self_stream_icl", "33.3% zero_shot"]


def test_long_names_have_room_beside_a_plot() -> None:
    made = report([_run([1.0, 0.0], models=("m" * 60, "n"), method="mam_stream_icl"), _run([1.0], seed=1)])
    for drawing in made.drawings()[:3]:
        for mark in (
            shape for shape in drawing.shapes if isinstance(shape, TextMark) and "mam_" in shape.text
        ):
            assert mark.x + 6 * len(mark.text) <= drawing.width


def test_columns_that_say_nothing_are_left_out() -> None:
    table = report([_run([1.0, 0.0]), _run([1.0, 1.0], method="cot")]).tables[0]
    assert table.title == "ddxplus: all runs, protocol quire, orders 1"
    assert table.columns == ("method", "models", "metric", "95% questions", "regret")
    assert [table.numeric(at) for at in range(5)] == [False, False, True, True, True]


def test_bars_of_orders_and_ablations_stand_where_the_figures_say() -> None:
    shares = {"zero_shot": 0.5, "mem_prompt_only_right": 0.75, "mem_prompt_only_wrong": 0.25}
    runs = [
        _run([1.0] * int(4 * share) + [0.0] * (4 - int(4 * share)), method=name, models=(model,), seed=seed)
        for name, share in shares.items()
        for model in ("m", "n")
        for seed in (0, 1)
    ]
    runs.append(_run([0.0, 0.0, 0.0, 0.0], models=("m",), seed=2))
    made = report(runs)
    titles = [one.title for one in made.bars]
    assert titles == [
        "m: mean and standard error over orders",
        "n: mean and standard error over orders",
        "Mean of m, n: against zero-shot",
        "m: against zero-shot",
        "n: against zero-shot",
    ]
    zero_shot = made.bars[0].series[0]
    assert zero_shot.name == "Zero-Shot"
    assert zero_shot.shares[0] == pytest.approx(1 / 3)
    assert zero_shot.errors[0] == pytest.approx(1 / 6)
    for one in made.bars[2:]:
        assert [(series.name, series.shares) for series in one.series] == [
            ("mem_prompt_only_right", (0.25,)), ("mem_prompt_only_wrong", (-0.25,))
        ]  # fmt: skip
    drawing = bars(made.bars[3])
    up, down = (shape for shape in drawing.shapes if isinstance(shape, Rectangle) and shape.told)
    assert up.y + up.height == pytest.approx(down.y)
    assert up.height == pytest.approx(down.height)
    assert svg(drawing).count("mem_prompt_only_right: 25.0%") == 1
    assert len(made.document()["bars"]) == 5


def test_drawings_have_two_formats() -> None:
    drawing = report([_run([1.0, 0.0, 1.0])]).drawings()[0]
    assert svg(drawing).startswith("<svg")
    with Image.open(BytesIO(png(drawing))) as image:
        assert image.size == (drawing.width * 2, drawing.height * 2)
        assert len(image.convert("RGB").getcolors(100000) or ()) > 5


def test_nothing_to_report() -> None:
    with pytest.raises(RunError, match="nothing to report"):
        report([])
