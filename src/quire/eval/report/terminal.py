"""A report for a terminal: the figures first, one line each, then tables.

Contract: nothing of a question or answer is read as markup or as an escape sequence of the terminal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from quire.eval.record import STATUSES, CaseStatus
from quire.eval.report.summary import StatusTally, Summary, compared, summarise
from quire.eval.run import Run

_ALWAYS = ("right", "wrong", "abstained")
# What is in no accuracy of the answerable, and why.
_MEANT: Mapping[CaseStatus, str] = {
    "unknown": "nobody could judge the answer (--judge names a model)",
    "missing": "the library does not have the papers (--aliases maps their names)",
    "impossible": "no answer can be scored",
}


def print_report(runs: Sequence[Run], console: Console) -> None:
    """Print one or several runs."""
    for run in runs:
        summary = summarise(run.records)
        for line in headline(run.name, summary):
            console.print(Text(line))
        console.print(kinds_table(summary))
    if len(runs) > 1:
        console.print(runs_table(runs))
        for other in runs[1:]:
            console.print(Text(comparison_line(runs[0], other)))


def headline(name: str, summary: Summary) -> list[str]:
    """The figures of a run in plain words."""
    tally = summary.overall
    counts = ", ".join(f"{tally.counts[status]} {status}" for status in STATUSES)
    of_all = f"{percent(tally.of_all)} of all {tally.total}"
    accuracy = f"{percent(tally.accuracy.mean)} ({interval(tally)})" if tally.accuracy.n else "unknown"
    lines = [f"{_plain(name)}: accuracy {accuracy} of {tally.accuracy.n} answerable, {of_all}", counts]
    meant = [f"{status}: {why}" for status, why in _MEANT.items() if tally.counts[status]]
    lines += ["; ".join(meant)] * bool(meant)
    if summary.seconds is not None and summary.turns is not None:
        tokens = summary.usage.prompt_tokens + summary.usage.completion_tokens
        lines.append(
            f"{summary.seconds:.2f} s and {summary.turns:.1f} turns per question, "
            f"{tokens} tokens, ${summary.usage.cost:.4f} in all"
        )
    return lines


def kinds_table(summary: Summary) -> Table:
    """Accuracy and counts of each kind; counts that are all zero are told by the headline alone."""
    shown = [status for status in STATUSES if summary.overall.counts[status] or status in _ALWAYS]
    table = _table("kind", "accuracy", "95% interval", *shown)
    for kind, tally in [("all", summary.overall), *summary.kinds.items()]:
        counts = [str(tally.counts[status]) for status in shown]
        table.add_row(Text(_plain(kind)), percent(tally.accuracy.mean), interval(tally), *counts)
    return table


def runs_table(runs: Sequence[Run]) -> Table:
    """The runs side by side."""
    table = _table("run", "method", "model", "accuracy", "95% interval", "abstained", "s/question", "cost")
    for run in runs:
        summary = summarise(run.records)
        tally = summary.overall
        table.add_row(
            Text(_plain(run.name)),
            Text(_plain(method_of(run))),
            Text(_plain("+".join(run.spec.models))),
            percent(tally.accuracy.mean),
            interval(tally),
            str(tally.counts["abstained"]),
            f"{summary.seconds or 0:.2f}",
            f"${summary.usage.cost:.4f}",
        )
    return table


def comparison_line(first: Run, other: Run) -> str:
    """How the second run stands to the first, in a sentence."""
    found = compared(first, other)
    if "error" in found:
        return f"{_plain(other.name)} against {_plain(first.name)}: {found['error']}"
    low, high = found["interval"]
    verdict = "differs" if found["p_value"] < 0.05 else "no significant difference"
    return (
        f"{_plain(other.name)} against {_plain(first.name)}: {100 * found['difference']:+.1f} points "
        f"({100 * low:+.1f} to {100 * high:+.1f}), p = {found['p_value']:.3f}, {verdict}; better on "
        f"{found['better']}, worse on {found['worse']} of {found['shared']} shared questions"
    )


def method_of(run: Run) -> str:
    """The agent's method; of answers made elsewhere none is known."""
    return dict(run.spec.settings).get("agent.method", "")


def percent(share: float) -> str:
    """A share of 1 in percent; a dash for none."""
    return "-" if share != share else f"{100 * share:.1f}%"


def interval(tally: StatusTally) -> str:
    """The interval in percent."""
    if not tally.accuracy.n:
        return "-"
    return f"{100 * tally.accuracy.low:.1f} to {100 * tally.accuracy.high:.1f}%"


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in names:
        left = name in ("kind", "run", "method", "model")
        table.add_column(
            name, justify="left" if left else "right", overflow="fold", no_wrap=name not in ("run", "model")
        )
    return table


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
