"""Commands of other packages: there where they are installed, and never in the way."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

from quire.app.cli.app import COMMANDS
from tests.app.cli.conftest import Command


def test_commands_of_an_installed_package_are_listed_and_run(quire: Command) -> None:
    assert "stream " in quire("--help").out
    assert "Measure how agents improve" in quire("stream", "--help").out


@pytest.mark.parametrize("name", ["stream", "tasks"])
def test_without_the_package_its_commands_say_how_to_install_it(
    name: str, quire: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: ())
    monkeypatch.delitem(vars(COMMANDS), "_installed", raising=False)
    ran = quire(name, "list")
    assert ran.code == 1
    assert 'pip install "quire[streams]"' in " ".join(ran.err.split())
    assert " stream " not in quire("--help").out
    monkeypatch.delitem(vars(COMMANDS), "_installed", raising=False)


def test_who_asks_loads_nothing_of_streams() -> None:
    code = """
import sys
from quire import Library
from quire.app.cli.app import app
from quire.app.server.app import create_app
from quire.eval.evaluation import evaluate
assert not [name for name in sys.modules if name.startswith("quire_streams")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
