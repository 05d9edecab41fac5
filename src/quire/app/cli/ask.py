"""Commands about questions and their runs: ask, chat, show, list, replay, compare, export, import."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.app.cli import options
from quire.app.cli.options import LAST, Among, Here, LibraryDir, Offline, Online, Papers, RunId, open_library
from quire.app.cli.output import console, count, listing, messages, safe

if TYPE_CHECKING:
    from rich.console import Console

    from quire.app.run_view import EvidenceView, RunView
    from quire.ask.replay import Difference
    from quire.types import Step

_TYPES = ("int", "float", "str", "bool", "list")


@dataclass(frozen=True, slots=True)
class FormOptions:
    """The form that an answer shall have."""

    answer_format: Annotated[
        str, typer.Option("--format", help='Form of the answer in words, e.g. "a list of two strings".')
    ] = ""
    type_: Annotated[
        str, typer.Option("--type", help="int, float, str, bool, list, or a file with a JSON schema.")
    ] = ""

    def read(self) -> dict[str, Any]:
        """It as arguments of `Library.ask`.

        Raises:
            typer.BadParameter: the file holds no schema.
        """
        if not self.type_ or self.type_ in _TYPES:
            return {"answer_format": self.answer_format or self.type_}
        try:
            schema = json.loads(Path(self.type_).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            why = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
            told = f"--type is one of {', '.join(_TYPES)}, or a file with a JSON schema; {self.type_}: {why}."
            raise typer.BadParameter(told) from error
        if not isinstance(schema, dict):
            raise typer.BadParameter(f"{self.type_} holds no JSON schema (an object).")
        return {"answer_format": self.answer_format, "schema": schema}


def ask(
    here: Online,
    question: Annotated[str, typer.Argument(help="The question, in words.")],
    among: Among,
    form: FormOptions,
    model: options.Model = None,
    method: options.Method = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Turns at most.")] = None,
    max_cost: options.MaxCost = None,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Use answers that were judged right before.")
    ] = True,
    verbose: options.Verbose = False,
    following: Annotated[
        bool, typer.Option("--follow", "-f", help="It goes on where the last question stopped.")
    ] = False,
) -> None:
    """Answer a question in English with evidence on the page, or abstain with the closest passages."""
    from quire.app.run_view import document, view_of
    from quire.ask import runs
    from quire.ask.conversation import last_turns

    wanted = form.read()
    lib = here.open(
        model__name=model, agent__method=method, agent__max_turns=max_turns, model__max_cost=max_cost
    )
    asked = lib.ask(
        question,
        papers=among.chosen(lib),
        on_step=_follow(console()) if verbose and not here.as_json else None,
        memory=memory,
        conversation=last_turns(runs.latest(lib.folder)) if following else (),
        **wanted,
    )
    view = view_of(lib, asked)

    def show(out: Console) -> None:
        show_run(out, view, fold=True)
        if not lib.settings.model.name and not lib.settings.offline:
            _show_model(out)

    here.emit(document(view), show, failed=view.outcome == "failed")


def _show_model(out: Console) -> None:
    """How to use the first language model that is found here, where there is one."""
    from quire.llm.finding import find_models

    if offers := find_models():
        first = offers[0]
        told = f"{first.models[0]} of {first.server} could conclude from these: {first.line}"
        out.print(f"[dim]{safe(told)}[/]", soft_wrap=True)


def show(here: Here, run_id: RunId = LAST, verbose: options.Verbose = False) -> None:
    """Print a stored run again."""
    from quire.app.run_view import document, view_of
    from quire.ask import runs

    lib = here.open()
    view = view_of(lib, runs.load(lib.folder, run_id))

    def human(out: Console) -> None:
        out.print(f"[bold]{safe(view.question)}[/]")
        follow = _follow(out)
        for step in view.run.steps if verbose else ():
            follow(step)
        show_run(out, view)

    here.emit(document(view), human)


def _follow(out: Console) -> Callable[[Step], None]:
    """What prints the steps of a run as they come; what was looked up before its turns is none."""
    turns = itertools.count(1)
    return lambda step: _show_opening(out, step) if step.opening else show_step(out, next(turns), step)


def _show_opening(out: Console, step: Step) -> None:
    seen = step.observation
    rows = seen.rows if seen else ()
    places = (f"{row.get('title') or row.get('pdf_id')}, page {row.get('page_number')}" for row in rows)
    found = "; ".join(dict.fromkeys(map(str, places)))
    found = found or ("which papers there are" if seen and seen.kind == "text" else "nothing")
    out.print(f"[dim]Looked up before the first turn: {safe(found)}[/]\n", soft_wrap=True)


def show_step(out: Console, number: int, step: Step) -> None:
    """One turn: thought, action and what came back."""
    out.print(f"[bold]\\[{number}] Thought[/] {safe(step.thought)}", soft_wrap=True)
    if step.call:
        arguments = ", ".join(f"{name}={value!r}" for name, value in step.call.arguments.items())
        out.print(f"[bold cyan]Action[/] {safe(step.call.name)}({safe(arguments)})", soft_wrap=True)
    if step.observation:
        out.print(f"[dim]{safe(step.observation.text)}[/]\n", soft_wrap=True)


def show_run(out: Console, view: RunView, *, fold: bool = False) -> None:
    """The answer, where it stands, what took part in it, and what it took.

    `fold`: passages that do not speak of the question are only counted.
    """
    sentence = view.outcome == "sentence"
    answered = view.outcome in ("answer", "probable")
    how = "probability" if view.probability else "confidence"
    sure = f"  [dim]({how} {view.confidence:.2f})[/]" if answered and view.confidence else ""
    said, colour = (
        view.label if sentence else view.headline,
        "green" if answered or view.probability else "yellow",
    )
    out.print(f"[bold {colour}]{safe(said)}[/]{sure}", soft_wrap=True)
    if not (view.folded and fold):
        for item in view.evidence:
            _show_piece(out, item, view.id, first=sentence and item.number == 1)
    elif view.evidence:
        closest = count(len(view.evidence), "passage")
        out.print(f"[dim]{closest} that come closest: quire show {safe(view.id)}[/]", soft_wrap=True)
    if view.note:
        out.print(f"[dim]{safe(view.note)}[/]", soft_wrap=True)
    if view.used:
        out.print(f"[dim]used {count(len(view.used), 'past answer')}:[/]")
    for one in view.used:
        out.print(f"[dim]  {safe(one.id[:8])} {safe(one.question[:100] or '(forgotten)')}[/]", soft_wrap=True)
    _show_suggested(out, view)
    cost = f", {view.tokens} tokens" if view.model else ""
    cost += f", ${view.cost:.4f}" if view.cost else ""
    out.print(f"[dim]{count(view.turns, 'turn')}, {view.seconds:.2f} s{cost} · quire show {view.id}[/]")


def _show_suggested(out: Console, view: RunView) -> None:
    """What was judged right for a question that may be the same."""
    if (item := view.suggested) is None:
        return
    out.print(f"[cyan]Maybe the same was asked:[/] {safe(item.question[:200])}", soft_wrap=True)
    judged = f"[dim](judged by {safe(item.author)}, memory {item.id[:8]})[/]"
    out.print(f"  {safe(item.words[:200])}  {judged}", soft_wrap=True)
    out.print(f"  [dim]quire verdict right {safe(view.id)} --suggested[/]", soft_wrap=True)


def _show_piece(out: Console, item: EvidenceView, run_id: str, *, first: bool) -> None:
    from quire.app.run_view import FOUND

    colour = "green" if item.found == "verified" else "yellow"
    out.print(f"  [cyan]{safe(item.title)}[/], {safe(item.where)}, [{colour}]{FOUND[item.found]}[/]")
    out.print(f'  [{"bold" if first else "italic"}]"{safe(item.quote)}"[/]', soft_wrap=True)
    if item.page > 0:
        number = f" {item.number}" if item.number > 1 else ""
        out.print(f"  [dim]quire open {safe(run_id)}{number}[/]", soft_wrap=True)


_TURNS = 6  # that a question is asked in the light of


def chat(
    papers: Papers = None, model: options.Model = None, library: LibraryDir = None, offline: Offline = False
) -> None:
    """Ask one question after another: "and the highest?" keeps papers and topic. An empty line ends it."""
    from quire.app.run_view import view_of
    from quire.ask.conversation import exchange_of
    from quire.errors import ModelError, QueryError
    from quire.types import Exchange

    lib = open_library(library, offline=offline or None, model__name=model)
    out, talk = console(), list[Exchange]()
    while question := _typed():
        try:
            run = lib.ask(question, papers=tuple(papers or ()), conversation=tuple(talk[-_TURNS:]))
        except (ModelError, QueryError) as error:  # the next question may do better
            messages().print(f"[bold red]{type(error).__name__}[/]: {safe(error)}", soft_wrap=True)
            continue
        talk.append(exchange_of(run))
        show_run(out, view_of(lib, run), fold=True)


def _typed() -> str:
    """The next question; "" at the end."""
    if sys.stdin.isatty():
        sys.stderr.write("> ")
        sys.stderr.flush()
    return sys.stdin.readline().strip()


def runs(
    here: Here,
    limit: Annotated[int, typer.Option(min=1, help="Newest runs shown.")] = 20,
    all_: Annotated[bool, typer.Option("--all", help="Show all runs.")] = False,
) -> None:
    """List the stored runs, the latest first."""
    from quire.ask import runs as stored

    folder = here.open().folder
    found, total = stored.listed(folder, None if all_ else limit), stored.count(folder)

    def show(out: Console) -> None:
        rows = []
        for run in found:
            answer = str(run.value) if run.outcome == "answered" else f"({run.outcome})"
            cost = f"{run.cost:.4f}" if run.cost else ""
            cells = (run.run_id, run.question[:80], answer[:60], run.model or run.method)
            rows.append([*map(safe, cells), str(run.turns), f"{run.seconds:.2f}", cost])
        listing(out, ("run", "question", "answer", "by", "turns", "seconds", "$"), rows)
        if len(found) < total:
            out.print(f"[dim]{len(found)} of {total} runs; --all shows them.[/]")

    here.emit(found, show)


def replay(here: Here, run_id: RunId = LAST) -> None:
    """Run a stored run's actions again, without any model, and show what comes back otherwise."""
    from quire.ask import replay as again
    from quire.ask import runs as stored

    lib = here.open()
    run = stored.load(lib.folder, run_id)
    alike = f"{count(len(run.steps), 'turn')}, all the same."
    _show_differences(here, again.replay(run, lib.environment), alike)


