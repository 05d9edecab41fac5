"""Models that send nothing: `echo` says back what it was told, a script plays, a recording is asked again.

    Scripted(["[Action]: GenerateAnswer(answer=42)", ContextOverflow("too long")])
    QUIRE_MODEL__NAME=scripted:conversation.jsonl       scripted:conversation.jsonl#0.05
    QUIRE_MODEL__NAME="replay:models.sqlite#gpt-4o-mini at https://api.openai.com/v1"

A script file is JSON Lines. Each line is a string (the reply), a chat message (only the assistant's are
played, so a recorded conversation is a script), or an object with `text` and, if wanted, `tool_calls`
(`name`, `arguments`, `id`), `finish_reason`, `usage`, or with `error` (a class of `quire.errors`) and
`message`. An exception in the place of a reply is raised. When the script ends, ModelRefused. A listener
hears a reply word by word, with so many seconds between two words as stand behind the `#`.

A recording is a response cache. A request is recognised by the hash of its model, messages and parameters, so
a replay shows that nothing of a run has changed: the first request that differs is an error that says so.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from quire import errors, jsontext
from quire.errors import ModelRefused
from quire.llm.cache import ResponseCache
from quire.llm.messages import Completion, Message, ToolCall, estimate_tokens, prompt_tokens, request_key
from quire.llm.protocol import Params
from quire.settings import Settings
from quire.types import Usage


def build_echo(name: str, settings: Settings) -> Echo:
    """There is nothing to set."""
    return Echo()


class Echo:
    """Replies with the text of the last message."""

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The last message's text, cut at `max_tokens` words."""
        said = messages[-1].text if messages else ""
        words = said.split(" ")
        limit = params.get("max_tokens", len(words))
        text = " ".join(words[:limit])
        if on_text := params.get("on_text"):
            on_text(text)
        usage = Usage(prompt_tokens(messages), estimate_tokens(text), calls=1)
        return Completion(text, usage=usage, finish_reason="stop" if len(words) <= limit else "length")


def build_script(name: str, settings: Settings) -> Scripted:
    """The script file that the model's name gives.

    Raises:
        ModelRefused: it is missing or no script, or what is behind the `#` is no number.
    """
    path, _, pace = name.partition("#")
    try:
        seconds = float(pace or 0)
    except ValueError as error:
        raise errors.ModelRefused(
            f"`{pace}` is no number of seconds.", hint="Write scripted:FILE#0.05."
        ) from error
    return Scripted(read_script(Path(path).expanduser()), pace=seconds)


class Scripted:
    """Plays replies; `requests` holds the messages of every request so far. Safe to share by threads."""

    def __init__(self, replies: Iterable[str | Completion | Exception], *, pace: float = 0.0) -> None:
        self._pace = pace
        self.requests: list[tuple[Message, ...]] = []
        self._replies = list(replies)
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The next reply.

        Raises:
            ModelRefused: the script has ended.
        """
        with self._lock:
            self.requests.append(tuple(messages))
            number = len(self.requests)
            if number > len(self._replies):
                raise errors.ModelRefused(f"The script has only {len(self._replies)} replies.")
            reply = self._replies[number - 1]
        if isinstance(reply, Exception):
            raise reply
        done = reply if isinstance(reply, Completion) else Completion(reply)
        if on_text := params.get("on_text"):
            for word in re.findall(r"\s*\S+\s*|\s+", done.text):
                on_text(word)
                time.sleep(self._pace)
        if done.usage != Usage():
            return done
        return replace(done, usage=Usage(prompt_tokens(messages), estimate_tokens(done.text), calls=1))


def read_script(path: Path) -> list[str | Completion | Exception]:
    """The replies of a script file.

    Raises:
        ModelRefused: the file is missing, or a line is none of what a script may hold (it is named).
    """
    try:
        lines = jsontext.lines(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise errors.ModelRefused(f"The script {path} cannot be read: {error}.") from error
    replies: list[str | Completion | Exception] = []
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line) if line.strip() else {"role": "empty"}
            if isinstance(entry, str) or entry.get("role", "assistant") == "assistant":
                replies.append(_reply(entry))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise errors.ModelRefused(f"Line {number} of the script {path} is no reply: {error}.") from error
    return replies


def _reply(entry: str | Mapping[str, Any]) -> str | Completion | Exception:
    if isinstance(entry, str):
        return entry
    if "error" in entry:
        kind = getattr(errors, entry["error"])
        if not issubclass(kind, errors.QuireError):
            raise ValueError(f"{entry['error']} is no error of quire")
        error: Exception = kind(entry.get("message", "The script says so."))
        return error
    calls = []
    for call in entry.get("tool_calls") or ():
        function = call.get("function", call)
        arguments = function["arguments"]
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        calls.append(ToolCall(function["name"], written, call.get("id", "")))
    text = entry["text"] if "text" in entry else entry["content"]
    finish = entry.get("finish_reason", "tool_calls" if calls else "stop")
    return Completion(text or "", tuple(calls), Usage(**entry.get("usage", {})), finish)


def build_replay(name: str, settings: Settings) -> Replay:
    """`replay:FILE#IDENTITY`: a cache file, and the model at its endpoint as the cache names it.

    Raises:
        ModelRefused: there is no such file.
    """
    path, _, identity = name.partition("#")
    file = Path(path).expanduser()
    if not file.is_file():
        raise ModelRefused(f"There is no recording {file}.", hint="A recording is a response cache of quire.")
    return Replay(ResponseCache(file), identity)


@dataclass(frozen=True)
class Replay:
    """Recorded replies, by request."""

    cache: ResponseCache
    identity: str

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The reply that was recorded for this request.

        Raises:
            ModelRefused: this request was not recorded.
        """
        reply = self.cache.get(request_key(self.identity, messages, params))
        if reply is None:
            raise ModelRefused(
                f"This request of {len(messages)} messages is not in the recording {self.cache.path.name}"
                f" of {self.identity or 'any model'}.",
                hint="Something before it has changed: the question, a setting, the library or the prompt.",
            )
        if on_text := params.get("on_text"):
            on_text(reply.text)
        return reply
