"""Models for a process that may not have them itself: behind its wall it asks its parent's gateway.

    here, there = Pipe()
    serving = ChannelServer(here, served(gateway, [("answer", "gpt-4o")]))     # in the parent
    Remote(Channel(there)).model("answer", "gpt-4o")         # in the child: a Model like any other
    serving.close()

Keys, cache and meter stay with the parent; a child can ask the models that it was given, and no others. Text
is not streamed: `on_text` hears a reply at its end.

Each message is a JSON object on a wire of `quire.worker` that both had from the beginning. Requests carry a
number and replies come in any order, so that threads share the wire. An error of quire crosses with its type.
The child may be hostile: a message of more than 64 MB or more than 64 levels, or what is no message, ends the
connection; 32 requests are worked on at once, others wait in the wire. Nothing is evaluated.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Unpack, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter

from quire.errors import ModelUnreachable, QuireError, SettingsError, as_row, of_row
from quire.llm.gateway import Gateway, Model, Role
from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params
from quire.settings import Price
from quire.worker import hang_up, receive_json, send_json

Handler = Callable[[Mapping[str, Any]], Any]

_AT_ONCE = 32


class Channel:
    """The side that asks. May be used by several threads; makes none itself."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._turn = threading.Condition()
        self._numbers = itertools.count()
        self._replies: dict[int, dict[str, Any]] = {}
        self._reading = self._ended = False

    def call(self, operation: str, **given: Any) -> Any:
        """What the other side's handler gives.

        Raises:
            QuireError: the handler's own.
            ModelUnreachable: the other side has gone.
        """
        number = next(self._numbers)
        try:
            with self._sending:
                send_json(self._connection, {"id": number, "do": operation, "with": given})
        except OSError as error:
            raise _gone() from error
        reply = self._awaited(number)
        if "error" in reply:
            raise of_row(reply["error"])
        return reply["value"]

    def _awaited(self, number: int) -> dict[str, Any]:
        """Whoever waits first reads for all."""
        with self._turn:
            while number not in self._replies:
                if self._ended:
                    raise _gone()
                if self._reading:
                    self._turn.wait()
                else:
                    self._read_reply()
            return self._replies.pop(number)

    def _read_reply(self) -> None:
        self._reading = True
        self._turn.release()
        reply = None
        try:
            with contextlib.suppress(OSError, EOFError, ValueError):
                reply = _object(receive_json(self._connection))
        finally:
            self._turn.acquire()
            self._reading = False
            self._turn.notify_all()
        if reply is None:
            self._ended = True
        else:
            self._replies[reply["id"]] = reply


class ChannelServer:
    """The side that answers, in threads of its own, until `close` or the end of the connection."""

    def __init__(self, connection: Connection, handlers: Mapping[str, Handler]) -> None:
        self._connection, self._handlers = connection, handlers
        self._sending, self._ending = threading.Lock(), threading.Lock()
        self._slots = threading.Semaphore(_AT_ONCE)
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Answer no more. The wire is closed by the thread that reads it."""
        with self._ending:
            hang_up(self._connection)

    def _listen(self) -> None:
        with contextlib.suppress(OSError, EOFError, ValueError, RecursionError):
            while True:
                message = _object(receive_json(self._connection))
                self._slots.acquire()
                # Daemons: a request that hangs must not hold up the end of the command.
                threading.Thread(target=self._answer_request, args=(message,), daemon=True).start()
        self.close()  # which also wakes a reply that nobody takes
        with self._sending, self._ending:
            self._connection.close()

    def _answer_request(self, message: dict[str, Any]) -> None:
        reply: dict[str, Any] = {"id": message.get("id")}
        try:
            reply["value"] = self._handlers[message["do"]](message["with"])
        except QuireError as error:
            reply["error"] = as_row(error)
        except Exception as error:  # the border to another process: it is told, and this one goes on
            reply["error"] = ["ModelError", f"{type(error).__name__}: {error}"[:1000], "", None]
        try:
            with contextlib.suppress(OSError), self._sending:
                send_json(self._connection, reply)
        finally:
            self._slots.release()


def _object(message: Any) -> dict[str, Any]:
    if not isinstance(message, dict):
        raise ValueError("no object")
    return message


def _gone() -> ModelUnreachable:
    return ModelUnreachable("The process that asks models for this one has gone.")


_COMPLETION = TypeAdapter(Completion)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")


class _Parameters(_Strict):
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 0
    seed: int = 0
    reasoning_effort: str = ""
    stop: tuple[str, ...] = ()
    tools: list[dict[str, Any]] = []


class _ModelRequest(_Strict):
    role: str
    name: str
    messages: tuple[Message, ...]
    params: _Parameters


def served(gateway: Gateway, allowed: Collection[tuple[Role, str]]) -> dict[str, Handler]:
    """What a child may ask: these models (role and name), and how much money is left."""

    def model(role: str, name: str) -> Model:
        if (role, name) not in allowed:
            raise SettingsError(f"This run has no model `{name}` for the role `{role}`.")
        return gateway.model(cast(Role, role), name)

    def opened(given: Mapping[str, Any]) -> dict[str, Any]:
        made = model(given["role"], given["name"])
        price = made.price.model_dump() if made.price else None
        return {"name": made.name, "defaults": dict(made.defaults), "price": price, "vision": made.vision}

    def complete(given: Mapping[str, Any]) -> Any:
        request = _ModelRequest.model_validate_json(json.dumps(given))
        params = cast(Params, request.params.model_dump(exclude_unset=True))
        reply = model(request.role, request.name).provider.complete(request.messages, **params)
        return _COMPLETION.dump_python(reply, mode="json")

    def left(_: Mapping[str, Any]) -> float | None:
        dollars = gateway.meter.left
        return None if math.isinf(dollars) else dollars

    return {"model": opened, "complete": complete, "left": left}


@dataclass(frozen=True)
class Remote:
    """The models of another process."""

    channel: Channel

    def model(self, role: Role, name: str) -> Model:
        """The model of that name, as the other process would open it.

        Raises:
            SettingsError: it was not given to this run.
            ModelUnreachable: the other process has gone.
        """
        card = self.channel.call("model", role=role, name=name)
        price = Price(**card["price"]) if card["price"] else None
        provider = _RemoteProvider(self.channel, role, name)
        return Model(card["name"], provider, card["defaults"], provider, price, card["vision"])


@dataclass(frozen=True)
class _RemoteProvider:
    channel: Channel
    role: str
    name: str

    @property
    def left(self) -> float:
        dollars = self.channel.call("left")
        return math.inf if dollars is None else float(dollars)

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        on_text = params.pop("on_text", None)
        given = _Parameters.model_validate(params)
        request = _ModelRequest(role=self.role, name=self.name, messages=tuple(messages), params=given)
        reply = self.channel.call("complete", **request.model_dump(mode="json", exclude_unset=True))
        completion = _COMPLETION.validate_python(reply)
        if on_text:
            on_text(completion.text)
        return completion
