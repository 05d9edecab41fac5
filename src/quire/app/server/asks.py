"""Questions while they are answered: their steps as they come, and stopping.

    asking = asks.start(AskBody(question="How many authors?", papers=["5fe5..."]))
    async for number, kind, data in asking.follow(): ...     # step, answer | error, done
    asks.cancel(asking.id)

A question goes on when its reader leaves: its run is stored, and whoever comes back in time sees all of it.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from quire.app.arguments import Body, PaperNames
from quire.app.run_view import RunView, document, step_document, view_of
from quire.app.server.desk import Thread, Threads
from quire.app.server.jobs import Stopped, new_id
from quire.app.server.responses import PING, Bell, Refused
from quire.app.server.store import NotFound
from quire.ask import runs
from quire.ask.conversation import exchange_of
from quire.build import Library
from quire.errors import QueryError, QuireError, RunError, as_document
from quire.types import LONGEST_QUESTION, Exchange, Said, Step, Trajectory

_AT_ONCE = 8
_LOOK = 0.5  # seconds between two looks whether the reader is still there
_WAITING = 64
_CONTEXT = 6  # earlier turns of a conversation
_KEPT = 100  # questions that have ended, for readers that come back
_log = logging.getLogger(__name__)


class AskBody(Body):
    """A question. `papers` are ids, file names, titles or DOIs; none means the thread's, or all.

    With a language model `kind` asks for the overview of a paper, the summary of what papers say about the
    topic that the question names, or a comparison of them as a table by what it names.
    """

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    papers: PaperNames = []
    answer_format: Annotated[str, Field(max_length=1000)] = ""
    answer_schema: dict[str, Any] | None = None
    thread: Annotated[str, Field(max_length=64)] = ""
    memory: bool = True
    kind: Literal["", "overview", "summary", "comparison"] = ""


@dataclass(eq=False)
class Asking:
    """One question. `view` is there when it has ended without an error.

    `conversation` are the turns before it, where it belongs to no thread of this server.
    """

    asked: AskBody
    conversation: tuple[Exchange, ...] = ()
    id: str = field(default_factory=new_id)
    view: RunView | None = None
    error: QuireError | None = None
    steps: list[Step] = field(default_factory=list)
    written: str = ""  # of the answer, by a model that is writing it
    ended: threading.Event = field(default_factory=threading.Event)
    cancelled: bool = False  # somebody wanted it to stop
    _events: list[tuple[str, Any]] = field(default_factory=list)
    _bell: Bell = field(default_factory=Bell)

    def cancel(self) -> None:
        """Stop it, wherever it is."""
        self.cancelled = True
        self._bell.ring()

    def tell(self, kind: str, data: Any) -> None:
        """Add an event."""
        self._events.append((kind, data))
        self._bell.ring()

    def stepped(self, step: Step) -> None:
        """Add a step."""
        self.steps.append(step)
        self.written = ""
        self.tell("step", step_document(step))

    def wrote(self, said: Said) -> None:
        """Add a piece of what a model is writing."""
        if said.kind == "answer":
            self.written += said.text
        self.tell("text", said)

    async def follow(self, after: int = 0) -> AsyncIterator[tuple[int, str, Any] | None]:
        """Its events from the beginning (or after number `after`), with None for every silent while."""
        async with self._bell.hearing() as wait:
            while True:
                while after < len(self._events):
                    kind, data = self._events[after]
                    after += 1
                    yield after, kind, data
                if self._events and self._events[-1][0] == "done":
                    return
                if not await wait(PING):
                    yield None

    async def wait(self, gone: Callable[[], Awaitable[bool]]) -> None:
        """Until it has ended, which it may have already; it is stopped when its reader is `gone`."""
        async with self._bell.hearing() as wait:
            while not self.ended.is_set():
                if await gone():
                    self.cancel()
                await wait(_LOOK)


class Asks:
    """All questions of one server, a few at a time."""

    def __init__(self, library: Library, threads: Threads) -> None:
        self._library, self._threads = library, threads
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="ask")
        self._guard = threading.Lock()
        self._known: OrderedDict[str, Asking] = OrderedDict()

    @property
    def running(self) -> int:
        """How many have not ended."""
        with self._guard:
            return sum(not asking.ended.is_set() for asking in self._known.values())

    def start(self, asked: AskBody, conversation: tuple[Exchange, ...] = ()) -> Asking:
        """Begin to answer a question.

        Raises:
            Refused: too many are waiting.
            NotFound: it names no conversation.
        """
        if self.running >= _AT_ONCE + _WAITING:
            raise Refused(503, "Busy", "Too many questions are waiting.", "Ask again in a moment.")
        asking = Asking(asked, conversation)
        number = self._threads.begin(asked.thread, asked.question, asking.id) if asked.thread else 0
        with self._guard:
            self._known[asking.id] = asking
            ended = [id for id, each in self._known.items() if each.ended.is_set()]
            for id in ended[: max(0, len(ended) - _KEPT)]:
                del self._known[id]
        self._pool.submit(self._answer, asking, number)
        return asking

    def known(self, id: str) -> Asking | None:
        """The question of that id, if it is being answered or was lately."""
        with self._guard:
            return self._known.get(id)

    def asking(self, id: str) -> Asking:
        """The same.

        Raises:
            NotFound: it is not known (any more).
        """
        if found := self.known(id):
            return found
        raise NotFound(f"No question `{id[:80]}` is being answered.", hint="Its run is in /api/v1/runs.")

    def stop(self) -> None:
        """End all: none begins any more, running ones stop at their next step."""
        with self._guard:
            for asking in self._known.values():
                asking.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _answer(self, asking: Asking, number: int) -> None:
        state, thread = "failed", asking.asked.thread
        try:
            asking.view = view_of(self._library, self._asked(asking))
            failed, stopped = asking.view.outcome == "failed", asking.view.run.answer.stopped
            state = "failed" if failed else "cancelled" if stopped else "answered"
        except Stopped:
            state = "cancelled"
        except QuireError as error:
            asking.error = error
        except Exception as error:  # the border of a question: whatever it raises must reach its reader
            _log.exception("A question failed.")
            asking.error = QuireError(f"The question failed ({type(error).__name__}).")
        run = asking.view.id if asking.view else ""
        if thread:
            self._threads.end(thread, number, state, run)
        if asking.view:
            asking.tell("answer", document(asking.view))
        if asking.error:
            asking.tell("error", {"error": as_document(asking.error)})
        asking.ended.set()
        asking.tell("done", {"state": state, "run": run})

    def _asked(self, asking: Asking) -> Trajectory:
        asked, library = asking.asked, self._library
        papers, conversation = tuple(asked.papers), asking.conversation
        if asked.thread:
            thread = self._threads.thread(asked.thread)
            papers = papers or thread.papers
            conversation = tuple(self._exchanges(thread))
        if asking.cancelled:
            raise Stopped
        heard: Any = {"on_step": asking.stepped, "on_text": asking.wrote, "stop": lambda: asking.cancelled}
        if asked.kind == "overview":
            if len(papers) != 1:
                raise QueryError("An overview is of one paper.", hint="Choose one.")
            return library.overview(papers[0], **heard)
        if asked.kind == "summary":
            return library.summarise_topic(asked.question, papers, **heard)
        if asked.kind == "comparison":
            return library.compare(papers, asked.question, **heard)
        return library.ask(
            asked.question,
            papers=papers,
            answer_format=asked.answer_format,
            schema=asked.answer_schema,
            memory=asked.memory,
            conversation=conversation,
            **heard,
        )

    def _exchanges(self, thread: Thread) -> Iterator[Exchange]:
        """The last answered turns of a conversation."""
        for turn in [turn for turn in thread.turns if turn.run][-_CONTEXT:]:
            with contextlib.suppress(RunError):  # a run that was deleted
                yield exchange_of(runs.load(self._library.folder, turn.run))
