"""For all tests of properties: the same examples every time, so that what passed here passes in CI, and no
deadline, as a busy machine may be slow. To look for new examples: `pytest --hypothesis-profile=search`.

One child parses at a time: starting a second one costs more than the few small PDFs of a test, and another
process of tests has the other core. Nor does each test start its own, which costs a second of processor time:
a child that read in one test reads in the next where it would have been started alike.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from quire.library import Library, parsing
from quire.worker import Child, Pool

PAPERS = Path(__file__).parents[1] / "examples" / "papers"
os.environ["QUIRE_PARSING__WORKERS"] = "1"


class Left(Child):
    """A child that stays when its pool is closed, for the next that wants one like it."""

    left: list[Left] = []
    guard = threading.RLock()  # servers of the tests add in threads
    _MOST = 2

    def __init__(self, module: str, arguments: Sequence[str]) -> None:
        self.kind = Left.kind_of(module, arguments)
        super().__init__(module, arguments)

    @staticmethod
    def kind_of(module: str, arguments: Sequence[str]) -> object:
        """What a child depends on when it starts."""
        surroundings = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
        return module, *arguments, Path.cwd(), surroundings

    @classmethod
    def start(cls, module: str, arguments: Sequence[str]) -> Left:
        """One that was left, or a new one."""
        kind = cls.kind_of(module, arguments)
        with cls.guard:
            for child in cls.left:
                if child.kind == kind and child.open and child.process.poll() is None:
                    cls.left.remove(child)
                    return child
        return cls(module, arguments)


class Leaving(Pool):
    """A pool that leaves its children to the next."""

    def close(self) -> None:
        """Leave those that do nothing."""
        with self._guard, Left.guard:
            Left.left += [child for child in self._free if isinstance(child, Left)]
            self._free.clear()
            while len(Left.left) > Left._MOST:
                Left.left.pop(0).close()


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the example papers with BM25 alone: quick, and what a machine without weights has."""
    folder = tmp_path_factory.mktemp("filled") / "library"
    with Library.open(folder, index__encoders=("text_bm25_en",)) as library:
        assert not library.add(PAPERS).failed
    (folder / "quire.toml").write_text('[index]\nencoders = ["text_bm25_en"]\n')
    return folder


@pytest.fixture
def own_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children of the test's own, which end when they are told to."""
    monkeypatch.setattr(parsing, "Pool", Pool)
    monkeypatch.setattr(parsing, "Child", Child)


for _name, _made in (("Pool", Leaving), ("Child", Left.start)):
    setattr(parsing, _name, _made)

settings.register_profile("quire", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("quire")
