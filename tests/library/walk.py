"""A walk over a small library beside a model of what must be in it: whatever is done in whatever order.

    walk = Walk(folder)
    walk.add(0); walk.ask(0); walk.correct(); walk.kill("remove", 0, 0.1); walk.spoil(3)
    walk.look()         # [] or what differs

The model knows which papers are in, which were removed, and which questions were answered right.
`test_walk.py` walks a few steps, `benchmarks/attacks/store.py` two thousand.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from quire.ask import runs
from quire.build import Library
from quire.store import schema
from quire.types import Trajectory
from tests.library.conftest import KEYWORDS, write_pdf

SHIPS = ("Alba", "Brig", "Cora", "Dora")
DERIVED = ("cache", "index")
_ACT = """
import sys
from quire.build import Library
library = Library.open(sys.argv[1], index__encoders=("text_bm25_en",))
print("begun", flush=True)
{}
"""
_ACTS = {
    "add": "library.add(sys.argv[2])",
    "remove": "library.remove(sys.argv[3])",
    "restore": "library.restore(sys.argv[3])",
    "refresh": "library.refresh(sys.argv[3])",
    "ask": "library.ask(sys.argv[4], papers=[sys.argv[3]])",
    "verdict": "library.verdict('wrong', answer=int(sys.argv[5]))",
    "migrate": "library.papers()",
}
OLDER = """
DELETE FROM schema_version WHERE number >= 6; DROP TABLE sources; DROP TABLE runs;
ALTER TABLE entries ADD COLUMN length INTEGER;
CREATE TABLE postings (id INTEGER); CREATE TABLE postings_recent (id INTEGER);
CREATE TABLE pair_sizes (id INTEGER); CREATE TABLE sent_averages (id INTEGER);
CREATE TABLE sent (id INTEGER); CREATE TABLE outbox (id INTEGER);
"""


def question(ship: int) -> str:
    """What only the paper of that ship answers."""
    return f"How many sailors does the {SHIPS[ship]} carry?"


class Walk:
    """The library in `folder/library`, and what must be true of it."""

    def __init__(self, folder: Path, damage: bool = True) -> None:
        """`damage`: derived files are not only removed but cut, flipped and filled with nonsense."""
        self.damage = damage
        self.folder = folder / "library"
        self.files = [
            write_pdf(
                folder / f"{ship}.pdf",
                f"On the Ship {ship} and Its Crew",
                f"The ship {ship} was built by hand. The {ship} carries {10 + number} sailors and one cook.",
                f"The {ship} was sold to a museum in 19{number}2.",
            )
            for number, ship in enumerate(SHIPS)
        ]
        with Library.open(folder / "whole", **KEYWORDS) as whole:
            whole.add(self.files)
            self.ids = [whole.paper(file.name).id for file in self.files]
            self.rows = fingerprint(whole)
        self.inside: set[int] = set()
        self.removed: set[int] = set()
        self.right: set[int] = set()  # ships whose question is answered from memory while they are in
        self.verdicts = 0
        self.last: tuple[int, Trajectory] | None = None
        self.spoilt = 0  # looks until what was spoilt must be whole again
        self.library = Library.open(self.folder, create=True, **KEYWORDS)

    # ---------------------------------------------------------------- steps

    def add(self, ship: int) -> None:
        """Add a file, or all of them beyond the last."""
        wanted = [ship] if ship < len(SHIPS) else range(len(SHIPS))
        report = self.library.add([self.files[one] for one in wanted])
        assert not report.failed, report.failed
        self._came(wanted)

    def remove(self, ship: int, keep: bool = True) -> None:
        """Remove a paper."""
        if ship in self.inside:
            self.library.remove(self.ids[ship], keep=keep)
            self.inside.discard(ship)
            if keep:
                self.removed.add(ship)

    def restore(self, ship: int) -> None:
        """Put a paper back."""
        if ship in self.removed:
            report = self.library.restore(self.ids[ship])
            assert not report.failed, report
            self._came([ship])

    def ask(self, ship: int) -> None:
        """Ask what its paper answers; it is remembered if it was judged right."""
        if ship in self.inside:
            run = self.library.ask(question(ship), papers=[self.ids[ship]])
            told = (run.method == "remembered", run.answer.value)
            assert told == ((True, 10 + ship) if ship in self.right else (False, run.answer.value)), told
            self.last = ship, run

    def correct(self) -> None:
        """Tell the right answer to what was asked last."""
        if self.last and self.last[0] in self.inside and self.last[0] not in self.right:
            ship, run = self.last
            self.library.verdict("wrong", run.run_id, answer=10 + ship)
            self.right.add(ship)
            assert self._verdicts() >= self.verdicts, "a verdict was lost"
            self.verdicts = self._verdicts()

    def refresh(self, ship: int) -> None:
        """Parse a paper again, as if an older parser had parsed it."""
        if ship in self.inside:
            with self.library._resources.database.writing() as connection:
                sql = "UPDATE papers SET parser = 'pdfium-1' WHERE paper_id = ?::UUID"
                connection.execute(sql, [self.ids[ship]])
            report = self.library.refresh(self.ids[ship])
            assert len(report.refreshed) == 1, report

    def spoil(self, seed: int) -> None:
        """Empty or damage what is derived, while nobody uses it."""
        dice = random.Random(seed)
        self.spoilt = dice.choice([1, 2])  # at once, or after the next step
        self.open()
        for name in DERIVED:
            place = self.folder / name
            if dice.random() < 0.3 or not self.damage:
                shutil.rmtree(place, ignore_errors=True)
            for file in sorted(place.rglob("*")):
                if file.is_file() and dice.random() < 0.6:
                    whole = bytearray(file.read_bytes())
                    file.unlink()  # who has it mapped keeps it as it was
                    dice.choice([_cut, _flip, _nonsense, _empty])(file, whole, dice)

    def kill(self, act: str, ship: int, seconds: float) -> float:
        """Be killed while one thing is done; gives how long the library took to open. It is done, or not."""
        if not self._may(act, ship):
            return 0.0
        if act == "verdict":
            self.ask(ship)
        elif act in ("refresh", "migrate"):
            with self.library._resources.database.writing() as connection:
                old = "UPDATE papers SET parser = 'pdfium-1'"
                connection.execute(old if act == "refresh" else OLDER)
        self.library.close()
        told = [self.files[ship], self.ids[ship], question(ship), 10 + ship]
        command = [sys.executable, "-c", _ACT.format(_ACTS[act]), str(self.folder), *map(str, told)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
        started = time.monotonic()
        self.open()
        inside = {self.ids.index(paper.id) for paper in self.library.papers()}
        took = time.monotonic() - started
        assert inside ^ self.inside <= {ship}, "another paper came or went"
        if act == "verdict":
            assert self._verdicts() >= self.verdicts, "a verdict was lost"
            self.correct()  # once more, as its user would
        if act == "remove" and inside != self.inside:
            self.removed.add(ship)
        elif inside != self.inside:
            self.removed.discard(ship)
        self.inside = inside
        self.add_leftovers()
        if act == "refresh":
            report = self.library.refresh()
            assert not report.failed, report
        runs.listed(self.folder)  # every stored run is whole
        return took

    def add_leftovers(self) -> None:
        """Let `repair` finish what was begun: a copy without rows may become a paper, nothing else."""
        before = set(self.inside)
        health = self.library.repair()
        assert health.ok, health.problems
        inside = {self.ids.index(paper.id) for paper in self.library.papers()}
        assert before <= inside, "repair lost a paper"
        self._came(inside - before)

    def open(self) -> None:
        """Close the library and open it anew."""
        self.library.close()
        with contextlib.suppress(AttributeError):
            self.library.memory.verdicts.store.close()
        self.library = Library.open(self.folder, **KEYWORDS)

    # ---------------------------------------------------------------- looking

    def look(self) -> list[str]:
        """What is not as it must be. A spoilt index stops nothing, and is told until it is repaired."""
        library = self.library
        wrong: list[str] = []
        self.spoilt -= 1
        if self.spoilt == 1:
            return []
        for name in SHIPS if self.spoilt == 0 and self.damage else ():
            library.search(f"sailors of the {name}")
        if self.spoilt == 0 and self.damage:
            told = {problem.kind for problem in library.check().problems}
            _differ(wrong, "what the check tells", told - {"index", "vectors"}, set())
            _differ(wrong, "problems", library.repair().problems, ())
        inside = {self.ids.index(paper.id) for paper in library.papers()}
        removed = {self.ids.index(one.id) for one in library.removed()}
        expected = {self.ids[ship]: self.rows[self.ids[ship]] for ship in self.inside}
        _differ(wrong, "papers", inside, self.inside)
        _differ(wrong, "removed", removed, self.removed)
        _differ(wrong, "rows", fingerprint(library), expected)
        _differ(wrong, "verdicts", self._verdicts(), self.verdicts)
        for ship in range(len(SHIPS)):
            hits = library.search(f"sailors of the {SHIPS[ship]}")
            found = any(SHIPS[ship] in hit.text for hit in hits)
            _differ(wrong, f"search for {SHIPS[ship]}", found, ship in self.inside)
        _differ(wrong, "problems", library.check().problems, ())  # the searches made up what was emptied
        return wrong

    def _verdicts(self) -> int:
        return self.library.memory.verdicts.counts()["verdicts"]

    def _came(self, ships: Any) -> None:
        self.inside |= set(ships)
        self.removed -= set(ships)

    def _may(self, act: str, ship: int) -> bool:
        if act == "verdict":
            return ship in self.inside - self.right
        absent = set(range(len(SHIPS))) - self.inside
        return ship in {"add": absent, "restore": self.removed}.get(act, self.inside)


def fingerprint(library: Library) -> dict[str, dict[str, tuple[int, int]]]:
    """Every paper's rows, as counts and a hash per table."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    with library._resources.database.reading() as connection:
        for (paper,) in connection.execute("SELECT paper_id::VARCHAR FROM papers").fetchall():
            found[paper] = {}
        for table in schema.TABLES:
            owner = "paper_id" if table.name == "metadata" else "ref_paper_id"
            links = " EXCLUDE (cited_paper_id)" if table.name == "reference" else ""
            for paper, count, digest in connection.execute(
                f"SELECT {owner}::VARCHAR, count(*), bit_xor(hash(t))"
                f" FROM (SELECT *{links} FROM {table.name}) t GROUP BY 1"
            ).fetchall():
                found.setdefault(paper, {})[table.name] = (count, digest)
    return found