def diff(here: Here, first: RunId, second: RunId) -> None:
    """Show where two stored runs differ."""
    from quire.ask import replay as again
    from quire.ask import runs as stored

    folder = here.open().folder
    found = again.diff(stored.load(folder, first), stored.load(folder, second))
    _show_differences(here, found, "The two runs are alike.")


def _show_differences(here: Here, found: Sequence[Difference], alike: str) -> None:
    def show(out: Console) -> None:
        for change in found:
            turn = f"turn {change.turn}, " if change.turn else ""
            out.print(f"[bold]{turn}{safe(change.what)}[/]")
            out.print(safe(change.unified()) + "\n", soft_wrap=True)
        if not found:
            out.print(f"[green]{alike}[/]")

    here.emit(found, show, failed=bool(found))


def import_(
    here: Here,
    files: Annotated[list[Path], typer.Argument(help="Recorded conversations: chat messages, one a line.")],
) -> None:
    """Read recorded conversations as runs of this library."""
    from quire import jsontext
    from quire.ask import runs as stored
    from quire.ask.chats import import_chat
    from quire.errors import RunError

    lib = here.open(create=True)
    read = []
    for file in files:
        try:
            lines = jsontext.lines(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise RunError(f"Cannot read {file}: {error}.") from error
        name = "".join(c if c.isalnum() or c in "._-" else "_" for c in file.stem)
        stored.free_place(lib.folder, name)  # told before anything is stored
        read.append(replace(import_chat(lines, name), run_id=name))
    for run in read:
        stored.save(lib.folder, run)
    imported = [stored.summary(run) for run in read]

    def show(out: Console) -> None:
        for run in imported:
            out.print(f"{safe(run.run_id)}: {count(run.turns, 'turn')}, {safe(run.question[:80])}")

    here.emit(imported, show)
