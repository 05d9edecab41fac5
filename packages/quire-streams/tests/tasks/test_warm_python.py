"""Hostile solutions: none learns what is expected, leaves anything behind, or passes without the answer."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.errors import ScoringError
from quire_streams.tasks.warm_python import WarmPython, find_isolation

CLOSED = find_isolation() == "namespaces"
closed_only = pytest.mark.skipif(not CLOSED, reason="needs user namespaces")

TEST = """
def generate_test_case(case):
    return 1, 1 + 41_417

def test_execution(solution):
    value, expected = generate_test_case(1)
    space = {"x": value}
    exec(solution, space)
    assert space["result"] == expected
"""
ARRAYS = """
import numpy as np

def test_execution(solution):
    space = {}
    exec(solution, space)
    np.testing.assert_array_equal(space["result"], np.array([3, 1, 4]))
"""


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmPython]:
    with WarmPython(sys.executable, ["numpy", "pandas"], seconds=3) as python:
        yield python


# Each looks for the expected value and would pass if it found it.
CLIMBS = {
    "frames": """
import sys
result, frame = None, sys._getframe()
while frame:
    for space in (frame.f_locals, frame.f_globals):
        if "expected" in space:
            result = space["expected"]
    frame = frame.f_back
""",
    "objects": """
import gc
result = None
for one in gc.get_objects():
    if isinstance(one, dict) and "generate_test_case" in one:
        result = one["generate_test_case"](1)[1]
""",
    "memory": """
import re
result = None
for name in ("/proc/self/mem", "/proc/1/mem", "/proc/2/mem", "/proc/3/mem"):
    try:
        maps = open(name.replace("mem", "maps")).readlines()
        with open(name, "rb") as memory:
            for line in maps:
                low, high = (int(part, 16) for part in line.split()[0].split("-"))
                if " rw" in line and high - low < 1 << 26:
                    memory.seek(low)
                    if re.search(rb"1 \\+ 4\\d_\\d+", memory.read(high - low)):
                        result = x + 41417
    except (OSError, ValueError):
        pass
""",
    "files": """
import os
result = None
for top, folders, names in os.walk("/"):
    if top in ("/proc", "/usr", "/lib") or top.endswith(("/lib", "/include", "/bin")):
        folders.clear()
        continue
    for name in names:
        try:
            text = open(os.path.join(top, name), errors="ignore").read(1 << 20)
        except OSError:
            continue
        if "1 + 41" + "_417" in text:
            result = x + 41417
""",
    "descriptors": """
import json, os
answer = json.dumps({"passed": True, "error": ""}).encode()
for number in range(256):
    for data in (answer, len(answer).to_bytes(4, "big") + answer):
        try:
            os.write(number, data)
        except OSError:
            pass
result = None
""",
    "always equal": """
class Same(int):
    def __eq__(self, other):
        return True
result = Same()
""",
    "unpickled to equal": """
class Same:
    def __reduce__(self):
        return eval, ("type('S', (), {'__eq__': lambda s, o: True})()",)
result = Same()
""",
    "patched test": """
import builtins
builtins.AssertionError = None
result = None
""",
}


@pytest.mark.parametrize("name", sorted(set(CLIMBS) - {"files"}))
def test_the_expected_result_is_out_of_reach(warm: WarmPython, name: str) -> None:
    assert warm.judge(TEST, "result = x + 41417").passed is True
    assert warm.judge(TEST, CLIMBS[name]).passed is False


@closed_only
def test_no_file_has_the_expected_result(warm: WarmPython) -> None:
    assert warm.judge(TEST, CLIMBS["files"]).passed is False


@pytest.mark.parametrize(
    "code",
    [
        # To numpy a masked place is equal to anything; an array's subclass may say what it likes.
        "import numpy as np\nresult = np.ma.masked_all(3)",
        "import numpy as np\nresult = np.ma.array([3, 0, 0], mask=[0, 1, 1])",
        """
import numpy as np
class Same(np.ndarray):
    def __eq__(self, other):
        return np.ones(3, bool)
    def __array_function__(self, *a, **k):
        return True
    def __array_ufunc__(self, *a, **k):
        return np.ones(3, bool)
result = np.zeros(3).view(Same)
""",
        """
import numpy as np
class Same:
    __eq__ = lambda self, other: True
result = np.array([Same(), Same(), Same()])
""",
        """
import unittest.mock
result = unittest.mock.ANY
""",
    ],
)
def test_what_is_equal_to_anything_is_not_the_answer(warm: WarmPython, code: str) -> None:
    assert warm.judge(ARRAYS, "import numpy as np\nresult = np.ma.array([3, 1, 4])").passed is True
    assert warm.judge(ARRAYS, code).passed is False


@closed_only
def test_a_forged_answer_of_the_candidate_builds_data_only(warm: WarmPython) -> None:
    """The solution writes its own answer on the line that leads to the judge."""
    code = """
import json, os
def text(*nodes):
    return json.dumps({"nodes": nodes, "root": [len(nodes) - 1]})
