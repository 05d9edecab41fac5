"""Commands about questions: ask one, and show a run again."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.interfaces.cli.options import (
    LAST,
    AsJson,
    Authors,
    LibraryDir,
    Offline,
    Papers,
    RunId,
    Tags,
    Year,
    chosen,
    open_library,
)
from quire.interfaces.cli.output import console, count, emit, safe
from quire.interfaces.cli.tables import place

if TYPE_CHECKING:
    from rich.console import Console

    from quire.build import Library
    from quire.types import Answer, Evidence, Step, Trajectory

_TYPES = ("int", "float", "str", "bool", "list")


def ask(
    question: Annotated[str, typer.Argument(help="The question, in words.")],
    papers: Papers = None,
    year: Year = "",
    authors: Authors = None,
    tags: Tags = None,
    answer_format: Annotated[
        str, typer.Option("--format", help='Form of the answer in words, e.g. "a list of two strings".')
    ] = "",
    type_: Annotated[
        str, typer.Option("--type", help="int, float, str, bool, list, or a file with a JSON schema.")
    ] = "",
    model: Annotated[
        str | None, typer.Option(help="Language model; without one, rules answer offline.")
    ] = None,
    method: Annotated[str | None, typer.Option(help="Method of the agent; see `quire methods`.")] = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Turns at most.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0, help="US dollars at most; 0: no limit.")] = None,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Use answers that were judged right before.")
    ] = True,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every thought and action.")] = False,
    library: LibraryDir = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Answer a question in English with evidence on the page, or abstain with the closest passages."""
    words, schema = _form(answer_format, type_)
    lib = open_library(
        library,
        offline=offline or None,
        model__name=model,
        agent__method=method,
        agent__max_turns=max_turns,
        model__max_cost=max_cost,
    )
    follow = _follow(console()) if verbose and not as_json else None
    among = chosen(lib, papers, year, authors, tags)
    run = lib.ask(
        question,
        papers=among,
        answer_format=words,
        schema=schema,
        on_step=follow,
        memory=memory,
    )
    emit(run, as_json, lambda out: show_answer(out, run, lib))
    if run.answer.status == "failed":
        raise typer.Exit(1)


