"""A report over runs: tables, learning curves and confusion matrices, in every format.

made = report([load_run(folder) for folder in folders], gold=gold_labels("ddxplus", data))
made.write(Path("report"))        # report.html, report.json, *.svg, *.png
print(made.text())
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import Any, Literal

from quire.errors import RunError
from quire.eval.report.page import render, svg
from quire.eval.report.plots import Curve, Plot, lines, png
from quire.eval.run import Run
from quire.eval.statistics import Interval
from quire_streams.report.figures import (
    CONFUSED,
    BarChart,
    Confusion,
    bars,
    confusion,
    cumulative,
    heat,
    of_ablations,
    of_orders,
    windowed,
)
from quire_streams.report.groups import RunGroup, group
from quire_streams.report.tables import ReportTable, overview, paper_tables
from quire_streams.tasks.protocol import open_task

_TEMPLATES = Path(__file__).parent / "templates"
_FEW = 6  # groups of which every confusion matrix is shown


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is shown; `curves` maps a plot's title to its lines, `notes` say what to beware of."""

    groups: tuple[RunGroup, ...]
    tables: tuple[ReportTable, ...]
    curves: Mapping[str, tuple[Curve, ...]]
    confusions: tuple[Confusion, ...]
    bars: tuple[BarChart, ...] = ()
    notes: tuple[str, ...] = ()

    def drawings(self) -> list[Plot]:
        """Learning curves, then the confusion matrices, then bars."""
        curves = [lines(title, some) for title, some in self.curves.items()]
        return [*curves, *map(heat, self.confusions), *map(bars, self.bars)]

    def text(self, width: int = 160) -> str:
        """The tables for a terminal."""
        return _told_tables(self.tables, width)

    def brief(self, width: int = 160) -> str:
        """Only the tables of all runs, one per task."""
        tasks = dict.fromkeys(one.task for one in self.groups)
        return _told_tables(self.tables[: len(tasks)], width)

    def document(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return {
            "notes": list(self.notes),
            "groups": [_describe_group(one) for one in self.groups],
            "tables": [asdict(table) for table in self.tables],
            "curves": {title: [asdict(curve) for curve in some] for title, some in self.curves.items()},
            "confusions": [asdict(matrix) for matrix in self.confusions],
            "bars": [asdict(one) for one in self.bars],
        }

    def html(self, title: str = "Streams") -> str:
        """One page that loads nothing."""
        shown = {"notes": self.notes, "tables": self.tables, "plots": self.drawings()}
        return render("streams.html", _TEMPLATES, title=title, **shown)

    def write(self, folder: Path) -> list[Path]:
        """`report.html`, `report.json` and every plot as SVG and PNG; returns what was written."""
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / "report.html", folder / "report.json"]
        written[0].write_text(self.html(), encoding="utf-8")
        written[1].write_text(json.dumps(self.document(), indent=1, ensure_ascii=False), encoding="utf-8")
        for number, drawing in enumerate(self.drawings(), start=1):
            file = folder / f"plot-{number:02d}.svg"
            file.write_text(svg(drawing), encoding="utf-8")
            file.with_suffix(".png").write_bytes(png(drawing))
            written += [file, file.with_suffix(".png")]
        return written


def report(
    runs: Sequence[Run],
    *,
    window: int = 100,
    gold: Mapping[str, Mapping[str, str]] | None = None,
    told: Sequence[str] = (),
) -> Report:
    """The report of these runs. `gold` maps the data of a run's specification to its labels by instance, for
    confusion matrices; `told` is what its maker knows of the runs, and comes first of the notes.

    Raises:
        RunError: there is no run with records.
    """
    begun = [run for run in runs if run.records]
    groups = group(begun)
    if not groups:
        raise RunError("There is nothing to report: no run has records.", hint=" ".join(told))
    plots: dict[str, list[RunGroup]] = {}  # of each single model, and of all teams, task by task
    for one in groups:
        cast = one.spec.models[0] if len(one.spec.models) == 1 else "several models"
        plots.setdefault(f"{one.task}, {cast}", []).append(one)
    curves: dict[str, tuple[Curve, ...]] = {}
    for title, own in plots.items():
        curves[f"{title}: metric so far"] = tuple(cumulative(one) for one in own)
        curves[f"{title}: metric of the last {window} steps"] = tuple(windowed(one, window) for one in own)
    labels = gold or {}
    shown = [one for one in groups if one.spec.method in CONFUSED] if len(groups) > _FEW else groups
    matrices = [confusion(one, labels[one.spec.data]) for one in shown if one.spec.data in labels]
    kept = tuple(matrix for matrix in matrices if sum(matrix.counts))
    figures = (*of_orders(groups), *of_ablations(groups))
    tables = [overview(groups, task) for task in dict.fromkeys(one.task for one in groups)]
    shown_tables = (table for table in (*tables, *paper_tables(groups)) if table.rows)
    said, twice = [*told], len(begun) - sum(len(one.runs) for one in groups)
    if twice:
        told_of = "have settings and seed of another one: only the first is shown."
        said.append(f"{twice} more of these runs {told_of}")
    said += notes([run for one in groups for run in one.runs])
    return Report(tuple(groups), tuple(shown_tables), curves, kept, figures, tuple(said))


