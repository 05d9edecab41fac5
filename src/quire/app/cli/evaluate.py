"""Commands that measure answers: eval, report, quiz, judge-check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.app.cli.options import AskedAtOnce, FirstOnly, Here, Judge, MaxCost, Method, Online
from quire.app.cli.output import following, messages, safe

if TYPE_CHECKING:
    from rich.console import Console

    from quire import Library


def evaluate(
    here: Online,
    file: Annotated[Path, typer.Argument(help="Questions: AirQA, SciDQA, M3SciQA or our own JSON Lines.")],
    model: Annotated[str | None, typer.Option(help="Language model; without one, rules answer.")] = None,
    method: Method = None,
    judge: Judge = None,
    votes: Annotated[int, typer.Option(min=1, help="Samples of the judge that vote.")] = 1,
    limit: FirstOnly = 0,
    workers: AskedAtOnce = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the last such run stopped.")] = False,
    predictions: Annotated[
        Path | None, typer.Option(help="Score these answers (JSON Lines: id, answer) instead of asking.")
    ] = None,
    aliases: Annotated[
        Path | None, typer.Option(help="JSON object: the set's names of papers to names in the library.")
    ] = None,
    max_cost: MaxCost = None,
) -> None:
    """Ask a file of questions with known answers, and say how many were right."""
    lib = here.open(model__name=model, agent__method=method, model__judge=judge, model__max_cost=max_cost)
    names = json.loads(aliases.read_text(encoding="utf-8")) if aliases else None
    with following(quiet=here.as_json) as progress:
        run, folder = lib.evaluate(
            file,
            limit=limit,
            workers=workers,
            resume=resume,
            predictions=predictions,
            votes=votes,
            aliases=names,
            progress=progress,
        )

    def show(out: Console) -> None:
        from quire.eval.report.terminal import print_report

        print_report([run], out)
        out.print(f"[dim]quire report {safe(folder)} --html report.html[/]", soft_wrap=True)

    from quire.eval.report.summary import summarise

    here.emit({**summarise(run.records).as_json(), "run": folder}, show)


def compare(
    here: Online,
    file: Annotated[Path, typer.Argument(help="Questions, as for `quire eval`.")],
    model: Annotated[str | None, typer.Option(help="Language model; default: the settings'.")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Method; repeat for more. Default: all of `quire methods`.")
    ] = None,
    judge: Judge = None,
    limit: FirstOnly = 0,
    workers: AskedAtOnce = 1,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars at most, for all methods together.")
    ] = None,
) -> None:
    """Ask the same questions by several methods, and compare each with the first. Run again to resume."""
    from quire.ask.methods import METHODS
    from quire.errors import SettingsError
    from quire.eval.report.summary import report_document
    from quire.eval.report.terminal import print_report
    from quire.llm import Gateway

    names = [METHODS[name].name for name in method or METHODS]
    if not here.open(model__name=model).models_answer:
        raise SettingsError(
            "Methods are compared with a language model, and none is set; rules have only one way.",
            hint="Name one: --model NAME, or model.name in the settings.",
        )
    runs = []
    shared: Gateway | None = None  # one for all methods
    for name in names:
        lib = here.open(model__name=model, agent__method=name, model__judge=judge, model__max_cost=max_cost)
        shared = shared or Gateway(lib.settings)
        lib.open_model = shared.part().model
        with following(quiet=here.as_json) as progress:
            run, _ = lib.evaluate(file, limit=limit, workers=workers, resume=True, progress=progress)
        runs.append(run)
    here.emit(report_document(runs, questions=False), lambda out: print_report(runs, out))


def report(
    here: Here,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of evaluations.")],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page.")] = None,
) -> None:
    """Figures of evaluations with intervals, and what parts the runs; with --html as a page."""
    from quire.errors import RunError
    from quire.eval.report.answers import report_page
    from quire.eval.report.question import pictures_of
    from quire.eval.report.summary import report_document
    from quire.eval.report.terminal import print_report
    from quire.eval.run import evaluations_folder, load_run

    lib = here.open()
    stored = evaluations_folder(lib.folder)
    found = [load_run(run if run.exists() else stored / run) for run in runs]
    for run in found:
        if not run.records:
            raise RunError(f"{run.name} has no answers yet.", hint="Run `quire eval --resume` first.")
    if html:
        html.write_text(report_page(found, pictures_of(lib)), encoding="utf-8")

    def show(out: Console) -> None:
        print_report(found, out)
        if html:
            out.print(f"Wrote {safe(html)}.")

    here.emit(report_document(found), show)


def quiz(
    here: Here,
    papers: Annotated[list[str] | None, typer.Argument(help="Papers; none: all of the library.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File for `quire eval`.")] = None,
    each: Annotated[int, typer.Option(min=1, help="Questions of each kind and paper, at most.")] = 4,
    seed: Annotated[int, typer.Option(help="Another seed, other questions.")] = 0,
    natural: Annotated[
        bool, typer.Option("--natural", help="Questions in people's own words, written by a model.")
    ] = False,
    model: Annotated[str | None, typer.Option(help="The model that writes them.")] = None,
) -> None:
    """Make questions with certain answers from the library's own rows, or with a model from its pages.

    Questions of the rows are worded as quire expects and cannot see what the parser missed: they test what
    was built on the rows. Those that a model writes (--natural) test all of it.
    """
    lib = here.open(model__name=model)
    ids = [lib.paper(name).id for name in papers or ()]
    rows, told = _natural(lib, ids, each) if natural else _own(lib, ids, each, seed)
    typer.echo(told, err=True)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if output:
        output.write_text(lines, encoding="utf-8")

    def show(out: Console) -> None:
        out.print(
            f"Wrote {len(rows)} questions to {safe(output)}." if output else safe(lines), soft_wrap=True
        )

    here.emit(rows, show)


def _own(lib: Library, ids: list[str], each: int, seed: int) -> tuple[list[dict[str, Any]], str]:
    """Questions of the library's rows, and what they are worth."""
    from quire.eval.quiz import make_quiz

    rows = [question.as_row() for question in make_quiz(lib, ids, each=each, seed=seed)]
    return rows, (
        "These ask what quire's own rows say, in fixed wordings: they cannot see a parser's mistakes, and "
        "people ask otherwise. `quire quiz --natural --model M` writes questions in people's words."
    )


