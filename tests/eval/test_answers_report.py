from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from quire.errors import PaperNotFound, RunError
from quire.eval.evaluation import evaluate
from quire.eval.questions import QuestionItem
from quire.eval.record import Case, Record
from quire.eval.report import answers, pictures_of, print_report, report_document, report_page
from quire.eval.report.page import svg
from quire.eval.report.plots import Circle, Plot, TextMark
from quire.eval.report.summary import tally
from quire.eval.run import Run
from quire.types import Attempt, Box, Question, Trajectory, Verdict
from tests.eval.sums import SPEC, answer

PNG = b"\x89PNG\r\n\x1a\n"
ATTACK = '"><script>alert(1)</script><img src="https://evil.example/x" onerror=alert(2)>'


@pytest.fixture
def run(items: tuple[QuestionItem, ...], tmp_path: Path) -> Run:
    return evaluate(items, answer, tmp_path / "run", SPEC)


class Page(HTMLParser):
    """Every tag with its attributes, and what stands in scripts and styles."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.code: dict[str, str] = {}
        self.feed(source)

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((name, dict(attributes)))
        self.open.append(name)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.code[self.open[-1]] = self.code.get(self.open[-1], "") + data

    def handle_endtag(self, name: str) -> None:
        if name in self.open:
            while self.open.pop() != name:
                pass


def test_the_page_admits_only_its_own_code_and_asks_nobody(run: Run) -> None:
    page = Page(report_page([run], lambda paper, number, box: PNG))
    assert [name for name, _ in page.tags].count("script") == 1
    for _, attributes in page.tags:
        assert not any(key.startswith("on") or key == "style" for key in attributes)
        for key in ("src", "href"):
            assert (attributes.get(key) or "data:").startswith("data:")
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "default-src 'none'" in policy
    for name in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.code[name].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


def test_hostile_texts_stay_texts(items: tuple[QuestionItem, ...], tmp_path: Path) -> None:
    question = replace(items[0].question, text=ATTACK, tags=(ATTACK,), id="x")

    def hostile(asked: Question) -> Trajectory:
        made = answer(replace(asked, id="n01"))
        step = replace(made.steps[0], thought=ATTACK, reply=ATTACK)
        evidence = replace(made.answer.evidence[0], quote=ATTACK, paper_title=ATTACK, paper_id=ATTACK)
        said = replace(made.answer, value=ATTACK + "\x00\x1b[31m\ud800", note=ATTACK, evidence=(evidence,))
        return replace(made, steps=(step,), answer=said)

    spec = replace(SPEC, models=(ATTACK,), data=ATTACK)
    run = evaluate((replace(items[0], question=question),), hostile, tmp_path / "x", spec)
    source = report_page([run])
    page = Page(source)
    assert [name for name, _ in page.tags].count("script") == 1
    assert not any(name == "img" for name, _ in page.tags)
    assert "\x00" not in source
    assert "\x1b" not in source


def test_each_question_opens_to_answer_gold_reason_evidence_and_steps(run: Run) -> None:
    asked: list[tuple[str, int, Box | None]] = []

    def picture(paper: str, page: int, box: Box | None) -> bytes:
        asked.append((paper, page, box))
        return PNG

    source = report_page([run], picture)
    assert source.count('<details class="question"') == len(run.records)
    assert "3 is not 2." in source
    assert "Look it up." in source
    assert "the &lt;sum&gt;" in source
    assert "&lt;b&gt;n01&lt;/b&gt;" in source
    assert f"data:image/png;base64,{base64.b64encode(PNG).decode()}" in source
    assert asked[0] == ("p1", 3, Box(1, 2, 3, 4))


def test_pictures_stop_at_their_limit_and_a_lost_paper_costs_nothing(run: Run) -> None:
    def lost(paper: str, page: int, box: Box | None) -> bytes:
        raise PaperNotFound("No paper is named `p1`.")

    assert "There is no picture: No paper is named" in report_page([run], lost)
    few = report_page([run], lambda *_: PNG + b"x" * 1000, picture_bytes=2500)
    assert few.count("data:image/png") == 3
    assert "left out" in few
    assert "data:image/png" not in report_page([run], lambda *_: b"GIF89a")


def test_plots_are_well_formed_and_hold_the_figures(run: Run) -> None:
    source = report_page([run])
    drawn = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", source, re.DOTALL)]
    assert len(drawn) == 3
    texts = [" ".join(svg.itertext()) for svg in drawn]
    assert "table: 50.0%" in texts[0]
    assert "US dollars per question" in texts[1]
    assert "answered (confidence" in texts[2]


def test_selective_accuracy_goes_from_the_surest_answer_to_all() -> None:
    def record(value: float, confidence: float, *, abstained: bool = False) -> Record:
        case = Case("?", confidence=confidence)
        return Record(0, "q", "", Attempt("", abstained=abstained), value, Verdict("right"), 0, case=case)

    records = [record(1, 0.9), record(1, 0.8), record(0, 0.8), record(0, 0.99, abstained=True)]
    curve = answers.selective_accuracy(records)
    assert [(step.answered, step.right) for step in curve] == [(0.25, 1.0), (0.75, 2 / 3)]
    assert answers.selective_accuracy([record(0, 0.1, abstained=True)]) == []


def test_plots_of_nothing_are_still_plots() -> None:
    nothing = tally([])
    for drawn in (
        answers.accuracy_by_kind({"all": nothing}),
        answers.cost_against_accuracy([answers.CostPoint("all", 0.0, nothing)], "seconds"),
        answers.reliability_of_abstention([]),
    ):
        ElementTree.fromstring(svg(drawn))


def test_two_runs_are_put_beside_each_other(
    run: Run, items: tuple[QuestionItem, ...], tmp_path: Path
) -> None:
    def better(question: Question) -> Trajectory:
        made = answer(question)
        value = 2 * int(question.id[1:]) if question.id.startswith("n") else made.answer.value
        return replace(made, answer=replace(made.answer, value=value))

    runs = [run, evaluate(items, better, tmp_path / "better", replace(SPEC, models=("better",)))]
    document = report_document(runs)
    compared = document["comparisons"][0]
    assert (compared["better"], compared["worse"], compared["shared"]) == (10, 0, 25)
    assert compared["difference"] == 0.4
    assert {"id": "n01", "from": "wrong", "to": "right"} in compared["changed"]
    source = report_page(runs)
    assert "+40.0 points" in source
    assert source.count("<svg") == 7
    json.dumps(document, allow_nan=False)


def test_the_document_has_the_figures_at_its_top(run: Run) -> None:
    document = report_document([run])
    assert document["right"] == 10
    assert document["per_kind"]["table"]["right"] == 10
    assert len(document["runs"][0]["questions"]) == 26
    assert "questions" not in report_document([run], questions=False)["runs"][0]
    with pytest.raises(RunError):
        report_document([])
    with pytest.raises(RunError):
        report_page([])


def test_the_terminal_gets_the_plain_figures_first(run: Run) -> None:
    named = replace(run, name="[red]run\x1b[31m")
    console = Console(file=StringIO(), width=160, force_terminal=False)
    print_report([named, run], console)
    assert isinstance(console.file, StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines[0].startswith("[red]run [31m: accuracy 40.0% (")
    assert lines[0].endswith("of 25 answerable, 38.5% of all 26")
    assert lines[1] == "10 right, 10 wrong, 4 abstained, 1 failed, 1 unknown, 0 missing, 0 impossible"
    assert lines[2] == "unknown: nobody could judge the answer (--judge names a model)"
    assert any(line.startswith("table") and "50.0%" in line for line in lines)
    assert any("+0.0 points" in line and "no significant difference" in line for line in lines)


@given(st.text(), st.text())
def test_markup_cannot_be_left(body: str, value: str) -> None:
    made = svg(Plot(body, 9, 9, [TextMark(1, 1, value), Circle(1, 1, 1, "#000", body + value + "!")]))
    plain = svg(Plot("", 9, 9, [TextMark(1, 1, ""), Circle(1, 1, 1, "#000", "!")]))
    assert [made.count(sign) for sign in '<>"'] == [plain.count(sign) for sign in '<>"']
    ElementTree.fromstring(made)


def test_pictures_show_the_surroundings_of_the_evidence() -> None:
    class Library:
        def __init__(self) -> None:
            self.calls: list[Any] = []

        def render(self, paper: str, page: int, **how: Any) -> bytes:
            self.calls.append((paper, page, how))
            return PNG

    library: Any = Library()
    picture = pictures_of(library)
    assert picture("p", 2, Box(10, 100, 20, 10)) == PNG
    assert picture("p", -1, None) is None
    picture("p", 1, None)
    assert library.calls[0][2]["box"] == Box(0, 52, 78, 106)
    assert library.calls[0][2]["marks"] == (Box(10, 100, 20, 10),)
    assert "box" not in library.calls[1][2]