code = "import builtins; builtins.AssertionError = Exception; raise SystemExit"
run = text(["list", code], ["object", "builtins.exec", [0], None, None, None])
good = {"error": "", "files": [0], "figures": [1], "result": '{"nodes": [], "root": 41418}'}
for answer in ({**good, "result": run}, {**good, "figures": [2]}):
    parts = [part for pair in answer.items() for part in pair]
    data = text(["dict"], ["list"], ["list", run], ["dict", *parts]).encode()
    for number in range(3, 256):
        try:
            os.write(number, len(data).to_bytes(4, "big") + data)
        except OSError:
            pass
os._exit(0)
"""
    outcome = warm.judge(TEST, code)
    assert outcome.passed is False
    assert "builtins.exec is not data" in outcome.error


@closed_only
def test_no_network_no_privileges_no_new_namespaces(warm: WarmPython) -> None:
    code = "import socket\nsocket.create_connection(('1.1.1.1', 80), 2)\nresult = x + 41417"
    assert "not permitted" in warm.judge(TEST, code).error
    code = """
import ctypes
libc = ctypes.CDLL(None)
assert libc.unshare(0x10000000) == libc.umount2(b"/proc", 2) == -1
assert libc.mount(b"none", b"/desk", b"tmpfs", 0, 0) == -1
result = x + 41417
"""
    assert warm.judge(TEST, code).error == ""


@closed_only
def test_nothing_of_the_machine_can_be_read_or_written(warm: WarmPython, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("gold")
    places = [str(tmp_path / "made"), f"{sys.prefix}/made", f"{Path.home()}/made", "/tmp/made", "/made"]
    code = f"""
import os
for place in {places!r}:
    try:
        open(place, "w")
    except OSError:
        continue
    raise RuntimeError(place)
assert not os.path.exists({str(tmp_path)!r})
result = x + 41417
"""
    assert warm.judge(TEST, code).error == ""
    assert not any(Path(place).exists() for place in places)


@closed_only
def test_the_desk_is_small(warm: WarmPython) -> None:
    code = """
for name in "abcdef":
    with open(name, "wb") as file:
        __import__("os").posix_fallocate(file.fileno(), 0, 200 << 20)
"""
    assert "No space left" in warm.judge(TEST, code).error


@closed_only
def test_what_was_started_ends_with_the_solution(warm: WarmPython) -> None:
    mark = "31.41592"
    code = f"""
import ctypes, os, subprocess
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
subprocess.Popen(["sleep", "{mark}"], start_new_session=True)
if not os.fork():
    os.setsid()
    os.execvp("sleep", ["sleep", "{mark}"])
result = x + 41417
"""
    assert warm.judge(TEST, code).error == ""
    assert mark not in _commands()


def _commands() -> str:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            found.append((entry / "cmdline").read_text(errors="ignore") if entry.name.isdigit() else "")
        except OSError:
            continue
    return "\n".join(found)


def test_keys_are_not_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    code = "import os\nassert 'OPENAI_API_KEY' not in os.environ\nresult = x + 41417"
    with WarmPython(sys.executable) as python:
        assert python.judge(TEST, code).error == ""
    assert os.environ["OPENAI_API_KEY"] == "secret"


def test_time_runs_out_and_the_next_problem_is_judged() -> None:
    with WarmPython(sys.executable, seconds=2) as python:
        outcome = python.judge(TEST, "while True: pass")
        assert outcome.passed is False
        assert "no answer in time" in outcome.error
        assert python.judge(TEST, "import os; os._exit(0)").passed is False
        assert python.judge(TEST, "result = x + 41417").passed is True


def test_problems_do_not_see_each_other(warm: WarmPython) -> None:
    code = "import builtins, numpy\nbuiltins.left = numpy.left = open('left', 'w')\nresult = x + 41417"
    assert warm.judge(TEST, code).passed is True
    code = "import os, builtins, numpy\nresult = os.listdir() or hasattr(builtins, 'left') or x + 41417"
    assert warm.judge(TEST, code).passed is True


def test_random_numbers_differ_from_fork_to_fork(warm: WarmPython) -> None:
    same = TEST.replace("1 + 41_417", "__import__('numpy').random.rand()")
    assert warm.judge(same, "import numpy\nresult = numpy.random.rand()").passed is False


def test_threads_share_one(warm: WarmPython) -> None:
    passed: list[bool | None] = []

    def judge(number: int) -> None:
        passed.append(warm.judge(TEST, f"result = x + 41417 + {number % 2}").passed)

    threads = [threading.Thread(target=judge, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(bool, passed)) == [False] * 3 + [True] * 3


def test_without_namespaces_limits_hold() -> None:
    with WarmPython(sys.executable, seconds=2, isolation="limits") as python:
        assert python.judge(TEST, "result = x + 41417").passed is True
        code = "import socket\nsocket.create_connection(('1.1.1.1', 80), 2)\nresult = x + 41417"
        assert "no network" in python.judge(TEST, code).error


def test_a_python_that_does_not_start_is_told() -> None:
    with WarmPython("/nowhere/python") as python, pytest.raises(ScoringError, match="does not start"):
        python.judge(TEST, "result = 1")
