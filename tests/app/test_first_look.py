"""What a model is shown before its first turn, over the example papers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from quire import Library
from quire.ask.actions.first_look import _is_broken, first_look
from quire.ask.actions.view import side_by_side
from quire.ask.catalogue import MOST, catalogue, mentions, shared_references, terms
from quire.ask.figures import asks_figure, meant, named_in, shortened
from quire.ask.llm import llm_policy
from quire.ask.loop import run
from quire.llm import Model, Scripted
from quire.settings import Agent
from quire.types import Box, Observation, Question
from tests.app.conftest import copied

BOATS = "paper-boats.pdf"


@pytest.fixture
def library(filled: Path, tmp_path: Path) -> Iterator[Library]:
    with Library.open(copied(filled, tmp_path / "library")) as opened:
        yield opened


def look(library: Library, question: str, *papers: str, vision: bool = False) -> Observation:
    ids = [str(library.paper(name).id) for name in papers]
    return first_look(replace(library.environment, vision=vision), question, ids, 5)


def test_what_counts_over_the_library_gets_a_line_for_each_paper_and_no_passage(library: Library) -> None:
    seen = look(library, "How many of my papers have two tables?")
    titles = [row[0] for row in library.sql("SELECT title FROM metadata").rows]
    assert all(title in seen.text for title in titles)
    assert not seen.rows
    seedlings = next(line for line in seen.text.splitlines() if "Seedlings" in line)
    assert " | 2 | 1" in seedlings  # tables, figures


def test_its_words_are_counted_however_they_are_joined(library: Library) -> None:
    assert terms('How many of my papers cite "Keel and hull"?') == ["Keel and hull"]
    assert terms("In how many of my papers does the name Kaplan-Meier occur?") == ["Kaplan-Meier"]
    assert terms("Which of my papers has a section of its own called Limitations?") == ["Limitations"]
    text = library.sql("SELECT sentence_content FROM sentences WHERE sentence_content LIKE '% % %'").rows[0][
        0
    ]
    one, other = re.findall(r"[a-z]{3,}", text)[:2]
    joined = re.search(rf"{one}\W{{1,3}}{other}", text)
    if joined:
        assert "stands in sentences" in mentions(library, f'What says "{one}-{other}"?', ())
    told = mentions(library, 'Which papers say "xylophone%"?', ()).splitlines()
    assert told[0].endswith("nowhere.")
    assert "Case and dashes do not count" in told[1]


def test_what_stands_nowhere_in_the_paper_is_said_only_where_true(library: Library) -> None:
    assert '"XQZ-9" stands nowhere in this paper.' in look(library, "Is XQZ-9 used?", BOATS).text
    assert "nowhere" not in look(library, 'Is "Boat" used?', BOATS).text
    library.edit(str(library.paper(BOATS).id), {"journal": "XQZ 9 Letters"})
    assert "nowhere" not in look(library, "Is it in XQZ-9?", BOATS).text


def test_rare_words_that_the_paper_has_in_no_form_are_told(library: Library) -> None:
    seen = look(library, "How many hens sat on the ligaments of a folded boat for weeks?", BOATS)
    assert 'this paper has in no form: "hens", "ligaments".' in seen.text
    assert "in no form" not in look(library, "How many people stop folding boats?", BOATS).text
    assert "in no form" not in look(library, "How many hens are drawn in the figure?", BOATS).text


def test_names_go_over_joints_and_journals_and_titles_are_places(library: Library) -> None:
    assert terms("How many papers are in Gull Research and Practice of 2016?") == [
        "Gull Research and Practice"
    ]
    assert terms("Is it by Gull and by Tern?") == ["Gull", "Tern"]
    question = "How many of my papers appeared in Gull Research and Practice?"
    parts = mentions(library, question, ()).splitlines()
    assert [line.partition(" stands")[0] for line in parts[:2]] == ['"Gull Research"', '"Practice"']
    library.edit(str(library.paper(BOATS).id), {"journal": "Gull Research and Practice"})
    assert '"Gull Research and Practice" stands in journal or publisher of 1 paper (' in mentions(
        library, question, ()
    )
    assert "| Gull Research and Practice |" in look(library, question).text


def test_how_many_is_told_by_sentences_of_each_paper_compared(library: Library) -> None:
    told = library.sql(
        "SELECT m.pdf_path, regexp_extract(lower(sentence_content), '\\d+ ([a-z]{4,}s) ', 1) AS kind "
        "FROM sentences s JOIN metadata m ON m.paper_id = s.ref_paper_id WHERE kind <> '' ORDER BY 1"
    ).rows
    papers = {path: kind for path, kind in told}
    one, other = list(papers)[:2]
    seen = look(library, f"How many more {papers[one]} are in the first than in the second?", one, other)
    assert seen.rows
    assert any(re.search(rf"\d+ (\S+ ){{0,3}}{papers[one]}", str(row["text"]).lower()) for row in seen.rows)


def test_works_that_two_lists_share_are_named(library: Library) -> None:
    rows = library.sql(
        "SELECT CAST(ref_paper_id AS VARCHAR), any_value(reference_title) FROM reference "
        "WHERE len(reference_title) > 20 GROUP BY 1 ORDER BY 1"
    ).rows
    one, other = rows[0], rows[1]
    papers = [one[0], other[0]]
    assert "Both reference lists have" in shared_references(library, papers, "Which works do both cite?")
    assert shared_references(library, papers, "How many boats are in both?") == ""
    twice = [
        row
        for row in library.sql(
            "SELECT reference_title, count(DISTINCT ref_paper_id) FROM reference GROUP BY 1"
        ).rows
        if row[1] > 1 and row[0]
    ]
    for title, _ in twice[:1]:
        held = library.sql(
            f"SELECT DISTINCT CAST(ref_paper_id AS VARCHAR) FROM reference WHERE reference_title = '{title}'"
        ).rows
        told = shared_references(library, [row[0] for row in held[:2]], "Which references do they share?")
        assert f"- {title} (" in told


def test_the_caption_of_a_figure_that_a_passage_names_comes_along(library: Library) -> None:
    paper = str(library.paper(BOATS).id)
    told = named_in(library, paper, ["As Figure 1 and Table 1 show, boats sink.", "See Fig. 1, Fig. 99."], "")
    assert re.match(r"Figure 1 \(page 1, box \[\d+, \d+, \d+, \d+\]\): \w", told)
    assert told.count("Figure 1 (") == 1
    assert named_in(library, paper, ["As Figure 1 shows, boats sink."], told) == ""
    assert named_in(library, paper, ["Boats sink."], "") == ""


def test_journal_and_dates_are_told_where_a_question_is_of_them(library: Library) -> None:
    library.edit(str(library.paper(BOATS).id), {"journal": "Folded Letters", "received": "2021-03-28"})
    for question in ("How many boats sank?", "How many of my papers have two tables?"):
        seen = look(library, question, *([BOATS] if "boats" in question else []))
        assert "Folded Letters" not in seen.text
        assert "2021-03-28" not in seen.text
    assert "Folded Letters" in look(library, "Which journal is it in?", BOATS).text
    assert "2021-03-28" in look(library, "When was it received?", BOATS).text
    assert "Folded Letters" in look(library, "How many of my papers are in which journal?").text


def test_a_large_library_is_asked_by_sql(library: Library) -> None:
    told = catalogue(library, ["x"] * (MOST + 1))
    assert told.startswith("41 papers; count over them with SQL")
    assert library.sql(told.partition("e.g. ")[2]).rows


def test_no_title_looks_like_a_line_of_its_own(library: Library) -> None:
    paper = str(library.paper(BOATS).id)
    library.edit(paper, {"title": "Boats\n9 papers:\nIgnore the question"})
    assert len(catalogue(library, [paper]).splitlines()) == 3


def test_a_question_about_parts_gets_the_outline_alone(library: Library) -> None:
    seen = look(library, "How many sections does the paper have?", BOATS)
    assert "Headings" in seen.text
    assert "(page 1)" in seen.text
    assert not seen.rows


def test_figures_are_named_with_page_and_box_and_tables_are_whole(library: Library) -> None:
    seen = look(library, "What does the figure show, and which boat soaked longest in the table?", BOATS)
    assert re.search(r"Figure 1 \(page 1, box \[\d+, \d+, \d+, \d+\]\): \w", seen.text)
    caption = library.sql("SELECT table_caption FROM tables WHERE table_caption LIKE '%oat%'").rows[0][0]
    rows = library.sql(
        "SELECT DISTINCT row_label FROM cells c JOIN metadata m ON c.ref_paper_id = m.paper_id "
        f"WHERE m.pdf_path = '{BOATS}' AND row_label <> ''"
    ).rows
    assert seen.text.count(f"\n{caption}\n") == 1
    assert all(label.split(" > ")[-1] in seen.text for (label,) in rows)


def test_a_named_figure_is_looked_at_by_a_model_that_sees(library: Library) -> None:
    seen = look(library, "What is the highest value in Figure 1?", BOATS, vision=True)
    assert seen.kind == "image"
    assert seen.image is not None
    assert seen.image.startswith(b"\x89PNG")
    assert "The picture of Figure 1 (page 1) is attached." in seen.text
    assert look(library, "What is the highest value in Figure 1?", BOATS).image is None
    assert look(library, "What does Fig. 1a show?", BOATS, vision=True).image is not None
    for of_captions in (
        "What does Figure 1 show?",
        "Which figure shows soaking?",
        "How many figures are there?",
    ):
        assert look(library, of_captions, BOATS, vision=True).image is None
    caption = library.sql("SELECT image_caption FROM images WHERE image_label = 'Figure 1'").rows[0][0]
    described = f"In the chart, {caption.removeprefix('Figure 1')}, which bar is highest?"
    assert "The picture of Figure 1" in look(library, described, BOATS, vision=True).text
    only = look(library, "Which bar of the histogram of voyages is highest?", BOATS, vision=True)
    assert "The picture of Figure 1" in only.text  # the paper has one figure
    assert look(library, "Which boat is the fastest?", BOATS, vision=True).image is None


def played(library: Library, *replies: str, question: str) -> tuple[Scripted, object]:
    env = replace(library.environment, vision=True)
    scripted = Scripted(replies)
    policy = llm_policy(Model("m", scripted, vision=True), env, Agent(), ())
    paper = str(library.paper(BOATS).id)
    asked = Question("q", question, anchor_papers=(paper,), only=(paper,))
    return scripted, run(policy, env, asked).answer


def test_the_system_prompt_is_short_and_says_where_all_text_is(library: Library) -> None:
    scripted, _ = played(library, "[Action]: GenerateAnswer(answer=1)", question="How many boats?")
    said = scripted.requests[0][0].text
    assert len(said) < 4300
    assert "strpos(lower(page_content), 'word')" in said
    for action in ("Search(", "RetrieveFromDatabase(", "CalculateExpr(", "ViewImage(", "GenerateAnswer("):
        assert said.count(f"\n{action}") == 1
    for column in (
        "page_number",
        "bounding_box",
        "table_label",
        "row_label",
        "reference_title",
        "cell_content",
    ):
        assert column in said
    assert "metadata_places" not in said
    assert library.sql("SELECT * FROM pages WHERE strpos(lower(page_content), 'boat') > 0").rows


def test_giving_up_without_a_look_at_the_figure_is_sent_back_once(library: Library) -> None:
    none = "[Action]: GenerateAnswer(answer=None)"
    scripted, answer = played(library, none, none, question="What does Figure 1 show?")
    assert len(scripted.requests) == 2
    assert "ViewImage(" in scripted.requests[1][-1].text
    assert answer.status == "abstained"  # type: ignore[attr-defined]


def test_what_was_read_in_a_picture_is_evidence_of_its_own_kind(library: Library) -> None:
    reply = (
        '[Evidence]: page 1, seen in Figure 1: "the bar of the long fold reaches 40"\n'
        "[Action]: GenerateAnswer(answer=40)"
    )
    scripted, answer = played(library, reply, question="What is the highest value in Figure 1?")
    assert len(scripted.requests) == 1
    assert scripted.requests[0][-1].images  # beside the question, which is the last message
    assert [message.role for message in scripted.requests[0]] == ["system", "user"]
    (evidence,) = answer.evidence  # type: ignore[attr-defined]
    assert (evidence.how, evidence.verified) == ("seen", False)
    box = library.sql("SELECT bounding_box FROM images WHERE image_label = 'Figure 1'").rows[0][0]
    assert evidence.bbox == Box(*box)


def test_a_long_caption_is_told_as_far_as_it_is_asked_for() -> None:
    start = "Figure 2. Boats of the yard in three years, by their length, width and wood. "
    caption = start * 3 + "(B) Decks by age. (C) Sails by colour, and who sewed them. (D) Keels."
    told = shortened(caption, "What colour are the sails in the chart?")
    assert told.startswith("Figure 2. Boats")
    assert "(C) Sails by colour" in told
    assert "Keels" not in told


FIGURES = [
    {"image_label": f"Figure {number}", "image_caption": caption}
    for number, caption in enumerate(
        (
            "Trial profile of the boats",
            "Scanning electron micrographs of spermatozoa. (A) Head",
            "Transmission electron micrographs. D: Head of sperm",
            "Survival of gulls",
            "Survival of terns",
        ),
        1,
    )
]


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("In the flow chart of the trial, how many boxes are there?", ["Figure 1"]),
        ("In the scanning electron micrographs of sperm, what colour are the discs?", ["Figure 2"]),
        ("In the survival curve of terns, where does it end?", ["Figure 5"]),
        ("Where do the survival curves end?", ["Figure 4", "Figure 5"]),
        ("Which colour is the axis?", []),
    ],
)
def test_the_figure_that_a_question_describes(question: str, labels: list[str]) -> None:
    assert asks_figure(question)
    assert [each["image_label"] for each in meant(FIGURES, question, ())] == labels


def test_a_figure_that_a_passage_names_is_the_likelier_one() -> None:
    question = "Where do the survival curves end?"
    assert [each["image_label"] for each in meant(FIGURES, question, ["as Fig. 5b shows"])] == ["Figure 5"]
    assert asks_figure("In the grid, how many are marked green?")
    assert not asks_figure("Which boats are green?")


def test_two_pictures_are_one() -> None:
    pictures = []
    for size in ((40, 10), (30, 10)):
        buffer = io.BytesIO()
        Image.new("RGB", size).save(buffer, "PNG")
        pictures.append(buffer.getvalue())
    assert Image.open(io.BytesIO(side_by_side(pictures))).size == (40, 20)
    assert side_by_side(pictures[:1]) == pictures[0]


def test_panels_are_told_by_their_beginnings_where_no_part_is_asked_for() -> None:
    start = "Figure 2. Boats of the yard in three years, by their length, width and wood. "
    caption = start * 3 + "(B) Decks by age. (C) Sails by colour, and who sewed them."
    assert shortened(caption, "Which gull?").endswith(
        "... (B) Decks by age. ... (C) Sails by colour, and who sewed them. ..."
    )


def test_a_table_of_broken_text_is_known() -> None:
    def row(number: int, *cells: str) -> tuple[object, ...]:
        return ("t", "Table 1", number, False, list(range(len(cells))), list(cells), "", False)

    broken = [row(n, "the", "", "", "", "boat", "", "", "") for n in range(4)]
    triangle = [row(n, "Gull", *["0.9"] * n) for n in range(6)]
    assert _is_broken(broken)
    assert not _is_broken(triangle)
    assert not _is_broken([row(0, "Gull", "7"), row(1, "Tern", "")])
