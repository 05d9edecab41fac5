"""Children end with their parent, and nothing but quire's own code runs in them."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from quire import worker
from quire.worker import Child, ChildLate

PARENT = """
import time
from quire.worker import Child
child = Child("timeit", ["import time", "time.sleep(60)"])  # looks at no pipe
print(child.process.pid, flush=True)
time.sleep(60)
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def gone_within(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal is Linux's")
def test_a_busy_child_ends_at_once_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    time.sleep(1)  # it sleeps by now, or soon
    assert alive(pid)
    parent.kill()
    parent.communicate()
    assert gone_within(pid, 10)


def test_a_child_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    started: list[Child] = []
    arguments = [
        str(tmp_path / "library.duckdb"),
        '{"time_limit":1,"memory_limit":99,"max_rows":1,"max_bytes":9}',
    ]
    thread = threading.Thread(target=lambda: started.append(Child("quire.store.sandbox_child", arguments)))
    thread.start()
    thread.join()
    (child,) = started
    child.send(b"SELECT 1")
    assert b"LibraryError" in child.receive(20)
    child.close()
    child.close()
    assert child.process.returncode == -signal.SIGKILL


def test_no_module_from_outside_runs_in_a_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "mark"
    for name in ("sitecustomize", "usercustomize", "difflib", "json", "duckdb"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write('{name} ')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    monkeypatch.chdir(tmp_path)
    arguments = [
        str(tmp_path / "library.duckdb"),
        '{"time_limit":1,"memory_limit":99,"max_rows":1,"max_bytes":9}',
    ]
    child = Child("quire.store.sandbox_child", arguments)
    child.send(b"SELECT 1")
    assert b"LibraryError" in child.receive(20)
    child.close()
    assert not mark.exists()


def test_a_child_is_not_late_while_others_have_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child("quire.library.parse_child", ["{}"])
    child.send(b'{"do": "parse", "path": "/nonexistent.pdf"}')
    monkeypatch.setattr(worker, "_queued", lambda pid: time.monotonic())  # it never had one
    with monkeypatch.context() as patient:
        patient.setattr(worker, "_BUSY", 1_000_000)
        assert child.receive(0.001)
    child.process.send_signal(signal.SIGSTOP)  # before it is asked: it could have answered already
    child.send(b'{"do": "parse", "path": "/nonexistent.pdf"}')
    with pytest.raises(ChildLate):  # nobody is waited for without end
        child.receive(0.02)
    monkeypatch.undo()
    with pytest.raises(ChildLate):  # what hangs has all processors that it wants
        child.receive(0.2)
    child.close()
