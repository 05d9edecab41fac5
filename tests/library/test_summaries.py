"""Summaries by a model: planned, estimated, asked for in batches, committed by paper, resumed."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from quire.errors import BudgetExceeded, ModelUnreachable
from quire.library import Library
from quire.library.summaries import estimate, plan, summarise
from quire.llm import Cached, Completion, Message, Model, ResponseCache
from quire.settings import Price
from quire.types import Usage
from tests.library.conftest import EXAMPLES, KEYWORDS


class Summariser:
    """Says "digest" for every part; `garble` spoils batches, `fail_after` requests are answered, no more."""

    def __init__(
        self,
        *,
        garble: bool = False,
        fail_after: int = 10_000,
        error: Exception | None = None,
        paper: str = 'Sure: {"tldr": "In short.", "tags": ["one", "two"]}',
    ) -> None:
        self.garble, self.fail_after, self.paper = garble, fail_after, paper
        self.error = error or ModelUnreachable("gone")
        self.requests: list[Sequence[Message]] = []
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[Message], **params: Any) -> Completion:
        with self._lock:
            if len(self.requests) >= self.fail_after:
                raise self.error
            self.requests.append(messages)
        text = messages[-1].text
        usage = Usage(100, 10, calls=1)
        if "five key words" in text:
            return Completion(self.paper, usage=usage)
        if many := re.match(r"Summarise each of these (\d+)", text):
            count = int(many[1]) - self.garble
            return Completion(f"```json\n{json.dumps(['digest'] * count)}\n```", usage=usage)
        return Completion("digest", usage=usage)


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two papers, to be copied."""
    folder = tmp_path_factory.mktemp("added") / "library"
    with Library.open(folder, **KEYWORDS) as library:
        assert not library.add(sorted(EXAMPLES.glob("*.pdf"))[:2]).failed
    return folder


@pytest.fixture
def library(added: Path, tmp_path: Path) -> Iterator[Library]:
    shutil.copytree(added, tmp_path / "library")
    with Library.open(tmp_path / "library", **KEYWORDS) as copied:
        yield copied


def cells(library: Library) -> dict[str, int]:
    """How many cells are the model's, per column."""
    columns = (
        "pages.page_summary",
        "sections.section_summary",
        "tables.table_summary",
        "images.image_summary",
    )
    found = {}
    for name in columns:
        table, column = name.split(".")
        found[name] = library.sql(f"SELECT count(*) FROM {table} WHERE {column} = 'digest'").rows[0][0]
    return found


def test_everything_is_written_and_found_again(library: Library) -> None:
    provider = Summariser()
    model = Model("m", provider, vision=True)
    todo = plan(library, model)
    heard: list[tuple[int, int, str]] = []
    report = summarise(library, todo, model, model, on_progress=lambda *told: heard.append(told))
    assert report.papers == tuple(work.paper for work in todo)
    assert (report.stopped, report.kept) == ("", 0)
    assert report.usage.calls == len(provider.requests)
    assert [(done, total) for done, total, _ in heard] == [(1, 2), (2, 2)]
    assert library.sql("SELECT DISTINCT tldr, tags FROM metadata").rows == (("In short.", ["one", "two"]),)
    written = cells(library)
    assert written["sections.section_summary"] > 0
    assert report.written == sum(written.values()) + 4  # and tldr and tags of two papers
    hits = library.search("digest", collection="text_bm25_en", table="sections", column="section_summary")
    assert hits[0].text == "digest"
    assert library.check().problems == ()
    assert plan(library, model) == []
    assert [work.paper for work in plan(library, Model("another", provider))] == list(report.papers)


def test_texts_share_requests_and_pictures_do_not(library: Library) -> None:
    provider = Summariser()
    model = Model("m", provider, vision=True)
    todo = plan(library, model)
    told = estimate(todo, model, model)
    summarise(library, todo, model, model)
    assert told.requests == len(provider.requests)
    parts = sum(len(work.parts) for work in todo)
    assert len(provider.requests) < parts
    pictures = [messages for messages in provider.requests if messages[-1].images]
    assert len(pictures) == sum(part.box is not None for work in todo for part in work.parts)
    assert all(messages[-1].images[0].startswith(b"\x89PNG") for messages in pictures)


