"""Progress of long work on standard error: at once, and moving every second, whatever there is to count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from quire.library.report import Progress

_NAMES = {
    "read": "reading",
    "parse": "parsing",
    "encode": "encoding",
}
_SAID = {"encode": "vectors, by which passages are found that say it in other words"}


@contextmanager
def stages(*, quiet: bool, screen: Console | None = None) -> Iterator[Callable[[Progress], None] | None]:
    """A listener that draws a line per stage, with the time that it took; None when nothing is drawn."""
    from quire.app.cli.output import messages, safe

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
