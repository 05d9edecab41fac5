"""The child behind `JudgeProcess`; its arguments are TASK DATA PROTOCOL JUDGE SOCKET TALLY SLOT...

Writes two counts, the instances and the examples, then answers one line of standard input after the other
until it is closed. Nothing else may write to the pipe: standard output of anything below goes to the errors.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from quire import jsontext
from quire.errors import QuireError, SettingsError, TaskError, as_row
from quire.models import Model, spending
from quire.models.channel import Channel
from quire.models.remote import Remote
from quire.tasks.judge_process import as_rows
from quire.tasks.judging import Ledger
from quire.tasks.open import open_task

_LONGEST = 64 << 20  # characters of a line
# What a reader of a known layout meets in another one.
_MALFORMED = (AttributeError, LookupError, OSError, TypeError, ValueError)


def main() -> int:
    """Serve one task."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    name, data, protocol, judge_model, line, number, *slots = sys.argv[1:]
    tally = os.fdopen(int(number), "w", encoding="utf-8") if number else None
    try:
        task = open_task(name, _model(judge_model, line) if judge_model else None, protocol)
        ledger = Ledger(task, task.load(Path(data)), slots)
        examples = task.examples(Path(data))
        instances = ledger.instances()
        if not instances:
            raise TaskError(f"{data} holds nothing to stream.", hint="See what its files hold.")
    except QuireError as error:
        _send(pipe, [json.dumps({"error": as_row(error)})])
        return 1
    except _MALFORMED as error:
        said = f"{data} cannot be read as {name}: {type(error).__name__}: {error}. Its layout may be another."
        _send(pipe, [json.dumps({"error": as_row(TaskError(said))})])
        return 1
    counts = json.dumps({"counts": [len(instances), len(examples)]})
    _send(pipe, [counts, *as_rows(instances), *as_rows(examples)])
    closed = {one.id: one.closed for one in instances if one.closed}
    _note(tally, {"instances": len(instances), "closed": closed})
    while line := sys.stdin.readline(_LONGEST):
        if asked := _asked(line):
            _send(pipe, [_answer(ledger, tally, *asked)])
    return 0


def _asked(line: str) -> list[str]:
    """What a line asks; nothing where solvers wrote nonsense into the pipe."""
    try:
        asked = jsontext.loads(line, deepest=3)
    except ValueError:
        return []
    fits = isinstance(asked, list) and len(asked) == 3 and all(isinstance(part, str) for part in asked)
    return asked if fits else []


def _note(tally: TextIO | None, row: dict[str, Any]) -> None:
    if tally:
        tally.write(json.dumps(row) + "\n")
        tally.flush()


def _answer(ledger: Ledger, tally: TextIO | None, instance_id: str, output: str, slot: str) -> str:
    try:
        with spending() as spent:
            result = ledger.submit(instance_id, output, slot)
    except QuireError as error:
        return json.dumps({"error": as_row(error)})
    _note(tally, {"id": instance_id, "slot": slot, "value": result.value, "parts": dict(result.parts)})
    return json.dumps({"value": result.value, "parts": dict(result.parts), "usage": asdict(spent.usage)})


def _model(name: str, line: str) -> Model:
    if not line:
        raise SettingsError("A judge needs the models of the command that runs the stream.")
    return Remote(Channel(socket.socket(fileno=int(line)))).model("judge", name)


def _send(pipe: TextIO, lines: list[str]) -> None:
    pipe.write("\n".join(lines) + "\n")
    pipe.flush()
