"""The Python of the documentation runs, and its commands exist."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    """(page, text) of every fenced block of that language."""
    pattern = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
    found = [
        (page.name, *each) for page in PAGES for each in pattern.findall(page.read_text(encoding="utf-8"))
    ]
    return [(page, text) for page, of, text in found if of == language]


@pytest.mark.parametrize(("page", "code"), blocks("python"))
def test_python_of_the_pages_runs(
    page: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUIRE_INDEX__ENCODERS", '["text_bm25_en"]')
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    exec(compile(code, page, "exec"), {})  # our own page, not somebody's text
    assert capsys.readouterr().out.strip()


def commands() -> list[str]:
    lines = [line for _, text in blocks("") for line in text.splitlines()]
    asked = [
        part.strip() for line in lines for part in line.lstrip("$ ").split("  #")[0].split("&& ") if line
    ]
    return sorted({line for line in asked if line.startswith("quire ")})


@pytest.mark.parametrize("line", commands())
def test_commands_of_the_pages_exist_with_their_options(line: str) -> None:
    import typer

    from quire.app.cli.app import app

    group = typer.main.get_command(app)
    words = shlex.split(line, comments=True)[1:]
    context = typer.Context(group)
    while words and words[0][0] != "-" and hasattr(group, "get_command"):
        command = group.get_command(context, words[0])
        assert command is not None, f"{line}: no command {words[0]}"
        group, words = command, words[1:]
    known = {option for parameter in group.params for option in (*parameter.opts, *parameter.secondary_opts)}
    used = [word.split("=")[0] for word in words if re.fullmatch(r"-{1,2}[a-z][\w-]*(=.*)?", word)]
    assert set(used) <= known | {"--help"}, f"{line}: {set(used) - known}"


CHEAP = tuple(
    f"quire {name}"
    for name in ('ask "Who wrote', 'ask "How many references', "edit", "export", "memory", "page", "parse",
                 "schema", "search", "sql", "stream methods", "tasks list", "verdict")
)  # fmt: skip
"""Commands that are done in a moment and reach no network; of the questions two."""
ELSEWHERE = ("--model", "ocr", "RUN", "ITEM", "theirs", "restore", "--evidence", "--plot", "--unanswerable")
"""What wants a model, an extra, ids and files of the reader's, another answer, matplotlib."""


def run_here(line: str) -> bool:
    return line.startswith(CHEAP) and not any(word in line for word in ELSEWHERE)


def test_commands_of_the_pages_do_their_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other in one library, as a reader types them."""
    from quire.app.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUIRE_INDEX__ENCODERS", '["text_bm25_en"]')
    monkeypatch.setenv("QUIRE_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("QUIRE_OFFLINE", "1")
    shutil.copytree(ROOT / "examples" / "papers", tmp_path / "papers")
    shutil.copy(tmp_path / "papers" / "paper-boats.pdf", tmp_path / "paper.pdf")
    lines = [line for line in commands() if run_here(line)]
    assert len(lines) > 20
    failed: dict[str, str] = {}
    for line in ("quire add papers", *lines):
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        told = capsys.readouterr().err
        if code:
            failed[line] = told
    assert failed == {}


def test_files_that_the_pages_name_are_there() -> None:
    tops = ("src", "packages", "benchmarks", "training", "tests", "examples")
    there = [f"/{path.relative_to(ROOT).as_posix()}" for top in tops for path in (ROOT / top).rglob("*.py")]
    for page in PAGES:
        named = set(re.findall(r"`([\w/.]+\.py)`", page.read_text(encoding="utf-8")))
        named = {name for name in named if Path(name).name != "x.py"}  # which the reader writes
        missing = [name for name in named if not any(path.endswith(f"/{name}") for path in there)]
        assert not missing, f"{page.name}: {missing}"


def test_the_log_lists_every_page_of_it() -> None:
    listed = re.findall(r"\(log\.d/(\w+\.md)\)", (ROOT / "docs" / "log.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(path.name for path in (ROOT / "docs" / "log.d").glob("*.md"))


def test_what_is_said_of_where_things_are_written_is_true() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    rows = text.partition("## Where it is written")[2].partition("\n## ")[0]
    named = re.findall(r"`([\w/]+\.py)`", rows.partition("|---|")[2])
    assert len(named) > 15
    tops = (ROOT / "src" / "quire", ROOT / "packages" / "quire-streams" / "src")
    assert [name for name in named if not any((top / name).is_file() for top in tops)] == []
