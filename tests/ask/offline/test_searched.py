"""The offline policy over a real library: what it takes out, ranks, sums up, and shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire import Library
from quire.ask.evidence import stands_in_row
from quire.ask.offline.plan import join
from quire.ask.offline.searched import PAPER, _is_undated, closest, readable
from quire.types import Box, Evidence
from tests.app.conftest import copied
from tests.pdf.paper import Paper, words

EXAMPLES = Path(__file__).parents[3] / "examples" / "papers"
BOATS = "Paper Boats: How Hull Folds Change Soaking Time"


@pytest.fixture(scope="module")
def library(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(copied(filled, tmp_path_factory.mktemp("searched") / "library")) as made:
        yield made


def test_a_paper_is_told_in_the_words_of_its_abstract_and_conclusion(library: Library) -> None:
    answer = library.ask("Summarise this paper.", papers=["paper-boats.pdf"]).answer
    assert answer.status == "answered"
    assert {each.table for each in answer.evidence} == {"sentences"}
    assert all(each.verified and each.bbox and each.quote in answer.value for each in answer.evidence)


def test_a_paper_without_an_abstract_is_told_by_how_it_begins(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "notes.pdf")
    paper.line("Notes on Paper Boats", size=18, face="b")
    paper.line("1 Folding", size=13, face="b")
    paper.text("These notes tell how boats are folded from one sheet. " + words(60, 1))
    paper.line("2 Soaking", size=13, face="b")
    paper.text("A boat that soaks for long sinks in the end. " + words(60, 2))
    paper.save()
    with Library.open(tmp_path / "library", create=True) as library:
        library.add([paper.path])
        answer = library.ask("What is it about?", papers=["notes.pdf"]).answer
    assert answer.value.startswith("These notes tell how boats are folded from one sheet.")
    assert "sinks in the end" not in answer.value


def test_which_paper_gives_the_paper(library: Library) -> None:
    answer = library.ask("Which paper is about boats that sink?", answer_format="string").answer
    assert answer.value == BOATS
    ranked = library.ask("Which papers speak of boats or bread?", answer_format="list").answer
    assert BOATS in ranked.value


def test_one_paper_is_named_where_one_is_asked_for(library: Library) -> None:
    answer = library.ask("Which paper is about boats that sink?").answer
    assert (answer.value, answer.headline) == (BOATS, f"Probably {BOATS}")
    assert 0.5 <= answer.probability < 1
    several = library.ask("Which papers speak of boats or bread?").answer
    assert isinstance(several.value, list)


def test_only_papers_near_the_best_are_listed(library: Library) -> None:
    answer = library.ask("Which papers speak of soaking boats?").answer
    assert answer.value[0] == BOATS
    assert len(answer.value) < len(library.papers())
    assert len({each.paper_id for each in answer.evidence}) <= len(answer.value)


def test_no_paper_is_named_that_does_not_speak_of_it(library: Library) -> None:
    answer = library.ask("Which article is about the weather in Paris?").answer
    assert (answer.status, answer.spoken) == ("abstained", False)


def test_evidence_is_whole_units_with_their_boxes(library: Library) -> None:
    answer = library.ask("Why does a fold that is pressed longer soak faster?").answer
    assert answer.status == "abstained"
    assert 1 <= len(answer.evidence) <= 3
    assert all(each.verified and each.bbox for each in answer.evidence)
    ((count,),) = library.sql(
        "SELECT count(*) FROM sentences WHERE CAST(sentence_id AS VARCHAR) = "
        f"'{answer.evidence[0].key}' AND sentence_content = '{answer.evidence[0].quote}'"
    ).rows
    assert count == 1


def test_rows_are_shown_as_people_read_them_and_stand_on_their_page(library: Library) -> None:
    answer = library.ask("Which hull soaks longest at 160 g?", papers=["paper-boats.pdf"]).answer
    rows = [each for each in answer.evidence if each.table == "cells"]
    assert rows
    assert all(each.verified and each.bbox and ": " in each.quote for each in rows)
    assert all(" | " not in each.quote for each in rows)


def test_a_row_is_told_by_heads_and_groups() -> None:
    cells = [
        {"row_key": "k", "cell_id": text, "cell_content": text, "row_label": label, "column_label": head}
        for text, label, head in (
            ("Age", "Women > Age", "Trait"),
            ("10.5", "Women > Age", "Years > Mean"),
            ("yes", "Women > Age", ""),
        )
    ]
    row = Evidence("p", 1, None, "Age | 10.5 | yes", verified=False, table="cells", key="k")
    other = Evidence("p", 1, None, "A sentence.", verified=False, table="sentences", key="s")
    told, same = readable([row, other], cells)
    assert told.quote == "Trait: Women, Age \u00b7 Years, Mean: 10.5 \u00b7 yes"
    assert same == other
    assert stands_in_row(
        told.quote, ("Women", "Age"), (("10.5", None), ("yes", None)), ("Trait", "Years", "Mean")
    )[0]


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("Farnesene | Percentage | 37.6%", True),  # named by a cell of words, not by its number
        ("15 | Percentage | 37.6%", True),
        ("Dubrow 2012 | Country | USA", True),  # a value that is a part of other cells' labels
        ("Percentage | 37.6%", False),  # nothing names the row
        ("Farnesene | Percentage", False),  # no value
        ("Limonene | Percentage | 37.6%", False),
    ],
)
def test_a_row_is_named_by_its_label_or_by_a_cell_of_words(quote: str, stands: bool) -> None:
    box = Box(1, 2, 3, 4)
    cells = (("15", None), ("Farnesene", None), ("37.6%", box), ("USA", None))
    named, heads = ("15", "Dubrow 2012", "USA"), ("Percentage", "Country")
    found, where = stands_in_row(quote, named, cells, heads)
    assert found is stands
    assert where == (box if stands and "37.6" in quote else None)


def test_nothing_is_shown_where_nothing_speaks_of_the_question(library: Library) -> None:
    answer = library.ask("Who invented chocolate?").answer
    assert (answer.status, answer.evidence) == ("abstained", ())
    assert "Nothing was found" in answer.note


def test_yes_or_no_is_left_to_language_models(library: Library) -> None:
    answer = library.ask("Do folds help on light paper?", answer_format="bool").answer
    assert (answer.status, answer.value) == ("abstained", None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("who wrote the paper about sourdough?", ["Li Specimen", "Maria Example"]),
        ("how many authors has the paper boats study?", 3),
        ("how many pages does the article on window sill seedlings have?", 2),
        ("when was the study on paper boats published?", 2024),
    ],
)
def test_a_paper_is_described_by_words_of_its_title(library: Library, text: str, value: object) -> None:
    answer = library.ask(text).answer
    assert answer.value in (value, str(value))


def test_words_that_fit_no_title_or_several_describe_no_paper(library: Library) -> None:
    for text in ("who wrote the paper about dragons?", "who wrote the paper?"):
        assert library.ask(text).answer.status == "abstained"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Which of my papers is the oldest?", "Window Sill Seedlings: Light and Height in Twenty-One Days"),
        ("what is the longest article here?", "Window Sill Seedlings: Light and Height in Twenty-One Days"),
        ("How many papers were published after 2023?", 2),
        ("how many of my papers have at least two authors?", 3),
        ("How many papers have more than ninety-nine tables", None),
        ("which paper has three authors?", BOATS),
        ("How many authors does the paper with the most authors have?", 3),
        ("which papers have more than 50 figures?", "None of the 4 papers."),
        ("which paper has the largest sample?", None),
    ],
)
def test_papers_are_held_against_each_other(library: Library, text: str, value: object) -> None:
    run = library.ask(text)
    compared = [step for step in run.steps if "against each other" in step.thought]
    assert run.answer.value == value if value is not None else not compared or run.answer.value is None
    assert all(each.verified for each in run.answer.evidence)


def test_titles_and_headings_are_no_evidence(library: Library) -> None:
    answer = library.ask("Why would the hull of paper boats be soaking after some time?").answer
    assert answer.status == "abstained"
    assert answer.evidence
    assert {each.table for each in answer.evidence} <= {"sentences", "cells", "tables", "images"}


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which of my papers is about boats?", True),
        ("what work on boats is there?", True),
        ("find me a recent study of bread", True),
        ("What's the paper on boats that sink called?", True),
        ("title of the survey of starters", True),
        ("In which year was the boat paper published?", False),
        ("What data does the boat paper use as an example?", False),
        ("Which people are the authors of the boat article?", False),
        ("what is the abstract of the boat paper?", False),
        ("what instrument counted boats in the study of boats?", False),
    ],
)
def test_papers_are_named_only_where_papers_are_asked_for(question: str, asks: bool) -> None:
    assert bool(PAPER.search(question)) == asks


def test_in_place_of_a_heading_stands_what_is_said_under_it() -> None:
    hit: dict[str, object] = {
        "table_name": "sections",
        "text": "Boats\nThey sink. They dry.",
        "quote": "Boats",
    }
    hit |= {"pdf_id": "p", "page_number": 1}
    empty = {**hit, "text": "Boats"}
    title = {**hit, "table_name": "metadata"}
    assert [each.quote for each in closest([title, hit, empty])] == ["They sink."]
    assert [each.quote for each in closest([title, empty])] == ["Boats", "Boats"]  # nothing else is there
    sentence = {**hit, "table_name": "sentences", "quote": "They sink."}
    assert [each.quote for each in closest([sentence, hit])] == ["They sink."]  # said once


@pytest.mark.parametrize(
    ("question", "sentence", "undated"),
    [
        ("When was it published?", "It is written in C [5, 6].", True),
        ("When (invented hyphenation)?", "It was invented long ago.", True),
        ("When was it published?", "It was published in May 2008.", False),
        ("When should it be dried?", "It is dried as soon as it sinks.", False),
    ],
)
def test_no_sentence_without_a_figure_says_when_something_was(
    question: str, sentence: str, undated: bool
) -> None:
    assert _is_undated(question, sentence) == undated


def test_an_answer_tells_what_the_search_says_of_the_question(library: Library) -> None:
    said = "The question seems to be in German, the papers are in English"
    assert library.ask("Wie lange schwimmen die boats bei 160 g?").answer.note.startswith(said)
    assert library.ask("Wozu dient Katzenstreu?").answer.note.startswith(said)  # of which nothing is found


def test_an_abbreviation_is_looked_for_in_all_papers(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.line("A Study of Paper Boats", size=18, face="b")
    paper.text("We measured the mean soaking time (MST) of every boat. " + words(60, 1))
    paper.save()
    with Library.open(tmp_path / "library", create=True, index__encoders=("text_bm25_en",)) as library:
        library.add([EXAMPLES, paper.path])
        found = library.ask("What does MST stand for?").answer
        assert found.value == "mean soaking time"
        assert found.evidence[0].verified
        assert library.ask("What does XQZ stand for?").answer.status == "abstained"


def test_a_sentence_ends_with_its_row() -> None:
    rows = [{"text_content": "One. The mean"}, {"text_content": "soaking time (MST) was long. Three."}]
    (both,) = join([{**row, "ref_paper_id": "p"} for row in rows])
    start = both.text.index("soaking")
    assert both.sentence(start, start + 12) == "soaking time (MST) was long."
    assert both.sentence(start - 5, start + 12) == "mean\nsoaking time"


def test_one_paper_may_be_named_as_a_text(library: Library) -> None:
    one = "paper-boats.pdf"
    assert library.question("Who wrote it?", one) == library.question("Who wrote it?", [one])
    assert {hit.paper_title for hit in library.search("boats", papers=one)} == {BOATS}


def test_evidence_for_what_no_paper_speaks_of_is_called_weak(library: Library) -> None:
    answer = library.ask("How does paper chromatography tell anthocyanin from anthocyanin?").answer
    assert answer.status == "abstained"
    assert answer.evidence
    assert answer.note.startswith("Weak evidence. None of these passages has")
    assert answer.note.count("anthocyanin") == 1
    assert answer.confidence == 0.0
    spoken = library.ask("Why do the hull folds of boats change how long they soak?").answer
    assert "Weak" not in spoken.note


def test_ask_shows_what_a_search_finds_in_the_order_that_reading_gives(tmp_path: Path) -> None:
    question = "How does pressing a fold change the time until a boat soaks?"
    with Library.open(tmp_path / "read", create=True) as made:  # with vectors, so the best hits are read
        assert not made.add([EXAMPLES / "paper-boats.pdf"]).failed
        evidence = made.ask(question, save=False, memory=False).answer.evidence
        hits = made.search(question, limit=20, memory=False, why=True)
        assert any(hit.why[0].endswith("says it") for hit in hits[:3])
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        found = [hit.key for hit in hits if hit.table not in ("metadata", "sections")]  # names say nothing
        places = [found.index(each.key) for each in evidence]
        assert places[0] == 0
        assert places == sorted(places)
