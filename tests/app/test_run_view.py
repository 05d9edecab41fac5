"""The one view of a run: what is said first, what kind it is, and how its evidence was found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from quire import Library
from quire.app.run_view import document, view_of
from quire.library.contents import Floating
from quire.types import (
    Answer,
    Box,
    Call,
    Document,
    Evidence,
    Hit,
    Hits,
    Metadata,
    Observation,
    Question,
    ResultSet,
    Section,
    Step,
    Table,
    TableCell,
    Trajectory,
    value_in_words,
)

ROW = Evidence("p1", 2, Box(1, 2, 3, 4), "Keel boat |\n 9 [3]", True, "12", "Paper Boats")
LOOSE = Evidence("p1", 3, None, "not there", False)


def run_of(answer: Answer, *steps: Step, method: str = "offline") -> Trajectory:
    return Trajectory("r1", Question("q", "How long?"), steps, answer, method=method)


@pytest.mark.parametrize(
    ("answer", "method", "outcome", "headline"),
    [
        (Answer("answered", 9, (ROW,), 0.9), "offline", "answer", "9"),
        (Answer("answered", "9 s", (ROW,), 0.8, probability=0.8), "offline", "probable", "Probably 9 s"),
        (Answer("abstained", None, (ROW, LOOSE)), "offline", "sentence", "Keel boat | 9"),
        (Answer("answered", ROW.quote, (ROW,), 0.6, probability=0.6), "offline", "sentence", "Probably Keel"),
        (Answer("abstained", None, (ROW,), spoken=False), "offline", "unspoken", "Your papers do not seem"),
        (Answer("abstained"), "remembered", "unsaid", "The papers do not say it"),
        (Answer("abstained"), "offline", "nothing", "Nothing found"),
        (Answer("failed"), "offline", "failed", "Failed"),
    ],
)
def test_there_is_one_headline_whatever_came_of_it(
    answer: Answer, method: str, outcome: str, headline: str
) -> None:
    view = view_of(None, run_of(answer, method=method))
    assert view.outcome == outcome
    assert view.headline.startswith(headline)
    assert view.label
    assert view.label.startswith("Probably (") == bool(answer.probability)
    assert view.folded == (outcome == "unspoken")


def test_evidence_says_where_it_stands_and_how_it_was_found() -> None:
    looked = Step(
        "", Call("ViewImage", {"paper_id": "p1", "page_number": 3}), Observation("image", "", image=b"png")
    )
    seen = view_of(None, run_of(Answer("answered", 9, (ROW, LOOSE)), looked)).evidence
    assert [(one.number, one.where, one.found) for one in seen] == [
        (1, "page 2 (printed 12)", "verified"),
        (2, "page 3", "seen"),
    ]
    assert seen[0].link == "/read/p1/2?box=1,2,3,4"
    unsure = view_of(None, run_of(Answer("answered", 9, (ROW, LOOSE)))).evidence
    assert unsure[1].found == "unverified"
    remembered = view_of(None, run_of(Answer("answered", 9, (LOOSE,)), method="remembered")).evidence
    assert remembered[0].found == "user"
    assert remembered[0].title == "p1"


def test_a_paper_without_a_title_is_called_by_its_file(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", index__encoders=("text_bm25_en",)) as library:
        (added,) = library.add(Path(__file__).parents[2] / "examples/papers/paper-boats.pdf").added
        library.edit(added.paper_id, {"title": ""})
        of_it = replace(LOOSE, paper_id=added.paper_id, paper_title="")
        gone = replace(of_it, paper_id="00000000-0000-5000-8000-000000000000")
        shown = view_of(library, run_of(Answer("answered", 9, (of_it, gone)))).evidence
    assert [each.title for each in shown] == ["paper-boats.pdf", gone.paper_id]


def test_the_document_is_the_record_and_its_view_without_pictures() -> None:
    looked = Step("", Call("ViewImage", {}), Observation("image", "a page", image=b"\x89PNG"))
    told = document(view_of(None, run_of(Answer("answered", ["a", "b"], (ROW,)), looked)))
    assert json.loads(json.dumps(told)) == told
    assert told["steps"][0]["observation"]["image"] is None
    assert (told["answer"]["value"], told["view"]["headline"]) == (["a", "b"], "a, b")
    assert "run" not in told["view"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (["Li, C.", "Example"], "Li, C.; Example"),
        ([1, 2.5], "1, 2.5"),
        (["a", ["b"]], '["a", ["b"]]'),
        ({"a": "ä"}, '{"a": "ä"}'),
        ([], "[]"),
        (True, "true"),
    ],
)
def test_values_are_told_in_words(value: object, words: str) -> None:
    assert value_in_words(value) == words


def test_a_notebook_shows_values_as_tables_without_markup_of_papers() -> None:
    evil = "<script>alert(1)</script>"
    hit = Hit(1.0, evil, "p1", 2, "chunks", "text", "k", paper_title=evil)
    run = run_of(Answer("answered", evil, (replace(ROW, quote=evil),), note=evil))
    rows = ResultSet((evil,), ("VARCHAR",), tuple((f"{n}{evil}",) for n in range(60)), truncated=True)
    box = Box(0, 0, 1, 1)
    cells = (TableCell(1, box, 0, 0, 0, 1, evil, head=True), TableCell(1, box, 1, 1, 1, 1, "1.5", head=False))
    table = Table(1, box, evil, evil, evil, cells)
    section = Section(evil, "1", 1, None, 2, box, (), (2,))
    paper = Document(Metadata(title=evil), (), sections=(section,), tables=(table,))
    floating = Floating("Figure 1", evil, 2, box)
    for shown in (Hits([hit], (evil,)), hit, run.answer, run, rows, table, paper, floating):
        told = shown._repr_html_()
        assert "<table>" in told
        assert "<script" not in told
        assert "&lt;script&gt;" in told
    assert table._repr_html_().endswith("<tbody><tr><td></td><td>1.5</td></tr></tbody></table>")
    headless = replace(table, cells=cells[1:])._repr_html_()
    assert headless.endswith("<th></th><th></th></tr></thead><tbody><tr><td></td><td></td></tr>"
                             "<tr><td></td><td>1.5</td></tr></tbody></table>")  # fmt: skip
    assert "Untitled" not in paper._repr_html_()
    assert "1 tables" in paper._repr_html_()
    assert "10 more rows" in rows._repr_html_()
    assert view_of(None, run).headline == evil  # escaping is the notebook's, not the value's


def test_rows_become_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    rows = ResultSet(("title", "year"), ("VARCHAR", "INTEGER"), (("a", 2020), ("b", None)))
    assert isinstance(rows.df(), pandas.DataFrame)
    assert list(rows.df().columns) == ["title", "year"]
    assert rows.df()["year"].tolist()[0] == 2020
