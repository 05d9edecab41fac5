"""One search over sentences, rows, captions, headings and titles."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from safetensors.numpy import load_file, save_file

from quire.errors import QueryError, UnknownNameError
from quire.library import Library
from quire.library.indexing import view_of
from quire.library.searching import foreign, language_of, remark
from quire.pdf.front.imprint import find_language
from quire.search.encoders import MINILM
from quire.search.models import MINILM_SOURCE, require
from quire.search.ranking import Ranker
from quire.search.reader import WEIGHTS, Reader
from quire.store import Database, WriterLock
from tests.library.conftest import write_pdf

BOATS = "paper-boats.pdf"


def test_a_sentence_speaks_and_its_passage_stands_around_it(filled: Library) -> None:
    hit = filled.search("How long does a boat float until it sinks?", papers=[BOATS])[0]
    assert hit.quote in hit.text
    assert hit.text != hit.quote
    assert hit.section
    assert hit.bbox is not None
    assert hit.bbox.height < 100


def test_a_row_of_a_table_is_found_and_shown_with_caption_and_heads(filled: Library) -> None:
    ((paper, caption, row),) = filled.sql(
        "SELECT c.ref_paper_id::VARCHAR, t.table_caption, "
        "string_agg(c.cell_content, ' | ' ORDER BY c.column_index) FROM cells c "
        "JOIN tables t ON t.table_id = c.ref_table_id WHERE NOT c.is_head AND c.row_index = 2 "
        "GROUP BY ALL ORDER BY 2 LIMIT 1"
    ).rows
    hits = filled.search(f"{caption} {row}", papers=[paper], part="tables")
    assert {hit.table for hit in hits} <= {"cells", "tables"}
    assert row in hits[0].quote
    assert caption in hits[0].text
    assert hits[0].text.count("\n") > 1


@pytest.mark.parametrize(
    ("part", "tables"),
    [
        ("text", {"sentences"}),
        ("tables", {"cells", "tables"}),
        ("figures", {"images"}),
        ("headings", {"sections"}),
        ("titles", {"metadata"}),
    ],
)
def test_a_part_is_all_that_is_searched(filled: Library, part: str, tables: set[str]) -> None:
    hits = filled.search("boats and bread of the results", part=part, limit=20)
    assert hits
    assert {hit.table for hit in hits} <= tables
    assert all((hit.table == "sentences") == bool(hit.section) for hit in hits)


def test_a_short_sentence_that_a_better_hit_shows_is_no_hit_of_its_own(
    empty: Library, tmp_path: Path
) -> None:
    empty.add(write_pdf(tmp_path / "boats.pdf", "On Boats", "Boats of paper float on water. Boats sink."))
    hits = empty.search("boats of paper float on water, boats sink", part="text")
    assert [hit.text for hit in hits] == ["Boats of paper float on water. Boats sink."]


def test_no_hit_repeats_what_a_better_one_shows(filled: Library) -> None:
    hits = filled.search("paper boats float", limit=20)
    for number, hit in enumerate(hits):
        assert not any(
            hit.quote in better.text and better.page == hit.page and better.paper_id == hit.paper_id
            for better in hits[:number]
            if better.table == hit.table == "sentences"
        )


def test_two_pieces_of_a_table_are_enough(filled: Library) -> None:
    of_table = dict(
        filled.sql(
            "SELECT cell_id::VARCHAR, ref_table_id::VARCHAR FROM cells "
            "UNION ALL SELECT table_id::VARCHAR, table_id::VARCHAR FROM tables"
        ).rows
    )
    hits = filled.search("boats and seedlings of the table", part="tables", words=1, limit=50)
    pieces = [of_table[hit.key] for hit in hits]
    assert max(pieces.count(table) for table in pieces) == 2


def test_a_second_piece_of_a_table_repeats_no_row_and_both_tell_what_is_left_out(filled: Library) -> None:
    rows = dict(
        filled.sql(
            "SELECT key, list(DISTINCT line) FROM (SELECT ref_table_id::VARCHAR AS key, row_index, "
            "string_agg(cell_content, ' | ' ORDER BY column_index) AS line FROM cells WHERE NOT is_head "
            "GROUP BY 1, 2) GROUP BY 1"
        ).rows
    )
    of_cell = dict(filled.sql("SELECT cell_id::VARCHAR, ref_table_id::VARCHAR FROM cells").rows)
    hits = filled.search("boats and seedlings of the table", part="tables", words=30, limit=50)
    told = [(of_cell.get(hit.key, hit.key), set(hit.text.splitlines())) for hit in hits]
    shown = [(table, row) for table, lines in told for row in rows[table] if row in lines]
    assert shown
    assert len(shown) == len(set(shown))
    assert any("[rows of this table not shown here: " in hit.text for hit in hits)


def test_passages_keep_to_the_words_asked_for(filled: Library) -> None:
    short = filled.search("paper boats float", words=40, limit=3, part="text")
    assert all(len(hit.text.split()) <= max(40, len(hit.quote.split())) for hit in short)


def test_why_names_what_moved_a_hit(filled: Library) -> None:
    assert filled.search("boats")[0].why == ()
    assert len(filled.search("boats", why=True)[0].why) == 4


def test_a_misspelt_word_is_searched_as_its_neighbour_and_told(filled: Library) -> None:
    hits = filled.search("seedlngs on the window")
    assert "seedlngs" in hits.notes[0]
    assert "seedlings" in hits.notes[0]
    assert "seedling" in hits[0].text.lower()
    assert filled.search("seedlings on the window").notes == ()
    assert filled.search("captions of subsections").notes == ()


def test_a_query_without_a_word_of_the_library_is_told(filled: Library) -> None:
    (note,) = filled.search("xyzzy plugh").notes
    assert note.startswith("No word of this is in the library")
    assert filled.search("xyzzy boats").notes == ()


def test_a_question_in_another_language_is_told(filled: Library) -> None:
    (note,) = filled.search("Wie viele Boote sind gesunken?").notes
    assert "German" in note
    assert language_of("Combien de patients ont été traités ?") == "fr"
    assert language_of("how many boats sank?") == "en"
    assert find_language("Marker a1691g c2249t, marker a1691g c104t") == ""  # "a" alone is no Portuguese
    assert language_of("Wozu dient ein Kiel?") == language_of("Wie wählt man den Kiel bei Booten?") == "de"
    assert foreign("¿Cuántos barcos se hundieron y por qué?") == "es"
    assert remark("es", {"es"}) == ""


def test_errors_are_told(filled: Library) -> None:
    with pytest.raises(QueryError, match="empty"):
        filled.search(" ")
    with pytest.raises(QueryError, match="limit"):
        filled.search("x", limit=0)
    with pytest.raises(UnknownNameError, match="tables"):
        filled.search("x", part="footnotes")


def test_words_alone_rank_where_there_is_no_model(filled: Library, tmp_path: Path) -> None:
    shutil.copytree(filled.folder, tmp_path / "copy")
    with Library.open(tmp_path / "copy", index__encoders=("text_bm25_en",)) as library:
        hits = library.search("How long does a boat float until it sinks?")
        assert hits[0].paper_id == library.paper(BOATS).id


def test_a_removed_paper_is_no_longer_found(filled: Library, tmp_path: Path) -> None:
    shutil.copytree(filled.folder, tmp_path / "copy")
    with Library.open(tmp_path / "copy") as library:
        boats = library.paper(BOATS).id
        assert boats in {hit.paper_id for hit in library.search("paper boats float")}
        library.remove(BOATS)
        assert boats not in {hit.paper_id for hit in library.search("paper boats float")}


def test_while_papers_come_in_a_search_does_not_wait_for_each(empty: Library, tmp_path: Path) -> None:
    empty.add(write_pdf(tmp_path / "a.pdf", "On Boats", "Boats are rowed with oars."))

    database = empty._resources.database

    def lacks() -> int:
        with database.reading() as connection:
            return view_of(empty._resources, connection).lacks

    with WriterLock(empty.folder), database.writing() as connection:  # rows are in, the index is not yet told
        connection.execute("INSERT INTO runs SELECT uuid()::VARCHAR, next_id, next_id + 5 FROM index_state")
        connection.execute("UPDATE index_state SET generation = generation + 1, next_id = next_id + 5")
    with WriterLock(empty.folder):
        assert lacks() == 1
        assert empty.search("boats")


def test_hits_of_one_page_make_room_for_those_of_another(empty: Library, tmp_path: Path) -> None:
    places = ("harbour", "river", "lake", "canal", "bay", "pond")
    first = [f"Boat number {n} sank in the {place} by the old town." for n, place in enumerate(places)]
    canvas = Canvas(str(tmp_path / "boats.pdf"), pagesize=A4, invariant=1)
    for lines in (first, ["Boat number 77 of the town sank in an old storm that came at night."]):
        for number, line in enumerate(lines):
            canvas.drawString(50, 780 - 40 * number, line)
        canvas.showPage()
    canvas.save()
    empty.add(tmp_path / "boats.pdf")
    asked = "Which boat number sank in the harbour by the old town?"
    pages = [hit.page for hit in empty.search(asked, part="text", words=1, limit=3)]
    assert pages[0] == 1
    assert 2 in pages


def test_the_cells_of_a_row_stand_under_their_heads_where_others_are_empty(
    filled: Library, tmp_path: Path
) -> None:
    shutil.copytree(filled.folder, tmp_path / "library")
    with Library.open(tmp_path / "library") as library:
        ((table, paper, last),) = library.sql(
            "SELECT ref_table_id::VARCHAR, any_value(ref_paper_id)::VARCHAR, max(column_index) FROM cells "
            "GROUP BY 1 HAVING max(column_index) > 2 AND bool_or(is_head) ORDER BY 1 LIMIT 1"
        ).rows
        with Database(library.folder / "library.duckdb").writing() as connection:
            connection.execute(
                "DELETE FROM cells WHERE ref_table_id = ?::UUID AND (column_index = 1 OR "
                "(column_index = 0 AND is_head))",
                [table],
            )
        hits = library.search("boats", papers=[paper], part="tables", limit=20)
        of_cell = dict(library.sql("SELECT cell_id::VARCHAR, ref_table_id::VARCHAR FROM cells").rows)
        text = next(hit.text for hit in hits if table in (hit.key, of_cell.get(hit.key)))
        lines = [line.split(" | ") for line in text.splitlines() if " | " in line]
        assert {len(line) for line in lines} == {last + 1}
        assert {line[1] for line in lines} == {""}
        assert [line[0] == "" for line in lines] == [True] + [False] * (len(lines) - 1)


@pytest.fixture(scope="module")
def contrary(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """A reader that says the opposite of the package's."""
    folder = tmp_path_factory.mktemp("contrary") / "reader"
    shutil.copytree(WEIGHTS, folder)
    weights = load_file(folder / "model8.safetensors")
    save_file({**weights, "head.weight": -weights["head.weight"]}, folder / "model8.safetensors")
    return Reader(require(MINILM_SOURCE), weights=folder)


