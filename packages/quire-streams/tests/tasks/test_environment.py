"""The Python of DS-1000's programs: what it consists of, and how it is made."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from quire_streams.tasks import warm_python

LOCK = (Path(warm_python.__file__).parent / "environments" / "ds1000-lock.txt").read_text("utf-8")


def test_everything_is_pinned_and_the_lock_agrees() -> None:
    small, all_of_them = warm_python.packages(large=False), warm_python.packages()
    assert set(small) < set(all_of_them)
    locked = {line.lower() for line in LOCK.splitlines() if not line.startswith("#")}
    assert {package.lower() for package in all_of_them} <= locked
    assert all(line.count("==") == 1 for line in locked)


def test_a_package_that_fails_is_named_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("QUIRE_DS1000_PYTHON", raising=False)
    wheel, gone = tmp_path / "small_thing-1.0-py3-none-any.whl", tmp_path / "gone-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("small_thing.py", "#" * 3_000_000)
        about = "Metadata-Version: 2.1\nName: Small_Thing\nVersion: 1.0\n"
        file.writestr("small_thing-1.0.dist-info/METADATA", about)
        file.writestr("small_thing-1.0.dist-info/top_level.txt", "small_thing\n")
        file.writestr("small_thing-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr("small_thing-1.0.dist-info/RECORD", "")
    assert warm_python.python() == sys.executable
    first, second = warm_python.create([str(gone), str(wheel)])
    assert (first.number, first.of, first.package, second.error) == (1, 2, str(gone), "")
    assert "gone-1.0" in first.error
    assert second.megabytes >= 2
    made = warm_python.python()
    assert Path(made).is_relative_to(tmp_path)
    assert warm_python.installed(made).versions["small-thing"] == "1.0"
    assert warm_python.missing("Python", "import json\n  import small_thing.part", made) == "numpy"


def test_a_test_program_says_what_is_imported_beforehand() -> None:
    assert "tensorflow" in warm_python.modules("Numpy", "import numpy\nimport tensorflow as tf\n")
    assert warm_python.modules("Numpy", "import numpy") == ("numpy", "pandas")
    assert warm_python.installed("/nowhere/python").modules == frozenset()
