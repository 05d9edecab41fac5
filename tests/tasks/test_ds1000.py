"""DS-1000: code runs closed off, and never sees the test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from quire.tasks import sandbox
from quire.tasks.ds1000 import Ds1000
from quire.tasks.protocol import Sample
from tests.tasks.datasets import ds1000

TASK = Ds1000(sys.executable)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    return list(TASK.load(ds1000(tmp_path_factory.mktemp("ds1000"))))


def _judge(sample: Sample, code: str) -> tuple[float | None, str]:
    result = TASK.score(sample, code)
    return result.value, result.reason


def test_right_and_wrong(samples: list[Sample]) -> None:
    assert _judge(samples[3], "result = x + 3") == (1.0, "")
    assert _judge(samples[3], "result = x + 4")[0] == 0.0
    assert _judge(samples[3], "")[0] == 0.0
    assert "NameError" in _judge(samples[3], "result = nothing")[1]


def test_prompt_has_neither_test_nor_reference(samples: list[Sample]) -> None:
    shown = samples[3].instance
    everything = repr(shown)
    assert "test_execution" not in everything
    assert "x + 3" not in everything


# Each looks for the expected value (or the reference) and would pass if it found it.
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
        result = one["generate_test_case"](x)[1]
""",
    "files": """
import os, re
result = None
for top in ("DATA", "..", "/tmp", "."):
    for folder, _, names in os.walk(top):
        for name in names:
            if name.endswith((".jsonl", ".json", ".py")):
                text = open(os.path.join(folder, name), errors="ignore").read()
                found = re.search(r"number \\+ (\\d+)", text)
                if found and "DATA" in top:
                    result = x + int(found[1])
""",
    "processes": """
import os, re
result = None
for pid in os.listdir("/proc"):
    if pid.isdigit() and pid != str(os.getpid()):
        try:
            maps = open(f"/proc/{pid}/maps").read()
            with open(f"/proc/{pid}/mem", "rb") as memory:
                for low, high in re.findall(r"([0-9a-f]+)-([0-9a-f]+) rw", maps):
                    memory.seek(int(low, 16))
                    part = memory.read(int(high, 16) - int(low, 16))
                    found = re.search(rb"return number, number \\+ (\\d+)", part)
                    if found:
                        result = x + int(found[1])
        except OSError:
            pass
""",
    "always equal": """
class Same(int):
    def __eq__(self, other):
        return True
result = Same()
""",
    "patched exec": """
import builtins
builtins.AssertionError = None
result = None
""",
}


@pytest.mark.skipif(sandbox.isolation() != "namespaces", reason="needs user namespaces")
@pytest.mark.parametrize("name", sorted(CLIMBS))
def test_the_expected_result_is_out_of_reach(samples: list[Sample], name: str) -> None:
    sample = samples[3]
    code = CLIMBS[name].replace("DATA", str(sample.gold.hidden))
    assert _judge(sample, code)[0] == 0.0


@pytest.mark.skipif(sandbox.isolation() != "namespaces", reason="needs user namespaces")
def test_no_network(samples: list[Sample]) -> None:
    code = "import socket\nsocket.create_connection(('1.1.1.1', 80), 2)\nresult = x + 3"
    value, reason = _judge(samples[3], code)
    assert value == 0.0
    assert "no network" in reason or "unreachable" in reason


def test_keys_are_not_in_the_environment(samples: list[Sample], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    code = "import os\nassert 'OPENAI_API_KEY' not in os.environ\nresult = x + 3"
    assert _judge(samples[3], code)[0] == 1.0
    assert os.environ["OPENAI_API_KEY"] == "secret"


def test_a_library_that_is_not_there_is_named(samples: list[Sample]) -> None:
    gold = samples[3].gold
    other = Sample(samples[3].instance, type(gold)(gold.context, gold.reference, "Tensorflow", gold.hidden))
    result = TASK.score(other, "result = 1")
    assert result.value is None
    assert "tensorflow is not installed" in result.reason


def test_time_runs_out(tmp_path: Path) -> None:
    command = sandbox.confined([sys.executable, "-c", "import time; time.sleep(60)"])
    assert sandbox.run(command, b"", 0.5, tmp_path) is None


def test_hidden_folders_are_empty(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("gold")
    program = f"import os; print(os.listdir({str(tmp_path)!r}))"
    out = sandbox.run(sandbox.confined([sys.executable, "-c", program], [tmp_path]), b"", 20, Path("/"))
    expected = b"[]\n" if sandbox.isolation() == "namespaces" else b"['gold.txt']\n"
    assert out == expected


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("```python\n    a = 1\n    b = 2\n```", "    a = 1\n    b = 2"),
        ("Sure:\n```\nx = 1\n```\nand\n```python\ny = 2\n```", "y = 2"),
        ("result = df.sum()", "result = df.sum()"),
        ("```python\nx = 1\n</code>\nEND SOLUTION", "x = 1"),
        (
            "```python\nx = 1\n    ### END SOLUTION\n    return x\n```",
            "x = 1\n    ### END SOLUTION\n    return x",
        ),
        ("```python\n```", ""),
    ],
)
def test_reading_a_reply(samples: list[Sample], reply: str, code: str) -> None:
    assert TASK.parse(reply, samples[0].instance) == code
