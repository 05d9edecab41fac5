from __future__ import annotations

from typing import Any

import pytest

from quire.ask.actions import ACTIONS, load_actions, parameters, signature
from quire.ask.actions.database import VIEWS, _short, comparisons, empty_result
from quire.ask.environment import Environment
from quire.ask.prompt import specification, tool_schemas
from quire.errors import UnknownNameError
from quire.library import Library
from quire.types import Call, Final, Hit, Hits, Question
from tests.ask.stored import stored

from .one_paper import PAPER, small_library


@pytest.fixture(scope="module")
def library() -> Library:
    return small_library()


@pytest.fixture(scope="module")
def env(library: Library) -> Environment:
    return Environment(library)


def run(env: Environment, name: str, **arguments: Any) -> tuple[str, str]:
    seen = env.run(Call(name, arguments))
    return seen.kind, seen.text


def test_signatures_are_those_of_the_conversations() -> None:
    assert [signature(action) for action in load_actions().values()] == [
        "RetrieveFromDatabase(sql: str)",
        "RetrieveFromVectorstore(query: str, collection_name: str, table_name: str, column_name: str, "
        "filter: str = '', limit: int = 5)",
        "ClassicRetrieve(query: str, limit: int = 5)",
        "Search(query: str, papers: list[str] = [], limit: int = 5, each_paper: bool = False)",
        "FirstLook(query: str, papers: list[str] = [], limit: int = 5)",
        "CalculateExpr(expr: str)",
        "ViewImage(paper_id: str, page_number: int, bounding_box: list[float] = [])",
        "GenerateAnswer(answer: Any)",
        "ReadRows(view: str, ids: list[str] = [])",  # of the rules alone
    ]


def test_rows_of_a_view_are_read_without_sql(env: Environment) -> None:
    paper = str(env.library.sql("SELECT paper_id FROM metadata").rows[0][0])
    for view in VIEWS:
        assert run(env, "ReadRows", view=view, ids=[paper])[0] in ("rows", "warning")
    assert run(env, "ReadRows", view="titles")[0] == "rows"
    assert run(env, "ReadRows", view="titles", ids=["' OR true --"])[0] == "warning"
    kind, text = run(env, "ReadRows", view="secrets")
    assert (kind, "Choose from: metadata" in text) == ("error", True)


@pytest.mark.parametrize("format", ["markdown", "json"])
def test_the_specification_holds_every_parameter_and_examples_that_parse(format: str) -> None:
    actions = load_actions()
    text = specification(actions, format)
    for name, action in actions.items():
        assert all(parameter.doc in text for parameter in parameters(action))
        for _, arguments in action.examples:
            example = text.index(name)
            assert example >= 0
            assert arguments
    assert text == specification(load_actions(), format)


def test_tool_schemas_name_required_parameters() -> None:
    schema = tool_schemas(load_actions(["ViewImage"]))[0]["function"]
    assert schema["parameters"]["required"] == ["paper_id", "page_number"]
    assert schema["parameters"]["properties"]["bounding_box"]["default"] == []


def test_sql_rows(env: Environment) -> None:
    kind, text = run(env, "RetrieveFromDatabase", sql="SELECT title FROM metadata")
    assert kind == "rows"
    assert text == '{"title": "Tea and Typing Speed"}\n\nIn total 1 row.'


def test_an_empty_result_names_values_that_exist(env: Environment) -> None:
    where = f"ref_paper_id = '{PAPER}' AND section_title = 'Introduction'"
    sql = f"SELECT section_content FROM sections WHERE {where}"
    kind, text = run(env, "RetrieveFromDatabase", sql=sql)
    assert kind == "warning"
    assert "'1 Introduction'" in text


def test_an_empty_result_for_an_unknown_paper(env: Environment) -> None:
    sql = "SELECT title FROM metadata WHERE paper_id = '99999999-9999-5999-8999-999999999999'"
    assert "No paper has that id" in run(env, "RetrieveFromDatabase", sql=sql)[1]


def test_an_empty_result_without_comparison(env: Environment) -> None:
    assert "ILIKE" in run(env, "RetrieveFromDatabase", sql="SELECT 1 WHERE false")[1]