def _form(answer_format: str, type_: str) -> tuple[str, dict[str, Any] | None]:
    if not type_ or type_ in _TYPES:
        return answer_format or type_, None
    try:
        schema = json.loads(Path(type_).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
        choices = ", ".join(_TYPES)
        raise typer.BadParameter(
            f"--type is one of {choices}, or a file with a JSON schema; {type_}: {why}."
        ) from error
    if not isinstance(schema, dict):
        raise typer.BadParameter(f"{type_} holds no JSON schema (an object).")
    return answer_format, schema


def show(
    run_id: RunId = LAST,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every thought and action.")] = False,
    library: LibraryDir = None,
    as_json: AsJson = False,
) -> None:
    """Print a stored run again."""
    from quire.agents import runs

    lib = open_library(library)
    run = runs.load(lib.folder, run_id)

    def human(out: Console) -> None:
        out.print(f"[bold]{safe(run.question.text)}[/]")
        follow = _follow(out)
        for step in run.steps if verbose else ():
            follow(step)
        show_answer(out, run, lib)

    emit(run, as_json, human)


def _follow(out: Console) -> Callable[[Step], None]:
    """What prints the steps of a run as they come; what was looked up before its turns is none."""
    turns = itertools.count(1)
    return lambda step: _show_opening(out, step) if step.opening else show_step(out, next(turns), step)


def _show_opening(out: Console, step: Step) -> None:
    rows = step.observation.rows if step.observation else ()
    places = (f"{row.get('title') or row.get('pdf_id')}, page {row.get('page_number')}" for row in rows)
    found = "; ".join(dict.fromkeys(map(str, places))) or "nothing"
    out.print(f"[dim]Looked up before the first turn: {safe(found)}[/]\n", soft_wrap=True)


def show_step(out: Console, number: int, step: Step) -> None:
    """One turn: thought, action and what came back."""
    out.print(f"[bold]\\[{number}] Thought[/] {safe(step.thought)}", soft_wrap=True)
    if step.call:
        arguments = ", ".join(f"{name}={value!r}" for name, value in step.call.arguments.items())
        out.print(f"[bold cyan]Action[/] {safe(step.call.name)}({safe(arguments)})", soft_wrap=True)
    if step.observation:
        out.print(f"[dim]{safe(step.observation.text)}[/]\n", soft_wrap=True)


def show_answer(out: Console, run: Trajectory, lib: Library) -> None:
    """The answer, where it stands, what took part in it, and what it took."""
    answer = run.answer
    if answer.status == "answered":
        sure = f"  [dim](confidence {answer.confidence:.2f})[/]" if answer.confidence else ""
        out.print(f"[bold green]{safe(_printed(answer.value))}[/]{sure}")
    else:
        out.print(f"[bold yellow]{_verdict(run)}[/]")
    _show_evidence(out, answer, run.run_id)
    if answer.note:
        out.print(f"[dim]{safe(answer.note)}[/]", soft_wrap=True)
    _show_taken(out, run, lib)
    _show_suggested(out, run, lib)
    cost = f", {run.usage.prompt_tokens + run.usage.completion_tokens} tokens" if run.usage.calls else ""
    cost += f", ${run.usage.cost:.4f}" if run.usage.cost else ""
    out.print(f"[dim]{count(run.turns, 'turn')}, {run.seconds:.2f} s{cost} · quire show {run.run_id}[/]")


def _show_taken(out: Console, run: Trajectory, lib: Library) -> None:
    """The items of the memory that took part, by name; of forgotten ones their ids are all that is left."""
    from quire.interfaces.past import used

    if not (items := used(lib, run)):
        return
    out.print(f"[dim]used {len(items)} past answer{'' if len(items) == 1 else 's'}:[/]")
    for one, item in items.items():
        said = safe(item.question[:100]) if item else "(forgotten)"
        out.print(f"[dim]  {safe(one[:8])} {said}[/]", soft_wrap=True)


def _show_suggested(out: Console, run: Trajectory, lib: Library) -> None:
    """What was judged right for a question that may be the same."""
    from quire.interfaces.past import in_words, suggested

    if (item := suggested(lib, run)) is None:
        return
    out.print(f"[cyan]Maybe the same was asked:[/] {safe(item.question[:200])}", soft_wrap=True)
    out.print(
        f"  {safe(in_words(item)[:200])}  [dim](judged by {safe(item.author)}, memory {item.id[:8]})[/]",
        soft_wrap=True,
    )
    out.print(f"  [dim]quire verdict right {safe(run.run_id)} --suggested[/]", soft_wrap=True)


def _printed(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _verdict(run: Trajectory) -> str:
    """What stands where an answer would."""
    answer = run.answer
    if answer.status == "failed":
        return "Failed"
    if run.method == "remembered":
        return "The papers do not say it"
    return "No sure answer, but evidence" if answer.evidence else "Nothing found"


def _show_evidence(out: Console, answer: Answer, run_id: str) -> None:
    for number, item in enumerate(answer.evidence, 1):
        mark = "[green]verified[/]" if item.verified else "[yellow]not verified[/]"
        out.print(f"  [cyan]{safe(item.paper_title or item.paper_id)}[/], {_place(item)}, {mark}")
        out.print(f'  [italic]"{safe(" ".join(item.quote.split()))}"[/]', soft_wrap=True)
        if item.bbox is not None and item.page > 0:
            out.print(
                f"  [dim]quire open {safe(run_id)}{f' {number}' if number > 1 else ''}[/]", soft_wrap=True
            )


def _place(item: Evidence) -> str:
    if item.page < 1:
        return safe(item.table or "metadata")
    return place(item.page, item.page_label)
