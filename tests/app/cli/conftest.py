"""The command line, run in this process or in one of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import typer.main

from quire.app.cli import main


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Ran]
_built = cache(typer.main.get_command)  # all commands and their options: 0.1 s each time


@pytest.fixture
def quire(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `quire` with these arguments."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(typer.main, "get_command", _built)

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["quire", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def apart() -> Command:
    """Run `quire` in a process of its own: a stream puts up a wall that cannot be taken down."""

    def run(*arguments: object, typed: str = "") -> Ran:
        command = [str(Path(sys.executable).parent / "quire"), *map(str, arguments)]
        ran = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=120, check=False)
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    return run
