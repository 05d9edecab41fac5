"""The child behind `JudgeProcess`: `-m quire.tasks.judge_child TASK DATA PROTOCOL JUDGE SOCKET SLOT...`.

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
from typing import TextIO

from quire.errors import QuireError, SettingsError, TaskError, as_row
from quire.models import Model, spending
from quire.models.channel import Channel
from quire.models.remote import Remote
from quire.tasks.judge_process import as_rows
from quire.tasks.judging import Ledger
from quire.tasks.open import open_task

# What a reader of a known layout meets in another one.
_MALFORMED = (AttributeError, LookupError, OSError, TypeError, ValueError)


def main(arguments: list[str]) -> int:
    """Serve one task."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    name, data, protocol, judge_model, line, *slots = arguments
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
    for line in sys.stdin:
        _send(pipe, [_answer(ledger, *json.loads(line))])
    return 0


def _answer(ledger: Ledger, instance_id: str, output: str, slot: str) -> str:
    try:
        with spending() as spent:
            result = ledger.submit(instance_id, output, slot)
    except QuireError as error:
        return json.dumps({"error": as_row(error)})
    return json.dumps({"value": result.value, "parts": dict(result.parts), "usage": asdict(spent.usage)})


def _model(name: str, line: str) -> Model:
    if not line:
        raise SettingsError("A judge needs the models of the command that runs the stream.")
    return Remote(Channel(socket.socket(fileno=int(line)))).model("judge", name)


def _send(pipe: TextIO, lines: list[str]) -> None:
    pipe.write("\n".join(lines) + "\n")
    pipe.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
