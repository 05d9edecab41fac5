"""Runs one DS-1000 problem in its own Python: `python -I ds1000_harness.py judge|candidate|versions`.

It knows nothing of quire. Two processes: the judge runs the problem's test with its reference inside; every
`exec` of the solution that the test makes is carried out by the candidate, which gets the test's input and
never the expected result. What comes back are values, figures and new files, read by an unpickler that only
builds data of known libraries.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

_SAFE = frozenset(
    "numpy pandas scipy sklearn matplotlib datetime collections torch dateutil pytz seaborn decimal "
    "fractions cycler itertools mpl_toolkits statsmodels PIL".split()
)
_BUILTINS = frozenset(
    "list dict set frozenset tuple int float complex str bytes bytearray bool slice range object getattr "
    "NoneType Ellipsis NotImplemented zip map enumerate reversed".split()
)
_HELPERS = {("copyreg", "_reconstructor"), ("functools", "partial"), ("_codecs", "encode")}
_LARGEST_FILE = 20 << 20


class DataUnpickler(pickle.Unpickler):
    """Builds values of the libraries that the problems are about, and nothing that runs commands."""

    def find_class(self, module: str, name: str) -> Any:
        """Look a class up, if it is harmless."""
        root = module.split(".")[0]
        if (root == "builtins" and name in _BUILTINS) or (module, name) in _HELPERS or root in _SAFE:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not data")


def judge(request: dict[str, Any]) -> dict[str, Any]:
    """Run the test on the solution."""
    space: dict[str, Any] = {}
    remote = _Candidate(request["candidate"], request["folder"], request["seconds"])
    try:
        exec(compile(request["context"], "<test>", "exec"), space)
        space["exec"] = remote.execute
        space["test_execution"](request["solution"])
        if "test_string" in space:
            space["test_string"](request["solution"])
    except BaseException as error:
        return {"passed": False, "error": f"{type(error).__name__}: {str(error)[:300]}"}
    return {"passed": True, "error": ""}


class _Candidate:
    def __init__(self, command: list[str], folder: str, seconds: float) -> None:
        self._command, self._folder, self._seconds = command, Path(folder), seconds

    def execute(self, code: str, space: dict[str, Any]) -> None:
        """What `exec(code, space)` does, elsewhere."""
        given = _dumps({"code": code, "space": _dumps(space), "files": _files(Path.cwd(), hide="ans")})
        done = subprocess.run(
            self._command,
            input=given,
            capture_output=True,
            timeout=self._seconds,
            cwd=self._folder,
            check=False,
        )
        if not done.stdout:
            raise RuntimeError(f"the solution's process ended with {done.returncode}")
        reply = DataUnpickler(io.BytesIO(done.stdout)).load()
        for name, data in reply["files"].items():
            target = Path(Path(name).name)
            if not target.exists():
                target.write_bytes(data)
        for data in reply["figures"]:
            _loads(data)
        for name, data in reply["space"].items():
            try:
                space[name] = _loads(data)
            except Exception as error:
                reply["lost"][name] = str(error)
        if reply["error"]:
            raise RuntimeError(reply["error"])
        if "result" not in space:
            raise RuntimeError(f"the result cannot be carried over: {reply['lost'].get('result', 'missing')}")


def candidate(request: dict[str, Any]) -> dict[str, Any]:
    """Run the solution and pack up what it made."""
    for name, data in request["files"].items():
        Path(name).write_bytes(data)
    before = set(_files(Path.cwd()))
    space = pickle.loads(request["space"])
    reply: dict[str, Any] = {"space": {}, "figures": [], "files": {}, "lost": {}, "error": ""}
    try:
        exec(compile(request["code"], "<solution>", "exec"), space)
    except BaseException as error:
        reply["error"] = f"{type(error).__name__}: {str(error)[:300]}"
    for name, value in space.items():
        if not name.startswith("__") and type(value).__name__ != "module":
            try:
                reply["space"][name] = _dumps(value)
            except Exception as error:
                reply["lost"][name] = str(error)[:200]
    reply["files"] = {name: data for name, data in _files(Path.cwd()).items() if name not in before}
    if "matplotlib.pyplot" in sys.modules:
        plot = sys.modules["matplotlib.pyplot"]
        reply["figures"] = [_dumps(plot.figure(number)) for number in plot.get_fignums()]
    return reply


def _files(folder: Path, hide: str = "") -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file()
        and path.stat().st_size < _LARGEST_FILE
        and not (hide and path.name.startswith(hide))
    }


def _dumps(value: Any) -> bytes:
    try:
        return pickle.dumps(value)
    except Exception:
        import importlib.util

        # joblib carries a copy, for environments that have it and not cloudpickle itself.
        own = importlib.util.find_spec("cloudpickle") is not None
        cloud = importlib.import_module("cloudpickle" if own else "joblib.externals.cloudpickle")
        return bytes(cloud.dumps(value))


def _loads(data: bytes) -> Any:
    return DataUnpickler(io.BytesIO(data)).load()


def _limit(seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 5, int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _refuse_network() -> None:
    # The namespace has no network; where there is no namespace, Python at least refuses.
    def hook(event: str, arguments: Any) -> None:
        if event.startswith("socket.") and event not in ("socket.gethostname",):
            raise PermissionError("no network here")

    sys.addaudithook(hook)


def versions() -> dict[str, str]:
    """Installed versions of what the problems need."""
    from importlib.metadata import PackageNotFoundError, version

    names = "numpy pandas scipy scikit-learn matplotlib seaborn statsmodels torch tensorflow xgboost gensim"
    found = {"python": sys.version.split()[0]}
    for name in names.split():
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main(role: str) -> None:
    """Serve one request from standard input."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if role == "versions":
        pipe.write(json.dumps(versions()).encode())
    elif role == "judge":
        request = json.loads(sys.stdin.buffer.read())
        _limit(request["seconds"])
        os.chdir(request["work"])
        pipe.write(json.dumps(judge(request)).encode())
    else:
        request = pickle.loads(sys.stdin.buffer.read())
        _limit(60)
        _refuse_network()
        pipe.write(pickle.dumps(candidate(request)))
    pipe.close()


if __name__ == "__main__":
    main(sys.argv[1])
