"""Attacks that were tried on quire, to be tried again: how often, what came through, and what it cost.

    ATTACKS = (Attack("25.7", "schemas that double", doubling_schemas),)   # one tuple in each module here

`benchmarks/attack.py` runs them all and prints the table. An attack makes what it needs below the folder
that it is given, sends traffic to loopback only, is bounded in count and time, and ends what it started.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attack: `through` names each attempt that did what it must not."""

    attempts: int
    through: tuple[str, ...] = ()
    worst_seconds: float = 0.0  # of one answer
    worst_mb: float = 0.0  # resident above rest
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: the numbered point it replays, a name, and how it is run in an empty folder."""

    point: str
    name: str
    run: Callable[[Path], Outcome] = field(repr=False)


def mounted(module: str, name: str, mount: str, place: Path, *arguments: Path) -> Outcome:
    """What a function of an attack's module prints, run where `mount ... PLACE` was done for it alone."""
    code = f"import sys; from benchmarks.attacks.{module} import {name} as run; run(*sys.argv[1:])"
    inside = f'mount {mount} "$0" && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", inside, place, sys.executable, "-c", code, *arguments]
    root = Path(__file__).parents[2]
    ran = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, cwd=root)
    if not ran.stdout.startswith("{"):
        return Outcome(0, notes=f"nothing could be mounted: {ran.stderr[-200:]}")
    told = json.loads(ran.stdout)
    return Outcome(told["tried"], tuple(told["through"]), told.get("worst", 0.0))
