"""A real HTTP server on this machine that speaks the OpenAI chat protocol and does what a script says.

    with serving([say("Hello"), fail(429, retry_after=0.01), say("again")]) as server:
        OpenAICompatible("m", base_url=server.url).complete([user("Hi")])
    server.requests[0]["messages"]

Each request takes the next act of the script; a script that has ended answers with status 500. `requests`
holds the bodies, `times` when they came, `busiest` how many ran at once.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[["_Handler", Mapping[str, Any]], None]
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}


@dataclass
class Server:
    """What came in."""

    acts: list[Act]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    running: int = 0
    busiest: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Server
    _counts = False

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        script = self.script
        with script.lock:
            script.requests.append(body)
            script.headers.append({name.lower(): value for name, value in self.headers.items()})
            script.times.append(time.monotonic())
            script.running += 1
            self._counts = True
            script.busiest = max(script.busiest, script.running)
            act = script.acts.pop(0) if script.acts else fail(500, "the script has ended")
        try:
            act(self, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self._answered()

    def _answered(self) -> None:
        """It runs no longer; told before its reply leaves, as whoever has that may send the next one."""
        with self.script.lock:
            self.script.running -= self._counts
            self._counts = False

    def reply(self, status: int, data: bytes, kind: str = "application/json", **headers: str) -> None:
        self._answered()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", headers.pop("length", str(len(data))))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def serving(acts: Sequence[Act]) -> Iterator[Server]:
    """A running server; it is gone when the context ends."""
    script = Server(list(acts))
    handler = type("Handler", (_Handler,), {"script": script})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    script.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    try:
        yield script
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def body_of(message: Mapping[str, Any], finish: str = "stop", **more: Any) -> dict[str, Any]:
    """The body of a reply with that message."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "m-1",
        "choices": [choice],
        "usage": USAGE,
        **more,
    }


def say(text: str, finish: str = "stop", **more: Any) -> Act:
    """Reply with a text."""
    return sending(body_of({"content": text}, finish, **more))


def call_tool(name: str, arguments: str) -> Act:
    """Reply with a native tool call."""
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return sending(body_of({"content": None, "tool_calls": [call]}, "tool_calls"))


def refuse(words: str) -> Act:
    """Reply with a refusal."""
    return sending(body_of({"content": None, "refusal": words}))


def sending(body: Any) -> Act:
    """Reply with that JSON."""
    return lambda handler, request: handler.reply(200, json.dumps(body).encode())


def fail(status: int, message: str = "no", *, retry_after: float | None = None, **error: Any) -> Act:
    """Reply with an error status in the protocol's layout."""
    headers = {} if retry_after is None else {"Retry_After": str(retry_after)}
    data = json.dumps({"error": {"message": message, "type": None, "param": None, "code": None, **error}})
    return lambda handler, request: handler.reply(status, data.encode(), **headers)


def too_long() -> Act:
    """The error of a prompt that is too long, in OpenAI's words."""
    words = (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."
    )
    return fail(400, words, code="context_length_exceeded", type="invalid_request_error", param="messages")


def truncated(text: str = "Hello") -> Act:
    """A body of status 200 that is not whole JSON."""
    data = json.dumps(body_of({"content": text})).encode()[:-30]
    return lambda handler, request: handler.reply(200, data)


def hang_up(text: str = "Hello") -> Act:
    """A body that ends before its Content-Length."""

    def act(handler: _Handler, request: Mapping[str, Any]) -> None:
        handler.reply(200, json.dumps(body_of({"content": text})).encode()[:-30], length="100000")
        handler.close_connection = True

    return act


def slowly(text: str, seconds: float, drips: int = 1) -> Act:
    """A reply whose body comes in pieces over that time."""

    def act(handler: _Handler, request: Mapping[str, Any]) -> None:
        data = json.dumps(body_of({"content": text})).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        step = -(-len(data) // drips)
        for start in range(0, len(data), step):
            time.sleep(seconds / drips)
            if start + step >= len(data):
                handler._answered()
            handler.wfile.write(data[start : start + step])
            handler.wfile.flush()

    return act


def chunk_of(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    """One event of a stream."""
    return {"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def stream(*chunks: Mapping[str, Any], done: bool = True) -> Act:
    """A stream of server-sent events, with a usage event and `[DONE]` at its end unless it breaks off."""

    def act(handler: _Handler, request: Mapping[str, Any]) -> None:
        events = [": keep-alive", *(f"data: {json.dumps(chunk)}" for chunk in chunks)]
        if done:
            events += [f"data: {json.dumps({'model': 'm-1', 'choices': [], 'usage': USAGE})}", "data: [DONE]"]
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write("".join(f"{event}\n\n" for event in events).encode())
        handler.close_connection = True

    return act


def stream_text(*pieces: str) -> Act:
    """A whole stream that says these pieces."""
    return stream(*(chunk_of({"content": piece}) for piece in pieces), chunk_of({}, "stop"))
