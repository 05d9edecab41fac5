"""Adding, changing, removing, refreshing, searching, asking, killing at random, against what must be there.

    python benchmarks/soak.py --minutes 30 [--seed 1] [--data DIR_OF_PDFS]

A model of the library is kept beside it: which file is in with which content. After every act the library
must hold exactly that, `check` must find nothing, and a search for a paper's own words must find it. Kills
hit `add` in a process of its own; what it leaves is what was there before plus whole papers, and `repair`
with one more `add` makes it whole. Lost logs and databases are made again from the PDFs. Prints what was done
and how the process grew.
"""

from __future__ import annotations

import argparse
import collections
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from quire import Library
from quire.store import locks
from quire.store.database import Database

ADD = "import sys; from quire import Library; Library.open(sys.argv[1]).add(sys.argv[2])"
REFRESH = "import sys; from quire import Library; Library.open(sys.argv[1]).refresh()"
QUESTIONS = (
    "How many papers are there?",
    "How many pages does {} have?",
    "Who wrote {}?",
    "What is in Table 1 of {}?",
)


class Soak:
    """A library, the folder that it is filled from, and what must be in it."""

    def __init__(self, folder: Path, sources: list[Path], random_: random.Random) -> None:
        self.box, self.folder, self.random = folder / "box", folder / "library", random_
        self.sources = sources
        self.box.mkdir()
        (self.folder).mkdir()
        (self.folder / "quire.toml").write_text('[index]\nencoders = ["text_bm25_en"]\n')
        self.library = Library.open(self.folder, create=True)
        self.wanted: dict[str, Path] = {}  # name in the box -> source of its content
        self.done: collections.Counter[str] = collections.Counter()

    def act(self) -> None:
        """One thing at random, then the comparison."""
        acts = (
            self.add,
            self.add,
            self.change,
            self.remove,
            self.refresh,
            self.search,
            self.ask,
            self.ask,
            self.kill,
            self.lose,
        )
        act = self.random.choice(acts)
        print(f"{time.strftime('%X')} {act.__name__} ({len(self.wanted)} papers)", flush=True)
        act()
        self.done[act.__name__] += 1
        self.compare()

    def add(self) -> None:
        """Some files that are not in."""
        free = [source for source in self.sources if source not in self.wanted.values()]
        for source in self.random.sample(free, k=min(len(free), self.random.randint(1, 3))):
            self.put(source)
        self.library.add(self.box)

    def put(self, source: Path) -> None:
        """A file into the box, under a name that is free."""
        name = (
            source.name if source.name not in self.wanted else f"{source.stem}-{sum(self.done.values())}.pdf"
        )
        shutil.copy(source, self.box / name)
        self.wanted[name] = source

    def change(self) -> None:
        """A file gets the content of another one."""
        free = [source for source in self.sources if source not in self.wanted.values()]
        if self.wanted and free:
            name, source = self.random.choice(sorted(self.wanted)), self.random.choice(free)
            shutil.copy(source, self.box / name)
            self.wanted[name] = source
            self.library.add(self.box)

    def remove(self) -> None:
        """A paper goes, its file with it."""
        if self.wanted:
            name = self.random.choice(sorted(self.wanted))
            self.library.remove(name)
            (self.box / name).unlink()
            del self.wanted[name]

    def refresh(self) -> None:
        """Papers that an older parser left are read again, at times by a process that is killed."""
        old = self.random.sample(sorted(self.wanted), k=min(len(self.wanted), 3))
        with Database(self.folder / "library.duckdb").writing() as connection:
            for name in old:
                connection.execute("UPDATE papers SET parser = 'pdfium-1' WHERE file_name = ?", [name])
        if self.random.random() < 0.5:
            self.killed(REFRESH)
        self.library.refresh()
        assert self.library.status().old == 0, old

    def search(self) -> None:
        """Words of a paper's title find it, among titles and among everything."""
        for paper in self.library.papers()[:3]:
            if paper.title:
                found = self.library.search(paper.title, limit=20)
                assert paper.id in {hit.paper_id for hit in found}, paper.title
                hits = self.library.search(paper.title, table="metadata", column="title", limit=20)
                assert paper.id in {hit.paper_id for hit in hits}, paper.title

    def ask(self) -> None:
        """SQL counts the papers, and questions end."""
        names = sorted(self.wanted) or ["nothing.pdf"]
        ((count,),) = self.library.sql("SELECT count(*) FROM metadata").rows
        assert count == len(self.wanted), (count, len(self.wanted))
        for _ in range(10):
            self.library.ask(self.random.choice(QUESTIONS).format(self.random.choice(names)), save=False)

    def kill(self) -> None:
        """`add` dies at a random moment; what it left is made whole."""
        free = [source for source in self.sources if source not in self.wanted.values()]
        for source in free[:2]:
            self.put(source)
        self.killed(ADD)
        self.library.repair()
        self.library.add(self.box)

    def killed(self, code: str) -> None:
        """Run code in a process that dies at a random moment; all papers that it left are whole."""
        process = subprocess.Popen([sys.executable, "-c", code, str(self.folder), str(self.box)])
        time.sleep(self.random.random() * 4)
        process.send_signal(signal.SIGKILL)
        process.wait()
        damage = [one for one in self.library.check().problems if one.kind != "copy" and not one.waiting]
        assert not damage, damage

    def lose(self) -> None:
        """The log goes, or the database with it."""
        locks.shared_file(self.folder / "library.duckdb").drop()
        (self.folder / "library.duckdb.wal").unlink(missing_ok=True)
        if self.random.random() < 0.5 and self.wanted:
            (self.folder / "library.duckdb").unlink()
            self.library = Library.open(self.folder)
        self.library.repair()

    def compare(self) -> None:
        """The library holds what it must, and nothing is amiss."""
        there = {paper.file_name for paper in self.library.papers() if paper.state != "failed"}
        assert there == set(self.wanted), (there ^ set(self.wanted), dict(self.done))
        health = self.library.check()
        assert health.ok, (health.problems, dict(self.done))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[1] / "examples" / "papers")
    options = parser.parse_args()
    sources = sorted(options.data.glob("*.pdf"))
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), sources, random.Random(options.seed))
        start, acts, warm = time.monotonic(), 0, 0
        while time.monotonic() - start < 60 * options.minutes:
            soak.act()
            acts += 1
            if acts == 20:
                warm = memory()
        passed = (time.monotonic() - start) / 60
        print(f"{acts} acts in {passed:.1f} minutes, seed {options.seed}: {dict(soak.done)}; nothing lost")
        print(f"memory after 20 acts {warm} MB, at the end {memory()} MB, peak {peak()} MB")


def memory() -> int:
    """Megabytes in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() >> 20


def peak() -> int:
    """The most megabytes in use so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    main()