def _natural(lib: Library, ids: list[str], each: int) -> tuple[list[dict[str, Any]], str]:
    """Questions that the model of the settings writes."""
    from quire.errors import SettingsError
    from quire.eval.quiz import natural_quiz

    if not lib.models_answer:
        raise SettingsError("Natural questions are written by a language model.", hint="Name one: --model M.")
    questions, dropped = natural_quiz(lib, lib.open_model("answer", ""), ids, each=each)
    return [question.as_row() for question in questions], (
        f"{len(questions)} questions; {dropped} were dropped, whose quote is not on their page."
    )


def judge_check(
    here: Online,
    file: Annotated[Path, typer.Argument(help="JSON Lines of judgements with people's verdicts.")],
    judge: Annotated[str | None, typer.Option(help="Model that judges; default: the settings'.")] = None,
    votes: Annotated[int, typer.Option(min=1, help="Samples that vote.")] = 1,
) -> None:
    """Measure how well the judge agrees with people."""
    from quire.errors import SettingsError
    from quire.eval.judgements import agreement, check_judge

    panel = here.open(model__judge=judge).judges(votes)
    if panel is None:
        raise SettingsError("No model judges.", hint="Name one with --judge or the setting model.judge.")
    with messages().status("judging") as screen:
        found = check_judge(file, panel, lambda done, all_: screen.update(f"judging {done} of {all_}"))
    counts = agreement((each.human, each.judged) for each in found)

    def show(out: Console) -> None:
        out.print(
            f"accuracy {counts.accuracy:.3f}, Cohen's kappa {counts.kappa:.3f} on {counts.judged} answers"
        )
        out.print(f"{counts.unknown} that the judge could not say")
        for each in (each for each in found if each.apart):
            said = "right" if each.human else "wrong"
            out.print(f"[yellow]people say {said}[/]: {safe(each.question)} -> {safe(each.prediction)}")
            out.print(f"  [dim]{safe(each.score.reason)}[/]", soft_wrap=True)

    figures = {"accuracy": counts.accuracy, "kappa": counts.kappa, "judged": counts.judged}
    here.emit({**figures, "agreement": counts, "judgements": found}, show)