def test_a_model_that_cannot_see_leaves_the_figures(library: Library) -> None:
    model = Model("m", Summariser())
    before = library.sql("SELECT image_summary FROM images ORDER BY image_id").rows
    report = summarise(library, plan(library, model), model)
    assert library.sql("SELECT image_summary FROM images ORDER BY image_id").rows == before
    assert report.kept == len(before)


def test_a_garbled_batch_is_asked_one_by_one(library: Library) -> None:
    model = Model("m", Summariser(garble=True))
    fine = Model("m", Summariser())
    todo = plan(library, model)
    report = summarise(library, todo, model)
    assert report.written == sum(part.box is None for work in todo for part in work.parts) + len(todo)
    assert report.usage.calls > estimate(todo, fine).requests
    assert sum(cells(library).values()) == report.written - 2 * len(todo)  # one by one they are plain text


@pytest.mark.parametrize(
    ("paper", "tldr", "tags"),
    [
        ('{"tldr": 5, "tags": [" one"]}', None, ["one"]),
        ('{"tldr": " ", "tags": ["one"]}', None, ["one"]),
        ('{"tldr": " In short. ", "tags": ["one", 2]}', "In short.", None),
        ('{"tldr": " In short. ", "tags": "one"}', "In short.", None),
    ],
)
def test_of_a_half_garbled_reply_about_a_paper_the_other_half_is_kept(
    library: Library, paper: str, tldr: str | None, tags: list[str] | None
) -> None:
    model = Model("m", Summariser(paper=paper))
    before = library.sql("SELECT tldr, tags FROM metadata ORDER BY paper_id").rows
    summarise(library, plan(library, model), model)
    after = library.sql("SELECT tldr, tags FROM metadata ORDER BY paper_id").rows
    assert after == tuple((tldr or old, tags or own) for old, own in before)


@pytest.mark.parametrize("error", [ModelUnreachable("gone"), BudgetExceeded("spent")])
def test_what_stops_it_leaves_whole_papers_and_the_rest_is_resumed(
    library: Library, tmp_path: Path, error: Exception
) -> None:
    library.settings = library.settings.model_copy(
        update={"model": library.settings.model.model_copy(update={"concurrency": 1})}
    )
    cache = ResponseCache(tmp_path / "models.sqlite")
    first = Model("m", Summariser())
    todo = plan(library, first)
    enough = estimate(todo[:1], first).requests + 1
    broken = Model("m", Cached(Summariser(fail_after=enough, error=error), cache, "m"), {"temperature": 0.0})
    report = summarise(library, todo, broken)
    assert report.papers == (todo[0].paper,)
    assert report.stopped == str(error)
    assert report.usage.calls == enough
    assert library.check().problems == ()
    again = Summariser()
    rest = Model("m", Cached(again, cache, "m"), {"temperature": 0.0})
    left = plan(library, rest)
    assert [work.paper for work in left] == [todo[1].paper]
    assert summarise(library, left, rest).stopped == ""
    assert len(again.requests) == estimate(left, rest).requests - 1  # one came from the cache


def test_the_cost_is_known_before(library: Library) -> None:
    model = Model("m", Summariser(), price=Price(prompt=1.0, completion=10.0))
    todo = plan(library, model)
    told = estimate(todo, model)
    assert told.papers == 2
    assert told.dollars == pytest.approx((told.prompt_tokens + 10 * told.completion_tokens) / 1e6)
    assert estimate(todo, Model("m", Summariser())).dollars is None
    assert estimate([], model).requests == 0


def test_papers_can_be_named(library: Library) -> None:
    model = Model("m", Summariser())
    name = library.papers()[1].file_name
    assert [work.title for work in plan(library, model, [name])] == [library.papers()[1].title]
