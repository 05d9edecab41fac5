"""DS-1000: problems are read, solutions judged, and what cannot run is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from quire_streams.tasks.ds1000 import CodeGold, Ds1000
from quire_streams.tasks.protocol import Sample
from tasks.datasets import ds1000

TASK = Ds1000(sys.executable)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    return list(TASK.load(ds1000(tmp_path_factory.mktemp("ds1000"))))


def _judge(sample: Sample, code: str) -> tuple[float | None, str]:
    result = TASK.score(sample, code)
    return result.value, result.reason


def _other(sample: Sample, context: str, library: str = "Python") -> Sample:
    return Sample(sample.instance, CodeGold(context, sample.gold.reference, library))


def test_right_and_wrong(samples: list[Sample]) -> None:
    assert _judge(samples[3], "result = x + 3") == (1.0, "")
    assert _judge(samples[3], "result = x + 4")[0] == 0.0
    assert _judge(samples[3], "")[0] == 0.0
    assert "NameError" in _judge(samples[3], "result = nothing")[1]


def test_prompt_has_neither_test_nor_reference(samples: list[Sample]) -> None:
    everything = repr(samples[3].instance)
    assert "test_execution" not in everything
    assert "x + 3" not in everything


def test_a_library_that_is_not_there_is_named(samples: list[Sample]) -> None:
    context: str = samples[3].gold.context
    assert _judge(_other(samples[3], context, "Tensorflow"), "result = 1") == (
        None,
        f"cannot run: tensorflow is not installed in {sys.executable}",
    )
    # A test may import more than the library it is filed under.
    value, reason = _judge(_other(samples[3], "import no_such_library\n" + context), "result = 1")
    assert value is None
    assert "no_such_library is not installed" in reason


def test_a_test_that_cannot_run_says_nothing_of_the_solution(samples: list[Sample]) -> None:
    fails_itself = "def test_execution(solution):\n    raise OSError('a download')\n"
    value, reason = _judge(_other(samples[3], fails_itself), "result = 4")
    assert value is None
    assert reason == "the test itself cannot run: OSError: a download"
    fails_after = "def test_execution(solution):\n    exec(solution, {})\n    raise OSError('a download')\n"
    assert _judge(_other(samples[3], fails_after), "result = 4")[0] == 0.0


def test_results_record_versions_and_isolation() -> None:
    versions = TASK.versions()
    assert versions["python"] == sys.version.split()[0]
    assert versions["sandbox"] in ("namespaces", "limits")


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


def test_a_record_without_library_is_refused(tmp_path: Path) -> None:
    from quire.errors import TaskError

    (tmp_path / "ds1000.jsonl").write_text('{"prompt": "", "metadata": {}}\n', encoding="utf-8")
    with pytest.raises(TaskError, match="record 1: field `metadata`"):
        TASK.load(tmp_path)
