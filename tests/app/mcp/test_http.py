"""`/mcp` of the server, spoken to by the official client over loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from quire.app.server.keys import Keys
from tests.app.conftest import copied
from tests.app.server.loopback import serving

FLOAT = {"question": "How long does the keel boat float on heavy paper?"}


@pytest.fixture(scope="module")
def folder(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(filled, tmp_path_factory.mktemp("http") / "library")


@pytest.fixture(scope="module")
def keys(folder: Path) -> Keys:
    return Keys(folder.parent / "home", folder)


@pytest.fixture(scope="module")
def address(folder: Path, keys: Keys) -> Iterator[str]:
    with serving(folder, keys, index__encoders=("text_bm25_en",)) as served:
        yield served


def test_tools_and_resources_over_http(address: str) -> None:
    async def talk() -> tuple[Any, ...]:
        async with Client(f"{address}/mcp") as client:
            tools = await client.list_tools()
            turns: list[str | None] = []

            async def told(progress: float, total: float | None, message: str | None) -> None:
                turns.append(message)

            asked = await client.call_tool("ask", FLOAT, progress_callback=told)
            page = await client.read_resource("quire://papers/paper-boats.pdf/pages/1")
            wrong = await client.call_tool("read_page", {"paper": "paper-boats", "page": 9})
            return tools, asked, turns, page, wrong

    tools, asked, turns, page, wrong = anyio.run(talk)
    names = [tool.name for tool in tools.tools]
    assert names == [
        "search",
        "list_papers",
        "outline",
        "sql",
        "schema",
        "read_page",
        "view_page",
        "ask",
        "verdict",
    ]
    first = asked.structured_content["evidence"][0]
    assert first["link"].startswith(f"{address}/read/{first['paper']}/1?box=")
    assert turns
    assert "Paper Boats" in page.contents[0].text
    assert wrong.is_error


def test_a_key_may_do_what_its_scope_allows_and_names_its_verdicts(address: str, keys: Keys) -> None:
    question = {"question": "What is the DOI of the paper?", "papers": ["paper-boats.pdf"]}

    async def talk(key: str) -> tuple[Any, Any]:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"})
        async with http, Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client:
            answered = await client.call_tool("ask", question)
            run = (answered.structured_content or {}).get("run", "none")
            return answered, await client.call_tool("verdict", {"run": run, "label": "right"})

    refused, _ = anyio.run(talk, keys.add("reader", "read"))
    assert "scope `ask`" in refused.content[0].text
    answered, refused = anyio.run(talk, keys.add("asker", "ask"))
    assert not answered.is_error
    assert "scope `write`" in refused.content[0].text
    _, judged = anyio.run(talk, keys.add("Ann", "write"))
    assert not judged.is_error
    again, _ = anyio.run(talk, keys.add("other", "ask"))
    assert "Ann judged this right" in again.structured_content["note"]


def test_other_sites_and_names_are_refused(address: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    for headers, status in (({"Host": "evil.example"}, 421), ({"Origin": "http://evil.example"}, 403)):
        assert httpx2.post(f"{address}/mcp", json=body, headers=accept | headers).status_code == status