def test_the_order_heeds_the_reader_and_scores_stay_as_they_were(filled: Library, contrary: Reader) -> None:
    resources, question = filled._resources, "How long does a boat float until it sinks?"
    with resources.database.reading() as connection:
        view = view_of(resources, connection)
    readers: list[Callable[[], Reader | None]] = [lambda: None, resources.reader, lambda: contrary]
    lists = [Ranker(resources.encoder(MINILM), one).rank(view, question) for one in readers]
    plain, helped, misled = ([each.id for each in ranked] for ranked in lists)
    assert sorted(plain) == sorted(helped) == sorted(misled)
    assert len({tuple(plain), tuple(helped), tuple(misled)}) == 3
    scores = [[each.score for each in ranked] for ranked in lists]
    assert scores[0] == scores[1] == scores[2] == sorted(scores[0], reverse=True)


def test_why_tells_that_a_hit_was_read(filled: Library) -> None:
    assert filled.search("How long does a boat float?", why=True)[0].why[0].endswith("says it")


def test_only_a_search_over_everything_loads_the_reader(filled: Library, tmp_path: Path) -> None:
    with Library.open(filled.folder) as library:
        library.search("boats", table="chunks", column="text_content")
        library.search("boats", part="titles")
        assert library._resources.ranker._reader is None
        library.search("boats")
        assert library._resources.ranker._reader is not None
