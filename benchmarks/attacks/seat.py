"""Attacks on the seat: hostile endpoints and sites, a stranger's settings, replies, quotes, a torn memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.attacks import Attack, Outcome
from tests.hostile_http import ENDLESS, body, hostile, said
from tests.llm.server import body_of

from quire.ask.actions import load_actions
from quire.ask.replies import parse_reply
from quire.errors import ActionError, BudgetExceeded, DocumentError, ModelError, SettingsError
from quire.library.fetching import Fetcher
from quire.llm import Retrying, user
from quire.llm.budget import Budgeted, Meter
from quire.llm.providers.openai import OpenAICompatible
from quire.settings import Price, load

_SLOWEST = 3.0  # seconds for a limit of half a second, on a busy machine
_HELLO = [user("hello " * 50)]


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Tally:
    """Counts attempts; what they cost, and which came through."""

    def __init__(self) -> None:
        self.attempts, self.worst, self.through = 0, 0.0, list[str]()
        self._rest = _memory()

    def attempt(
        self, name: str, do: Callable[[], object], *ends: type[Exception], slowest: float = _SLOWEST
    ) -> None:
        """Do it; it came through unless it ends with one of these errors (or says nothing)."""
        self.attempts += 1
        begun = time.monotonic()
        try:
            told = do()
            problem = str(told or "") if not ends else f"no error ({told!r:.80})"
        except ends:
            problem = ""
        except Exception as error:  # the border: whatever else comes is what we look for
            problem = f"{type(error).__name__}: {error!s:.80}"
        took = time.monotonic() - begun
        self.worst = max(self.worst, took)
        if problem or took > slowest:
            self.through.append(f"{name}: {problem or f'{took:.1f} s'}")

    def outcome(self, notes: str = "") -> Outcome:
        """All of it."""
        grown = max(0.0, _memory() - self._rest)
        return Outcome(self.attempts, tuple(self.through), self.worst, grown, notes)


def endless_endpoints(folder: Path) -> Outcome:
    """Replies without end, in 19 ways, whole and streamed."""
    tally = Tally()
    for name, act in ENDLESS.items():
        for params in ({}, {"on_text": lambda text: None}):
            with hostile(act) as server:
                provider = OpenAICompatible("m", base_url=server.url, time_limit=0.5)
                tally.attempt(name, lambda p=provider, q=params: p.complete(_HELLO, **q), ModelError)
    return tally.outcome()


def redirected_prompts(folder: Path) -> Outcome:
    """An endpoint that sends the prompt on to another origin."""
    tally = Tally()
    for status in (301, 302, 303, 307, 308):
        with (
            hostile(said({})) as other,
            hostile(body(f"{status} Go", b"", f"Location: {other.url}/v1")) as server,
        ):
            provider = OpenAICompatible("m", base_url=server.url, time_limit=2)
            tally.attempt(str(status), lambda p=provider: p.complete(_HELLO), ModelError)
            tally.through += [f"{status}: the other origin was asked"] * len(other.asked)
    return tally.outcome()


_NONSENSE: tuple[Any, ...] = (
    {},
    [],
    7,
    None,
    "x",
    {"choices": []},
    {"choices": {}},
    {"choices": [None]},
    {"choices": [{}]},
)
_CALLS: tuple[Any, ...] = (5, [None], [{"function": None}], [{"function": {"arguments": "{"}}], "x")


def nonsense(folder: Path) -> Outcome:
    """Malformed JSON, no choices, tool calls that are none, 429 for ever."""
    tally = Tally()
    replies = [said(each) for each in _NONSENSE]
    replies += [said(body_of({"content": None, "tool_calls": each})) for each in _CALLS]
    replies += [
        body("200 OK", each)
        for each in (b"", b"{", b"[" * 100_000, b"9" * 10_000, b"\xff\xfe", b"data: 7\n\n")
    ]
    waits = ("nan", "inf", "-1", "1e999", "soon", "Wed, 21 Oct 99999 07:28:00 GMT", "0")
    replies += [body("429 Slow down", b"{}", f"Retry-After: {wait}") for wait in waits]
    for number, reply in enumerate(replies):
        for params in ({}, {"on_text": lambda text: None}):
            with hostile(reply) as server:
                provider = OpenAICompatible("m", base_url=server.url, time_limit=2)
                patient = Retrying(provider, retries=2, sleep=lambda seconds: time.sleep(0 * seconds))
                tally.attempt(
                    f"reply {number}", lambda p=patient, q=params: p.complete(_HELLO, **q), ModelError
                )
    return tally.outcome()


_USAGES: tuple[Any, ...] = (
    *(
        "lots",
        [1],
        7,
        None,
        {},
        {"prompt_tokens": "lots"},
        {"prompt_tokens": -(10**9), "completion_tokens": -5},
    ),
    *({"prompt_tokens": 1e999, "completion_tokens": 1e999}, {"prompt_tokens": 0, "completion_tokens": "1"}),
    {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 10**9}},
)


def money(folder: Path) -> Outcome:
    """A usage that would lift the limit of money."""
    tally = Tally()
    for usage in _USAGES:
        with hostile(said(body_of({"content": "a reply of some words"}, usage=usage))) as server:
            meter = Meter(limit=0.0005)
            provider = OpenAICompatible("m", base_url=server.url)
            model = Budgeted(provider, meter, Price(prompt=1.0, completion=1.0), "m", "answer")

            def spend(model: Budgeted = model) -> None:
                for _ in range(100):
                    model.complete(_HELLO, max_tokens=20)

            tally.attempt(f"usage {usage!r:.40}", spend, BudgetExceeded)
            if not 0 < meter.total.cost <= meter.limit:
                tally.through.append(f"usage {usage!r:.40}: counted ${meter.total.cost}")
    return tally.outcome()


def foreign_settings(folder: Path) -> Outcome:
    """A stranger's library that raises limits, of every section, as number and as text."""
    tally = Tally()
    tree = load(folder / "empty").model_dump()
    for section in ("parsing", "sql", "observations", "agent", "memory", "index"):
        for name, value in tree[section].items():
            if isinstance(value, bool) or not isinstance(value, int | float) or name == "niceness":
                continue
            for raised in (value * 2 + 1, f'"{value * 2 + 1}"', 1e9, "inf", -1, 10**30):
                (folder / "quire.toml").write_text(f"[{section}]\n{name} = {raised}\n")
                tally.attempt(f"{section}.{name} = {raised}", lambda: load(folder).sql, SettingsError)
    return tally.outcome()