def gold_labels(task: str, data: Path) -> dict[str, str]:
    """Gold by instance id, for a reader of reports; never call it in a process that solves."""
    return {sample.instance.id: sample.reply for sample in open_task(task).load(data)}


_SQL = "Either its database is not there (`database` beside the questions) or its gold query does not run."
_UNJUDGED = {
    "spider": _SQL,
    "cosql": _SQL,
    "bird": _SQL,
    "ds1000": "Their libraries are missing or of another version: see `quire tasks environment`.",
    "toolbench": "Free-text arguments need a judge: --judge MODEL.",
    "papers": "Answers in free words need a judge: --judge MODEL.",
}
_CLOSED = {"missing": "are about papers that are not here", "impossible": "have no answer that can be scored"}
_EMPTY = (
    "Nothing was replied, or nothing that could be read as an answer, as where a reply is cut off "
    "(model.max_tokens)."
)
_LONGEST = 300  # characters of an error


def notes(runs: Sequence[Run]) -> Iterator[str]:
    """What to know of the figures before believing them, one line for each task and reason."""
    for task in dict.fromkeys(run.spec.task for run in runs):
        records = [record for run in runs if run.spec.task == task for record in run.records]
        failed = [record.attempt.error for record in records if record.attempt.error]
        if failed:
            yield f"{task}: {len(failed)} of {len(records)} answers failed, first: {failed[0][:_LONGEST]}"
        untaught = [record.lesson_error for record in records if record.lesson_error]
        if untaught:
            told = untaught[0][:_LONGEST]
            yield f"{task}: {len(untaught)} of {len(records)} lessons failed, first: {told}"
        empty = sum(record.status == "wrong" and not record.attempt.output.strip() for record in records)
        if empty:
            yield f"{task}: {empty} of {len(records)} answers counted as wrong are empty. {_EMPTY}"
        unjudged = sum(record.status == "unknown" for record in records)
        if unjudged:
            why = _UNJUDGED.get(task, "")
            yield f"{task}: {unjudged} of {len(records)} answers could not be judged. {why}".strip()
        for status, why in _CLOSED.items():
            if closed := sum(record.status == status for record in records):
                yield f"{task}: {closed} of {len(records)} questions {why}, and are in no figure."


def _told_tables(tables: Sequence[ReportTable], width: int) -> str:
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table as Grid
    from rich.text import Text

    stream = io.StringIO()
    console = Console(file=stream, width=width)
    for table in tables:
        console.print(Text(table.title, "bold"))
        grid = Grid(box=None, pad_edge=False)
        for at, column in enumerate(table.columns):
            figures = table.numeric(at)
            side: Literal["left", "right"] = "right" if figures else "left"
            # A figure must never be broken in two; where all is too wide, texts fold first.
            widest = max((len(row[at]) for row in table.rows), default=0)
            grid.add_column(
                Text(column), overflow="fold", justify=side, min_width=widest if figures or at == 0 else 7
            )
        for row in table.rows:
            grid.add_row(*[Text(cell) for cell in row])
        # Rather a line that the terminal breaks than a column that is cut off.
        console.width = max(width, Measurement.get(console, console.options, grid).minimum)
        console.print(grid)
        console.width = width
        console.print(Text(table.note), style="dim")
    return stream.getvalue()


def _describe_group(one: RunGroup) -> dict[str, Any]:
    metric = one.metric
    return {
        "task": one.task,
        "method": one.spec.method,
        "models": list(one.spec.models),
        "protocol": one.spec.protocol,
        "feedback": one.spec.feedback,
        "encoder": one.spec.encoder,
        "shift": one.spec.shift,
        "setting": list(one.special),
        "orders": len(one.runs),
        "metric": metric.mean,
        "over_orders": _ends(metric),
        "over_questions": _ends(one.sampled),
        "parts": one.parts,
        "errors": one.errors,
        "unjudged": one.unknown,
        "usage": asdict(one.usage),
    }


def _ends(interval: Interval) -> tuple[float, float] | None:
    return None if isnan(interval.low) else (interval.low, interval.high)
