"""kill -9 at random moments of `add`: the library opens, holds whole papers only, and the next run finishes.

`benchmarks/attacks/store.py` kills whatever changes a library, many more times.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from quire.library import Library
from tests.library.conftest import KEYWORDS, write_pdf
from tests.library.test_refreshing import everything

NAMES = ("Boats", "Bread", "Seeds")
ADD = """
import sys
from quire.library import Library, adding
adding._GATHER_PAPERS = 1
print("begun", flush=True)
Library.open(sys.argv[1], index__encoders=("text_bm25_en",)).add(
    sys.argv[2], progress=lambda step: print(step, flush=True)
)
"""


def rows(library: Library) -> dict[str, list[Any]]:
    """What the papers say: all rows but those that tell when a file was added."""
    return {name: found for name, found in everything(library).items() if name != "papers"}


def kill(library: Path, papers: Path, dice: random.Random) -> None:
    """Add, and be killed between two signs of progress, each as likely, or a little later."""
    with subprocess.Popen([sys.executable, "-c", ADD, library, papers], stdout=subprocess.PIPE) as adding:
        assert adding.stdout is not None
        for _ in range(dice.randint(1, 2 * len(NAMES))):
            adding.stdout.readline()
        time.sleep(dice.random() * 0.1)
        adding.send_signal(signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_a_killed_add_leaves_whole_papers_and_the_next_finishes(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    for name in NAMES:
        write_pdf(tmp_path / "papers" / f"{name}.pdf", f"On {name} and Their Makers", "By hand.", pages=2)
    with Library.open(tmp_path / "whole", **KEYWORDS) as whole:
        whole.add(tmp_path / "papers")
        wanted = rows(whole)
    dice = random.Random(15)
    for _ in range(3):
        kill(tmp_path / "library", tmp_path / "papers", dice)
        with Library.open(tmp_path / "library", **KEYWORDS) as library:
            there = {paper.id for paper in library.papers()}
            assert not [one for one in library.check().problems if one.kind not in ("copy", "waiting")]
            # Every paper that is in has all its rows, and no other has one.
            assert rows(library)["pages"] == [row for row in wanted["pages"] if str(row[-2]) in there]
            if len(there) > 1:  # so that the next kill meets some work
                library.remove(list(there))
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        assert not library.add(tmp_path / "papers").failed
        assert rows(library) == wanted
        assert library.check().problems == ()
