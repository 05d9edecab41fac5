"""Commands about what the library learned: verdicts, and the items that came of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.app.cli.options import LAST, Group, Here, RunId
from quire.app.cli.output import count, listing, safe, times
from quire.app.memory_view import ItemView, counts_of, curve, item_of, taught

if TYPE_CHECKING:
    from rich.console import Console

    from quire.build import Library
    from quire.memory.items import JudgedAnswer
    from quire.memory.verdicts import Point

app = Group(help="What the library remembers of answers that were judged.", no_args_is_help=True)

ItemId = Annotated[str, typer.Argument(metavar="ITEM", help="Id of an item, or its beginning.")]


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """Where an answer stands that no piece of evidence gives."""

    paper: Annotated[str, typer.Option(help="Paper in which the right sentence stands.")] = ""
    page: Annotated[int, typer.Option(min=0, help="Its page there; 0: the first that says it.")] = 0
    quote: Annotated[str, typer.Option(help="That sentence, as it is printed; with --paper.")] = ""


def verdict(
    here: Here,
    label: Annotated[str, typer.Argument(metavar="right|wrong", help="What the answer was.")],
    run: RunId = LAST,
    answer: Annotated[str | None, typer.Option(help="The right answer, where it was wrong.")] = None,
    evidence: Annotated[
        int, typer.Option(min=0, help="Number of the piece of evidence that is right; 0: all of an answer's.")
    ] = 0,
    unanswerable: Annotated[
        bool, typer.Option("--unanswerable", help="The papers do not say it: so no answer is the right one.")
    ] = False,
    suggested: Annotated[
        bool, typer.Option("--suggested", help="The past answer shown beside it answers this question, too.")
    ] = False,
    *,
    place: PlaceOptions,
    note: Annotated[str, typer.Option(help="A remark for people.")] = "",
    author: Annotated[str, typer.Option(help="Whose verdict it is; default: your login name.")] = "",
) -> None:
    """Say whether an answer was right, so that later questions profit from it."""
    from quire.app.finding import place_of
    from quire.ask import runs

    if label not in ("right", "wrong"):
        raise typer.BadParameter(f"A verdict is right or wrong, not {label!r}.")
    lib = here.open()
    done = lib.verdict(
        label,  # type: ignore[arg-type]
        run,
        answer=answer,
        evidence=evidence,
        unanswerable=unanswerable,
        suggested=suggested,
        place=place_of(lib, place.paper, place.page, place.quote),
        note=note,
        author=author,
    )

    def show(out: Console) -> None:
        example = done.label == "right" or done.correction
        kept = f" as {(done.correction or done.item)[:8]}" if example else ", never shown as an example"
        asked = safe(runs.load(lib.folder, done.run).question.text[:100])  # without RUN it may be another
        out.print(f'Run {safe(done.run)}, "{asked}", was {done.label}: kept{kept}.', soft_wrap=True)
        if done.lesson:
            out.print(f"Lesson: {safe(done.lesson)}", soft_wrap=True)
        for line in done.retired:
            out.print(f"[yellow]{safe(line)}[/]")

    here.emit(done, show)


@app.command("list")
def list_(here: Here) -> None:
    """List all items, the newest first."""
    lib = here.open()
    _emit_items(here, lib, lib.memory.verdicts.listed())


@app.command()
def search(
    here: Here,
    words: Annotated[str, typer.Argument(help="A question; the most similar come first.")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Items shown.")] = 10,
) -> None:
    """Find the items that are most similar to a question."""
    lib = here.open()
    _emit_items(here, lib, lib.memory.similar(words, limit))


@app.command()
def show(here: Here, item: ItemId) -> None:
    """Show one item: what it says, what it rests on, and how often it helped or hurt."""
    from quire.app.run_view import pieces
    from quire.ask.evidence import check

    lib = here.open()
    found = lib.memory.named(item)
    evidence = check(found.evidence, lib)  # as the answer said, or no more
    view = item_of(lib.memory, found)
    rest = {"evidence": evidence, "actions": found.actions, "papers": found.papers}

    def human(out: Console) -> None:
        for line in _told(view):
            out.print(safe(line), soft_wrap=True)
        for one in pieces(evidence, library=lib):
            mark = "verified" if one.found == "verified" else "no longer found there"
            told = f'{one.number}. {one.title}, {one.where}, {mark}: "{one.quote}"'
            out.print(safe(told), soft_wrap=True)

    here.emit(_document(view) | rest, human)


@app.command()
def forget(
    here: Here,
    items: Annotated[list[str], typer.Argument(metavar="ITEM...", help="Ids of items, or their beginnings.")],
    for_good: Annotated[
        bool, typer.Option("--for-good", help="Keep nothing that `quire memory restore` could take back.")
    ] = False,
) -> None:
    """Forget items: rows, vectors, verdicts. `memory restore` undoes it for 30 days, no import ever does."""
    memory = here.open().memory
    forgotten = {one.id for one in memory.forgotten()} if for_good else set()
    ids = [item if item in forgotten else memory.named(item).id for item in items]
    memory.forget(ids, for_good=for_good)
    back = "" if for_good else " `quire memory restore` takes them back for 30 days."
    here.emit(ids, f"Forgot {len(ids)}.{back} Stored runs are files of their own in `runs/`.")


@app.command()
def restore(
    here: Here,
    items: Annotated[
        list[str] | None, typer.Argument(metavar="[ITEM...]", help="Ids of items, or their beginnings.")
    ] = None,
) -> None:
    """Remember again what was forgotten within 30 days; without an item, list what can be taken back."""
    memory = here.open().memory
    if items:
        back = [memory.take_back(item) for item in items]
        here.emit(back, f"Remembered again: {count(len(back), 'item')}.")
        return
    found = memory.forgotten()
    rows = [[one.id[:8], safe(one.question[:80]), one.since[:10]] for one in found]
    nothing = "Nothing was forgotten within 30 days."
    here.emit(found, lambda out: listing(out, ("item", "question", "forgotten"), rows, nothing=nothing))


@app.command()
def export(
    here: Here, output: Annotated[Path, typer.Option("--output", "-o", help="JSON Lines file to write.")]
) -> None:
    """Write all right items in use, one JSON object a line."""
    lines = list(here.open().memory.verdicts.export_lines())
    output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="replace")
    here.emit({"file": output, "items": len(lines)}, f"Wrote {len(lines)} items.")


@app.command("import")
def import_(
    here: Here, file: Annotated[Path, typer.Argument(help="File that `quire memory export` wrote.")]
) -> None:
    """Take in another's items, kept apart under their author: examples, never remembered answers."""
    from quire import jsontext
    from quire.errors import MemoryStoreError

    lib = here.open()
    try:
        lines = jsontext.lines(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise MemoryStoreError(f"{file} is no text.") from error
    new = lib.memory.verdicts.import_lines(lines)
    lib.memory.encode()
    here.emit({"new": new}, f"Took in {new} new items of {len(lines)}.")


@app.command()
def stats(
    here: Here,
    plot: Annotated[bool, typer.Option("--plot", help="Draw the share of right answers over time.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="SVG file to draw the same into.")
    ] = None,
) -> None:
    """Count items, verdicts, and answers that items took part in; draw how the answers got better."""
    from quire.eval.report.page import svg
    from quire.memory import searches

    memory = here.open().memory
    row, store = counts_of(memory), memory.verdicts.store
    weights, aliases = searches.weights(store), searches.aliases(store)
    points = memory.curve() if plot or output else []
    if output:
        output.write_text(svg(curve(points)), encoding="utf-8")

    def human(out: Console) -> None:
        for line in (*_counted(row), *taught(weights, aliases)):
            out.print(safe(line), soft_wrap=True)
        for line in as_lines(points) if plot else ():
            out.print(line, markup=False, highlight=False, soft_wrap=True)
        if output:
            out.print(f"Drawn into {safe(output)}.", soft_wrap=True)

    learned = {"search": {"weights": weights, "aliases": aliases}}
    here.emit(row | learned | ({"curve": points} if plot else {}), human)


@app.command("reset-ranking")
def reset_ranking(here: Here) -> None:
    """Let the search rank as shipped again; items and verdicts stay."""
    from quire.memory.searches import reset

    forgotten = reset(here.open().memory.verdicts.store)
    here.emit({"reset": forgotten}, f"The search forgot what {forgotten} right answers taught it.")


def _document(view: ItemView) -> dict[str, Any]:
    return view.document(state=_state(view), origin=_origin(view.item))


def _state(view: ItemView) -> str:
    return f"retired: {view.item.retired}" if view.item.retired else view.state


def _origin(item: JudgedAnswer) -> str:
    return f"imported from {item.origin}" if item.origin else f"run {item.run}"


def _told(view: ItemView) -> Iterator[str]:
    """An item in sentences."""
    item = view.item
    yield f"Asked: {item.question}"
    whose = "Its user's own word" if item.kind == "correction" else "The answer"
    yield f"{whose}: {_said(item)}"
    yield f"It is {_state(view)}; judged right {times(view.right)} and wrong {times(view.wrong)}."
    helped = count(view.helped, "answer")
    yield f"It took part in {helped} that turned out right and in {view.hurt} that did not."
    yield f"Kept of {_origin(item)} by {item.author} on {item.created[:10]}, as {item.id}."


def _counted(row: dict[str, Any]) -> Iterator[str]:
    """The counts in sentences."""
    kept = count(row["items"], "answer is", "answers are")
    judged = count(row["verdicts"], "verdict")
    yield f"{kept} remembered, from {judged}; {row['retired']} of them retired, which are never shown."
    yield (
        f"They took part in {count(row['uses'], 'later answer')}: {row['helped']} were judged right, "
        f"{row['hurt']} wrong."
    )
    yield f"What questions are alike is told by {row['encoder']}."


def _said(item: JudgedAnswer) -> str:
    """What it keeps, in words."""
    if item.empty:
        return "(not in the papers)" if item.absent and not item.retired else "(no answer)"
    return str(item.said)


def _emit_items(here: Here, lib: Library, items: list[JudgedAnswer]) -> None:
    views, rows = [item_of(lib.memory, item) for item in items], []
    for view in views:
        item = view.item
        cells = (item.id[:8], item.question[:80], _said(item)[:60], _state(view), item.author)
        rows.append([*map(safe, cells), item.created[:10], str(view.helped), str(view.hurt)])
    heads = ("item", "question", "answer", "state", "by", "date", "helped", "hurt")
    nothing = "Nothing is remembered yet. After an answer: quire verdict right"
    here.emit(list(map(_document, views)), lambda out: listing(out, heads, rows, nothing=nothing))


_COLUMNS, _ROWS = 60, 8
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_NONE = "Nothing was judged yet. After an answer: quire verdict right"


def as_lines(points: Sequence[Point]) -> list[str]:
    """The share right of the last answers as columns of blocks, and the figures in words."""
    from quire.memory.verdicts import RECENT

    if not points:
        return [_NONE]
    places: Sequence[int] = range(len(points))
    if len(points) > _COLUMNS:
        places = [len(points) * (n + 1) // _COLUMNS - 1 for n in range(_COLUMNS)]
    heights = [round(points[place].recent * _ROWS * 8) for place in places]
    drawn = []
    for row in range(_ROWS - 1, -1, -1):
        name = f"{(row + 1) / _ROWS:4.0%} " if row % 2 else "     "
        drawn.append(name + "|" + "".join(_EIGHTHS[min(8, max(0, high - 8 * row))] for high in heights))
    used = [point.right for point in points if point.used]
    last = points[-1]
    told = f"{last.number} answers judged, {last.so_far:.0%} right; of the last {RECENT} {last.recent:.0%}"
    if used:
        told += f"; where the memory took part {sum(used) / len(used):.0%} of {len(used)}"
    return [*drawn, "     +" + "-" * len(places), told]
