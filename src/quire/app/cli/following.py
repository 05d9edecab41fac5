"""What a terminal is told of a run while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from quire.app.cli.output import messages

if TYPE_CHECKING:
    from rich.console import Console

    from quire.eval.run import RunProgress
    from quire.types import Usage


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
