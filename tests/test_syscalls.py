"""What a closed process may still ask the kernel: Python, numpy and DuckDB run, the rest is refused."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quire.library import parsing
from quire.settings import Parsing
from quire.store import Database, Sandbox
from tests.library.conftest import EXAMPLES

# io_uring_setup, ptrace, process_vm_readv, open_tree, mount_setattr, bpf, unshare, setns, memfd_create,
# inotify_init1, setxattr, open_tree_attr, file_setattr
REFUSED = (425, 101, 310, 428, 442, 321, 272, 308, 319, 294, 188, 467, 469)
UNKNOWN = (435, 470, 471, 999)  # clone3, whose flags no filter sees, and what is to come
CLOSED = """
import ctypes, json, os, socket, subprocess, sys, threading
from quire import syscalls

def main():
    kind = json.loads(sys.argv[1])
    if not syscalls.close(**kind):
        return 77
    libc = ctypes.CDLL(None, use_errno=True)
    said = {}
    for number in json.loads(sys.argv[2]):
        said[number] = ctypes.get_errno() if libc.syscall(number, 0, 0, 0, 0, 0) < 0 else 0
    def tried(way):
        try:
            way()
        except OSError as error:
            return error.errno
        return 0
    said["socket"] = tried(socket.socket)
    said["local"] = tried(lambda: socket.socket(socket.AF_UNIX))
    said["letters"] = tried(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
    said["pair"] = tried(socket.socketpair)
    said["process"] = tried(lambda: subprocess.run(["/bin/true"], check=True))
    said["parent"] = tried(lambda: os.kill(os.getppid(), 0))
    said["mode"] = tried(lambda: os.chmod("/dev/null", 0o666))
    thread = threading.Thread(target=lambda: said.update(thread=0))
    thread.start()
    thread.join()
    import duckdb, numpy
    assert duckdb.connect().execute("SELECT sum(range) FROM range(1000)").fetchall() == [(499500,)]
    assert (numpy.ones((200, 200)) @ numpy.ones((200, 200)))[0, 0] == 200
    print(json.dumps(said))
    return 0

sys.exit(main())
"""
linux = pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="by number")

pytestmark = pytest.mark.usefixtures("own_children")


def closed(**kind: bool) -> dict[str, int]:
    numbers = json.dumps([*REFUSED, *UNKNOWN])
    arguments = [sys.executable, "-c", CLOSED, json.dumps(kind), numbers]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if ran.returncode == 77:
        pytest.skip("this kernel has no such filter")
    assert ran.returncode == 0, ran.stderr
    told: dict[str, int] = json.loads(ran.stdout)
    assert {told.pop(str(number)) for number in REFUSED} == {errno.EPERM}
    assert {told.pop(str(number)) for number in UNKNOWN} == {errno.ENOSYS}
    assert told.pop("thread") == told.pop("pair") == 0
    assert told.pop("local") == told.pop("letters") == errno.EPERM
    return told


@linux
def test_a_reader_starts_nothing_and_talks_to_nobody() -> None:
    assert set(closed().values()) == {errno.EPERM}


@linux
def test_what_is_opened_is_opened_alone() -> None:
    told = closed(processes=True, own_files=True)
    assert (told["process"], told["parent"], told["mode"]) == (0, 0, 0)
    assert told["socket"] == errno.EPERM
    told = closed(network=True)
    assert told["socket"] == 0
    assert told["process"] == told["parent"] == told["mode"] == errno.EPERM


@linux
def test_the_children_that_read_and_query_are_closed(tmp_path: Path) -> None:
    database = Database(tmp_path / "library.duckdb")
    database.create()
    with Sandbox(database.path) as sandbox, parsing.Readers(Parsing()) as readers:
        assert sandbox.query("SELECT count(*) FROM pages").rows == ((0,),)
        assert readers.words(EXAMPLES / "paper-boats.pdf", 1)
        children = (*readers._pool._free, *sandbox._children._free)
        assert len(children) == 2
        for child in children:
            status = Path(f"/proc/{child.process.pid}/status").read_text()
            assert "Seccomp:\t2" in status
