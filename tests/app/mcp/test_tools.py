"""The tools and resources, called by the official client in this process."""

from __future__ import annotations

import base64
import functools
import io
import re
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from PIL import Image

from quire.app.mcp import results
from quire.app.mcp.results import in_tools
from quire.app.mcp.server import build
from quire.app.mcp.tools import Visitor
from quire.build import Library
from quire.errors import QuireError, RunError
from quire.llm.messages import estimate_tokens
from quire.types import Box, Hit
from tests.app.conftest import FOLDS, FOLDS_AGAIN, copied, tell_of_folds

BOATS = "paper-boats.pdf"
EXAMPLES = Path(__file__).parents[3] / "examples" / "papers"


@pytest.fixture(scope="module")
def folder(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example library that these tests may ask and judge in."""
    return copied(filled, tmp_path_factory.mktemp("mcp") / "library")


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with Library.open(folder) as opened:
        yield opened


def speak(server: Any, talk: Callable[[Client], Awaitable[Any]]) -> Any:
    """What a conversation of a client with the server gives."""

    async def run() -> Any:
        async with Client(server) as client:
            return await talk(client)

    return anyio.run(run)


def call(library: Library, tool: str, **arguments: Any) -> Any:
    return speak(build(library), lambda client: client.call_tool(tool, arguments))


def text(result: Any) -> str:
    return str(result.content[0].text)


def test_every_tool_says_what_it_is_for_and_gives_an_example(library: Library, tmp_path: Path) -> None:
    listed = speak(build(library, folders=[tmp_path]), lambda client: client.list_tools())
    tools = {tool.name: tool for tool in listed.tools}
    assert list(tools) == [
        "search", "list_papers", "outline", "sql", "schema", "read_page", "view_page", "ask", "verdict",
        "add_papers",
    ]  # fmt: skip
    for tool in tools.values():
        assert len(tool.description) > 50
        fields = tool.input_schema["properties"]
        assert all(field["description"] for field in fields.values())
        assert tool.name == "verdict" or any("examples" in field for field in fields.values())
    assert tools["search"].annotations.read_only_hint
    assert not tools["verdict"].annotations.read_only_hint
    assert set(tools["ask"].output_schema["properties"]) >= {"status", "answer", "evidence", "run"}


def test_adding_is_not_offered_unless_a_folder_is_allowed(library: Library) -> None:
    names = [tool.name for tool in speak(build(library), lambda client: client.list_tools()).tools]
    assert "add_papers" not in names
    assert call(library, "add_papers", paths=["a.pdf"]).is_error


def test_search_gives_passages_with_their_places(library: Library) -> None:
    found = call(
        library, "search", query="soaking time of the keel boat on heavy paper", limit=2
    ).structured_content
    first = found["passages"][0]
    assert first["title"].startswith("Paper Boats")
    assert first["page"] == 1
    assert "keel" in first["speaks"].lower()
    assert len(first["box"]) == 4
    assert len(found["passages"]) == 2


def test_search_of_named_papers_and_parts(library: Library) -> None:
    found = call(library, "search", query="keel boat", papers=["sourdough-starters"], limit=3)
    assert all("Rye" in each["title"] for each in found.structured_content["passages"])
    assert "Nothing was found" in str(call(library, "search", query="zzqx").structured_content["notes"])


def test_papers_are_listed_and_found_by_words_and_year(library: Library) -> None:
    told = call(library, "list_papers", limit=1).structured_content
    assert (len(told["papers"]), told["total"]) == (1, len(library.papers()))
    rest = call(library, "list_papers", start=1).structured_content["papers"]
    assert told["papers"][0]["paper"] not in {one["paper"] for one in rest}
    (boats,) = call(library, "list_papers", words="HULL specimen").structured_content["papers"]
    assert (boats["file"], boats["year"]) == (BOATS, 2024)
    years = call(library, "list_papers", year="2024").structured_content["papers"]
    assert {one["year"] for one in years} == {2024}
    assert call(library, "list_papers", year="1900").is_error


def test_an_outline_tells_sections_and_tables_with_their_pages(library: Library) -> None:
    told = call(library, "outline", paper=BOATS).structured_content
    titles = [one["title"] for one in told["sections"]]
    assert {"2 Method", "  2.1 Folding"} <= {*titles}
    assert told["tables"][0]["title"].startswith("Table 1: Mean soaking time")
    assert told["tables"][0]["page"] == 1
    assert told["references"] == 3


def test_errors_name_tools_and_say_what_is_for_the_shell() -> None:
    error = QuireError("No such run.", hint="`quire status --json` lists papers.")
    assert in_tools(error) == "QuireError: No such run. `list_papers` lists papers."
    damaged = in_tools(QuireError("It is damaged.", hint="Run `quire repair`."))
    assert damaged.endswith("Run `quire repair`. (`quire ...` is for the user's shell.)")
    named = in_tools(
        RunError("No.", hint="Say: quire verdict right RUN --evidence 1. Or: quire verdict wrong RUN.")
    )
    assert named.endswith("Say: `verdict` with label=right and evidence=1. Or: `verdict` with label=wrong.")


def test_a_value_that_does_not_fit_is_told_in_a_sentence(library: Library) -> None:
    told = text(call(library, "search", query="boats", limit=99))
    assert told == "Error executing tool search: `limit`: Input should be less than or equal to 50."
    given = text(call(library, "verdict", run="last", label="maybe"))
    assert given.endswith("`label`: Input should be 'right' or 'wrong'.")
    asked = call(library, "ask", question="Why was Napoleon banished to Elba?").structured_content
    wrong = text(call(library, "verdict", run=asked["run"], label="right", evidence=99))
    assert "quire" not in wrong
    assert call(library, "outline").is_error


def test_prompts_say_which_tools_to_use(library: Library) -> None:
    server = build(library)
    names = {tool.name for tool in speak(server, lambda client: client.list_tools()).tools}
    listed = speak(server, lambda client: client.list_prompts()).prompts
    assert [one.name for one in listed] == ["answer", "summarise", "compare"]
    for one in listed:
        given = dict.fromkeys((each.name for each in one.arguments), "x.pdf")
        told = speak(server, functools.partial(Client.get_prompt, name=one.name, arguments=given))
        said = told.messages[0].content.text
        assert "x.pdf" in said
        assert set(re.findall(r"`(\w+)`", said)) <= names


def test_sql_gives_rows_and_says_how_to_see_the_rest(library: Library) -> None:
    rows = text(call(library, "sql", query="SELECT word FROM (SELECT unnest(range(999)) AS word)"))
    assert rows.startswith('{"word": 0}')
    assert "LIMIT" in rows.splitlines()[-1]


def test_errors_come_with_their_hint(library: Library) -> None:
    wrong = call(library, "sql", query="SELECT title FROM metadatas")
    assert wrong.is_error
    assert "Did you mean `metadata`?" in text(wrong)
    refused = call(library, "sql", query="DROP TABLE metadata")
    assert refused.is_error
    missing = call(library, "read_page", paper="paper-boat", page=9)
    assert missing.is_error
    assert "It has 1 pages." in text(missing)
    unknown = call(library, "schema", table="metadatas")
    assert "Tables: metadata, pages" in text(unknown)
    assert call(library, "view_page", paper=BOATS, page=1, box=[1, 2]).is_error


def test_unknown_arguments_are_refused_with_what_was_meant(library: Library) -> None:
    refused = call(library, "ask", question="How many pages does it have?", paper=BOATS)
    assert refused.is_error
    assert "did you mean `papers`?" in text(refused)
    assert "there are: " in text(call(library, "search", query="boats", colour="red"))
    listed = speak(build(library), lambda client: client.list_tools())
    assert all(tool.input_schema["additionalProperties"] is False for tool in listed.tools)


def test_what_is_too_long_or_half_a_letter_is_told(library: Library) -> None:
    for tool, name in (("ask", "question"), ("search", "query")):
        told = call(library, tool, **{name: "spermatzoa " * 30_000})
        assert told.is_error
        assert "10000" in text(told)
        assert "valid" in text(call(library, tool, **{name: "boats \ud800"}))


def test_who_left_is_not_answered(library: Library) -> None:
    async def gone() -> bool:
        return True

    served = build(library, visiting=lambda context: Visitor(gone=gone))
    told = speak(served, lambda client: client.call_tool("ask", {"question": "What makes paper boats sink?"}))
    assert "stopped" in text(told)


def test_schema_tells_tables_and_columns(library: Library) -> None:
    assert "pub_year INTEGER" in text(call(library, "schema", table="metadata"))
    everything = text(call(library, "schema"))
    assert all(table.name in everything for table in library.schema())


def test_a_long_page_is_read_in_parts(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = text(call(library, "read_page", paper=BOATS, page=1))
    assert whole == library.page_text(BOATS, 1)
    monkeypatch.setattr(results, "MAX_TOKENS", 150)
    parts, start = "", 0
    while True:
        part, _, more = text(call(library, "read_page", paper=BOATS, page=1, start=start)).partition(
            "\n\n[Cut; go on with start="
        )
        assert estimate_tokens(part) <= 150
        parts += part
        if not more:
            break
        start = int(more.rstrip(".]"))
    assert parts.split() == whole.split()


def test_a_page_is_seen_with_the_box_marked_or_alone(library: Library) -> None:
    box = [54.0, 162.0, 244.0, 34.0]
    marked = call(library, "view_page", paper=BOATS, page=1, box=box)
    alone = call(library, "view_page", paper=BOATS, page=1, box=box, crop=True)
    assert "Page 1 of 1" in text(marked)
    whole, part = (
        Image.open(io.BytesIO(base64.b64decode(seen.content[1].data))).size for seen in (marked, alone)
    )
    assert whole[1] > whole[0] > part[0] > part[1]


def test_pictures_stay_below_what_agent_programs_take(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.app.mcp.tools._MAX_IMAGE", 90_000)
    seen = call(library, "view_page", paper=BOATS, page=1)
    assert len(base64.b64decode(seen.content[1].data)) <= 90_000


def test_an_answer_has_evidence_and_can_be_judged(library: Library) -> None:
    question = "What is the DOI of the paper?"
    answered = call(library, "ask", question=question, papers=[BOATS]).structured_content
    assert answered["status"] == "answered"
    assert answered["answer"] == "10.5555/ksc.2024.001"
    assert answered["evidence"][0]["page"] == 1
    assert answered["evidence"][0]["verified"]
    judged = call(library, "verdict", run=answered["run"], label="right").structured_content
    assert judged["learned"]
    again = call(library, "ask", question=question, papers=[BOATS]).structured_content
    assert "Remembered" in again["note"]


def test_an_abstention_shows_the_closest_passages(library: Library) -> None:
    told = call(library, "ask", question="How long does the keel boat float on heavy paper?")
    assert told.structured_content["status"] == "abstained"
    assert all(each["verified"] for each in told.structured_content["evidence"])


def test_a_past_answer_is_suggested_beside_an_abstention_and_can_be_used(library: Library) -> None:
    item = tell_of_folds(library)
    asked = {"question": FOLDS_AGAIN, "papers": [BOATS]}
    told = call(library, "ask", **asked).structured_content
    assert told["status"] == "abstained"
    assert (told["suggested"]["question"], told["suggested"]["answer"]) == (FOLDS, "tears fibres")
    assert (told["suggested"]["author"], told["suggested"]["evidence"][0]["verified"]) == ("ann", True)
    learned = call(library, "verdict", run=told["run"], label="right", suggested=True).structured_content
    assert learned["learned"] not in ("", item)
    again = call(library, "ask", **asked).structured_content
    assert (again["status"], again["answer"], again["suggested"]) == ("answered", "tears fibres", None)


def test_a_verdict_says_where_the_answer_stands(library: Library) -> None:
    asked = "Why do boats of paper go under?"
    told = call(library, "ask", question=asked, papers=[BOATS]).structured_content
    half = call(library, "verdict", run=told["run"], label="right", quote="water creeps")
    assert half.is_error
    assert "A place is a paper" in text(half)
    said = "Paper boats sink because water creeps along their folds"
    call(library, "verdict", run=told["run"], label="right", paper=BOATS, quote=said)
    (again,) = call(library, "ask", question=asked, papers=[BOATS]).structured_content["evidence"]
    assert (again["quote"], again["page"], again["verified"]) == (said, 1, True)


def test_links_lead_to_the_page_at_the_box(library: Library) -> None:
    served = build(library, visiting=lambda context: Visitor(server="http://127.0.0.1:8765"))
    question = {"question": "How long does the keel boat float on heavy paper?"}
    told = speak(served, lambda client: client.call_tool("ask", question)).structured_content
    first = told["evidence"][0]
    edges = ",".join(f"{edge:g}" for edge in first["box"])
    assert first["link"] == f"http://127.0.0.1:8765/read/{first['paper']}/1?box={edges}"


def test_a_scope_that_is_lacking_is_told(library: Library) -> None:
    reader = build(library, visiting=lambda context: Visitor(scopes=("read",)))
    refused = speak(reader, lambda client: client.call_tool("ask", {"question": "How many pages?"}))
    assert refused.is_error
    assert "scope `ask`" in text(refused)


def test_papers_are_added_from_allowed_folders_only(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    shutil.copy(EXAMPLES / BOATS, allowed)
    (allowed / "link.pdf").symlink_to(EXAMPLES / "sourdough-starters.pdf")
    for name, target in (("file", EXAMPLES / "sourdough-starters.pdf"), ("folder", EXAMPLES)):
        (allowed / name).mkdir()
        (allowed / name / "link.pdf").symlink_to(target)
    (allowed / "list.txt").write_text(f"{EXAMPLES / BOATS}\n")
    with Library.open(tmp_path / "library", create=True, index__encoders=("text_bm25_en",)) as library:
        server = build(library, folders=[allowed])

        async def talk(client: Client) -> tuple[Any, Any, Any]:
            outside = await client.call_tool("add_papers", {"paths": [str(EXAMPLES / BOATS)]})
            linked = await client.call_tool("add_papers", {"paths": [str(allowed / "link.pdf")]})
            inside = await client.call_tool("add_papers", {"paths": [str(allowed / BOATS)]})
            ways = ("file", "folder", "list.txt", "..", "none.pdf")
            led = [await client.call_tool("add_papers", {"paths": [str(allowed / way)]}) for way in ways]
            return outside, [linked, *led], inside

        outside, linked, inside = speak(server, talk)
        assert outside.is_error
        assert all(each.is_error for each in linked)
        assert [paper.file_name for paper in library.papers()] == [BOATS]
        assert inside.structured_content["counts"] == {"added": 1}


def test_papers_and_pages_are_resources(library: Library) -> None:
    async def talk(client: Client) -> tuple[Any, ...]:
        listed = await client.list_resources()
        card = await client.read_resource(f"quire://papers/{BOATS}")
        page = await client.read_resource(f"quire://papers/{BOATS}/pages/1")
        picture = await client.read_resource(f"quire://papers/{BOATS}/pictures/1")
        everything = await client.read_resource("quire://papers")
        with pytest.raises(MCPError, match="Did you mean"):
            await client.read_resource("quire://papers/paper-boots.pdf")
        return listed, *(each.contents[0] for each in (card, page, picture, everything))

    listed, card, page, picture, everything = speak(build(library), talk)
    assert BOATS in [resource.name for resource in listed.resources]
    assert "2.1 Folding (page 1)" in card.text
    assert page.text == library.page_text(BOATS, 1)
    assert base64.b64decode(picture.blob).startswith(b"\x89PNG")
    assert "Maria Example" in everything.text


def test_results_are_bounded_whatever_is_found() -> None:
    hits = [
        Hit(1.0, "word " * 9000, "id", 1, "chunks", "text_content", "k", Box(1, 2, 3, 4), quote="w " * 9000)
        for _ in range(50)
    ]
    told = results.found(None, hits, ())
    assert estimate_tokens(told.model_dump_json()) < 1.2 * results.MAX_TOKENS
    assert "more did not fit" in told.notes[-1]


def test_what_is_cut_keeps_its_beginning() -> None:
    assert results.cut("one two three", 3) == "one two three"
    assert results.cut("one two three four", 3) == "one two three [...]"
