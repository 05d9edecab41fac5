"""Models that could be used, found on servers that speak as the four do, and on hostile ones."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from typing import Any

import pytest

from quire.llm.finding import Offer, find_models
from tests.hostile_http import ENDLESS, Act, body, forever, hostile, said, silent

OLLAMA = {
    "object": "list",
    "data": [
        {"id": "nomic-embed-text:latest", "object": "model", "owned_by": "library"},
        {"id": "llama3.1:8b", "object": "model", "created": 1, "owned_by": "library"},
    ],
}
LM_STUDIO = {"data": [{"id": "qwen2.5-7b-instruct", "object": "model", "owned_by": "organization_owner"}]}
LLAMA_CPP = {
    "object": "list",
    "data": [{"id": "tiny.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 4096}}],
    "models": [],
}
VLLM = {
    "object": "list",
    "data": [{"id": "Qwen/Qwen2-7B", "owned_by": "vllm", "max_model_len": 4096, "permission": [{}]}],
}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the machine's own."""
    for name in [name for name in os.environ if name.endswith("_API_KEY") or name == "OPENAI_BASE_URL"]:
        monkeypatch.delenv(name)


def found(*acts: Act, usual: str = "usual") -> list[Offer]:
    with hostile(*acts) as server:
        return find_models({server.port: usual})


@pytest.mark.parametrize(
    ("told", "server", "models"),
    [
        (OLLAMA, "Ollama", ("llama3.1:8b",)),
        (LM_STUDIO, "usual", ("qwen2.5-7b-instruct",)),
        (LLAMA_CPP, "llama.cpp", ("tiny.gguf",)),
        (VLLM, "vLLM", ("Qwen/Qwen2-7B",)),
    ],
)
def test_servers_of_this_machine_are_found(told: Any, server: str, models: tuple[str, ...]) -> None:
    (offer,) = found(said(told))
    assert (offer.server, offer.models) == (server, models)
    assert offer.line == f"export QUIRE_MODEL__BASE_URL={offer.where} QUIRE_MODEL__NAME={models[0]}"


def test_no_key_is_sent_and_one_get_is_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with hostile(said(VLLM)) as server:
        assert find_models({server.port: "vLLM"})
    assert server.asked == [("GET /v1/models HTTP/1.1", b"")]


@pytest.mark.parametrize("name", list(ENDLESS))
def test_no_server_holds_it_up(name: str) -> None:
    begun = time.monotonic()
    assert found(ENDLESS[name]) == []
    assert time.monotonic() - begun < 30


def test_all_are_asked_at_once() -> None:
    with hostile(silent) as one, hostile(forever(b" ", pause=0.02)) as two, hostile(said(VLLM)) as three:
        offers = find_models({one.port: "a", two.port: "b", three.port: "c"})
    assert [offer.server for offer in offers] == ["vLLM"]


@pytest.mark.parametrize(
    "told",
    [
        None, [], {}, {"data": None}, {"data": "x"}, {"data": [1, "x", None]}, {"data": [{"id": 5}]},
        {"data": [{"id": ""}]}, {"data": [{"id": " a"}]}, {"data": [{"id": "a" * 201}]},
        {"data": [{"id": "\x1b[2J\x1b]0;owned\x07"}]}, {"data": [{"id": "a\nexport X=1"}]},
        {"data": [{"id": "a\u202eb"}]}, {"data": {"id": "x"}},
        {"data": [{"id": "quire", "owned_by": "quire"}]},
    ],
)  # fmt: skip
def test_nonsense_is_no_model(told: Any) -> None:
    assert found(said(told)) == []


def test_other_replies_are_no_models() -> None:
    assert found(body("200 OK", b"<html>hello</html>")) == []
    assert found(body("200 OK", b"[" * 100_000)) == []
    assert found(body("404 Not Found", b'{"data": [{"id": "a"}]}')) == []
    assert found(body("302 Found", b"", "Location: http://127.0.0.1:9/v1/models")) == []


@pytest.mark.parametrize(
    "name", ["a; touch owned", "$(touch owned)", "`x`", "a'b", "echo", "[1]", "scripted:x"]
)
def test_a_name_is_nothing_but_a_name_in_the_line(name: str) -> None:
    (offer,) = found(said({"data": [{"id": name}]}))
    shown = subprocess.run(
        ["sh", "-c", f'{offer.line}; printf %s "$QUIRE_MODEL__NAME"'],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert shown.removeprefix("openai:") == name
    assert shown.startswith("openai:") == (name in ("echo", "[1]", "scripted:x"))
    assert len(shlex.split(offer.line)) == 3


def test_keys_are_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("MISTRAL_API_KEY", "also-secret")
    monkeypatch.setenv("GEMINI_API_KEY", " ")
    offers = find_models({})
    assert [(offer.server, offer.where) for offer in offers] == [
        ("OpenAI", "OPENAI_API_KEY"),
        ("Mistral", "MISTRAL_API_KEY"),
    ]
    assert offers[0].line == "export QUIRE_MODEL__NAME=gpt-4o-mini"
    assert 'OPENAI_API_KEY="$MISTRAL_API_KEY"' in offers[1].line
    assert "secret" not in str(offers)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert [offer.server for offer in find_models({})] == ["Mistral"]