def test_comparisons_are_read_out_of_sql() -> None:
    where = "lower(s.section_title) LIKE '%it''s%' AND m.title='A'"
    sql = f"SELECT 1 FROM sections s JOIN metadata m ON true WHERE {where}"
    found = set(comparisons(sql))
    assert found == {("sections", "section_title", "%it's%"), ("metadata", "title", "A")}


def test_wrong_sql_is_an_error_not_an_exception(env: Environment) -> None:
    kind, text = run(env, "RetrieveFromDatabase", sql="SELECT nonsense FROM metadata")
    assert kind == "error"
    assert text.startswith("[Error]: ")


def test_a_filter_for_classic_retrieve_is_told_where_filters_are(env: Environment) -> None:
    kind, text = run(env, "ClassicRetrieve", query="tea", filter="pdf_id == 'x'")
    assert kind == "error"
    assert "no parameter `filter`" in text
    assert "ClassicRetrieve(query: str, limit: int = 5)" in text
    assert "RetrieveFromVectorstore has that one" in text
    assert "A correct call: ClassicRetrieve(query=" in text


def test_the_correct_call_is_shown_in_the_format_in_use(library: Library) -> None:
    env = Environment(library, format="json")
    assert '{"action_type": "CalculateExpr"' in run(env, "CalculateExpr", expr="2 +")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "needs `query`"),
        ({"query": "tea", "limit": "many"}, "must be of type int"),
        ({"query": "tea", "limit": 2.5}, "must be of type int"),
        ({"query": ["tea"]}, "must be of type str"),
        ({"query": "  "}, "is empty"),
        ({"query": "tea", "limit": 0}, "positive number"),
        ({"querry": "tea", "limit": 1}, "Did you mean `query`?"),
    ],
)
def test_wrong_arguments(env: Environment, arguments: dict[str, Any], said: str) -> None:
    kind, text = run(env, "ClassicRetrieve", **arguments)
    assert kind == "error"
    assert said in text


def test_arguments_whose_meaning_is_plain_are_mended(env: Environment) -> None:
    assert run(env, "classic_retrieve", query="tea", limit="1")[0] == "rows"
    assert (
        run(env, "ViewImage", paper_id=PAPER, page_number="1", bounding_box="[0, 0, 600, 400]")[0] == "text"
    )


def test_an_unknown_action_names_the_nearest(env: Environment) -> None:
    assert "Did you mean ClassicRetrieve?" in run(env, "ClassicRetrieval", query="x")[1]


def test_an_action_that_is_not_allowed_here(env: Environment) -> None:
    text = (
        env.limited_to(["ClassicRetrieve", "GenerateAnswer"]).run(Call("CalculateExpr", {"expr": "1"})).text
    )
    assert "You can use: ClassicRetrieve, GenerateAnswer" in text
    with pytest.raises(UnknownNameError):
        env.limited_to(["Nothing"])


def test_search_rows_have_the_columns_of_the_conversations(env: Environment) -> None:
    seen = env.run(Call("ClassicRetrieve", {"query": "green tea"}))
    assert list(seen.rows[0])[:6] == [
        "score",
        "pdf_id",
        "page_number",
        "table_name",
        "column_name",
        "primary_key",
    ]
    assert "Green tea raised the speed" in seen.rows[0]["text"]


@pytest.mark.parametrize(
    "call",
    [
        Call("ClassicRetrieve", {"query": "tea"}),
        Call(
            "RetrieveFromVectorstore",
            {
                "query": "tea",
                "collection_name": "text_bm25_en",
                "table_name": "chunks",
                "column_name": "text_content",
            },
        ),
    ],
)
def test_searches_keep_to_the_papers_that_the_user_restricts_them_to(env: Environment, call: Call) -> None:
    nowhere = ("99999999-9999-5999-8999-999999999999",)
    assert env.asked(Question("q", "?", only=nowhere)).run(call).kind == "error"
    assert env.asked(Question("q", "?", anchor_papers=nowhere)).run(call).kind == "rows"


