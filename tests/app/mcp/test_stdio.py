"""`quire mcp` as agent programs start it: a process of its own, spoken to by the official client."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from quire.app.cli import main

QUIRE = str(Path(sys.executable).parent / "quire")


def test_a_client_finds_and_uses_the_library(filled: Path) -> None:
    async def talk() -> tuple[Any, ...]:
        parameters = StdioServerParameters(command=QUIRE, args=["mcp", "--library", str(filled)])
        async with Client(stdio_client(parameters)) as client:
            tools = await client.list_tools()
            pages = await client.call_tool("sql", {"query": "SELECT count(*) AS n FROM pages"})
            wrong = await client.call_tool("read_page", {"paper": "nowhere.pdf", "page": 1})
            return client.server_info, tools, pages, wrong

    server, tools, pages, wrong = anyio.run(talk)
    assert server.name == "quire"
    assert "ask" in [tool.name for tool in tools.tools]
    assert '{"n": 5}' in pages.content[0].text
    assert wrong.is_error


def test_standard_output_carries_the_protocol_and_nothing_else(filled: Path) -> None:
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    requests: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "search", "arguments": {"query": "keel"}}},
    ]  # fmt: skip
    process = subprocess.Popen(
        [QUIRE, "mcp", "--library", str(filled)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    process.stdin.write("not JSON\n" + "".join(json.dumps(request) + "\n" for request in requests))
    process.stdin.flush()
    answers: dict[Any, Any] = {}
    while 2 not in answers:
        line = process.stdout.readline()
        answer = json.loads(line)  # whatever is no JSON fails here
        answers[answer.get("id")] = answer
    rest, _ = process.communicate(timeout=60)  # standard input closes: the server ends
    assert not rest
    assert process.returncode == 0
    assert "keel" in str(answers[2]["result"]).lower()


def test_a_library_that_is_not_there_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["quire", "mcp", "--library", str(tmp_path / "typo")])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    told = capsys.readouterr()
    assert "There is no library" in told.err
    assert not told.out
    assert not (tmp_path / "typo").exists()
