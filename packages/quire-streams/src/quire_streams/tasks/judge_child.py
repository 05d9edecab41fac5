"""The child behind `JudgeProcess`; its arguments are FD TASK DATA PROTOCOL JUDGE SOCKET TALLY SLOT...

Sends two counts, the instances and the examples, then answers one question after the other until the wire is
closed.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

from quire.errors import QuireError, SettingsError, TaskError, as_row
from quire.llm import Model, spending
from quire.types import Experience, Instance
from quire.worker import receive_json, send_json
from quire_streams.remote import Channel, Remote
from quire_streams.tasks.judging import LocalJudge
from quire_streams.tasks.protocol import open_task, read_as


def main() -> int:
    """Serve one task."""
    wire = Connection(int(sys.argv[1]))
    name, data, protocol, judge_model, line, number, *slots = sys.argv[2:]
    tally = os.fdopen(int(number), "w", encoding="utf-8") if number else None
    try:
        task = open_task(name, _model(judge_model, line) if judge_model else None, protocol)
        with read_as(name, Path(data)):
            judge = LocalJudge(task, Path(data), slots)
        if not judge.instances:
            raise TaskError(f"{data} holds nothing to stream.", hint="See what its files hold.")
    except QuireError as error:
        send_json(wire, {"error": as_row(error)})
        return 1
    send_json(wire, {"counts": [len(judge.instances), len(judge.examples)]})
    shown: list[Instance | Experience] = [*judge.instances, *judge.examples]
    for one in shown:
        send_json(wire, asdict(one))
    closed = {one.id: one.closed for one in judge.instances if one.closed}
    _note(tally, {"instances": len(judge.instances), "closed": closed})
    while True:
        try:
            asked = receive_json(wire, deepest=3)
        except ValueError:
            continue  # solvers can write into the wire, too
        except (EOFError, OSError):
            return 0
        if isinstance(asked, list) and len(asked) == 3 and all(isinstance(part, str) for part in asked):
            send_json(wire, _judge_answer(judge, tally, *asked))


def _note(tally: TextIO | None, row: dict[str, Any]) -> None:
    if tally:
        tally.write(json.dumps(row) + "\n")
        tally.flush()


def _judge_answer(
    judge: LocalJudge, tally: TextIO | None, instance_id: str, output: str, slot: str
) -> dict[str, Any]:
    try:
        with spending() as spent:
            result = judge.submit(instance_id, output, slot)
    except QuireError as error:
        return {"error": as_row(error)}
    said = {"value": result.value, "parts": dict(result.parts)}
    _note(tally, {"id": instance_id, "slot": slot, **said})
    return {**said, "usage": asdict(spent.usage)}


def _model(name: str, line: str) -> Model:
    if not line:
        raise SettingsError("A judge needs the models of the command that runs the stream.")
    return Remote(Channel(Connection(int(line)))).model("judge", name)
