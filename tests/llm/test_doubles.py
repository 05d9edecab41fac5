"""Models that ship for tests and demonstrations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quire.errors import ContextOverflow, ModelRefused
from quire.llm import Completion, Echo, Scripted, ToolCall, user
from quire.llm.providers.local import read_script

HELLO = [user("Hello there")]


def test_a_script_plays_texts_completions_and_errors() -> None:
    scripted = Scripted(["a", ContextOverflow("too long"), Completion("b", finish_reason="length")])
    heard: list[str] = []
    assert scripted.complete(HELLO, on_text=heard.append).text == "a"
    with pytest.raises(ContextOverflow):
        scripted.complete(HELLO)
    assert scripted.complete(HELLO).finish_reason == "length"
    assert heard == ["a"]
    assert scripted.requests == [tuple(HELLO)] * 3


def test_replies_are_counted_in_tokens() -> None:
    usage = Scripted(["four words are here"]).complete(HELLO).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.calls) == (6, 4, 1)


def test_a_script_file_holds_every_kind_of_reply(tmp_path: Path) -> None:
    lines = [
        "plain",
        {"role": "system", "content": "skipped"},
        {"role": "assistant", "content": "said"},
        {"text": "", "tool_calls": [{"name": "f", "arguments": {"a": 1}, "id": "1"}]},
        {"text": "no", "finish_reason": "refusal", "usage": {"prompt_tokens": 3}},
        {"error": "ContextOverflow", "message": "too long"},
    ]
    file = tmp_path / "script.jsonl"
    file.write_text("\n\n".join(json.dumps(line) for line in lines))
    replies = read_script(file)
    assert replies[:2] == ["plain", Completion("said")]
    assert replies[2] == Completion("", (ToolCall("f", '{"a": 1}', "1"),), finish_reason="tool_calls")
    assert isinstance(replies[3], Completion)
    assert (replies[3].finish_reason, replies[3].usage.prompt_tokens) == ("refusal", 3)
    assert isinstance(replies[4], ContextOverflow)


@pytest.mark.parametrize("line", ["{", "3", '{"error": "Path"}', '{"error": "os"}', '{"role": "assistant"}'])
def test_a_line_that_is_no_reply_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text(f'"fine"\n{line}\n')
    with pytest.raises(ModelRefused, match="Line 2"):
        read_script(file)


def test_a_missing_script(tmp_path: Path) -> None:
    with pytest.raises(ModelRefused, match="cannot be read"):
        read_script(tmp_path / "none")


def test_the_echo_repeats_what_it_was_told_last() -> None:
    assert Echo().complete(HELLO).text == "Hello there"
    cut = Echo().complete(HELLO, max_tokens=1)
    assert (cut.text, cut.finish_reason) == ("Hello", "length")