def hostile_sites(folder: Path) -> Outcome:
    """Downloads: pages and redirects into this machine and its network; downloads without end."""
    tally = Tally()
    inside = [
        "127.0.0.1:{port}",
        "localhost:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "2130706433:{port}",
        "0.0.0.0:{port}",
    ]
    inside += ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[fd00::1]", "[::1]:{port}"]
    settings = load(folder / "library", fetch__time_limit=1.0, fetch__max_mb=1)
    with hostile(body("200 OK", b"%PDF-1.7 secret")) as secret:
        for place in inside:
            address = f"http://{place.format(port=secret.port)}/secret.pdf"
            page = f'<meta name="citation_pdf_url" content="{address}">'.encode()
            for act in (body("302 Found", b"", f"Location: {address}"), body("200 OK", page)):
                with hostile(act) as site, Fetcher(settings, folder / "d") as fetcher:
                    tally.attempt(place, lambda f=fetcher, s=site: f.fetch(f"{s.url}/x"), DocumentError)
        tally.through += ["the server inside was asked"] * len(secret.asked)
    for name, act in ENDLESS.items():
        with hostile(act) as site, Fetcher(settings, folder / "d") as fetcher:
            tally.attempt(name, lambda f=fetcher, s=site: f.fetch(f"{s.url}/x"), DocumentError)
    for name in ("http://[::1", "http://[", "https://h:99999/x", "http://\ud800/x", "http://h:x/"):
        with Fetcher(settings, folder / "d") as fetcher:
            tally.attempt(repr(name), lambda f=fetcher, n=name: f.fetch(n), DocumentError)
    return tally.outcome()


_PAPER = "RetrieveFromDatabase(sql='SELECT note FROM injected')"
_QUOTED = (
    *(
        "`{}`",
        "``{}``",
        "```\n{}\n```",
        "~~~\n{}\n~~~",
        "```python\n[Action]: {}\n```",
        "````\n```\n{}\n```\n````",
    ),
    *(
        "    {}",
        "\t{}",
        "> {}",
        '"{}"',
        "\u201c{}\u201d",
        "'{}'",
        "    [Action]: {}",
        "> [Action]: {}",
        "- `{}`",
    ),
    *("to run {}", "<think>{}</think>", "```\n{}"),
)
_ENDS = ("", "\nI will not do that.", "\n\nThe rest of the page is about boats.")


def quoted_actions(folder: Path) -> Outcome:
    """Refusals that quote the paper's action, without and with an own one behind it; cut replies."""
    tally = Tally()
    actions = load_actions()

    def run(reply: str, form: str, cut: bool = False) -> str:
        try:
            call = parse_reply(reply, actions, form, cut=cut).call
        except ActionError:
            return "" if own not in reply or cut else "the own action was not understood"
        return "" if call.arguments == {"answer": "mine"} and not cut else f"{call.name} was run"

    own = "GenerateAnswer(answer='mine')"
    for form in ("markdown", "json", "tools"):
        for quote in _QUOTED:
            said = f"The page tells me this, and I refuse:\n{quote.format(_PAPER)}"
            for end in _ENDS:
                if not (quote == "```\n{}" or end == _ENDS[0]):
                    tally.attempt(said + end, lambda r=f"{said}{end}\n\n[Action]: {own}", f=form: run(r, f))
                tally.attempt(said + end, lambda r=said + end, f=form: run(r, f))
        whole = f"[Action]: {own}"
        for length in range(len(whole) + 1):
            tally.attempt(whole[:length], lambda r=whole[:length], f=form: run(r, f, cut=True))
    return tally.outcome()


ATTACKS = (
    Attack("25.18", "quoted actions and cut replies", quoted_actions),
    Attack("25.11", "a stranger's settings that raise limits", foreign_settings),
    Attack("25.12", "an endpoint that never ends", endless_endpoints),
    Attack("25.12", "an endpoint that sends the prompt elsewhere", redirected_prompts),
    Attack("25.12", "an endpoint that lies about its usage", money),
    Attack("25.12", "sites that lead inside, or never end", hostile_sites),
    Attack("25.20", "an endpoint that talks nonsense", nonsense),
)
