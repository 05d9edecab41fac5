"""What a command prints: one JSON document, or text and tables for people; progress on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire import jsontext
from quire.jsontext import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from quire.eval.run import RunProgress
    from quire.library.report import Progress
    from quire.types import Usage

_UNBOUNDED = 100_000  # columns of what is piped: nothing is cut or wrapped


def console() -> Console:
    """Standard output for people: as wide as the terminal, or unbounded where a program reads it."""
    from rich.console import Console

    out = Console(highlight=False, soft_wrap=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        return Console(highlight=False, soft_wrap=False, width=_UNBOUNDED)
    return out


def messages() -> Console:
    """Standard error, for progress and warnings."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def emit(value: Any, as_json: bool, show: Callable[[Console], None] | str) -> None:
    """Print `value` as the one JSON document, or for people what `show` prints, or is."""
    if as_json:
        text = jsontext.dumps(plain(value), indent=1)
        if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
            text = json.dumps(json.loads(text), indent=1)  # escapes whatever is not ASCII
        sys.stdout.write(text + "\n")
    elif isinstance(show, str):
        console().print(show, soft_wrap=True)
    else:
        show(console())


def safe(text: object) -> str:
    """Text from PDFs or models, made safe for a terminal: no control characters, no rich markup."""
    from rich.markup import escape

    return escape("".join(c if c == "\n" or c.isprintable() else " " for c in str(text)))


def write(file: Path, content: bytes) -> None:
    """Write a file that the user named.

    Raises:
        LibraryError: its folder is not there, or it cannot be written.
    """
    from quire.errors import LibraryError

    if not file.parent.is_dir():
        raise LibraryError(f"There is no folder {file.parent}.", hint="Make it, or choose another file.")
    try:
        file.write_bytes(content)
    except OSError as error:
        raise LibraryError(f"{file} cannot be written: {error.strerror or error}.") from error


def count(number: int, thing: str, things: str = "") -> str:
    """So many of a thing: 1 turn, 2 turns."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def times(number: int) -> str:
    """How often: never, once, 3 times."""
    return {0: "never", 1: "once"}.get(number, f"{number} times")


_NAMES = {"read": "reading", "parse": "parsing", "encode": "encoding"}
_SAID = {"encode": "vectors, by which passages are found that say it in other words"}


@contextmanager
def stages(*, quiet: bool, screen: Console | None = None) -> Iterator[Callable[[Progress], None] | None]:
    """A listener that draws a line per stage, with the time that it took; None when nothing is drawn."""
    screen = screen or messages()
    if quiet or not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Lines

    from quire.library.report import Outlook

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:>9}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[label]}"),
    )
    with Lines(*columns, console=screen, transient=True) as lines:
        known = {"parse": lines.add_task(_NAMES["parse"], total=None, label="starting")}
        outlook = Outlook()

        def listen(now: Progress) -> None:
            if now.stage not in known:
                known[now.stage] = lines.add_task(_NAMES.get(now.stage, now.stage), label="")
            label = _SAID.get(now.stage) or f"{now.rate:.1f}/s {safe(now.label)[:40]}"
            left = outlook.seconds_left(now)
            label = f"{label}, about {_spoken(left)} left" if left else label
            lines.update(known[now.stage], completed=now.done, total=now.total, label=label)

        yield listen


def _spoken(seconds: float) -> str:
    """A while in words."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


_NARROW = 80  # columns of a terminal
_NEEDED = 9  # columns that a cell needs to be read
_ROWS = 40  # of a table that nobody asked to see whole


def listing(
    out: Console,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    everything: bool = True,
    nothing: str = "",
) -> None:
    """Print rows of cells, which are `rich` markup, or that there are none.

    Without `everything` a terminal sees the first 40.
    """
    from rich.table import Table

    if nothing and not rows:
        out.print(nothing)
        return
    shown = rows if everything or not out.is_terminal else rows[:_ROWS]
    if out.width < max(_NARROW, _NEEDED * len(heads)):
        for row in shown:
            _block(out, heads, row)
    else:
        table = Table(*heads, box=None, pad_edge=False)
        for row in shown:
            table.add_row(*row)
        out.print(table)
    if len(shown) < len(rows):
        out.print(f"[dim]{len(rows) - len(shown)} more; --all shows them.[/]")


def _block(out: Console, heads: Sequence[str], row: Sequence[str]) -> None:
    """One row: its first cell, then each other on a line of its own, under its head."""
    from rich.padding import Padding

    out.print(f"[bold]{row[0]}[/]")
    for head, cell in zip(heads[1:], row[1:], strict=True):
        if cell:
            out.print(Padding(f"[dim]{head}:[/] {cell}", (0, 0, 0, 2), expand=False))


def passage(text: Text, *, cells: bool) -> list[Text | Table]:
    """A text in pieces to print: rows of a table (`cells` apart by " | ", or HTML) as small tables."""
    from rich.text import Text as Plain

    if not cells:
        return list(text.split("\n"))
    if "<table" in text.plain.lower() or "<tr" in text.plain.lower():
        grid = _rows_of_html(text.plain)
        return [_small(grid)] if grid else [Plain(_line(text.plain))]
    pieces: list[Text | Table] = []
    rows: list[list[Text]] = []
    for line in text.split("\n"):
        if " | " in line.plain:
            rows.append(list(line.split(" | ")))
            continue
        if rows:
            pieces.append(_small(rows))
            rows = []
        pieces.append(line)
    return [*pieces, _small(rows)] if rows else pieces


class _Rows(HTMLParser):
    """The text of the cells of a table, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows = self.rows or [[]]
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def _rows_of_html(html: str) -> list[list[Text]]:
    from rich.text import Text as Plain

    reader = _Rows()
    reader.feed(html)
    return [[Plain(_line(cell)) for cell in row] for row in reader.rows if row]


def _line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def _small(rows: Sequence[Sequence[Text]]) -> Table:
    from rich import box
    from rich.table import Table

    width = max(map(len, rows))
    table = Table(*[""] * width, show_header=False, box=box.SIMPLE, show_edge=False, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    return table


@contextmanager
def following(*, quiet: bool) -> Iterator[Callable[[RunProgress], None] | None]:
    """One bar that tells where a run stands, on a terminal."""
    screen = messages()
    if quiet or not screen.is_terminal:
        yield None
        return
    with bar_columns(screen) as drawn:
        row = drawn.add_task("asking", total=None, told="")

        def tell(now: RunProgress) -> None:
            told = "  ".join([f"{now.metric:.3f}", *spent_words([now.usage])])
            drawn.update(row, completed=now.done, total=now.total, told=told)

        yield tell


def bar_columns(screen: Console) -> Any:
    """Bars with what is told beside them."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=screen, transient=True)


def spent_words(usages: Sequence[Usage]) -> list[str]:
    """Tokens and dollars, where there are any."""
    tokens = sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)
    return [f"{tokens:,} tokens", f"${sum(usage.cost for usage in usages):.4f}"] if tokens else []