def step(walk: Walk, dice: random.Random) -> str:
    """One step of a random walk; gives what it was."""
    ship, number = dice.randrange(len(SHIPS)), dice.randrange(1 << 30)
    steps: list[tuple[float, str, Callable[[], object]]] = [
        (3, f"add {ship}", lambda: walk.add(ship)),
        (1, "add all", lambda: walk.add(len(SHIPS))),
        (3, f"remove {ship}", lambda: walk.remove(ship)),
        (1, f"remove {ship} for good", lambda: walk.remove(ship, keep=False)),
        (3, f"restore {ship}", lambda: walk.restore(ship)),
        (4, f"ask {ship}", lambda: walk.ask(ship)),
        (3, "correct", walk.correct),
        (2, f"refresh {ship}", lambda: walk.refresh(ship)),
        (2, f"spoil {number}", lambda: walk.spoil(number)),
        (1, "open", walk.open),
    ]
    for act in _ACTS:
        seconds = dice.random() * 0.5
        steps.append((1, f"kill {act} {ship} {seconds:.3f}", partial(walk.kill, act, ship, seconds)))
    _, name, do = dice.choices(steps, [weight for weight, _, _ in steps])[0]
    do()
    return name


def _differ(wrong: list[str], what: str, have: object, want: object) -> None:
    if have != want:
        wrong.append(f"{what}: {have!r}, not {want!r}"[:600])


