"""The Python of the documentation runs, and its commands exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    """(page, text) of every fenced block of that language."""
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.M | re.S)
    return [(page.name, text) for page in PAGES for text in pattern.findall(page.read_text(encoding="utf-8"))]


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
    asked = [line.lstrip("$ ").split("  #")[0].strip() for line in lines]
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


def test_what_is_said_of_where_things_are_written_is_true() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    rows = text.partition("## Where it is written")[2].partition("\n## ")[0]
    named = re.findall(r"`([\w/]+\.py)`", rows.partition("|---|")[2])
    assert len(named) > 15
    tops = (ROOT / "src" / "quire", ROOT / "packages" / "quire-streams" / "src")
    assert [name for name in named if not any((top / name).is_file() for top in tops)] == []
