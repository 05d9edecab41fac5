"""The judge's side: runs a problem's test, which has the reference inside, on what the candidate sends."""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from . import cells, figures, values
from .candidate import given_to_solution, reseed

_LONGEST = 512 << 20


def judge(request: dict[str, Any], wire: Connection, seconds: float) -> dict[str, Any]:
    """Run the test `context` on the code `solution`; the candidate listens on `wire`, and has
    so many `seconds` for each run.

    Returns `passed` and, where it did not, an `error`. `passed` is None where the test fails before it has
    run the solution at all: then nothing is known of the solution.
    """
    space: dict[str, Any] = {}
    remote = _Candidate(wire, seconds)
    reseed()
    try:
        exec(compile(request["context"], "<test>", "exec"), space)
        # A picture or a pickle may otherwise start a program that converts it.
        cells.refuse("subprocess", "os.system", "os.exec", "os.posix_spawn", "pty", "socket")
        space["exec"] = remote.execute
        space["test_execution"](request["solution"])
        if "test_string" in space:
            space["test_string"](request["solution"])
    except BaseException as error:
        passed = False if remote.asked else None
        return {"passed": passed, "error": f"{type(error).__name__}: {str(error)[:300]}"}
    return {"passed": True, "error": ""}


class _Candidate:
    def __init__(self, wire: Connection, seconds: float) -> None:
        self._wire, self._seconds = wire, seconds
        self.asked = False

    def execute(self, code: str, space: dict[str, Any]) -> None:
        """What `exec(code, space)` does, elsewhere; of the variables only `result` comes back."""
        self.asked = True
        given = {"code": code, "space": given_to_solution(space), "files": _inputs()}
        self._wire.send_bytes(pickle.dumps(given))
        if not self._wire.poll(self._seconds + 5):
            raise TimeoutError("no answer in time")
        reply = values.loads(self._wire.recv_bytes(_LONGEST))
        if reply["error"]:
            raise RuntimeError(str(reply["error"]))
        figures.write_pictures(reply["files"])
        for drawn in reply["figures"]:
            values.loads(drawn, parts_of_figures=True)
        space["result"] = values.loads(reply["result"])


def _inputs() -> dict[str, bytes]:
    """The files that the test made for the solution; `ans*` is the picture of the reference."""
    return {
        path.name: path.read_bytes()
        for path in Path().iterdir()
        if path.is_file() and path.stat().st_size < figures.LARGEST and not path.name.startswith("ans")
    }