def _cut(file: Path, whole: bytearray, dice: random.Random) -> None:
    file.write_bytes(whole[: dice.randrange(len(whole) + 1)])


def _flip(file: Path, whole: bytearray, dice: random.Random) -> None:
    for _ in range(min(len(whole), 8)):
        whole[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
    file.write_bytes(whole)


def _nonsense(file: Path, whole: bytearray, dice: random.Random) -> None:
    file.write_bytes(os.urandom(dice.randrange(5000)))


def _empty(file: Path, whole: bytearray, dice: random.Random) -> None:
    file.write_bytes(b"")


def _garble(file: Path, whole: bytearray, dice: random.Random) -> None:
    """All but the end, by which a file may be checked."""
    file.write_bytes(dice.randbytes(max(0, len(whole) - 200)) + whole[-200:])


def _folder(file: Path, whole: bytearray, dice: random.Random) -> None:
    file.mkdir()


def _gone(file: Path, whole: bytearray, dice: random.Random) -> None:
    pass


HARMS = {
    "empty": _empty,
    "nonsense": _nonsense,
    "garbled": _garble,
    "flipped": _flip,
    "cut": _cut,
    "a folder": _folder,
    "gone": _gone,
}
UNREAD = {
    ".managed.json",
    ".tantivy-meta.lock",
    ".tantivy-writer.lock",
}  # nothing comes of them


@cache
def _found(folder: Path, asked: str) -> list[tuple[str, str]]:
    """What a library has that answers it, whose index nobody harms."""
    with Library.open(folder) as library:
        return [(hit.paper_id, hit.text) for hit in library.search(asked)]


def derived_of(library: Path) -> list[str]:
    """The files of a library's index, by their names in it."""
    files = sorted((library / "index").rglob("*"))
    return [str(file.relative_to(library)) for file in files if file.is_file()]


def survive(kept: Path, place: Path, name: str, harm: str, asked: str, dice: random.Random) -> str:
    """What is wrong once a file of a copy of a library was harmed; "" if nothing is.

    It must be told by `check` (unless nothing comes of the file), a search must go on, and `repair` leave
    nothing amiss: then what was found before is found.
    """
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(kept, place)
    whole = bytearray((place / name).read_bytes())
    (place / name).unlink()
    HARMS[harm](place / name, whole, dice)
    same = (place / name).is_file() and (place / name).read_bytes() == whole
    best = _found(kept, asked)
    with Library.open(place) as library:
        if not (library.check().problems or same or Path(name).name in UNREAD):
            return f"{name} {harm}: check tells nothing"
        library.search(
            asked
        )  # no search looks at every checksum: what it finds may be wrong until it is told
        if problems := library.repair().problems:
            return f"{name} {harm}: still {problems}"
        if [(hit.paper_id, hit.text) for hit in library.search(asked)] != best:
            return f"{name} {harm}: found something else after all"
    return ""