def test_of_equal_hits_those_of_the_anchors_come_first() -> None:
    other = "00000000-1111-5111-8111-111111111111"
    passages = [
        {
            "chunk_id": f"{n}0000000-1111-5111-8111-111111111111",
            "text_content": "green tea",
            "ref_paper_id": paper,
        }
        for n, paper in enumerate((other, other, PAPER))
    ]
    env = Environment(stored({"metadata": [{"paper_id": other}, {"paper_id": PAPER}], "chunks": passages}))
    call = Call("ClassicRetrieve", {"query": "green tea", "limit": 1})
    assert env.run(call).rows[0]["pdf_id"] == other
    assert env.asked(Question("q", "?", anchor_papers=(PAPER,))).run(call).rows[0]["pdf_id"] == PAPER


def _shelf(*of: str) -> Environment:
    """A page with a passage for each of these ids of papers; those of the first say most of tea and milk."""
    held: dict[str, list[dict[str, Any]]] = {"pages": [], "chunks": []}
    for n, paper in enumerate(of, 1):
        page = {"page_id": f"{n}0000000-3333-5333-8333-333333333333", "page_number": n, "ref_paper_id": paper}
        text = f"Green tea and milk were drunk in room {n}." if paper == of[0] else f"Tea was black in {n}."
        key = f"{n}0000000-2222-5222-8222-222222222222"
        passage = {"chunk_id": key, "text_content": text, "ref_page_id": page["page_id"]}
        held["pages"].append(page)
        held["chunks"].append({**passage, "ref_paper_id": paper})
    return Environment(stored(held))


def test_evidence_is_of_each_paper_that_is_named_the_best_of_each_first() -> None:
    papers = ["00000000-1111-5111-8111-111111111111", PAPER]
    env = _shelf(*papers[:1] * 8, PAPER)
    call = {"query": "green tea and milk", "limit": 3}
    assert [row["pdf_id"] for row in env.run(Call("Search", call)).rows] == [papers[0]] * 3
    both = env.run(Call("Search", {**call, "papers": papers})).rows
    assert [row["pdf_id"] for row in both] == [papers[0], PAPER, papers[0]]


def test_of_many_papers_the_best_passages_come_first_whichever_they_are_of() -> None:
    papers = [f"{n}0000000-1111-5111-8111-111111111111" for n in range(6)]
    env = _shelf(*papers[:1] * 4, *papers[1:])
    call = {"query": "green tea and milk", "papers": papers, "limit": 8}
    assert [row["pdf_id"] for row in env.run(Call("Search", call)).rows][:4] == [papers[0]] * 4


def test_a_heading_without_text_gives_way_to_what_says_something() -> None:
    class Headed(Library):
        def search(self, query: str, *, limit: int = 5, **where: Any) -> Hits:
            texts = ("Results", "Results\nTea helps.", "Methods")
            hits = [Hit(1.0, text, PAPER, 1, "sections", "section_title", text) for text in texts]
            return Hits(hits[:limit])

    env = Environment(Headed(stored({}).settings))
    shown = env.run(Call("Search", {"query": "results", "limit": 1}))
    assert [row["text"] for row in shown.rows] == ["Results\nTea helps."]


def test_hits_carry_title_and_page_and_what_nobody_uses_stays_in_the_record(env: Environment) -> None:
    search = {"query": "tea", "collection_name": "text_bm25_en", "table_name": "metadata"}
    seen = env.run(Call("RetrieveFromVectorstore", {**search, "column_name": "title"}))
    assert (seen.rows[0]["page_number"], seen.rows[0]["title"]) == (1, "Tea and Typing Speed")
    assert '"title": "Tea and Typing Speed"' in seen.text
    assert "score" in seen.rows[0]
    assert "score" not in seen.text
    boxes = env.run(Call("RetrieveFromDatabase", {"sql": "SELECT * FROM chunks"}))
    assert "bounding_box" in boxes.rows[0]
    assert "bounding_box" not in boxes.text
    asked = env.run(Call("RetrieveFromDatabase", {"sql": "SELECT bounding_box FROM chunks"}))
    assert "bounding_box" in asked.text


def test_a_limit_over_the_rows_shown_says_how_to_see_the_rest(env: Environment) -> None:
    sql = "SELECT range AS n, repeat('word ', 90) AS t FROM range(40) LIMIT 30"
    text = run(env, "RetrieveFromDatabase", sql=sql)[1]
    assert "Rows 1 to 10 of 30 are shown; 20 more are there." in text
    assert "LIMIT 10 OFFSET 10" in text


def test_an_empty_result_lists_each_value_once_and_enough_of_it(env: Environment) -> None:
    like = " OR ".join(f"section_title ILIKE '%{word}%'" for word in ("Zebra", "Quokka"))
    text = run(env, "RetrieveFromDatabase", sql=f"SELECT section_content FROM sections WHERE {like}")[1]
    assert text.count("'1 Introduction'") == 1
    assert "'%Zebra%' or '%Quokka%'" in text


def test_an_empty_result_shows_no_beginnings_of_long_texts() -> None:
    library = stored(
        {
            "metadata": [{"paper_id": PAPER}],
            "pages": [
                {"page_id": PAPER, "page_number": 1, "page_content": "tea " * 100, "ref_paper_id": PAPER}
            ],
        }
    )
    said = empty_result("SELECT 1 FROM pages WHERE page_content = 'coffee'", library)
    assert "tea tea" not in said
    assert "ILIKE '%word%'" in said


def test_a_filter_that_removes_everything_is_blamed(env: Environment) -> None:
    kind, text = run(
        env,
        "RetrieveFromVectorstore",
        query="tea",
        collection_name="text_bm25_en",
        table_name="chunks",
        column_name="text_content",
        filter=f"pdf_id == '{PAPER}' and page_number == 99",
    )
    assert kind == "warning"
    assert "`page_number == 99`" in text
    assert "`pdf_id" not in text


def test_a_query_that_nothing_matches(env: Environment) -> None:
    kind, text = run(env, "ClassicRetrieve", query="zzz qqq")
    assert (kind, "No entry of chunks.text_content" in text) == ("warning", True)


def test_view_image_with_and_without_vision(library: Library, env: Environment) -> None:
    seeing = Environment(library, vision=True)
    assert (seeing.run(Call("ViewImage", {"paper_id": PAPER, "page_number": 1})).image or b"").startswith(
        b"\x89PNG"
    )
    kind, text = run(env, "ViewImage", paper_id=PAPER, page_number=2, bounding_box=[0, 50, 900, 200])
    assert kind == "text"
    assert "cannot see pictures" in text
    assert "Green tea raised the speed" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"page_number": 9}, "pages 1 to 2"),
        ({"page_number": 1, "bounding_box": [1, 2]}, "needs 4 numbers"),
        ({"page_number": 1, "bounding_box": [700, 10, 50, 50]}, "shows nothing"),
        ({"page_number": 1, "bounding_box": [0, 0, float("nan"), 1]}, "list[float]"),
    ],
)
def test_view_image_told_what_is_wrong(env: Environment, arguments: dict[str, Any], said: str) -> None:
    assert said in run(env, "ViewImage", paper_id=PAPER, **arguments)[1]


def test_an_unknown_paper_is_an_error(env: Environment) -> None:
    assert run(env, "ViewImage", paper_id="abc", page_number=1)[0] == "error"


def test_generate_answer_is_final_and_keeps_the_value(env: Environment) -> None:
    seen = env.run(Call("GenerateAnswer", {"answer": ["a", 1]}))
    assert isinstance(seen, Final)
    assert seen.answer == ["a", 1]


def test_a_crash_inside_an_action_is_an_error_observation(env: Environment) -> None:
    class Broken(Library):
        def sql(self, sql: str) -> Any:
            raise RuntimeError("disk on fire")

    seen = Environment(Broken(stored({}).settings)).run(Call("RetrieveFromDatabase", {"sql": "SELECT 1"}))
    assert seen.kind == "error"
    assert "disk on fire" in seen.text


def test_every_action_is_registered_under_its_own_name() -> None:
    assert all(action.__name__ == name for name, action in load_actions(ACTIONS).items())


def test_long_expressions_are_called_by_their_function() -> None:
    assert _short(["a", '"left"(reference_content, 90)', "count(DISTINCT table_label)"]) == [
        "a",
        "left",
        "count",
    ]
    same = ["substr(reference_content, 1, 9)", "substr(reference_title, 1, 9)"]
    assert _short(same) == same
